//! A text as a sparse vector: its stemmed words with BM25 term-frequency weights. The vector store adds the inverse
//! document frequency.
//!
//! A chunk is read in its own language if it clearly is in another one than that of the index (`word_language`). Few
//! queries show their language, so a query asks for its words in all languages. The hash of a word includes its
//! language, except for the language of the index: otherwise `care`, which German stems to `car`, would find English
//! texts about cars. Chunks that were indexed before they had a language of their own are found as they were.

use domain::ports::SparseVector;
use domain::result::ResultItem;
use relevancy::language_detection::RESULT_BYTES_MAX;
use relevancy::tokens::{lower, tokens};
use relevancy::{Language, Query};
use std::collections::BTreeMap;

/// The codes of all languages that have stems.
const CODES: [&str; 18] = [
    "ar", "da", "de", "el", "en", "es", "fi", "fr", "hu", "it", "nl", "no", "pt", "ro", "ru", "sv", "ta",
    "tr",
];
/// BM25 k1: saturation of term frequency.
const SATURATION: f64 = 1.2;
/// BM25 b: length normalization.
const LENGTH_SLOPE: f64 = 0.75;
/// Assumed average chunk length in words. A constant, so that the weights of a chunk do not depend on other chunks.
const LENGTH_USUAL: f64 = 300.0;

/// The weights of a chunk in an index of this language. Stop words are skipped.
pub fn sparse_vector(index: Language, text: &str) -> SparseVector {
    sparse_vector_in(language_of(text, index), index, text)
}

fn sparse_vector_in(language: Language, index: Language, text: &str) -> SparseVector {
    let mut length = 0.0;
    let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
    for token in tokens(text) {
        length += 1.0;
        let word = lower(token.text);
        if !language.is_stopword(&word) {
            *counts.entry(hash(prefix(language, index), &language.stem(&word))).or_default() += 1.0;
        }
    }
    let weight = |count: f64| {
        let long = 1.0 - LENGTH_SLOPE + LENGTH_SLOPE * length / LENGTH_USUAL;
        (count * (SATURATION + 1.0) / (count + SATURATION * long)) as f32
    };
    let (indices, values) = counts.into_iter().map(|(word, count)| (word, weight(count))).unzip();
    SparseVector { indices, values }
}

/// The words of a query in each language, each once with weight 1. Negated words are skipped.
pub fn sparse_query_vector(index: Language, query: &str) -> SparseVector {
    let mut indices: Vec<u32> = languages(index)
        .flat_map(|language| {
            let query = Query::parse_in(language, query);
            // A stop word of the query would be a rare word in texts of another language.
            let is_stopword = move |word: &str| language.is_stopword(word) || index.is_stopword(word);
            let asked = query.terms.into_iter().filter(move |term| !is_stopword(&term.word));
            asked.map(move |term| hash(prefix(language, index), &term.stem))
        })
        .collect();
    indices.sort_unstable();
    indices.dedup();
    let values = vec![1.0; indices.len()];
    SparseVector { indices, values }
}

/// Languages of chunks in an index of this language. An unknown one means that words are compared as they are.
fn languages(index: Language) -> impl Iterator<Item = Language> {
    let others = CODES.map(Language::named).into_iter();
    [index].into_iter().chain(others.filter(move |one| index != Language::UNKNOWN && *one != index))
}

fn language_of(text: &str, index: Language) -> Language {
    if index == Language::UNKNOWN {
        return index;
    }
    let start = text[..text.floor_char_boundary(RESULT_BYTES_MAX)].to_owned();
    Language::of_result(&ResultItem { body: start, ..ResultItem::default() }, index)
}

/// What the hash of a word begins with.
fn prefix(language: Language, index: Language) -> &'static str {
    let other = language.known().filter(|_| language != index);
    other.map_or("", |known| known.code)
}

