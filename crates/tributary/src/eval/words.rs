//! Words, as the lab's own engines read them, and queries as plain words.
//!
//! The lab does not use the product's own reading of words: a yardstick must not change with what it measures.

use domain::search::QUERY_CHARS_MAX;
use rust_stemmers::{Algorithm, Stemmer};

/// English words that engines commonly leave out, sorted.
const STOPWORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
    "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to",
    "was", "will", "with",
];

/// Stems of the words of a text, in their order, without stopwords and single letters.
pub fn terms(text: &str) -> impl Iterator<Item = String> + '_ {
    let stemmer = Stemmer::create(Algorithm::English);
    let tells = |word: &String| word.len() > 1 && STOPWORDS.binary_search(&word.as_str()).is_err();
    words(text).filter(tells).map(move |word| {
        let stem = stemmer.stem(&word);
        stem.into_owned()
    })
}

/// A query as the service is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainQuery {
    pub text: String,
    /// It was longer than the service allows.
    pub is_cut: bool,
}

/// Words in lower case, parted by single spaces. Signs part words; the word `not` is left out, because the service
/// would exclude what follows it; in lower case, `and` and `or` are words like others.
pub fn plain_query(text: &str) -> PlainQuery {
    let mut plain = String::new();
    let mut chars = 0;
    for word in words(text).filter(|word| word != "not") {
        let space = usize::from(!plain.is_empty());
        chars += space + word.chars().count();
        if chars > QUERY_CHARS_MAX {
            return PlainQuery { text: plain, is_cut: true };
        }
        if space > 0 {
            plain.push(' ');
        }
        plain.push_str(&word);
    }
    PlainQuery { text: plain, is_cut: false }
}

/// Runs of letters and digits, in lower case. An apostrophe inside a word belongs to it.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let parts = |c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '\u{300}'..='\u{36f}'));
    text.split(parts)
        .map(|word| word.trim_matches(['\'', '’']))
        .filter(|word| !word.is_empty())
        .map(|word| word.to_lowercase().replace('’', "'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_stems_without_stopwords() {
        assert!(STOPWORDS.is_sorted_by(|a, b| a < b));
        let table: &[(&str, &[&str])] = &[
            ("The flows of HEAT, in slabs", &["flow", "heat", "slab"]),
            ("car's cars' 2nd re-entry", &["car", "car", "2nd", "re", "entri"]),
            ("", &[]),
            ("it is e 7 x", &[]),
            ("水 é", &["水", "é"]),
        ];
        for (text, expected) in table {
            assert_eq!(terms(text).collect::<Vec<_>>(), *expected, "{text}");
        }
    }

    #[test]
    fn queries_become_plain_words() {
        let table = [
            ("What is NOT known - about \"drag\"?", "what is known about drag"),
            ("tag:word (a OR b) -minus", "tag word a or b minus"),
            ("TSS (Time Sharing System), IBM's", "tss time sharing system ibm's"),
            ("- ?", ""),
        ];
        for (text, expected) in table {
            assert_eq!(plain_query(text), PlainQuery { text: expected.to_owned(), is_cut: false }, "{text}");
        }
    }

    #[test]
    fn a_query_may_be_so_long_and_no_longer() {
        let fits = format!("{} é", "x".repeat(QUERY_CHARS_MAX - 2));
        assert_eq!(plain_query(&fits), PlainQuery { text: fits.clone(), is_cut: false });
        let cut = plain_query(&format!("{fits}é tail"));
        assert_eq!(cut, PlainQuery { text: "x".repeat(QUERY_CHARS_MAX - 2), is_cut: true });
    }
}
