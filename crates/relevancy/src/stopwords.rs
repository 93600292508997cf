//! Stopwords: the lists of NLTK.

use crate::language::{KNOWN, Language};
use crate::tokens::{lower, tokens};
use std::sync::LazyLock;

/// Most words that are read to detect a language.
const WORDS_READ_MAX: usize = 200;
/// Required number of stopwords; fewer may occur in a text of any language.
const HITS_MIN: usize = 2;
/// Of similar languages, the earlier counts.
const LIKELY_FIRST: [&str; 18] = [
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

/// One sorted list per language, for binary search.
static LISTS: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    let sorted = |code: &str| {
        let mut words = stop_words::lookup(code).unwrap_or_default().to_vec();
        words.sort_unstable();
        words
    };
    KNOWN.iter().map(|known| sorted(known.code)).collect()
});

impl Language {
    /// The language with the most stopwords in the text; `None` if there are hardly any.
    pub fn of_text(text: &str) -> Option<Self> {
        let words: Vec<_> = tokens(text).take(WORDS_READ_MAX).map(|token| lower(token.text)).collect();
        let mut best = (HITS_MIN - 1, None);
        for language in LIKELY_FIRST.map(Language::named) {
            let hits = words.iter().filter(|word| language.is_stopword(word)).count();
            if hits > best.0 {
                best = (hits, Some(language));
            }
        }
        best.1
    }

    /// `word` is in lower case.
    pub fn is_stopword(self, word: &str) -> bool {
        list(self).binary_search(&word).is_ok()
    }
}

/// All stopwords of a language; empty if it is unknown.
pub fn list(language: Language) -> &'static [&'static str] {
    language.place().and_then(|place| LISTS.get(place)).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_tell_their_language() {
        for (text, expected) in [
            ("", None),
            ("The river rose in the night and it was cold.", Some("english")),
            ("Der Fluss stieg in der Nacht, und es war kalt.", Some("german")),
            ("Le fleuve est monté dans la nuit et il faisait froid.", Some("french")),
            ("Река поднялась ночью, и было холодно, но не так.", Some("russian")),
            ("Rhine Danube Elbe", None),
        ] {
            assert_eq!(Language::of_text(text), expected.map(Language::named), "{text}");
        }
        assert!(LIKELY_FIRST.iter().all(|name| Language::named(name).known().is_some()));
    }

    #[test]
    fn every_language_has_its_list() {
        let table = [
            ("english", "the", true),
            ("english", "don't", true),
            ("english", "car", false),
            ("english", "", false),
            ("english", "The", false),
            ("german", "und", true),
            ("german", "the", false),
            ("french", "été", true),
            ("russian", "и", true),
            ("arabic", "في", true),
            ("klingon", "the", false),
        ];
        for (language, word, expected) in table {
            assert_eq!(Language::named(language).is_stopword(word), expected, "{word} in {language}");
        }
        for language in Language::all().filter(|language| language.known().is_some()) {
            assert!(list(language).len() > 50, "{language:?}");
        }
    }

    #[test]
    fn the_english_list_is_the_one_of_nltk() {
        assert_eq!(list(Language::ENGLISH).len(), 198);
        for word in ["i", "ourselves", "you've", "shan", "wouldn't", "needn't", "theirs", "once", "ll"] {
            assert!(Language::ENGLISH.is_stopword(word), "{word}");
        }
        for word in ["also", "would", "could", "one"] {
            assert!(!Language::ENGLISH.is_stopword(word), "{word}");
        }
    }
}
