//! Tokenizer of the lab's engines. It is independent of the product's tokenizer, so that the measure does not change
//! with what it measures.

use domain::search::QUERY_CHARS_MAX;
use rust_stemmers::{Algorithm, Stemmer};

/// Common English stopwords, sorted.
const STOPWORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
    "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to",
    "was", "will", "with",
];

/// Stems of the words of a text in order, without stopwords and single characters.
pub fn terms(text: &str) -> impl Iterator<Item = String> + '_ {
    let stemmer = Stemmer::create(Algorithm::English);
    let tells = |word: &String| word.len() > 1 && STOPWORDS.binary_search(&word.as_str()).is_err();
    words(text).filter(tells).map(move |word| {
        let stem = stemmer.stem(&word);
        stem.into_owned()
    })
}

/// A query as it is sent to the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainQuery {
    pub text: String,
    /// Whether it was truncated to the maximum length.
    pub is_cut: bool,
}

/// Lower-case words separated by single spaces. The word `not` is dropped, because the service would exclude what
/// follows it; lower-case `and` and `or` are ordinary words.
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

/// Runs of alphanumeric characters in lower case. An apostrophe inside a word is part of it.
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
