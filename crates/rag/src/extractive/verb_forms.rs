//! Irregular forms of English verbs, and verbs that say little: a text need not repeat them.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The base form of an irregular verb, or the word itself.
pub(super) fn base_form(word: &str) -> &str {
    BASE_FORMS.get(word).copied().unwrap_or(word)
}

/// Whether a word of a question, in lower case, says little: "How often does the bus run?"
pub(super) fn is_light(word: &str) -> bool {
    let base = base_form(word);
    LIGHT.contains(&base) || base.strip_suffix('s').is_some_and(|base| LIGHT.contains(&base))
}

static BASE_FORMS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let row = |row: &'static str| {
        let mut forms = row.split(' ');
        let base = forms.next().unwrap_or_default();
        forms.map(move |form| (form, base))
    };
    IRREGULAR.iter().flat_map(|forms| row(forms)).collect()
});

/// Each with its base form first. Left out are forms that are other words as well, such as "saw", "found" and "left".
const IRREGULAR: &[&str] = &[
    "arise arose arisen",
    "beat beaten",
    "become became",
    "begin began begun",
    "bend bent",
    "bind bound",
    "bite bit bitten",
    "blow blew blown",
    "break broke broken",
    "bring brought",
    "build built",
    "burn burnt",
    "buy bought",
    "catch caught",
    "choose chose chosen",
    "come came",
    "cost costs",
    "creep crept",
    "deal dealt",
    "dig dug",
    "do does did done doing",
    "draw drew drawn",
    "drink drank drunk",
    "drive drove driven",
    "eat ate eaten",
    "fall fallen",
    "feed fed",
    "feel felt",
    "fight fought",
    "fly flew flown",
    "forbid forbade forbidden",
    "forget forgot forgotten",
    "freeze froze frozen",
    "get got gotten getting",
    "give gave given giving",
    "go goes went gone going",
    "grow grew grown",
    "hang hung",
    "have has had having",
    "hear heard",
    "hide hid hidden",
    "hold held",
    "keep kept",
    "know knew known",
    "lay laid",
    "lead led",
    "learn learnt",
    "lend lent",
    "lose lost",
    "make made making",
    "mean meant",
    "meet met",
    "pay paid",
    "read reads",
    "ride rode ridden",
    "ring rang rung",
    "rise rose risen",
    "run ran running",
    "say said",
    "sell sold",
    "send sent",
    "shake shook shaken",
    "shine shone",
    "shoot shot",
    "shrink shrank shrunk",
    "sing sang sung",
    "sink sank sunk",
    "sit sat",
    "sleep slept",
    "slide slid",
    "speak spoke spoken",
    "spend spent",
    "spin spun",
    "stand stood",
    "steal stole stolen",
    "stick stuck",
    "strike struck",
    "swear swore sworn",
    "sweep swept",
    "swim swam swum",
    "take took taken taking",
    "teach taught",
    "tear tore torn",
    "tell told",
    "think thought",
    "throw threw thrown",
    "understand understood",
    "wake woke woken",
    "wear wore worn",
    "weave wove woven",
    "win won",
    "write wrote written",
];
/// In their base form.
const LIGHT: &[&str] = &[
    "be", "come", "do", "get", "give", "go", "happen", "have", "let", "make", "need", "rid", "run", "stay",
    "take", "use", "used", "want", "work", "bekommen", "bekommt", "bleibt", "findet", "geht", "gibt",
    "kommen", "kommt", "liegt", "macht", "machen", "statt",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn irregular_verbs_have_a_base_form() {
        for (word, expected) in [("came", "come"), ("written", "write"), ("river", "river"), ("", "")] {
            assert_eq!(base_form(word), expected);
        }
        for (word, expected) in
            [("runs", true), ("ran", true), ("kommt", true), ("built", false), ("", false)]
        {
            assert_eq!(is_light(word), expected, "{word}");
        }
        let bases: Vec<&str> = IRREGULAR.iter().filter_map(|forms| forms.split(' ').next()).collect();
        assert!(bases.iter().all(|base| base_form(base) == *base), "no base form is a form of another verb");
    }
}
