//! Stopwords: the lists of NLTK.

use crate::language::{KNOWN, Language};
use std::sync::LazyLock;

/// The stopwords of a language.
struct StopwordList {
    /// Sorted, for binary search.
    words: Vec<&'static str>,
    /// The lengths in bytes of the words with each first byte, one bit each: most words of a text have none of them.
    lengths: [u32; 256],
}

impl StopwordList {
    fn of(code: &str) -> Self {
        let mut words = stop_words::lookup(code).unwrap_or_default().to_vec();
        words.sort_unstable();
        let mut lengths = [0; 256];
        for word in &words {
            if let Some(first) = word.bytes().next() {
                lengths[usize::from(first)] |= length_bit(word);
            }
        }
        Self { words, lengths }
    }

    fn contains(&self, word: &str) -> bool {
        let lengths = word.bytes().next().map_or(0, |first| self.lengths[usize::from(first)]);
        let words: &[&str] = &self.words;
        lengths & length_bit(word) != 0 && words.binary_search(&word).is_ok()
    }
}

/// Long words share the last bit.
fn length_bit(word: &str) -> u32 {
    1 << word.len().min(31)
}

static LISTS: LazyLock<Vec<StopwordList>> =
    LazyLock::new(|| KNOWN.iter().map(|known| StopwordList::of(known.code)).collect());

impl Language {
    /// `word` is in lower case.
    pub fn is_stopword(self, word: &str) -> bool {
        list_of(self).is_some_and(|list| list.contains(word))
    }
}

/// All stopwords of a language; empty if it is unknown.
pub fn list(language: Language) -> &'static [&'static str] {
    list_of(language).map_or(&[], |list| list.words.as_slice())
}

fn list_of(language: Language) -> Option<&'static StopwordList> {
    language.place().and_then(|place| LISTS.get(place))
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
            for word in list(language) {
                assert_eq!(language.is_stopword(word), !word.is_empty(), "{word} in {language:?}");
                assert!(!language.is_stopword(&format!("{word}{word}{word}qqx")), "{word} in {language:?}");
            }
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
