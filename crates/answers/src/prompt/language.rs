//! The language of a text, by its small words: sources and answers are in any.

use relevancy::Language;
use relevancy::tokens::{lower, tokens};

/// Most words that are read to tell a language.
const WORDS_READ_MAX: usize = 200;
/// So many small words at least; fewer may stand in a text of any language.
const HITS_MIN: usize = 2;

const NAMES: [&str; 18] = [
    "english",
    "german",
    "french",
    "spanish",
    "italian",
    "portuguese",
    "dutch",
    "danish",
    "norwegian",
    "swedish",
    "finnish",
    "hungarian",
    "romanian",
    "russian",
    "turkish",
    "greek",
    "arabic",
    "tamil",
];

/// The language with the most small words in the text; English when there are hardly any.
pub(crate) fn language_of(text: &str) -> Language {
    let words: Vec<_> = tokens(text).take(WORDS_READ_MAX).map(|token| lower(token.text)).collect();
    let mut best = (HITS_MIN - 1, Language::ENGLISH);
    for language in NAMES.map(Language::named) {
        let hits = words.iter().filter(|word| language.is_stopword(word)).count();
        if hits > best.0 {
            best = (hits, language);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_tell_their_language() {
        for (text, expected) in [
            ("", "english"),
            ("The river rose in the night and it was cold.", "english"),
            ("Der Fluss stieg in der Nacht, und es war kalt.", "german"),
            ("Le fleuve est monté dans la nuit et il faisait froid.", "french"),
            ("Река поднялась ночью, и было холодно, но не так.", "russian"),
            ("Rhine Danube Elbe", "english"),
        ] {
            assert_eq!(language_of(text), Language::named(expected), "{text}");
        }
        assert!(NAMES.iter().all(|name| Language::named(name).known().is_some()));
    }
}
