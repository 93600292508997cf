//! `swirl_score`: the sum over the similarities in `explain`, each times the square of the length of its key. 100
//! separates a good match from a weak one.
//!
//! Everything in the sum is rounded to the digits shown, so that the score can be recomputed from `explain`:
//!
//! ```text
//! points of a field = weight * (sum over whole keys of v * n²
//!                     + sum over other keys of v * n² * result_length_adjust * query_length_adjust * rank_adjust)
//! ```
//!
//! A whole key ends in `_*` or `_s*`; `n` is the number of characters of the key; `rank_adjust` is
//! 1 + 1/√searchprovider_rank.

use crate::targets::rounded;
use domain::explain::{Field, PerField};

/// Points are whole ten-thousandths, so that their sum is exact.
const UNITS: f64 = 10_000.0;
/// The score of a result with a negated word: below everything else.
pub const NEGATED_SCORE: f64 = -0.6667;

/// The factors of matches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Adjusts {
    /// Above 1 for a field shorter than the median, below 1 for a longer one.
    pub result_length: f64,
    /// Below 1 for a query with words that are not matched.
    pub query_length: f64,
    /// From 2 for the first result of a source down to 1.
    pub rank: f64,
}

/// The points of each field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Points(PerField<i64>);

impl Points {
    pub fn set<'k>(
        &mut self,
        field: Field,
        weight: f64,
        similarities: impl Iterator<Item = (&'k str, f64)>,
        adjusts: Adjusts,
    ) {
        self.0[field as usize] = (points(weight, similarities, adjusts) * UNITS).round() as i64;
    }

    pub fn of(&self, field: Field) -> f64 {
        self.0[field as usize] as f64 / UNITS
    }

    /// The score.
    pub fn total(&self) -> f64 {
        self.0.iter().sum::<i64>() as f64 / UNITS
    }
}

/// The median of the distinct lengths of a field over all results.
pub fn median_of_distinct(mut lengths: Vec<u32>) -> f64 {
    lengths.sort_unstable();
    lengths.dedup();
    median(&lengths)
}

/// The median of sorted numbers.
pub fn median(sorted: &[u32]) -> f64 {
    let middle = sorted.len() / 2;
    let at = |place: usize| sorted.get(place).copied().map_or(0.0, f64::from);
    match sorted.len() % 2 {
        1 => at(middle),
        _ => f64::midpoint(at(middle.saturating_sub(1)), at(middle)),
    }
}

/// The ratio of a length to the median, as shown.
pub fn length_adjust(median: f64, length: f64) -> f64 {
    if length > 0.0 { rounded(median / length) } else { 1.0 }
}

/// A missing rank counts as the lowest.
pub fn rank_adjust(rank: u32) -> f64 {
    if rank == 0 { 1.0 } else { 1.0 + 1.0 / f64::from(rank).sqrt() }
}

fn points<'k>(weight: f64, similarities: impl Iterator<Item = (&'k str, f64)>, adjusts: Adjusts) -> f64 {
    let (mut whole, mut places) = (0.0, 0.0);
    for (key, value) in similarities {
        let length = key.chars().count() as f64;
        let share = value * length * length;
        if key.ends_with('*') { whole += share } else { places += share }
    }
    weight * (whole + places * adjusts.result_length * adjusts.query_length * adjusts.rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worked_example() {
        let adjusts = Adjusts {
            result_length: length_adjust(median_of_distinct(vec![3, 2, 3]), 3.0),
            query_length: length_adjust(median(&[2]), 2.0),
            rank: rank_adjust(1),
        };
        assert_eq!(adjusts, Adjusts { result_length: 0.8333, query_length: 1.0, rank: 2.0 });
        let title =
            [("electric_cars_*", 0.80), ("Electric_cars_0", 0.80), ("Electric_0", 0.60), ("cars_1", 0.70)];
        let mut score = Points::default();
        score.set(Field::Title, 1.5, title.into_iter(), adjusts);
        assert_eq!(score.total(), 932.9735, "933.0 but for the rounded adjust");
        score.set(Field::Body, 1.0, [("東京_*", 0.5)].into_iter(), adjusts);
        assert_eq!(score.of(Field::Body), 8.0, "length is counted in characters");
        assert_eq!(score.total(), 940.9735);
        score.set(Field::Author, 1.0, [("a_s*", 1.0)].into_iter(), Adjusts { rank: 0.0, ..adjusts });
        assert_eq!(score.of(Field::Author), 16.0, "sentences count as a whole");
    }

    #[test]
    fn middles() {
        let table: [(&[u32], f64); 5] =
            [(&[], 0.0), (&[7], 7.0), (&[1, 2], 1.5), (&[5, 5, 1, 9], 5.0), (&[0, 60, 60], 30.0)];
        for (lengths, expected) in table {
            assert_eq!(median_of_distinct(lengths.to_vec()), expected, "{lengths:?}");
        }
        assert_eq!(length_adjust(5.0, 0.0), 1.0);
        assert_eq!((rank_adjust(0), rank_adjust(1), rank_adjust(4)), (1.0, 2.0, 1.5));
    }
}
