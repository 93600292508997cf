//! Inverted index: the rows of each word, with weights.

use super::quantized::Scored;
use crate::vectors::math::rarity;
use domain::ports::SparseVector;
use std::collections::HashMap;

#[derive(Default)]
pub struct Postings {
    lists: HashMap<u32, Vec<Posting>>,
}

struct Posting {
    row: u32,
    weight: f32,
}

impl Postings {
    pub fn add(&mut self, row: u32, words: &SparseVector) {
        for (word, weight) in words.indices.iter().zip(&words.values) {
            self.lists.entry(*word).or_default().push(Posting { row, weight: *weight });
        }
    }

    /// Releases unused capacity.
    pub fn shrink(&mut self) {
        self.lists.values_mut().for_each(Vec::shrink_to_fit);
        self.lists.shrink_to_fit();
    }

    /// Renumbers the rows; those without a new number are dropped.
    pub fn renumber(&mut self, new: &[Option<u32>]) {
        self.lists.retain(|_, list| {
            list.retain_mut(|posting| match new.get(posting.row as usize).copied().flatten() {
                Some(row) => {
                    posting.row = row;
                    true
                }
                None => false,
            });
            list.shrink_to_fit();
            !list.is_empty()
        });
    }

    /// BM25 scores of the visible rows with one of the words. Rarity is computed over visible rows only, so that
    /// scores reveal nothing about others.
    pub fn scores(&self, words: &SparseVector, is_visible: &[bool]) -> Vec<Scored> {
        let sees = |posting: &&Posting| is_visible.get(posting.row as usize) == Some(&true);
        let all = is_visible.iter().filter(|visible| **visible).count();
        let mut sums = vec![0.0_f32; is_visible.len()];
        let mut touched = Vec::new();
        for (word, asked) in words.indices.iter().zip(&words.values) {
            let Some(list) = self.lists.get(word) else { continue };
            let rarity = rarity(list.iter().filter(sees).count(), all);
            for posting in list.iter().filter(sees) {
                let sum = &mut sums[posting.row as usize];
                if *sum == 0.0 {
                    touched.push(posting.row);
                }
                *sum += asked * posting.weight * rarity;
            }
        }
        touched.sort_unstable();
        touched.dedup();
        let scored = touched.into_iter().map(|row| Scored { row, score: sums[row as usize] });
        scored.filter(|scored| scored.score > 0.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(words: &[(u32, f32)]) -> SparseVector {
        let (indices, values) = words.iter().copied().unzip();
        SparseVector { indices, values }
    }

    fn postings() -> Postings {
        let mut postings = Postings::default();
        postings.add(0, &vector(&[(1, 1.0), (2, 1.0)]));
        postings.add(1, &vector(&[(1, 0.5)]));
        postings.add(2, &vector(&[(1, 1.0), (3, 2.0)]));
        postings
    }

    #[test]
    fn what_nobody_sees_changes_no_score() {
        let asked = vector(&[(1, 1.0), (2, 1.0), (9, 1.0)]);
        let all = postings().scores(&asked, &[true, true, true]);
        assert_eq!(all.iter().map(|scored| scored.row).collect::<Vec<_>>(), [0, 1, 2]);
        assert!(all[0].score > all[2].score && all[2].score > all[1].score);
        assert!((all[2].score - rarity(3, 3)).abs() < 1e-6);
        let some = postings().scores(&asked, &[true, true, false]);
        let mut without = Postings::default();
        without.add(0, &vector(&[(1, 1.0), (2, 1.0)]));
        without.add(1, &vector(&[(1, 0.5)]));
        assert_eq!(some, without.scores(&asked, &[true, true]));
        assert_eq!(postings().scores(&asked, &[false; 3]), []);
    }

    #[test]
    fn rows_are_renumbered_and_dropped() {
        let mut postings = postings();
        postings.renumber(&[None, Some(1), Some(0)]);
        assert_eq!(postings.lists.len(), 2, "nobody has word 2 any more");
        let scores = postings.scores(&vector(&[(3, 1.0)]), &[true, true]);
        assert_eq!(scores, [Scored { row: 0, score: 2.0 * rarity(1, 2) }]);
    }
}
