//! The table of the model: one row of small whole numbers for each token, with its scale.

use super::embedding::DIMENSIONS;
use serde_json::Value;
use std::sync::LazyLock;

/// Stands beside everything that was made with this table, so that it is known when the table changes.
pub const MODEL_NAME: &str = "tributary-reader-256-v1";

static FILE: &[u8] = include_bytes!("../../data/embeddings.safetensors");

static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(FILE).unwrap_or_default());

/// Rows of the model. Without any, every text is unknown.
#[derive(Default)]
pub struct Table {
    rows: &'static [u8],
    scales: Vec<f32>,
}

impl Table {
    /// The table that is part of the program.
    pub fn shipped() -> &'static Self {
        &TABLE
    }

    /// The safetensors form: the length of a header, the header in JSON, the numbers.
    fn read(file: &'static [u8]) -> Option<Self> {
        let (length, rest) = file.split_first_chunk::<8>()?;
        let (header, numbers) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        let header: Value = serde_json::from_slice(header).ok()?;
        let part = |name: &str| {
            let offset = |place: usize| usize::try_from(header[name]["data_offsets"][place].as_u64()?).ok();
            numbers.get(offset(0)?..offset(1)?)
        };
        let scales = part("scales")?.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        let table = Self { rows: part("embeddings")?, scales: scales.collect() };
        (table.rows.len() == table.scales.len() * DIMENSIONS).then_some(table)
    }

    /// The rows of some tokens, added up. Inlined where the vector instructions of the machine are known.
    #[inline(always)]
    pub fn sum(&self, ids: &[u32]) -> [f32; DIMENSIONS] {
        let mut sum = [0.0; DIMENSIONS];
        // Several rows in one go, so that the sum is fetched and stored less often.
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

    /// The row of a token, and its scale; nothing for a token that is not there.
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
        assert_eq!(Table::shipped().scales.len(), 30_522);
        let sum = Table::shipped().sum(&[u32::MAX, 30_522]);
        assert!(sum.iter().all(|value| *value == 0.0), "an unknown token has no row");
    }

    #[test]
    fn a_broken_file_is_no_table() {
        for file in [&b""[..], b"12345678", &[2, 0, 0, 0, 0, 0, 0, 0, b'{', b'}'], &[255; 16]] {
            assert!(Table::read(file).is_none());
        }
    }
}
