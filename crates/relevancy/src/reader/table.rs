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

    /// Adds the row of a token.
    #[inline(always)]
    pub fn add(&self, id: u32, sum: &mut [f32; DIMENSIONS]) {
        let id = id as usize;
        let row = self.rows.get(id * DIMENSIONS..(id + 1) * DIMENSIONS);
        let (Some(row), Some(scale)) = (row, self.scales.get(id)) else { return };
        for (sum, value) in sum.iter_mut().zip(row) {
            *sum += f32::from(value.cast_signed()) * scale;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_table_is_whole() {
        assert_eq!(Table::shipped().scales.len(), 30_522);
        let mut sum = [0.0; DIMENSIONS];
        Table::shipped().add(u32::MAX, &mut sum);
        assert!(sum.iter().all(|value| *value == 0.0), "an unknown token has no row");
    }

    #[test]
    fn a_broken_file_is_no_table() {
        for file in [&b""[..], b"12345678", &[2, 0, 0, 0, 0, 0, 0, 0, b'{', b'}'], &[255; 16]] {
            assert!(Table::read(file).is_none());
        }
    }
}
