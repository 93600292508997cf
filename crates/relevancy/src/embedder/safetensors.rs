//! Reads safetensors files: the length of a header, the header in JSON, the numbers.

use serde_json::Value;

pub struct SafeTensors {
    header: Value,
    numbers: &'static [u8],
}

impl SafeTensors {
    pub fn read(file: &'static [u8]) -> Option<Self> {
        let (length, rest) = file.split_first_chunk::<8>()?;
        let (header, numbers) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        Some(Self { header: serde_json::from_slice(header).ok()?, numbers })
    }

    /// The bytes of one table.
    pub fn part(&self, name: &str) -> Option<&'static [u8]> {
        let offset = |place: usize| usize::try_from(self.header[name]["data_offsets"][place].as_u64()?).ok();
        self.numbers.get(offset(0)?..offset(1)?)
    }
}

pub fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}
