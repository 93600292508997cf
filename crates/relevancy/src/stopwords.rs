//! Words that say nothing about what a text is about: the lists of NLTK.

use crate::language::{KNOWN, Language};
use std::sync::LazyLock;

/// One list for each language of the table, sorted, so that a word is found by halving.
static LISTS: LazyLock<Vec<Vec<&'static str>>> = LazyLock::new(|| {
    let sorted = |code: &str| {
        let mut words = stop_words::lookup(code).unwrap_or_default().to_vec();
        words.sort_unstable();
        words
    };
    KNOWN.iter().map(|known| sorted(known.code)).collect()
});

impl Language {
    /// `word` is in lower case.
    pub fn is_stopword(self, word: &str) -> bool {
        list(self).binary_search(&word).is_ok()
    }
}

/// All stopwords of a language; none if it is not known.
pub fn list(language: Language) -> &'static [&'static str] {
    language.place().and_then(|place| LISTS.get(place)).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

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
