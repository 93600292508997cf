//! A text as a sparse vector: its stemmed words with BM25 term-frequency weights. The vector store adds the inverse
//! document frequency. Documents and queries must be read in the same language (`word_language`).

use domain::ports::SparseVector;
use relevancy::tokens::{lower, tokens};
use relevancy::{Language, Query};
use std::collections::BTreeMap;

/// BM25 k1: saturation of term frequency.
const SATURATION: f64 = 1.2;
/// BM25 b: length normalization.
const LENGTH_SLOPE: f64 = 0.75;
/// Assumed average chunk length in words. A constant, so that the weights of a chunk do not depend on other chunks.
const LENGTH_USUAL: f64 = 300.0;

/// The weights of a chunk. Stop words are skipped.
pub fn sparse_vector(language: Language, text: &str) -> SparseVector {
    let mut length = 0.0;
    let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
    for token in tokens(text) {
        length += 1.0;
        let word = lower(token.text);
        if !language.is_stopword(&word) {
            *counts.entry(hash(&language.stem(&word))).or_default() += 1.0;
        }
    }
    let weight = |count: f64| {
        let long = 1.0 - LENGTH_SLOPE + LENGTH_SLOPE * length / LENGTH_USUAL;
        (count * (SATURATION + 1.0) / (count + SATURATION * long)) as f32
    };
    let (indices, values) = counts.into_iter().map(|(word, count)| (word, weight(count))).unzip();
    SparseVector { indices, values }
}

/// The words of a query, each once with weight 1. Negated words are skipped.
pub fn sparse_query_vector(language: Language, query: &str) -> SparseVector {
    let query = Query::parse_in(language, query);
    let asked = query.terms.iter().filter(|term| !query.language.is_stopword(&term.word));
    let mut indices: Vec<u32> = asked.map(|term| hash(&term.stem)).collect();
    indices.sort_unstable();
    indices.dedup();
    let values = vec![1.0; indices.len()];
    SparseVector { indices, values }
}

/// FNV-1a: stable across processes and releases, because the hashes are stored.
fn hash(stem: &str) -> u32 {
    const BASIS: u32 = 0x811c_9dc5;
    const PRIME: u32 = 0x0100_0193;
    stem.bytes().fold(BASIS, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(PRIME))
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

    #[test]
    fn words_are_read_in_their_language() {
        let german = Language::named("german");
        let tree = sparse_query_vector(german, "die Bäume").indices;
        assert_eq!(tree, sparse_vector(german, "Der Baum").indices);
        assert_eq!(tree, sparse_query_vector(german, "den Bäumen").indices);
        let as_english = sparse_vector(Language::ENGLISH, "Der Baum").indices;
        assert_ne!(sparse_query_vector(Language::ENGLISH, "die Bäume").indices, as_english);
        assert_eq!(
            sparse_vector(Language::UNKNOWN, "the trees").indices.len(),
            2,
            "neither stems nor stop words"
        );
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
        assert_eq!(asked.indices, sparse_vector(Language::ENGLISH, "river sensor").indices);
        assert_eq!(asked.values, [1.0, 1.0]);
        for nothing in ["", "the of", "-river"] {
            assert_eq!(sparse_query_vector(Language::ENGLISH, nothing), SparseVector::default(), "{nothing}");
        }
    }

    #[test]
    fn hashes_never_change() {
        assert_eq!([hash(""), hash("a"), hash("foobar")], [0x811c_9dc5, 0xe40c_292c, 0xbf9c_f968]);
    }
}
