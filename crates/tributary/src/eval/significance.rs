//! Paired randomization test: is one merge method significantly better than another?

use crate::eval::measure::mean;
use crate::eval::rng::Rng;
use serde::Serialize;

/// Number of random sign assignments.
pub const ROUNDS: u32 = 10_000;
/// Up to this many queries, all sign assignments are enumerated.
const EXACT_MAX: usize = 12;
/// Differences below this are rounding errors and count as ties.
const EPSILON: f64 = 1e-9;

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Comparison {
    /// Mean of the first minus mean of the second.
    pub difference: f64,
    /// Two-sided p-value.
    pub p: f64,
    /// Number of queries for which the first is better.
    pub wins: usize,
    pub ties: usize,
    /// Number of queries for which the second is better.
    pub losses: usize,
}

/// Compares two series with one value per query, in the same order.
pub fn compare(first: &[f64], second: &[f64], seed: u64) -> Comparison {
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let wins = differences.iter().filter(|difference| **difference > EPSILON).count();
    let losses = differences.iter().filter(|difference| **difference < -EPSILON).count();
    Comparison {
        difference: mean(differences.iter().copied()),
        p: p_value(&differences, seed),
        wins,
        ties: differences.len() - wins - losses,
        losses,
    }
}

/// Under the null hypothesis, the sign of each difference is random.
fn p_value(differences: &[f64], seed: u64) -> f64 {
    let open: Vec<f64> =
        differences.iter().copied().filter(|difference| difference.abs() > EPSILON).collect();
    let seen = open.iter().sum::<f64>().abs() - EPSILON;
    if open.len() <= EXACT_MAX {
        let choices = 1_u32 << open.len();
        let reached = (0..choices).filter(|choice| {
            let signed = open
                .iter()
                .enumerate()
                .map(|(bit, value)| if choice >> bit & 1 == 1 { -value } else { *value });
            signed.sum::<f64>().abs() >= seen
        });
        return reached.count() as f64 / f64::from(choices);
    }
    let mut rng = Rng::new(seed, "significance");
    let mut reached = 0;
    for _ in 0..ROUNDS {
        let sum: f64 = open.iter().map(|value| if rng.coin() { -value } else { *value }).sum();
        reached += u32::from(sum.abs() >= seen);
    }
    // The observed assignment is one of the possible ones.
    f64::from(reached + 1) / f64::from(ROUNDS + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn against_zero(differences: &[f64]) -> Comparison {
        compare(differences, &vec![0.0; differences.len()], 1)
    }

    /// Differences, p, and how many were won, even and lost.
    type Case<'a> = (&'a [f64], f64, [usize; 3]);

    #[test]
    fn small_cases_are_exact() {
        let table: &[Case<'_>] = &[
            (&[], 1.0, [0, 0, 0]),
            (&[0.0, 0.0], 1.0, [0, 2, 0]),
            (&[0.5], 1.0, [1, 0, 0]),
            (&[0.1, 0.1, 0.1], 0.25, [3, 0, 0]),
            (&[-0.1, -0.2, -0.3, -0.4, -0.5], 2.0 / 32.0, [0, 0, 5]),
            // Of 8 choices, ±(1+2+3), ±(-1+2+3) reach 4.
            (&[-1.0, 2.0, 3.0], 0.5, [2, 0, 1]),
            (&[0.3, -0.3, 0.0], 1.0, [1, 1, 1]),
        ];
        for (differences, p, counts) in table {
            let found = against_zero(differences);
            assert!((found.p - p).abs() < 1e-12, "{differences:?}: {found:?}");
            assert_eq!([found.wins, found.ties, found.losses], *counts, "{differences:?}");
        }
        assert!((against_zero(&[-1.0, 2.0, 3.0]).difference - 4.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn many_queries_are_drawn() {
        let better = vec![0.1; 50];
        assert_eq!(against_zero(&better).p, 1.0 / f64::from(ROUNDS + 1), "never reached by chance");
        let even: Vec<f64> = (0..50).map(|place| if place % 2 == 0 { 0.1 } else { -0.1 }).collect();
        assert_eq!(against_zero(&even).p, 1.0);
        // 16 of 20 to one side: the sign test says 0.0118.
        let mostly: Vec<f64> = (0..20).map(|place| if place < 16 { 0.1 } else { -0.1 }).collect();
        let p = against_zero(&mostly).p;
        assert!((0.008..0.016).contains(&p), "{p}");
        assert_eq!(against_zero(&mostly), against_zero(&mostly), "the same seed, the same answer");
    }
}
