//! The attention of the model: how much each token of a text counts, given the others.
//!
//! The sum of the rows of a text shows what the text is about, its context. Each token has a key; the more the key points in
//! the direction of the context, the greater the weight of the token.

use super::embedding::DIMENSIONS;
use super::safetensors::{self, SafeTensors};
use std::sync::LazyLock;

const KEY_DIMENSIONS: usize = 32;
/// The logarithm of a weight is between minus this and this.
const LOGIT_MAX: f32 = 3.0;

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

    #[inline(always)]
    pub fn weight(&self, id: u32, context: &Context) -> f32 {
        let key: Option<&[u8; KEY_DIMENSIONS]> = self.keys.as_chunks().0.get(id as usize);
        let Some((key, scale)) = key.zip(self.scales.get(id as usize)) else { return 1.0 };
        let mut products = [0.0; KEY_DIMENSIONS];
        for place in 0..KEY_DIMENSIONS {
            products[place] = f32::from(key[place].cast_signed()) * context.0[place];
        }
        exp((sum(products) * scale).clamp(-LOGIT_MAX, LOGIT_MAX))
    }
}

/// Adds halves, quarters and so on, so that few additions wait for each other.
#[inline(always)]
fn sum(mut products: [f32; KEY_DIMENSIONS]) -> f32 {
    let mut half = KEY_DIMENSIONS / 2;
    while half > 0 {
        for place in 0..half {
            products[place] += products[place + half];
        }
        half /= 2;
    }
    products[0]
}

/// `e` to the power of a small number, the same on every machine. The error is below a hundred thousandth of the value.
#[inline(always)]
fn exp(number: f32) -> f32 {
    let power = number * std::f32::consts::LOG2_E;
    let whole = (power + if power < 0.0 { -0.5 } else { 0.5 }) as i32;
    let rest = (power - whole as f32) * std::f32::consts::LN_2;
    // The Taylor series, for numbers up to ln(2) / 2.
    let series = 1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0 + rest / 120.0))));
    series * f32::from_bits(((127 + whole) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_keys_are_whole() {
        let attention = Attention::shipped();
        assert_eq!((attention.scales.len(), attention.directions.len()), (30_522, DIMENSIONS));
        let context = attention.context(&[0.0; DIMENSIONS], 1.0);
        assert_eq!(attention.weight(2000, &context), 1.0, "without a context all tokens count alike");
        assert_eq!(attention.weight(u32::MAX, &context), 1.0);
    }

    #[test]
    fn weights_are_bounded() {
        let attention = Attention::shipped();
        for sign in [-1.0, 1.0] {
            let context = Context([sign * 1e9; KEY_DIMENSIONS]);
            for id in 0..100 {
                let weight = attention.weight(id, &context);
                assert!((0.049..=20.1).contains(&weight), "{weight}");
            }
        }
    }

    #[test]
    fn all_products_are_added() {
        let products: [f32; KEY_DIMENSIONS] = std::array::from_fn(|place| place as f32);
        assert_eq!(sum(products), 496.0);
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
