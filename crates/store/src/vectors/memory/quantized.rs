//! Vectors quantized to 16 bits, split into high and low bytes. The high bytes are enough to preselect; with the low
//! bytes the score is exact to five digits. Two bytes per number instead of four.

use pulp::{Arch, NullaryFnOnce};
use std::ops::Range;
use std::sync::LazyLock;

/// Steps from zero to the largest number of a vector, so that its high byte stays within 127.
const STEPS: f32 = 32_639.0;
/// Steps of the query vector in the coarse pass: `QUESTION_STEPS * 127 * DIMENSION_MAX` must fit into an `i32`.
const QUESTION_STEPS: f32 = 2_047.0;
/// Numbers added in parallel; the compiler vectorizes them.
const LANES: usize = 16;

/// The widest vector instructions of this machine, detected once.
static ARCH: LazyLock<Arch> = LazyLock::new(Arch::new);

/// The vectors of all rows, concatenated.
#[derive(Default)]
pub struct QuantizedVectors {
    dimension: usize,
    high: Vec<i8>,
    low: Vec<i8>,
    /// The size of one step, per row.
    steps: Vec<f32>,
}

/// A row and its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    pub row: u32,
    pub score: f32,
}

impl QuantizedVectors {
    pub fn new(dimension: usize) -> Self {
        Self { dimension, ..Self::default() }
    }

    /// The vector must have the dimension of the others.
    pub fn push(&mut self, vector: &[f32]) {
        // NaN and infinity count as 0.
        let finite = |value: &f32| if value.is_finite() { *value } else { 0.0 };
        let greatest = vector.iter().map(finite).fold(0.0_f32, |greatest, value| greatest.max(value.abs()));
        let step = if greatest > 0.0 { greatest / STEPS } else { 1.0 };
        for value in vector.iter().map(finite) {
            let whole = (value / step).round().clamp(-STEPS, STEPS) as i16;
            let high = (whole + 128) >> 8;
            self.high.push(high as i8);
            self.low.push((whole - (high << 8)) as i8);
        }
        self.steps.push(step);
    }

    /// Appends rows of another with the same dimension.
    pub fn take_over(&mut self, other: &Self, rows: Range<usize>) {
        let numbers = rows.start * self.dimension..rows.end * self.dimension;
        self.high.extend_from_slice(&other.high[numbers.clone()]);
        self.low.extend_from_slice(&other.low[numbers]);
        self.steps.extend_from_slice(&other.steps[rows]);
    }

    pub fn reserve(&mut self, rows: usize) {
        self.high.reserve(rows * self.dimension);
        self.low.reserve(rows * self.dimension);
        self.steps.reserve(rows);
    }

    /// Releases unused capacity.
    pub fn shrink(&mut self) {
        self.high.shrink_to_fit();
        self.low.shrink_to_fit();
        self.steps.shrink_to_fit();
    }

    /// The dot product with every row of the ranges.
    pub fn scores(&self, question: &[f32], ranges: &[Range<usize>]) -> Vec<Scored> {
        ARCH.dispatch(Exact { quantized: self, question, ranges })
    }

    /// The nearest rows by their high bytes, at least `wanted` if there are so many. Ties are ordered by row.
    pub fn near(&self, question: &[f32], ranges: &[Range<usize>], wanted: usize) -> Vec<u32> {
        let greatest = question.iter().fold(0.0_f32, |greatest, value| greatest.max(value.abs()));
        let step = if greatest > 0.0 { greatest / QUESTION_STEPS } else { 1.0 };
        let question: Vec<i16> = question.iter().map(|value| (value / step).round() as i16).collect();
        let best = ARCH.dispatch(Coarse { quantized: self, question: &question, ranges, wanted });
        best.into_iter().map(|(_, _, row)| row).collect()
    }
}

// Kernels for vector instructions. Closures would not be inlined into them.

struct Exact<'a> {
    quantized: &'a QuantizedVectors,
    question: &'a [f32],
    ranges: &'a [Range<usize>],
}

impl NullaryFnOnce for Exact<'_> {
    type Output = Vec<Scored>;

    #[inline(always)]
    fn call(self) -> Vec<Scored> {
        let QuantizedVectors { dimension, high, low, steps } = self.quantized;
        let mut scores = Vec::with_capacity(self.ranges.iter().map(Range::len).sum());
        for row in self.ranges.iter().cloned().flatten() {
            let numbers = row * dimension..(row + 1) * dimension;
            let sum = exact_sum(self.question, &high[numbers.clone()], &low[numbers]);
            scores.push(Scored { row: row as u32, score: (sum * steps[row]).clamp(-1.0, 1.0) });
        }
        scores
    }
}

/// In lanes, so that the sum is the same on every machine, whatever its vector width.
#[inline(always)]
fn exact_sum(question: &[f32], high: &[i8], low: &[i8]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    let (questions, question_rest) = question.as_chunks::<LANES>();
    let (highs, high_rest) = high.as_chunks::<LANES>();
    let (lows, low_rest) = low.as_chunks::<LANES>();
    for ((question, high), low) in questions.iter().zip(highs).zip(lows) {
        for lane in 0..LANES {
            let whole = (i32::from(high[lane]) << 8) + i32::from(low[lane]);
            lanes[lane] += question[lane] * whole as f32;
        }
    }
    let mut sum: f32 = lanes.iter().sum();
    for ((question, high), low) in question_rest.iter().zip(high_rest).zip(low_rest) {
        sum += question * ((i32::from(*high) << 8) + i32::from(*low)) as f32;
    }
    sum
}

