//! Stems: what the forms of an English word have in common.

use crate::tokens::Beginning;
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;

/// The stem of a word in lower case.
pub fn stem(word: &str) -> Cow<'_, str> {
    // Creating the stemmer only picks a function; there is nothing to keep.
    Stemmer::create(Algorithm::English).stem(word)
}

/// False for most words, and cheap: a word that begins so cannot have a stem that begins so. Stems keep the first two
/// characters of their words, but for short words in `-ying` (`dying` has the stem `die`), which keep one.
pub fn may_begin(word: Beginning, stem: Beginning) -> bool {
    word.0 == stem.0 && (word.1 == stem.1 || stem.1.is_none() || word.1 == Some('y'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokens::beginning;
    use proptest::prelude::*;

    #[test]
    fn forms_of_a_word_share_a_stem() {
        let table = [
            ("cars", "car"),
            ("car's", "car"),
            ("electric", "electr"),
            ("dying", "die"),
            ("skies", "sky"),
            ("yellowing", "yellow"),
            ("3", "3"),
            ("東", "東"),
        ];
        for (word, expected) in table {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn most_words_are_passed_over() {
        let table = [
            ("cars", "car", true),
            ("Cats", "car", true),
            ("coat", "car", false),
            ("dying", "die", true),
            ("day", "die", false),
            ("x's", "x", true),
        ];
        for (word, stem, expected) in table {
            assert_eq!(may_begin(beginning(word), beginning(stem)), expected, "{word} for {stem}");
        }
    }

    proptest! {
        #[test]
        fn a_word_may_begin_its_own_stem(word in "[a-zéß東][a-z']{0,8}(ing|ying|ies|ed|ly|ation|fulness|y|'s)?") {
            prop_assert!(may_begin(beginning(&word), beginning(&stem(&word))));
        }
    }
}
