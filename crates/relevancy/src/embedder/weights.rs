//! The weights of the model: one row of 8-bit integers per token, with its scale.

use super::embedding::DIMENSIONS;
use serde_json::Value;
use std::sync::LazyLock;

/// Stored beside everything made with these weights, so that a change is detected.
pub const MODEL_NAME: &str = "tributary-reader-256-v1";

static FILE: &[u8] = include_bytes!("../../data/embeddings.safetensors");

static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| Weights::read(FILE).unwrap_or_default());

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

    /// Parses safetensors: the length of a header, the header in JSON, the numbers.
    fn read(file: &'static [u8]) -> Option<Self> {
        let (length, rest) = file.split_first_chunk::<8>()?;
        let (header, numbers) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        let header: Value = serde_json::from_slice(header).ok()?;
        let part = |name: &str| {
            let offset = |place: usize| usize::try_from(header[name]["data_offsets"][place].as_u64()?).ok();
            numbers.get(offset(0)?..offset(1)?)
        };
        let scales = part("scales")?.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        let weights = Self { rows: part("embeddings")?, scales: scales.collect() };
        (weights.rows.len() == weights.scales.len() * DIMENSIONS).then_some(weights)
    }

    /// The sum of the rows of some tokens. Inlined into functions with known vector instructions.
    #[inline(always)]
    pub fn sum(&self, ids: &[u32]) -> [f32; DIMENSIONS] {
        let mut sum = [0.0; DIMENSIONS];
        // Several rows at once, so that the sum is loaded and stored less often.
        let (fours, rest) = ids.as_chunks::<4>();
        for ids in fours {
            let [(a, of_a), (b, of_b), (c, of_c), (d, of_d)] = ids.map(|id| self.row(id));
            for place in 0..DIMENSIONS {
                sum[place] += (whole(a[place]) * of_a + whole(b[place]) * of_b)
                    + (whole(c[place]) * of_c + whole(d[place]) * of_d);
            }
        }
        for id in rest {
            let (row, scale) = self.row(*id);
            for place in 0..DIMENSIONS {
                sum[place] += whole(row[place]) * scale;
            }
        }
        sum
    }

    /// The row of a token, and its scale; zeros for an unknown token.
    #[inline(always)]
    fn row(&self, id: u32) -> (&[u8; DIMENSIONS], f32) {
        let row = self.rows.as_chunks().0.get(id as usize);
        row.zip(self.scales.get(id as usize).copied()).unwrap_or((&[0; DIMENSIONS], 0.0))
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
        let sum = Weights::shipped().sum(&[u32::MAX, 30_522]);
        assert!(sum.iter().all(|value| *value == 0.0), "an unknown token has no row");
    }

    #[test]
    fn a_broken_file_is_no_table() {
        for file in [&b""[..], b"12345678", &[2, 0, 0, 0, 0, 0, 0, 0, b'{', b'}'], &[255; 16]] {
            assert!(Weights::read(file).is_none());
        }
    }
}