/// FNV-1a: stable across processes and releases, because the hashes are stored.
fn hash(prefix: &str, stem: &str) -> u32 {
    const BASIS: u32 = 0x811c_9dc5;
    const PRIME: u32 = 0x0100_0193;
    // No word contains the separator.
    let prefix = prefix.bytes().chain((!prefix.is_empty()).then_some(0));
    prefix.chain(stem.bytes()).fold(BASIS, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one_word() {
        let table = [
            ("River sensors", "the SENSOR of rivers", true),
            ("river", "rivet", false),
            ("the of and", "", true),
            ("Übung", "übung", true),
            ("東京", "京東", true),
        ];
        for (one, other, same) in table {
            assert_eq!(
                sparse_vector(Language::ENGLISH, one).indices
                    == sparse_vector(Language::ENGLISH, other).indices,
                same,
                "{one} | {other}"
            );
        }
    }

    const GERMAN_TEXT: &str = "Die Bäume am Fluss sind alt und stehen seit hundert Jahren dort.";

    fn german() -> Language {
        Language::named("german")
    }

    /// How many words of the query the text has.
    fn common(query: &SparseVector, text: &SparseVector) -> usize {
        query.indices.iter().filter(|word| text.indices.contains(word)).count()
    }

    #[test]
    fn words_are_read_in_the_language_of_the_index() {
        let baum = sparse_vector(german(), "Der Baum").indices;
        for query in ["die Bäume", "den Bäumen"] {
            let asked = sparse_query_vector(german(), query).indices;
            assert!(baum.iter().all(|word| asked.contains(word)), "{query}");
        }
        assert_eq!(
            sparse_vector(Language::UNKNOWN, "the trees").indices.len(),
            2,
            "neither stems nor stop words"
        );
        assert_eq!(sparse_vector(Language::UNKNOWN, GERMAN_TEXT).indices.len(), 12, "in no language");
        assert_eq!(sparse_query_vector(Language::UNKNOWN, "die Bäume").indices.len(), 2);
    }

    #[test]
    fn a_text_is_found_by_the_forms_of_its_own_language() {
        let table = [
            (GERMAN_TEXT, "Baum", 1),
            (GERMAN_TEXT, "baumes am fluss", 2),
            (GERMAN_TEXT, "die und am", 0),
            (GERMAN_TEXT, "tree", 0),
            ("Los camiones llevan el agua a los pueblos que no tienen pozo.", "camión", 1),
            ("The trees at the river are old, and they were there before the town was.", "tree", 1),
            ("The trees at the river are old, and they were there before the town was.", "rivers", 1),
        ];
        for index in [Language::ENGLISH, german()] {
            for (text, query, expected) in table {
                let found = common(&sparse_query_vector(index, query), &sparse_vector(index, text));
                assert_eq!(found, expected, "{query}: {text} ({index:?})");
            }
        }
    }

    #[test]
    fn a_stem_of_one_language_finds_no_text_in_another() {
        assert_eq!(german().stem("care"), "car");
        let cars =
            sparse_vector(Language::ENGLISH, "The cars are in the street, and it was a car that was sold.");
        assert_eq!(common(&sparse_query_vector(Language::ENGLISH, "care"), &cars), 0);
        assert_eq!(common(&sparse_query_vector(Language::ENGLISH, "car"), &cars), 1, "once");
    }

    /// All chunks were indexed in the language of the index.
    #[test]
    fn texts_of_an_earlier_version_are_found_as_before() {
        let earlier = sparse_vector_in(Language::ENGLISH, Language::ENGLISH, GERMAN_TEXT);
        for (query, expected) in [("Bäume", 1), ("Bäume Fluss", 2), ("Baum", 0)] {
            assert_eq!(common(&sparse_query_vector(Language::ENGLISH, query), &earlier), expected, "{query}");
        }
        let english = "The trees at the river are old, and they were there before the town was.";
        let earlier = sparse_vector_in(Language::ENGLISH, Language::ENGLISH, english);
        assert_eq!(sparse_vector(Language::ENGLISH, english), earlier);
    }

    #[test]
    fn every_language_is_asked() {
        let alphabet = || 'a'..='z';
        let codes = alphabet().flat_map(|one| alphabet().map(move |other| format!("{one}{other}")));
        let known: Vec<String> = codes.filter(|code| Language::named(code).known().is_some()).collect();
        assert_eq!(known, CODES);
        for index in [Language::ENGLISH, german(), Language::UNKNOWN] {
            let count = if index == Language::UNKNOWN { 1 } else { CODES.len() };
            assert_eq!(languages(index).count(), count);
            assert_eq!(languages(index).next(), Some(index));
        }
    }

    #[test]
    fn indices_ascend_and_have_a_value_each() {
        let vector =
            sparse_vector(Language::ENGLISH, &"one river two sensors of three towns and a level ".repeat(40));
        assert!(vector.indices.is_sorted_by(|a, b| a < b) && vector.indices.len() >= 6);
        assert_eq!(vector.indices.len(), vector.values.len());
        assert!(vector.values.iter().all(|value| *value > 0.0 && *value < 2.2));
    }

    #[test]
    fn more_of_a_word_weighs_more_and_a_long_piece_less() {
        let value = |text: &str| sparse_vector(Language::ENGLISH, text).values[0];
        let filled = |times: usize, length: usize| {
            value(&format!("{}{}", "river ".repeat(times), "the ".repeat(length - times)))
        };
        assert!((filled(1, 300) - 1.0).abs() < 1e-6, "once in a usual piece is 1");
        assert!(filled(2, 300) > filled(1, 300) && filled(3, 300) - filled(2, 300) < filled(2, 300) - 1.0);
        assert!(filled(1, 100) > filled(1, 300) && filled(1, 900) < filled(1, 300));
    }

    #[test]
    fn a_query_asks_for_each_word_once() {
        let asked = sparse_query_vector(Language::ENGLISH, "the rivers \"river sensors\" -towns NOT levels");
        let once = sparse_query_vector(Language::ENGLISH, "rivers sensors river");
        assert_eq!(asked.indices, once.indices);
        assert!(asked.indices.len() <= 3 * CODES.len() && asked.values.iter().all(|weight| *weight == 1.0));
        let text = sparse_vector(Language::ENGLISH, "the river, a sensor, the towns and a level of it");
        assert_eq!(common(&asked, &text), 2);
        for nothing in ["", "the of", "-river"] {
            assert_eq!(sparse_query_vector(Language::ENGLISH, nothing), SparseVector::default(), "{nothing}");
        }
    }

    #[test]
    fn hashes_never_change() {
        assert_eq!(
            [hash("", ""), hash("", "a"), hash("", "foobar")],
            [0x811c_9dc5, 0xe40c_292c, 0xbf9c_f968]
        );
        assert_ne!(hash("de", "a"), hash("", "dea"));
    }
}
