//! The functions of the model, computed alike on every machine.

use super::vector_instructions::ARCH;
use pulp::NullaryFnOnce;
use std::f32::consts::{FRAC_1_SQRT_2, LN_2, LOG2_E};

/// Floats that are added in parallel; the compiler generates vector instructions for them.
const LANES: usize = 16;
/// Smaller numbers have this one's exponential, which is nearly zero.
const EXP_MIN: f32 = -80.0;
/// Added to a variance, as in the published model.
const EPSILON: f32 = 1e-12;

/// The sum of some numbers, in lanes, so that it is the same however wide the vectors of the machine are.
#[inline(always)]
pub fn sum(values: &[f32]) -> f32 {
    let (chunks, rest) = values.as_chunks::<LANES>();
    let mut lanes = [0.0; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] += chunk[lane];
        }
    }
    lanes.iter_mut().zip(rest).for_each(|(lane, value)| *lane += value);
    lanes.iter().fold(0.0, |sum, lane| sum + lane)
}

/// `e` to the power of a number that is not positive. The error is below a hundred thousandth of the value.
#[inline(always)]
pub fn exp(number: f32) -> f32 {
    let power = number.max(EXP_MIN) * LOG2_E;
    let whole = power.round_ties_even();
    let rest = (power - whole) * LN_2;
    // The Taylor series, for numbers up to ln(2) / 2.
    let series = 1.0 / 24.0 + rest * (1.0 / 120.0 + rest * (1.0 / 720.0));
    let series = 1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * series)));
    series * f32::from_bits(((127 + whole as i32) as u32) << 23)
}

/// The Gaussian error linear unit, by the error function of Abramowitz and Stegun (7.1.26).
#[inline(always)]
fn gelu(number: f32) -> f32 {
    let scaled = number.abs() * FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * scaled);
    let polynomial =
        ((((1.061_405_4 * t - 1.453_152_1) * t + 1.421_413_8) * t - 0.284_496_72) * t + 0.254_829_6) * t;
    let erf = 1.0 - polynomial * exp(-(scaled * scaled));
    0.5 * number * (1.0 + if number < 0.0 { -erf } else { erf })
}

/// Replaces each number by its [`gelu`].
pub fn apply_gelu(values: &mut [f32]) {
    ARCH.dispatch(Gelu(values));
}

struct Gelu<'a>(&'a mut [f32]);

impl NullaryFnOnce for Gelu<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for value in self.0 {
            *value = gelu(*value);
        }
    }
}

/// A layer normalization.
pub struct LayerNorm {
    pub weights: Vec<f32>,
    pub biases: Vec<f32>,
}

impl LayerNorm {
    /// Normalizes each row.
    pub fn apply(&self, rows: &mut [f32]) {
        ARCH.dispatch(NormalizedRows { norm: self, rows });
    }
}

struct NormalizedRows<'a> {
    norm: &'a LayerNorm,
    rows: &'a mut [f32],
}

impl NullaryFnOnce for NormalizedRows<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let LayerNorm { weights, biases } = self.norm;
        let mut squares = vec![0.0; weights.len()];
        for row in self.rows.chunks_exact_mut(weights.len()) {
            let count = row.len() as f32;
            let mean = sum(row) / count;
            for (value, square) in row.iter_mut().zip(&mut squares) {
                *value -= mean;
                *square = *value * *value;
            }
            let factor = 1.0 / (sum(&squares) / count + EPSILON).sqrt();
            for ((value, weight), bias) in row.iter_mut().zip(weights).zip(biases) {
                *value = *value * factor * weight + bias;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_numbers_are_added() {
        for count in [0, 1, LANES - 1, LANES, 3 * LANES + 5] {
            let values: Vec<f32> = (1..=count).map(|value| value as f32).collect();
            assert_eq!(sum(&values), (count * (count + 1) / 2) as f32, "{count}");
        }
    }

    #[test]
    fn powers_are_exact_enough() {
        for number in -7900..=0 {
            let number = number as f32 / 100.0;
            let (found, expected) = (exp(number), f64::from(number).exp());
            assert!((f64::from(found) / expected - 1.0).abs() < 1e-5, "{number}: {found} {expected}");
        }
        assert_eq!((exp(0.0), exp(-1000.0), exp(f32::NAN)), (1.0, exp(EXP_MIN), exp(EXP_MIN)));
    }

    #[test]
    fn known_values_of_the_gaussian_error_linear_unit() {
        // 0.5 x (1 + erf(x / sqrt 2))
        for (number, expected) in [
            (0.0, 0.0),
            (0.5, 0.345_731_23),
            (1.0, 0.841_344_8),
            (3.0, 2.995_950_3),
            (-0.5, -0.154_268_77),
            (-1.0, -0.158_655_25),
            (-3.0, -0.004_049_693_9),
            (8.0, 8.0),
            (-8.0, 0.0),
        ] {
            assert!((gelu(number) - expected).abs() < 1e-6, "{number}: {}", gelu(number));
        }
    }

    #[test]
    fn rows_are_normalized() {
        let norm = LayerNorm { weights: vec![2.0; 4], biases: vec![1.0; 4] };
        let mut rows = [1.0, 2.0, 3.0, 4.0, 5.0, 5.0, 5.0, 5.0];
        norm.apply(&mut rows);
        let expected = [-1.683_281_6, 0.105_572_8, 1.894_427_2, 3.683_281_6, 1.0, 1.0, 1.0, 1.0];
        let mut pairs = rows.iter().zip(expected);
        assert!(pairs.all(|(found, expected)| (found - expected).abs() < 1e-5), "{rows:?}");
    }
}
