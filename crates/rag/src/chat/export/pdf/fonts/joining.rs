//! The forms of Arabic characters, which depend on their neighbors. Unicode has a character for each form.

use std::collections::HashMap;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Zero-width non-joiner and joiner, which change the form of characters beside them.
pub const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];

/// The forms of a character. One that joins the character before it only has no initial and medial form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Forms {
    isolated: char,
    last: Option<char>,
    first: Option<char>,
    middle: Option<char>,
}

/// By character, or by the two characters of a ligature. The forms of a character follow each other in the blocks of
/// presentation forms.
static FORMS: LazyLock<HashMap<String, Forms>> = LazyLock::new(|| {
    let mut forms: HashMap<String, Vec<char>> = HashMap::new();
    let blocks = ('\u{fb50}'..='\u{fbb1}').chain('\u{fbd3}'..='\u{fbe7}').chain('\u{fbfc}'..='\u{fbff}');
    for form in blocks.chain('\u{fe80}'..='\u{fefc}') {
        let characters: String = std::iter::once(form).nfkc().collect();
        if characters != form.to_string() {
            forms.entry(characters).or_default().push(form);
        }
    }
    let of_character = |(characters, forms): (String, Vec<char>)| {
        let form = |place: usize| forms.get(place).copied();
        let own = Forms { isolated: form(0)?, last: form(1), first: form(2), middle: form(3) };
        Some((characters, own))
    };
    forms.into_iter().filter_map(of_character).collect()
});

/// Joins characters without a form of its own.
const TATWEEL: char = '\u{640}';

/// Whether this is a character of a joining script whose forms are not known.
pub fn has_unknown_forms(c: char) -> bool {
    let is_joining = matches!(c, '\u{620}'..='\u{64a}' | '\u{66e}'..='\u{6d3}' | '\u{6d5}' | '\u{6fa}'..='\u{6ff}'
        | '\u{700}'..='\u{74f}' | '\u{750}'..='\u{77f}' | '\u{7c0}'..='\u{7ff}' | '\u{840}'..='\u{8ff}');
    let is_alone = matches!(c, TATWEEL | '\u{621}' | '\u{674}');
    is_joining && !is_combining_mark(c) && !is_alone && !FORMS.contains_key(c.to_string().as_str())
}

/// A character to be shown, and the text that it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown<'t> {
    pub character: char,
    pub text: &'t str,
}

/// The characters to be shown, in the order of the text.
pub fn joined(text: &str) -> Vec<Shown<'_>> {
    let characters: Vec<(usize, char)> = text.char_indices().collect();
    let mut shown = Vec::with_capacity(characters.len());
    let mut place = 0;
    while let Some((start, c)) = characters.get(place).copied() {
        let ligature =
            characters.get(place + 1).and_then(|(_, next)| FORMS.get(format!("{c}{next}").as_str()));
        let length = if ligature.is_some() { 2 } else { 1 };
        let end = characters.get(place + length).map_or(text.len(), |(end, _)| *end);
        let forms = ligature.or_else(|| FORMS.get(c.to_string().as_str()));
        if !JOINERS.contains(&c) {
            let character = forms.map_or(c, |forms| {
                let is_after = joins_next(&characters, place);
                forms.of(is_after, joins_previous(&characters, place + length))
            });
            shown.push(Shown { character, text: &text[start..end] });
        }
        place += length;
    }
    shown
}

impl Forms {
    fn of(&self, is_after_character: bool, is_before_character: bool) -> char {
        match (is_after_character, is_before_character) {
            (true, true) => self.middle.or(self.last),
            (true, false) => self.last,
            (false, true) => self.first,
            (false, false) => None,
        }
        .unwrap_or(self.isolated)
    }
}

/// Whether the character before this place joins the one after it.
fn joins_next(characters: &[(usize, char)], place: usize) -> bool {
    let before = characters[..place].iter().map(|(_, c)| *c).rev().find(|c| !is_combining_mark(*c));
    before.is_some_and(|c| {
        let forms = FORMS.get(c.to_string().as_str());
        c == TATWEEL || c == JOINERS[1] || forms.is_some_and(|forms| forms.first.is_some())
    })
}

/// Whether the character at this place joins the one before it.
fn joins_previous(characters: &[(usize, char)], place: usize) -> bool {
    let after = characters.get(place..).unwrap_or_default().iter().map(|(_, c)| *c);
    let after = after.into_iter().find(|c| !is_combining_mark(*c));
    after.is_some_and(|c| {
        let forms = FORMS.get(c.to_string().as_str());
        c == TATWEEL || c == JOINERS[1] || forms.is_some_and(|forms| forms.last.is_some())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_take_their_forms() {
        for (text, expected) in [
            // Three characters that join, and one that does not join the next.
            ("بيت", "\u{fe91}\u{fef4}\u{fe96}"),
            ("دار", "\u{fea9}\u{fe8d}\u{fead}"),
            ("ب", "\u{fe8f}"),
            // A ligature of two characters, at the end of a word and alone.
            ("سلام", "\u{feb3}\u{fefc}\u{fee1}"),
            ("لا", "\u{fefb}"),
            // A mark between characters, and a sign that separates them.
            ("بَت", "\u{fe91}\u{64e}\u{fe96}"),
            ("می\u{200c}خو", "\u{fee3}\u{fbfd}\u{fea7}\u{feee}"),
            ("پچ", "\u{fb58}\u{fb7b}"),
            ("abc שלום", "abc שלום"),
        ] {
            let shown: String = joined(text).iter().map(|one| one.character).collect();
            assert_eq!(shown, expected, "{text}");
            let texts: String = joined(text).iter().map(|one| one.text).collect();
            assert_eq!(texts, text.replace('\u{200c}', ""), "{text}");
        }
    }

    #[test]
    fn characters_without_forms_are_known() {
        for (c, is_unknown) in
            [('ب', false), ('پ', false), ('ء', false), ('ښ', true), ('ܐ', true), ('a', false)]
        {
            assert_eq!(has_unknown_forms(c), is_unknown, "{c}");
        }
    }
}
