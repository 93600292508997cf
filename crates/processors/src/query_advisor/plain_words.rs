//! The words of a query that may be misspelled.

use relevancy::Language;
use relevancy::tokens::lower;
use std::ops::Range;
use syntax::query_string::{tag_of, terms};

/// Most words of a query that are examined.
pub const WORDS_MAX: usize = 16;
/// Shorter words have too many neighbors.
const CHARACTERS_MIN: usize = 4;
/// Longer ones are no words.
const CHARACTERS_MAX: usize = 32;

/// A word in lower case or with a capital at its beginning. Others are names, codes and abbreviations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainWord {
    /// Where it is in the query.
    pub span: Range<usize>,
    /// In lower case.
    pub text: String,
    pub is_capitalized: bool,
}

impl PlainWord {
    fn of(written: &str, start: usize) -> Option<Self> {
        let text = lower(written).into_owned();
        let count = written.chars().count();
        let is_plain = (CHARACTERS_MIN..=CHARACTERS_MAX).contains(&count)
            && written.chars().all(char::is_alphabetic)
            && !written.chars().skip(1).any(char::is_uppercase)
            && !Language::is_stopword_anywhere(&text);
        let is_capitalized = written.starts_with(char::is_uppercase);
        is_plain.then(|| Self { span: start..start + written.len(), text, is_capitalized })
    }

    /// Another word in the case of this one.
    pub fn in_its_case(&self, other: &str) -> String {
        let mut characters = other.chars();
        match characters.next().filter(|_| self.is_capitalized) {
            Some(first) => first.to_uppercase().chain(characters).collect(),
            None => other.to_owned(),
        }
    }
}

/// The plain words of a query outside of phrases, tags and exclusions.
pub fn plain_words(query: &str) -> Vec<PlainWord> {
    let terms = terms(query).into_iter();
    let terms = terms.filter(|term| !term.is_phrase && !term.is_negated && tag_of(term.text).is_none());
    let words = terms.filter_map(|term| {
        let begins = term.text.find(char::is_alphanumeric)?;
        let written = term.text[begins..].trim_end_matches(|c: char| !c.is_alphanumeric());
        PlainWord::of(written, term.span.start + begins)
    });
    words.take(WORDS_MAX).collect()
}

/// The query with other words in place of some.
pub fn replace(query: &str, replacements: &[(PlainWord, String)]) -> String {
    let mut out = String::with_capacity(query.len());
    let mut at = 0;
    for (word, replacement) in replacements {
        out.push_str(&query[at..word.span.start]);
        out.push_str(&word.in_its_case(replacement));
        at = word.span.end;
    }
    out.push_str(&query[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_plain_words_are_examined() {
        let table: [(&str, &[&str]); 9] = [
            ("flod warnig", &["flod", "warnig"]),
            ("Flod (warnig)? [silt],", &["flod", "warnig", "silt"]),
            ("\"flod warnig\" sedimant", &["sedimant"]),
            ("-flod NOT warnig", &[]),
            ("news:flod tag: warnig", &["warnig"]),
            ("RB-171 RB171 NASA iPhone", &[]),
            ("the and adn", &[]),
            ("e-mail a@b.example https://flod.example", &[]),
            ("", &[]),
        ];
        for (query, expected) in table {
            let words = plain_words(query);
            let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            assert_eq!(texts, expected, "{query}");
        }
        assert_eq!(plain_words(&"flod ".repeat(WORDS_MAX + 3)).len(), WORDS_MAX);
        assert_eq!(plain_words(&"x".repeat(CHARACTERS_MAX + 1)), []);
    }

    #[test]
    fn words_are_replaced_in_their_case() {
        let query = "Flod  \"flod\" warnig!";
        let words = plain_words(query);
        let replacements: Vec<_> = words.into_iter().zip(["flood", "warning"].map(str::to_owned)).collect();
        assert_eq!(replace(query, &replacements), "Flood  \"flod\" warning!");
        assert_eq!(replace("flod", &[]), "flod");
    }

    proptest! {
        #[test]
        fn places_are_those_of_the_words(query in "[a-zA-Zü:\"()\\- !]{0,40}|\\PC{0,60}") {
            for word in plain_words(&query) {
                prop_assert_eq!(&*lower(&query[word.span.clone()]), &word.text);
            }
        }
    }
}
