//! Rounding of the numbers of an election.

use domain::corpus::{Factors, Thresholds, Weights};

/// Six decimal digits.
const SCALE: f64 = 1e6;

/// Weights and thresholds as rounded for an election.
pub fn exact(weights: &Weights, thresholds: &Thresholds) -> (Weights, Thresholds) {
    let thresholds = Thresholds {
        relevance_min: round(thresholds.relevance_min),
        relevance_ratio: round(thresholds.relevance_ratio),
    };
    (Weights(Factors::of(weights.0.values().map(round))), thresholds)
}

/// Rounds to six decimal digits, without a negative zero. NaN and infinity become 0.
pub fn round(number: f64) -> f64 {
    if number.is_finite() { (number * SCALE).round() / SCALE + 0.0 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_digits() {
        for (number, expected) in
            [(0.123_456_7, 0.123_457), (-0.000_000_1, 0.0), (f64::NAN, 0.0), (1.0 / 3.0, 0.333_333)]
        {
            assert_eq!(round(number), expected);
        }
        assert!(round(-0.0).is_sign_positive());
        let weights = Weights(Factors { pin: 1.0 / 3.0, ..Weights::default().0 });
        let thresholds = Thresholds { relevance_min: 1.0 / 3.0, relevance_ratio: 2.0 / 3.0 };
        let (weights, thresholds) = exact(&weights, &thresholds);
        assert_eq!(
            (weights.0.pin, thresholds.relevance_min, thresholds.relevance_ratio),
            (0.333_333, 0.333_333, 0.666_667)
        );
    }
}
