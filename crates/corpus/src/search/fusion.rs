//! Fuses dense and sparse hits on chunks into one list of documents.

use domain::ids::SignalId;
use domain::ports::VectorHit;
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Reciprocal rank fusion: the constant k.
const RANK_SLACK: f64 = 60.0;
/// The BM25 score that is normalized to 0.5.
const WORDS_HALF: f32 = 4.0;

/// A document with its matching chunks.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub signal: SignalId,
    /// 0 to 1: the highest cosine of its chunks, or b/(b+4) of the highest BM25 score b, whichever is higher.
    pub score: f32,
    /// The highest cosine; None if it matched by words only.
    pub cosine: Option<f32>,
    /// The highest BM25 score; None if it did not match by words.
    pub by_words: Option<f32>,
    /// Numbers of its chunks, best first.
    pub chunks: Vec<u32>,
}

/// Scores of one chunk.
#[derive(Default)]
struct Piece {
    fused: f64,
    cosine: Option<f32>,
    by_words: Option<f32>,
}

/// The documents of both lists, best first. Both lists are sorted, best first.
pub fn fuse(dense: &[VectorHit], words: &[VectorHit]) -> Vec<Found> {
    let mut pieces: BTreeMap<(SignalId, u32), Piece> = BTreeMap::new();
    for (place, hit) in dense.iter().enumerate() {
        let piece = pieces.entry((hit.signal, hit.chunk)).or_default();
        piece.fused += worth(place);
        piece.cosine = Some(hit.score);
    }
    for (place, hit) in words.iter().enumerate() {
        let piece = pieces.entry((hit.signal, hit.chunk)).or_default();
        piece.fused += worth(place);
        piece.by_words = Some(hit.score);
    }
    let mut pieces: Vec<((SignalId, u32), Piece)> = pieces.into_iter().collect();
    // The sort is stable: ties keep the order of documents and chunk numbers.
    pieces.sort_by(|(_, one), (_, other)| best_first(one, other));
    let mut found: Vec<Found> = Vec::new();
    let mut places: BTreeMap<SignalId, usize> = BTreeMap::new();
    for ((signal, number), piece) in pieces {
        let place = *places.entry(signal).or_insert_with(|| {
            found.push(Found { signal, score: 0.0, cosine: None, by_words: None, chunks: Vec::new() });
            found.len() - 1
        });
        let document = &mut found[place];
        document.cosine = greater(document.cosine, piece.cosine);
        document.by_words = greater(document.by_words, piece.by_words);
        document.chunks.push(number);
    }
    for document in &mut found {
        let by_words = document.by_words.map_or(0.0, |score| score / (score + WORDS_HALF));
        document.score = document.cosine.unwrap_or_default().max(by_words).clamp(0.0, 1.0);
    }
    found
}

fn worth(place: usize) -> f64 {
    1.0 / (RANK_SLACK + place as f64 + 1.0)
}

/// Ties by rank are ordered by cosine.
fn best_first(one: &Piece, other: &Piece) -> Ordering {
    let nearness = |piece: &Piece| piece.cosine.unwrap_or_default();
    other.fused.total_cmp(&one.fused).then_with(|| nearness(other).total_cmp(&nearness(one)))
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

    /// Document, chunk and score.
    type Near = (i64, u32, f32);

    fn hits(list: &[Near]) -> Vec<VectorHit> {
        list.iter()
            .map(|(signal, chunk, score)| VectorHit {
                signal: SignalId(*signal),
                chunk: *chunk,
                score: *score,
            })
            .collect()
    }

    /// `document:score[chunks]` in order.
    fn shown(dense: &[Near], words: &[Near]) -> String {
        let one = |found: &Found| format!("{}:{:.2}{:?}", found.signal, found.score, found.chunks);
        fuse(&hits(dense), &hits(words)).iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn documents_come_by_their_best_piece() {
        let table: [(&[Near], &[Near], &str); 6] = [
            (&[], &[], ""),
            (&[(1, 0, 0.9), (2, 3, 0.8), (1, 2, 0.7)], &[], "1:0.90[0, 2] 2:0.80[3]"),
            // A match in both lists beats a first rank in one.
            (&[(1, 0, 0.9), (2, 0, 0.6)], &[(2, 0, 4.0)], "2:0.60[0] 1:0.90[0]"),
            // By words only: b/(b+4).
            (&[(1, 0, 0.6)], &[(3, 1, 12.0)], "1:0.60[0] 3:0.75[1]"),
            // A weaker chunk does not lower the score of its document.
            (&[(1, 0, 0.8), (2, 9, 0.5), (1, 1, 0.4)], &[(1, 1, 4.0)], "1:0.80[1, 0] 2:0.50[9]"),
            (&[(1, 0, -0.2)], &[], "1:0.00[0]"),
        ];
        for (dense, words, expected) in table {
            assert_eq!(shown(dense, words), expected);
        }
    }
}
