//! The weights of the model: one row of 8-bit integers per token, with its scale.

use super::embedding::DIMENSIONS;
use super::safetensors::{self, SafeTensors};
use super::wordpiece::WordPiece;
use std::sync::LazyLock;

/// Stored beside everything made with these weights, so that a change is detected.
pub const MODEL_NAME: &str = "tributary-reader-256-v2";

static FILE: &[u8] = include_bytes!("../../data/embeddings.safetensors");

static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| Weights::read(FILE).unwrap_or_default());

/// Tokens whose rows are added at once: a multiple of four, see [`Weights::add`].
pub const CHUNK: usize = 64;

/// What the row of each token of a chunk is multiplied by.
pub type Factors = [f32; CHUNK];

/// The rows of the model. Without any, every text is unknown.
#[derive(Default)]
pub struct Weights {
    rows: &'static [u8],
    scales: Vec<f32>,
}

impl Weights {
    /// The weights that are part of the program.
    pub fn shipped() -> &'static Self {
        &WEIGHTS
    }

    fn read(file: &'static [u8]) -> Option<Self> {
        let file = SafeTensors::read(file)?;
        let weights =
            Self { rows: file.part("embeddings")?, scales: safetensors::floats(file.part("scales")?) };
        (weights.rows.len() == weights.scales.len() * DIMENSIONS).then_some(weights)
    }

    /// What the rows of a chunk are multiplied by: their scales, and zero for unknown tokens.
    #[inline(always)]
    pub fn factors(&self, chunk: &[WordPiece]) -> Factors {
        let mut factors = [0.0; CHUNK];
        for (piece, factor) in chunk.iter().zip(&mut factors) {
            *factor = self.scales.get(piece.id as usize).copied().unwrap_or_default();
        }
        factors
    }

    /// Adds the rows of a chunk to `sum`, each times its factor. Inlined into functions with known vector instructions.
    #[inline(always)]
    pub fn add(&self, chunk: &[WordPiece], factors: &Factors, sum: &mut [f32; DIMENSIONS]) {
        // Several rows at once, so that the sum is loaded and stored less often.
        let (fours, rest) = chunk.as_chunks::<4>();
        let (factors_of_fours, factors) = factors[..chunk.len().min(CHUNK)].as_chunks::<4>();
        for (pieces, [of_a, of_b, of_c, of_d]) in fours.iter().zip(factors_of_fours) {
            let [a, b, c, d] = pieces.map(|piece| self.row(piece));
            for place in 0..DIMENSIONS {
                sum[place] += (whole(a[place]) * of_a + whole(b[place]) * of_b)
                    + (whole(c[place]) * of_c + whole(d[place]) * of_d);
            }
        }
        // Each of the last rows is added to the sum, in their order. At most three are left.
        match (rest, factors) {
            (&[a], &[of_a]) => {
                let a = self.row(a);
                for place in 0..DIMENSIONS {
                    sum[place] += whole(a[place]) * of_a;
                }
            }
            (&[a, b], &[of_a, of_b]) => {
                let [a, b] = [a, b].map(|piece| self.row(piece));
                for place in 0..DIMENSIONS {
                    sum[place] = (sum[place] + whole(a[place]) * of_a) + whole(b[place]) * of_b;
                }
            }
            (&[a, b, c], &[of_a, of_b, of_c]) => {
                let [a, b, c] = [a, b, c].map(|piece| self.row(piece));
                for place in 0..DIMENSIONS {
                    sum[place] = ((sum[place] + whole(a[place]) * of_a) + whole(b[place]) * of_b)
                        + whole(c[place]) * of_c;
                }
            }
            _ => {}
        }
    }

    /// The row of a token; zeros for an unknown one.
    #[inline(always)]
    fn row(&self, piece: WordPiece) -> &[u8; DIMENSIONS] {
        self.rows.as_chunks().0.get(piece.id as usize).unwrap_or(&[0; DIMENSIONS])
    }
}

#[inline(always)]
fn whole(byte: u8) -> f32 {
    f32::from(byte.cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_table_is_whole() {
        assert_eq!(Weights::shipped().scales.len(), 30_522);
        let sum = sum(&[u32::MAX, 30_522]);
        assert!(sum.iter().all(|value| *value == 0.0), "an unknown token has no row");
    }

    fn sum(ids: &[u32]) -> [f32; DIMENSIONS] {
        let pieces: Vec<WordPiece> = ids.iter().map(|id| WordPiece { id: *id, start: 0 }).collect();
        let (weights, mut sum) = (Weights::shipped(), [0.0; DIMENSIONS]);
        for chunk in pieces.chunks(CHUNK) {
            weights.add(chunk, &weights.factors(chunk), &mut sum);
        }
        sum
    }

    /// Four rows are added up before they are added to the sum; each of the last rows is added by itself.
    fn slowly(ids: &[u32]) -> [f32; DIMENSIONS] {
        let weights = Weights::shipped();
        let value = |id: u32, place: usize| {
            let row = weights.row(WordPiece { id, start: 0 });
            whole(row[place]) * weights.scales[id as usize]
        };
        let (fours, rest) = ids.as_chunks::<4>();
        std::array::from_fn(|place| {
            let mut sum = 0.0_f32;
            for [a, b, c, d] in fours.iter().map(|ids| ids.map(|id| value(id, place))) {
                sum += (a + b) + (c + d);
            }
            for id in rest {
                sum += value(*id, place);
            }
            sum
        })
    }

    #[test]
    fn sums_have_one_order() {
        let ids: Vec<u32> = (0..CHUNK as u32 + 40).map(|number| number * 761 % 30_522).collect();
        for length in 0..ids.len() {
            let (found, expected) = (sum(&ids[..length]), slowly(&ids[..length]));
            assert!(found.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()), "{length} tokens");
        }
    }

    #[test]
    fn a_broken_file_is_no_table() {
        for file in [&b""[..], b"12345678", &[2, 0, 0, 0, 0, 0, 0, 0, b'{', b'}'], &[255; 16]] {
            assert!(Weights::read(file).is_none());
        }
    }
}
