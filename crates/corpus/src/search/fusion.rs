//! Fuses dense and sparse hits on chunks into one list of documents.

use super::calibration::{Calibration, word_score};
use domain::ids::SignalId;
use domain::ports::VectorHit;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// What the share of the query's words adds to the cosine similarity in the order. Chosen with the development queries
/// in `tests/data/recall`: the documents of paraphrased queries stay on top, and those with the name of a query come
/// first.
const WORDS_WEIGHT: f32 = 0.2;

/// The shares of the query's words that chunks have.
pub type WordShares = BTreeMap<(SignalId, u32), f32>;

/// A document with its matching chunks.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub signal: SignalId,
    /// 0 to 1, calibrated: by the highest cosine of its chunks or by the largest share of the query's words in one of
    /// them, whichever is higher.
    pub score: f32,
    /// The highest cosine; None if it matched by words only.
    pub cosine: Option<f32>,
    /// The highest BM25 score; None if it did not match by words.
    pub by_words: Option<f32>,
    /// The largest share of the query's words.
    pub word_share: Option<f32>,
    /// Numbers of its chunks, best first.
    pub chunks: Vec<u32>,
}

/// Scores of one chunk.
#[derive(Default)]
struct Piece {
    cosine: Option<f32>,
    by_words: Option<f32>,
    word_share: Option<f32>,
}

impl Piece {
    /// A chunk that is not among the nearest is at most as near as the farthest of them.
    fn worth(&self, farthest: f32) -> f32 {
        self.cosine.unwrap_or(farthest) + WORDS_WEIGHT * self.word_share.unwrap_or_default()
    }
}

/// The documents of both lists, best first. Both lists are sorted, best first.
pub fn fuse(
    dense: &[VectorHit],
    words: &[VectorHit],
    shares: &WordShares,
    calibration: Calibration,
) -> Vec<Found> {
    let mut pieces: BTreeMap<(SignalId, u32), Piece> = BTreeMap::new();
    for hit in dense {
        pieces.entry((hit.signal, hit.chunk)).or_default().cosine = Some(hit.score);
    }
    for hit in words {
        let piece = pieces.entry((hit.signal, hit.chunk)).or_default();
        piece.by_words = Some(hit.score);
        piece.word_share = shares.get(&(hit.signal, hit.chunk)).copied();
    }
    let farthest = dense.last().map_or(0.0, |hit| hit.score.max(0.0));
    let mut pieces: Vec<((SignalId, u32), Piece)> = pieces.into_iter().collect();
    // The sort is stable: ties keep the order of documents and chunk numbers.
    pieces.sort_by(|(_, one), (_, other)| best_first(one, other, farthest));
    let mut found: Vec<Found> = Vec::new();
    let mut places: BTreeMap<SignalId, usize> = BTreeMap::new();
    for ((signal, number), piece) in pieces {
        let place = *places.entry(signal).or_insert_with(|| {
            found.push(Found::new(signal));
            found.len() - 1
        });
        let document = &mut found[place];
        document.cosine = greater(document.cosine, piece.cosine);
        document.by_words = greater(document.by_words, piece.by_words);
        document.word_share = greater(document.word_share, piece.word_share);
        document.chunks.push(number);
    }
    for document in &mut found {
        let by_meaning = document.cosine.map_or(0.0, |cosine| calibration.score(cosine));
        document.score = by_meaning.max(document.word_share.map_or(0.0, word_score));
    }
    found
}

impl Found {
    fn new(signal: SignalId) -> Self {
        Self { signal, score: 0.0, cosine: None, by_words: None, word_share: None, chunks: Vec::new() }
    }
}

/// Ties are ordered by BM25.
fn best_first(one: &Piece, other: &Piece, farthest: f32) -> Ordering {
    let by_words = |piece: &Piece| piece.by_words.unwrap_or_default();
    let worth = other.worth(farthest).total_cmp(&one.worth(farthest));
    worth.then_with(|| by_words(other).total_cmp(&by_words(one)))
}

fn greater(one: Option<f32>, other: Option<f32>) -> Option<f32> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Document, chunk and cosine.
    type Near = (i64, u32, f32);
    /// Document, chunk, BM25 score and share of the words.
    type Word = (i64, u32, f32, f32);

    fn hit(signal: i64, chunk: u32, score: f32) -> VectorHit {
        VectorHit { signal: SignalId(signal), chunk, score }
    }

    /// `document:score[chunks]` in order, for a model whose cosines are scores.
    fn shown(dense: &[Near], words: &[Word]) -> String {
        let near: Vec<VectorHit> = dense.iter().map(|near| hit(near.0, near.1, near.2)).collect();
        let by_words: Vec<VectorHit> = words.iter().map(|word| hit(word.0, word.1, word.2)).collect();
        let shares = words.iter().map(|word| ((SignalId(word.0), word.1), word.3)).collect();
        let one = |found: &Found| format!("{}:{:.2}{:?}", found.signal, found.score, found.chunks);
        let found = fuse(&near, &by_words, &shares, Calibration::External);
        found.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn documents_come_by_their_best_piece() {
        let table: [(&[Near], &[Word], &str); 8] = [
            (&[], &[], ""),
            (&[(1, 0, 0.9), (2, 3, 0.8), (1, 2, 0.7)], &[], "1:0.90[0, 2] 2:0.80[3]"),
            // All words of the query make up for a slightly lower cosine, not for a much lower one.
            (&[(1, 0, 0.7), (2, 0, 0.6)], &[(2, 0, 4.0, 1.0)], "2:0.95[0] 1:0.70[0]"),
            (&[(1, 0, 0.9), (2, 0, 0.6)], &[(2, 0, 4.0, 1.0)], "1:0.90[0] 2:0.95[0]"),
            // A chunk that only its words found is at most as near as the last of the others.
            (&[(1, 0, 0.3), (2, 0, 0.2)], &[(3, 1, 2.0, 0.6)], "3:0.50[1] 1:0.30[0] 2:0.20[0]"),
            // A weaker chunk does not lower the score of its document.
            (&[(1, 0, 0.8), (2, 9, 0.5), (1, 1, 0.4)], &[(1, 1, 4.0, 0.3)], "1:0.80[0, 1] 2:0.50[9]"),
            // Without a vector, the words decide.
            (&[], &[(5, 0, 3.0, 0.6), (4, 0, 9.0, 0.6), (6, 0, 1.0, 1.0)], "6:0.95[0] 4:0.50[0] 5:0.50[0]"),
            (&[(1, 0, -0.2)], &[], "1:0.00[0]"),
        ];
        for (dense, words, expected) in table {
            assert_eq!(shown(dense, words), expected);
        }
    }

    /// A word in a text that nobody may see has no share.
    #[test]
    fn words_without_a_share_count_nothing() {
        let found = fuse(&[], &[hit(1, 0, 9.0)], &WordShares::new(), Calibration::BuiltIn);
        assert_eq!((found[0].score, found[0].by_words, found[0].word_share), (0.0, Some(9.0), None));
    }

    #[test]
    fn scores_of_the_built_in_model_are_calibrated() {
        let found = fuse(&[hit(1, 0, 0.24)], &[], &WordShares::new(), Calibration::BuiltIn);
        assert!((found[0].score - 0.5).abs() < 1e-6 && found[0].cosine == Some(0.24), "{found:?}");
    }
}
