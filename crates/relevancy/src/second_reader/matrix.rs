//! Products of weights and tokens as integers: weights of 8 bits with a scale per row, tokens of 14 bits with a scale
//! per token. The sums are exact and therefore the same on every machine.

use super::vector_instructions::ARCH;
use pulp::NullaryFnOnce;

/// The largest weight.
const WEIGHT_MAX: f32 = 127.0;
/// The largest number of a token. A row of 2,048 products with weights of 128 still fits into 32 bits.
const NUMBER_MAX: f32 = 8191.0;
/// The longest row whose sum fits into 32 bits.
pub const COLUMNS_MAX: usize = 2048;
/// Integers that are added in parallel; the compiler generates vector instructions for them.
const LANES: usize = 16;
/// Tokens that are multiplied with a row at once, so that the row is loaded less often.
const TOGETHER: usize = 4;

/// A table of weights: 8-bit integers with a scale per row.
pub struct Rows {
    pub numbers: Vec<i8>,
    pub scales: Vec<f32>,
    pub columns: usize,
}

impl Rows {
    /// The nearest table to one of floats.
    pub fn nearest(values: &[f32], columns: usize) -> Self {
        let mut rows = Self { numbers: Vec::with_capacity(values.len()), scales: Vec::new(), columns };
        for row in values.chunks_exact(columns) {
            let (factor, scale) = scale_of(row, WEIGHT_MAX);
            rows.numbers.extend(row.iter().map(|value| (value * factor).round_ties_even() as i8));
            rows.scales.push(scale);
        }
        rows
    }

    /// Adds a row of floats; nothing for a row that does not exist.
    pub fn add_row(&self, place: usize, sum: &mut [f32]) {
        let start = place.saturating_mul(self.columns);
        let row = self.numbers.get(start..start.saturating_add(self.columns));
        let Some((row, scale)) = row.zip(self.scales.get(place)) else { return };
        for (sum, number) in sum.iter_mut().zip(row) {
            *sum += f32::from(*number) * scale;
        }
    }
}

/// A linear step: the product with a table of weights, and what is added to it.
pub struct Linear {
    pub rows: Rows,
    pub biases: Vec<f32>,
}

impl Linear {
    /// The result of each token.
    pub fn apply(&self, tokens: &Tokens) -> Vec<f32> {
        let mut results = vec![0.0; tokens.scales.len() * self.biases.len()];
        ARCH.dispatch(Product { linear: self, tokens, results: &mut results });
        results
    }
}

/// The numbers of some tokens as integers, with a scale per token.
pub struct Tokens {
    numbers: Vec<i16>,
    scales: Vec<f32>,
}

impl Tokens {
    /// The nearest integers to floats.
    pub fn nearest(values: &[f32], columns: usize) -> Self {
        let mut tokens = Self { numbers: vec![0; values.len()], scales: Vec::new() };
        ARCH.dispatch(NearestTokens { values, columns, tokens: &mut tokens });
        tokens
    }
}

/// The factor that makes integers up to `most` of some floats, and the scale that makes floats of them again.
#[inline(always)]
fn scale_of(values: &[f32], most: f32) -> (f32, f32) {
    let largest = values.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
    if largest > 0.0 { (most / largest, largest / most) } else { (0.0, 0.0) }
}

struct NearestTokens<'a> {
    values: &'a [f32],
    columns: usize,
    tokens: &'a mut Tokens,
}

impl NullaryFnOnce for NearestTokens<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Tokens { numbers, scales } = self.tokens;
        let rows = self.values.chunks_exact(self.columns).zip(numbers.chunks_exact_mut(self.columns));
        for (values, numbers) in rows {
            let (factor, scale) = scale_of(values, NUMBER_MAX);
            for (number, value) in numbers.iter_mut().zip(values) {
                *number = (value * factor).round_ties_even() as i16;
            }
            scales.push(scale);
        }
    }
}

struct Product<'a> {
    linear: &'a Linear,
    tokens: &'a Tokens,
    results: &'a mut [f32],
}

impl NullaryFnOnce for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let (columns, outputs) = (self.linear.rows.columns, self.linear.biases.len());
        let blocks = self
            .tokens
            .numbers
            .chunks(TOGETHER * columns)
            .zip(self.tokens.scales.chunks(TOGETHER))
            .zip(self.results.chunks_mut(TOGETHER * outputs));
        for ((numbers, scales), results) in blocks {
            match *scales {
                [a, b, c, d] => several(self.linear, numbers, [a, b, c, d], results),
                // The last ones, at most three.
                _ => {
                    let each = numbers.chunks_exact(columns).zip(scales);
                    for ((numbers, scale), results) in each.zip(results.chunks_exact_mut(outputs)) {
                        several(self.linear, numbers, [*scale], results);
                    }
                }
            }
        }
    }
}

