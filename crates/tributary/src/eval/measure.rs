//! Metrics of a list: nDCG@10, recall@100, and the fraction of duplicates on the first page.

use crate::eval::collection::Grades;
use std::collections::HashSet;

/// Results on the first page.
pub const PAGE: usize = 10;
/// Depth of recall.
pub const DEEP: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Scores {
    /// Gains are 2^grade - 1; the ideal list contains all judged documents of the query.
    pub ndcg10: f64,
    /// Fraction of the relevant documents in the first 100 results.
    pub recall100: f64,
    /// Fraction of the first 10 results that repeat a document above them.
    pub duplicates10: f64,
}

/// Measures a list of documents. Repeated documents, including duplicates, gain nothing.
pub fn measure(list: &[usize], grades: &Grades) -> Scores {
    let mut above = HashSet::new();
    let (mut dcg, mut found, mut repeated) = (0.0, 0, 0);
    for (place, document) in list.iter().take(DEEP).enumerate() {
        let is_repeated = !above.insert(*document);
        let grade = if is_repeated { 0 } else { grades.get(document).copied().unwrap_or_default() };
        found += usize::from(grade > 0);
        if place < PAGE {
            dcg += discounted(grade, place);
            repeated += usize::from(is_repeated);
        }
    }
    let relevant = grades.values().filter(|grade| **grade > 0).count();
    Scores {
        ndcg10: share(dcg, ideal(grades)),
        recall100: share(found as f64, relevant as f64),
        duplicates10: share(repeated as f64, list.len().min(PAGE) as f64),
    }
}

fn ideal(grades: &Grades) -> f64 {
    let mut sorted: Vec<u32> = grades.values().copied().collect();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    sorted.iter().take(PAGE).enumerate().map(|(place, grade)| discounted(*grade, place)).sum()
}

/// `place` counts from 0.
fn discounted(grade: u32, place: usize) -> f64 {
    (f64::from(grade).exp2() - 1.0) / (place as f64 + 2.0).log2()
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// The mean over many queries.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
    share(sum, count)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What it is about, the list, the grades, then nDCG@10, recall@100 and the share of duplicates.
    type Case<'a> = (&'a str, &'a [usize], &'a Grades, [f64; 3]);

    #[test]
    fn lists_by_hand() {
        let binary = Grades::from([(1, 1), (2, 1)]);
        let graded = Grades::from([(1, 3), (2, 1), (3, 0)]);
        // Discounts of the first places: 1, 0.63093, 0.5, 0.43068.
        let second = 1.0 / 3.0_f64.log2();
        let table: &[Case<'_>] = &[
            ("perfect", &[1, 2, 9], &binary, [1.0, 1.0, 0.0]),
            ("empty", &[], &binary, [0.0, 0.0, 0.0]),
            ("one of two, first", &[1, 9], &binary, [1.0 / (1.0 + second), 0.5, 0.0]),
            ("one of two, third", &[8, 9, 2], &binary, [0.5 / (1.0 + second), 0.5, 0.0]),
            ("a copy is worth nothing", &[1, 1, 2], &binary, [1.5 / (1.0 + second), 1.0, 1.0 / 3.0]),
            ("gains are 7 and 1", &[2, 1], &graded, [(1.0 + 7.0 * second) / (7.0 + second), 1.0, 0.0]),
            ("not judged, and judged as nothing", &[9, 3], &graded, [0.0, 0.0, 0.0]),
        ];
        for (what, list, grades, expected) in table {
            let found = measure(list, grades);
            let found = [found.ndcg10, found.recall100, found.duplicates10];
            let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
            assert!(close, "{what}: {found:?} instead of {expected:?}");
        }
    }

    #[test]
    fn only_the_first_places_count() {
        let grades = Grades::from([(1, 1), (2, 1)]);
        let mut list: Vec<usize> = (100..200).collect();
        list[PAGE] = 1;
        list.push(2);
        let found = measure(&list, &grades);
        assert_eq!((found.ndcg10, found.recall100), (0.0, 0.5));
        // More relevant documents than places: ten of them are perfect.
        let many: Grades = (0..20).map(|document| (document, 1)).collect();
        let found = measure(&(0..10).collect::<Vec<_>>(), &many);
        assert_eq!((found.ndcg10, found.recall100), (1.0, 0.5));
    }

    #[test]
    fn means() {
        assert_eq!(mean([1.0, 2.0, 6.0].into_iter()), 3.0);
        assert_eq!(mean(std::iter::empty()), 0.0);
    }
}
