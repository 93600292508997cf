//! The language that a query without stopwords seems to be in, by endings and sequences of characters that hardly any
//! other language has. Only for hints: it decides nothing.

use crate::language::Language;
use crate::query_language::{are_foreign, is_common_in_english, words};
use crate::tokens::lower;

/// What shows a language in a word that English does not have.
struct Signs {
    language: &'static str,
    endings: &'static [&'static str],
    sequences: &'static [&'static str],
}

static SIGNS: [Signs; 2] = [
    Signs {
        language: "german",
        endings: &["ung", "ungen", "heit", "heiten", "keit", "keiten", "schaft", "schaften"],
        sequences: &["ß", "chw", "schl", "schm", "schn", "schw", "tzt", "zw", "wasser"],
    },
    Signs {
        language: "french",
        endings: &["eaux", "euse", "euses", "ière", "ières", "ité", "ités", "ée", "ées", "é"],
        sequences: &["œ", "ê", "aî", "oî", "eû", "oû", "où"],
    },
];
/// Shorter words show nothing.
const CHARACTERS_MIN: usize = 5;

impl Language {
    /// The language that a query seems to be in: the one that its stopwords show, or else, if English is expected, one
    /// that some of its words have the signs of, and none those of another.
    pub fn suspected_of(query: &str, expected: Self) -> Option<Self> {
        if let Some(shown) = Self::shown_by(query, expected) {
            return Some(shown);
        }
        if expected != Self::ENGLISH || !are_foreign(words(query)) {
            return None;
        }
        let long: Vec<String> = words(query)
            .filter(|word| word.chars().count() >= CHARACTERS_MIN && word.chars().all(char::is_alphabetic))
            .map(|word| lower(word).into_owned())
            .filter(|word| !is_common_in_english(word))
            .collect();
        let mut suspected = SIGNS.iter().filter(|signs| long.iter().any(|word| signs.are_in(word)));
        let signs = suspected.next().filter(|_| suspected.next().is_none())?;
        Some(Self::named(signs.language))
    }
}

impl Signs {
    fn are_in(&self, word: &str) -> bool {
        self.endings.iter().any(|ending| word.ends_with(ending))
            || self.sequences.iter().any(|sequence| word.contains(sequence))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_suspected_by_their_signs() {
        for (query, expected) in [
            ("Hochwasser Warnung", Some("german")),
            ("Überschwemmung", Some("german")),
            ("das Haus an der Elbe", Some("german")),
            ("rivière crue", Some("french")),
            ("inondée", Some("french")),
            ("who pays for the damage", Some("english")),
            // Signs of both, of none, or in English queries.
            ("Hochwasser rivière", None),
            ("Pegel Elbe", None),
            ("flod warnig", None),
            ("sedimant", None),
            ("café", None),
            ("zwieback river level", None),
            ("Samsung young tongue", None),
            ("RB-171", None),
            ("", None),
        ] {
            let suspected = Language::suspected_of(query, Language::ENGLISH);
            assert_eq!(suspected, expected.map(Language::named), "{query}");
        }
        let german = Language::named("german");
        assert_eq!(Language::suspected_of("rivière crue", german), None, "only if English is expected");
        for signs in &SIGNS {
            assert!(Language::named(signs.language).known().is_some(), "{}", signs.language);
        }
    }
}