/// The results of `COUNT` tokens.
#[inline(always)]
fn several<const COUNT: usize>(linear: &Linear, numbers: &[i16], scales: [f32; COUNT], results: &mut [f32]) {
    let Linear { rows, biases } = linear;
    let outputs = biases.len();
    let tokens: [&[i16]; COUNT] =
        std::array::from_fn(|token| &numbers[token * rows.columns..(token + 1) * rows.columns]);
    let weights = rows.numbers.chunks_exact(rows.columns).zip(&rows.scales).zip(biases);
    for (place, ((weights, scale), bias)) in weights.enumerate() {
        let sums = products(weights, tokens);
        for token in 0..COUNT {
            results[token * outputs + place] = sums[token] as f32 * (scale * scales[token]) + bias;
        }
    }
}

/// The sums of the products of a row of weights and `COUNT` tokens.
#[inline(always)]
fn products<const COUNT: usize>(weights: &[i8], tokens: [&[i16]; COUNT]) -> [i32; COUNT] {
    let (chunks, rest) = weights.as_chunks::<LANES>();
    let chunked = tokens.map(|numbers| &numbers.as_chunks::<LANES>().0[..chunks.len()]);
    let mut lanes = [[0_i32; LANES]; COUNT];
    for (place, weights) in chunks.iter().enumerate() {
        for token in 0..COUNT {
            let numbers = &chunked[token][place];
            for lane in 0..LANES {
                lanes[token][lane] += i32::from(weights[lane]) * i32::from(numbers[lane]);
            }
        }
    }
    let read = weights.len() - rest.len();
    std::array::from_fn(|token| {
        let last = rest.iter().zip(&tokens[token][read..]);
        let last: i32 = last.map(|(weight, number)| i32::from(*weight) * i32::from(*number)).sum();
        lanes[token].iter().sum::<i32>() + last
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers between -1 and 1 that look random.
    fn values(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|place| ((place * 7919 + seed * 104_729) % 201) as f32 / 100.0 - 1.0).collect()
    }

    #[test]
    fn products_are_near_those_of_floats() {
        for (columns, outputs, count) in [(8, 3, 1), (16, 5, 4), (40, 7, 6), (384, 9, 11)] {
            let (weights, tokens) = (values(columns * outputs, 1), values(columns * count, 2));
            let biases = values(outputs, 3);
            let linear = Linear { rows: Rows::nearest(&weights, columns), biases: biases.clone() };
            let results = linear.apply(&Tokens::nearest(&tokens, columns));
            assert_eq!(results.len(), outputs * count);
            for (place, found) in results.iter().enumerate() {
                let (token, output) = (place / outputs, place % outputs);
                let token = &tokens[token * columns..(token + 1) * columns];
                let row = &weights[output * columns..(output + 1) * columns];
                let expected = token.iter().zip(row).map(|(a, b)| a * b).sum::<f32>() + biases[output];
                let difference = (found - expected).abs();
                assert!(difference < 0.005 * columns as f32, "{columns} {place}: {found} {expected}");
            }
        }
    }

    #[test]
    fn products_of_integers_are_exact() {
        let linear = Linear {
            rows: Rows { numbers: vec![1, -2, 3, 127, 0, -128], scales: vec![0.5, 2.0], columns: 3 },
            biases: vec![10.0, -1.0],
        };
        let tokens = Tokens { numbers: vec![1, 10, 100, -3, 0, 4], scales: vec![1.0, 0.25] };
        assert_eq!(
            linear.apply(&tokens),
            [281.0 * 0.5 + 10.0, -12_673.0 * 2.0 - 1.0, 9.0 * 0.125 + 10.0, -893.0 * 0.5 - 1.0]
        );
    }

    #[test]
    fn the_largest_sums_fit() {
        let rows = Rows { numbers: vec![-128; COLUMNS_MAX], scales: vec![1.0], columns: COLUMNS_MAX };
        let linear = Linear { rows, biases: vec![0.0] };
        for sign in [-1.0, 1.0] {
            let tokens = Tokens::nearest(&[sign * 8191.0; COLUMNS_MAX], COLUMNS_MAX);
            assert_eq!(linear.apply(&tokens), [-sign * 128.0 * 8191.0 * COLUMNS_MAX as f32]);
        }
    }

    #[test]
    fn rows_are_added_as_floats() {
        let rows = Rows::nearest(&[1.0, -0.5, 0.0, 0.0, 0.25, 0.125], 2);
        assert_eq!((rows.scales[1], &rows.numbers[..4]), (0.0, &[127, -64, 0, 0][..]));
        let mut sum = [1.0, 1.0];
        rows.add_row(0, &mut sum);
        assert!((sum[0] - 2.0).abs() < 1e-5 && (sum[1] - 0.5).abs() < 0.01, "{sum:?}");
        let before = sum;
        for missing in [3, usize::MAX] {
            rows.add_row(missing, &mut sum);
        }
        assert_eq!(sum, before);
    }
}
