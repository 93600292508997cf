//! Simpler merge methods for comparison. They know which documents are duplicates, which a real merger must detect.

use crate::eval::collection::Grades;
use std::collections::{HashMap, HashSet};

/// The constant of reciprocal rank fusion, as published.
const RRF_K: f64 = 60.0;

/// The first result of each source, then the second of each, and so on.
pub fn round_robin(lists: &[Vec<usize>]) -> Vec<usize> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or_default();
    let all = (0..longest).flat_map(|rank| lists.iter().filter_map(move |list| list.get(rank)));
    distinct(all.copied())
}

/// Reciprocal rank fusion: a document scores 1/(60 + rank) for each list that contains it.
pub fn rrf(lists: &[Vec<usize>]) -> Vec<usize> {
    let mut scores: HashMap<usize, f64> = HashMap::new();
    for list in lists {
        for (rank, document) in distinct(list.iter().copied()).into_iter().enumerate() {
            *scores.entry(document).or_default() += 1.0 / (RRF_K + rank as f64 + 1.0);
        }
    }
    // Ties keep the round robin order.
    let mut order = round_robin(lists);
    order.sort_by(|a, b| scores[b].total_cmp(&scores[a]));
    order
}

/// The pool in ideal order: the upper bound for any merger.
pub fn oracle(lists: &[Vec<usize>], grades: &Grades) -> Vec<usize> {
    let mut order = round_robin(lists);
    order.sort_by_key(|document| std::cmp::Reverse(grades.get(document).copied().unwrap_or_default()));
    order
}

fn distinct(documents: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut above = HashSet::new();
    documents.filter(|document| above.insert(*document)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists of the sources, merged by round robin, merged by RRF.
    type Case<'a> = (&'a [&'a [usize]], &'a [usize], &'a [usize]);

    #[test]
    fn lists_by_hand() {
        let table: &[Case<'_>] = &[
            (&[], &[], &[]),
            (&[&[], &[]], &[], &[]),
            (&[&[1, 2, 3], &[4, 5]], &[1, 4, 2, 5, 3], &[1, 4, 2, 5, 3]),
            // 2 is second and first: 1/62 + 1/61 beats 1/61 alone.
            (&[&[1, 2], &[2, 3]], &[1, 2, 3], &[2, 1, 3]),
            // Third in two lists beats first in one.
            (&[&[1, 8, 7], &[2, 9, 7], &[3]], &[1, 2, 3, 8, 9, 7], &[7, 1, 2, 3, 8, 9]),
            // Twice in one list counts once.
            (&[&[5, 6, 6], &[4]], &[5, 4, 6], &[5, 4, 6]),
        ];
        for (lists, robin, fused) in table {
            let lists: Vec<Vec<usize>> = lists.iter().map(|list| list.to_vec()).collect();
            assert_eq!(round_robin(&lists), *robin, "round robin of {lists:?}");
            assert_eq!(rrf(&lists), *fused, "rrf of {lists:?}");
        }
    }

    #[test]
    fn the_oracle_knows_the_grades() {
        let grades = Grades::from([(5, 2), (2, 1), (1, 0), (77, 4)]);
        assert_eq!(oracle(&[vec![1, 2, 3], vec![4, 5]], &grades), [5, 2, 1, 4, 3]);
    }
}