struct Coarse<'a> {
    quantized: &'a QuantizedVectors,
    question: &'a [i16],
    ranges: &'a [Range<usize>],
    wanted: usize,
}

impl NullaryFnOnce for Coarse<'_> {
    /// Score, position in the ranges, row.
    type Output = Vec<(f32, u32, u32)>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let QuantizedVectors { dimension, high, steps, .. } = self.quantized;
        let space = self.wanted.saturating_mul(2).max(2);
        let mut best = Vec::with_capacity(space);
        let mut floor = f32::NEG_INFINITY;
        for (place, row) in self.ranges.iter().cloned().flatten().enumerate() {
            let sum = coarse_sum(self.question, &high[row * dimension..(row + 1) * dimension]);
            let score = sum as f32 * steps[row];
            if score > floor {
                best.push((score, place as u32, row as u32));
                if best.len() == space {
                    floor = keep_best(&mut best, self.wanted.max(1));
                }
            }
        }
        if best.len() > self.wanted {
            keep_best(&mut best, self.wanted.max(1));
        }
        best
    }
}

#[inline(always)]
fn coarse_sum(question: &[i16], high: &[i8]) -> i32 {
    let mut lanes = [0_i32; LANES];
    let (questions, question_rest) = question.as_chunks::<LANES>();
    let (highs, high_rest) = high.as_chunks::<LANES>();
    for (question, high) in questions.iter().zip(highs) {
        for lane in 0..LANES {
            lanes[lane] += i32::from(question[lane]) * i32::from(high[lane]);
        }
    }
    let rest: i32 = question_rest.iter().zip(high_rest).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
    lanes.iter().sum::<i32>() + rest
}

/// Keeps this many, in any order; returns the lowest score.
fn keep_best(best: &mut Vec<(f32, u32, u32)>, wanted: usize) -> f32 {
    let (_, last, _) =
        best.select_nth_unstable_by(wanted - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let floor = last.0;
    best.truncate(wanted);
    floor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::limits::DIMENSION_MAX;
    use crate::vectors::math::unit;

    /// Deterministic unit vectors.
    fn vectors(count: usize, dimension: usize) -> Vec<Vec<f32>> {
        let mut state = 7_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        (0..count).map(|_| unit(&(0..dimension).map(|_| next()).collect::<Vec<_>>())).collect()
    }

    fn quantized(vectors: &[Vec<f32>]) -> QuantizedVectors {
        let mut quantized = QuantizedVectors::new(vectors[0].len());
        vectors.iter().for_each(|vector| quantized.push(vector));
        quantized
    }

    #[test]
    fn scores_are_good_to_five_digits() {
        for dimension in [1, 3, 16, 50, 256] {
            let vectors = vectors(40, dimension);
            let quantized = quantized(&vectors);
            for scored in quantized.scores(&vectors[5], &[2..9, 20..40]) {
                let exact: f32 =
                    vectors[5].iter().zip(&vectors[scored.row as usize]).map(|(a, b)| a * b).sum();
                assert!((scored.score - exact).abs() < 2e-5, "{dimension}: {} {exact}", scored.score);
            }
        }
    }

    #[test]
    fn only_rows_of_the_ranges_are_looked_at_and_the_earlier_of_equals_goes_first() {
        let one = unit(&[1.0, 2.0, 3.0]);
        let quantized = quantized(&vec![one.clone(); 100]);
        let mut near = quantized.near(&one, &[50..60, 10..30], 12);
        near.sort_unstable();
        assert_eq!(near, [10, 11, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59]);
        assert_eq!(quantized.near(&one, &[], 5), [] as [u32; 0]);
        assert_eq!(quantized.near(&one, std::slice::from_ref(&(3..4)), 5), [3]);
    }

    #[test]
    fn the_coarse_pass_finds_nearly_all() {
        let vectors = vectors(3_000, 64);
        let quantized = quantized(&vectors);
        let all = 0..vectors.len();
        let mut found = 0;
        for question in vectors.iter().step_by(300) {
            let mut scores = quantized.scores(question, std::slice::from_ref(&all));
            scores.sort_by(|a, b| b.score.total_cmp(&a.score));
            let near = quantized.near(question, std::slice::from_ref(&all), 20);
            assert_eq!(near.len(), 20);
            found += scores[..10].iter().filter(|best| near.contains(&best.row)).count();
        }
        assert!(found >= 99, "{found} of 100");
    }

    #[test]
    fn the_widest_vector_does_not_overflow() {
        let wide = vec![1.0; DIMENSION_MAX];
        let quantized = quantized(&[wide.clone(), wide.iter().map(|value| -value).collect()]);
        assert_eq!(quantized.near(&wide, &[0..1, 1..2], 1), [0]);
    }

    #[test]
    fn odd_vectors_score_nothing() {
        let quantized = quantized(&[vec![0.0, 0.0], vec![f32::NAN, 0.0], vec![f32::INFINITY, 0.0]]);
        let scores = quantized.scores(&[0.6, 0.8], std::slice::from_ref(&(0..3)));
        assert!(scores.iter().all(|scored| scored.score == 0.0), "{scores:?}");
        assert_eq!(quantized.near(&[0.0, 0.0], std::slice::from_ref(&(0..3)), 2).len(), 2);
    }
}
