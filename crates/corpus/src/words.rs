//! A text as a sparse vector: its words as the ranking reads them, each with what BM25 makes of how often it stands there.
//! How rare a word is among all pieces is known to the vector store alone, which adds that part.

use domain::contracts::SparseVector;
use relevancy::tokens::{lower, tokens};
use relevancy::{Language, Query};
use std::collections::BTreeMap;

/// How many occurrences it takes until more of them say little.
const SATURATION: f64 = 1.2;
/// How much a long piece is held against it.
const LENGTH_SLOPE: f64 = 0.75;
/// Words of a usual piece. It is assumed and not counted, so that the weights of a piece do not depend on the others.
const LENGTH_USUAL: f64 = 300.0;

/// The weights of a piece of a document. Words that say nothing are left out.
pub fn words(text: &str) -> SparseVector {
    let language = Language::ENGLISH;
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

/// What is asked for: every word once, with the weight 1. Negated words are not asked for.
pub fn words_of_query(query: &str) -> SparseVector {
    let query = Query::parse(query);
    let asked = query.terms.iter().filter(|term| !query.language.is_stopword(&term.word));
    let mut indices: Vec<u32> = asked.map(|term| hash(&term.stem)).collect();
    indices.sort_unstable();
    indices.dedup();
    let values = vec![1.0; indices.len()];
    SparseVector { indices, values }
}

/// FNV-1a: the same in every process and every release, because the numbers are stored.
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
            assert_eq!(words(one).indices == words(other).indices, same, "{one} | {other}");
        }
    }

    #[test]
    fn indices_ascend_and_have_a_value_each() {
        let vector = words(&"one river two sensors of three towns and a level ".repeat(40));
        assert!(vector.indices.is_sorted_by(|a, b| a < b) && vector.indices.len() >= 6);
        assert_eq!(vector.indices.len(), vector.values.len());
        assert!(vector.values.iter().all(|value| *value > 0.0 && *value < 2.2));
    }

    #[test]
    fn more_of_a_word_weighs_more_and_a_long_piece_less() {
        let value = |text: &str| words(text).values[0];
        let filled = |times: usize, length: usize| {
            value(&format!("{}{}", "river ".repeat(times), "the ".repeat(length - times)))
        };
        assert!((filled(1, 300) - 1.0).abs() < 1e-6, "once in a usual piece is 1");
        assert!(filled(2, 300) > filled(1, 300) && filled(3, 300) - filled(2, 300) < filled(2, 300) - 1.0);
        assert!(filled(1, 100) > filled(1, 300) && filled(1, 900) < filled(1, 300));
    }

    #[test]
    fn a_query_asks_for_each_word_once() {
        let asked = words_of_query("the rivers \"river sensors\" -towns NOT levels");
        assert_eq!(asked.indices, words("river sensor").indices);
        assert_eq!(asked.values, [1.0, 1.0]);
        for nothing in ["", "the of", "-river"] {
            assert_eq!(words_of_query(nothing), SparseVector::default(), "{nothing}");
        }
    }

    #[test]
    fn hashes_never_change() {
        assert_eq!([hash(""), hash("a"), hash("foobar")], [0x811c_9dc5, 0xe40c_292c, 0xbf9c_f968]);
    }
}
