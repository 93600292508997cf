//! The attention of the model: how much each token of a text counts, given the others.
//!
//! The sum of the rows of a text shows what the text is about, its context. Each token has a key; the more the key points in
//! the direction of the context, the greater the weight of the token.

use super::embedding::DIMENSIONS;
use super::safetensors::{self, SafeTensors};
use super::weights::{CHUNK, Factors};
use super::wordpiece::WordPiece;
use std::sync::LazyLock;

const KEY_DIMENSIONS: usize = 32;
/// The logarithm of a weight is between minus this and this.
const LOGIT_MAX: f32 = 3.0;
/// Products that are added in parallel.
const LANES: usize = 8;
/// Powers that are computed at once.
const BLOCK: usize = 16;

static FILE: &[u8] = include_bytes!("../../data/attention.safetensors");

static ATTENTION: LazyLock<Attention> = LazyLock::new(|| Attention::read(FILE).unwrap_or_default());

/// The keys of the tokens. Without any, every weight is 1.
#[derive(Default)]
pub struct Attention {
    keys: &'static [u8],
    scales: Vec<f32>,
    /// By dimension of an embedding.
    directions: Vec<[f32; KEY_DIMENSIONS]>,
}

/// What a text is about, in the dimensions of the keys.
pub struct Context([f32; KEY_DIMENSIONS]);

impl Attention {
    /// The keys that are part of the program.
    pub fn shipped() -> &'static Self {
        &ATTENTION
    }

    fn read(file: &'static [u8]) -> Option<Self> {
        let file = SafeTensors::read(file)?;
        let directions = safetensors::floats(file.part("directions")?);
        let attention = Self {
            keys: file.part("keys")?,
            scales: safetensors::floats(file.part("key_scales")?),
            directions: directions.as_chunks().0.to_vec(),
        };
        let is_whole = attention.keys.len() == attention.scales.len() * KEY_DIMENSIONS
            && attention.directions.len() == DIMENSIONS;
        is_whole.then_some(attention)
    }

    /// The context of a text whose rows add up to `sum`, which has this length.
    #[inline(always)]
    pub fn context(&self, sum: &[f32; DIMENSIONS], length: f32) -> Context {
        let mut context = [0.0; KEY_DIMENSIONS];
        // Several dimensions at once, so that the context is loaded and stored less often.
        let directions = self.directions.as_chunks::<4>().0;
        for ([a, b, c, d], directions) in sum.as_chunks::<4>().0.iter().zip(directions) {
            let [of_a, of_b, of_c, of_d] = directions;
            for place in 0..KEY_DIMENSIONS {
                context[place] += (a * of_a[place] + b * of_b[place]) + (c * of_c[place] + d * of_d[place]);
            }
        }
        Context(context.map(|value| value / length))
    }

    /// Multiplies the factors of a chunk by the weights of its tokens in this context.
    #[inline(always)]
    pub fn weigh(&self, chunk: &[WordPiece], context: &Context, factors: &mut Factors) {
        // In memory and not added up yet, so that the compiler uses wide vectors.
        let mut products = [[0.0; LANES]; CHUNK];
        for (piece, lanes) in chunk.iter().zip(&mut products) {
            self.multiply(piece.id, context, lanes);
        }
        let mut logits = [0.0; CHUNK];
        for ((piece, lanes), logit) in chunk.iter().zip(&products).zip(&mut logits) {
            let scale = self.scales.get(piece.id as usize).copied().unwrap_or_default();
            *logit = (sum(*lanes) * scale).clamp(-LOGIT_MAX, LOGIT_MAX);
        }
        // Blocks of a fixed length, so that several powers are computed at once.
        let blocks = logits.as_chunks::<BLOCK>().0.iter().zip(factors.as_chunks_mut::<BLOCK>().0);
        for (logits, factors) in blocks.take(chunk.len().div_ceil(BLOCK)) {
            for place in 0..BLOCK {
                factors[place] *= exp(logits[place]);
            }
        }
    }

    /// The products of the key of a token and a context; none for an unknown token.
    #[inline(always)]
    fn multiply(&self, id: u32, context: &Context, lanes: &mut [f32; LANES]) {
        let key: Option<&[u8; KEY_DIMENSIONS]> = self.keys.as_chunks().0.get(id as usize);
        let Some(key) = key else { return };
        for (key, context) in key.as_chunks::<LANES>().0.iter().zip(context.0.as_chunks::<LANES>().0) {
            for lane in 0..LANES {
                lanes[lane] += f32::from(key[lane].cast_signed()) * context[lane];
            }
        }
    }
}

/// Adds halves, quarters and so on, so that few additions wait for each other.
#[inline(always)]
fn sum([a, b, c, d, e, f, g, h]: [f32; LANES]) -> f32 {
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// Adding it rounds a small number to a whole one, whose last bits are then those of the sum.
const ROUNDING: f32 = 12_582_912.0;
const EXPONENT_BIAS: u32 = 127;
const FRACTION_BITS: u32 = 23;

/// `e` to the power of a small number, the same on every machine. The error is below a hundred thousandth of the value.
/// Without conversions to integers, for which several numbers at once have no instructions.
#[inline(always)]
fn exp(number: f32) -> f32 {
    let power = number * std::f32::consts::LOG2_E;
    let rounded = power + ROUNDING;
    let rest = (power - (rounded - ROUNDING)) * std::f32::consts::LN_2;
    // The Taylor series, for numbers up to ln(2) / 2.
    let series = 1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest / 120.0))));
    let exponent = rounded.to_bits().wrapping_add(EXPONENT_BIAS);
    series * f32::from_bits(exponent << FRACTION_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_keys_are_whole() {
        let attention = Attention::shipped();
        assert_eq!((attention.scales.len(), attention.directions.len()), (30_522, DIMENSIONS));
        let context = attention.context(&[0.0; DIMENSIONS], 1.0);
        assert_eq!(weight(attention, 2000, &context), 1.0, "without a context all tokens count alike");
        assert_eq!(weight(attention, u32::MAX, &context), 1.0);
    }

    fn weight(attention: &Attention, id: u32, context: &Context) -> f32 {
        let mut factors = [1.0; CHUNK];
        attention.weigh(&[WordPiece { id, start: 0 }], context, &mut factors);
        factors[0]
    }

    #[test]
    fn weights_are_bounded() {
        let attention = Attention::shipped();
        for sign in [-1.0, 1.0] {
            let context = Context([sign * 1e9; KEY_DIMENSIONS]);
            for id in 0..100 {
                let weight = weight(attention, id, &context);
                assert!((0.049..=20.1).contains(&weight), "{weight}");
            }
        }
    }

    #[test]
    fn all_products_are_added() {
        assert_eq!(sum(std::array::from_fn(|place| place as f32)), 28.0);
    }

    #[test]
    fn powers_are_exact_enough() {
        for number in -3000..=3000 {
            let number = number as f32 / 1000.0;
            let (found, expected) = (exp(number), f64::from(number).exp());
            assert!((f64::from(found) / expected - 1.0).abs() < 1e-5, "{number}: {found} {expected}");
        }
    }

    #[test]
    fn a_broken_file_has_no_keys() {
        for file in [&b""[..], b"12345678", &[2, 0, 0, 0, 0, 0, 0, 0, b'{', b'}'], &[255; 16]] {
            assert!(Attention::read(file).is_none());
        }
    }
}
