//! Reads and writes safetensors files: the length of a header, the header in JSON, the numbers of the tables.

use super::error::ReaderFileError;
use serde_json::{Map, Value, json};

/// Maximum length of a header in bytes.
const HEADER_BYTES_MAX: usize = 1024 * 1024;
/// Maximum length in characters of what a message quotes from a file.
const FOUND_CHARS_MAX: usize = 100;
/// The entry of the header that is not a table.
const METADATA: &str = "__metadata__";

/// The types of numbers that are read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Float,
    Byte,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Float => "F32",
            Self::Byte => "I8",
        }
    }

    fn bytes(self) -> usize {
        match self {
            Self::Float => 4,
            Self::Byte => 1,
        }
    }
}

/// The tables of a file.
pub struct TensorFile<'f> {
    header: Map<String, Value>,
    numbers: &'f [u8],
}

impl<'f> TensorFile<'f> {
    pub fn read(file: &'f [u8]) -> Result<Self, ReaderFileError> {
        let no_header = || ReaderFileError::new("the file is not a safetensors file");
        let (length, rest) = file.split_first_chunk::<8>().ok_or_else(no_header)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok();
        let length = length.filter(|length| *length <= HEADER_BYTES_MAX).ok_or_else(no_header)?;
        let (header, numbers) = rest.split_at_checked(length).ok_or_else(no_header)?;
        let header = serde_json::from_slice(header).map_err(|_invalid| no_header())?;
        Ok(Self { header, numbers })
    }

    /// The format that the file names.
    pub fn format(&self) -> &str {
        self.header.get(METADATA).and_then(|metadata| metadata["format"].as_str()).unwrap_or_default()
    }

    /// A table of floats of this shape.
    pub fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ReaderFileError> {
        let bytes = self.table(name, Kind::Float, shape)?.as_chunks::<4>().0;
        let floats: Vec<f32> = bytes.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
        if floats.iter().all(|value| value.is_finite()) {
            Ok(floats)
        } else {
            Err(ReaderFileError::new(format!("the table '{name}' has values that are not numbers")))
        }
    }

    /// A table of 8-bit integers of this shape.
    pub fn integers(&self, name: &str, shape: &[usize]) -> Result<Vec<i8>, ReaderFileError> {
        let bytes = self.table(name, Kind::Byte, shape)?;
        Ok(bytes.iter().map(|byte| byte.cast_signed()).collect())
    }

    fn table(&self, name: &str, kind: Kind, shape: &[usize]) -> Result<&'f [u8], ReaderFileError> {
        let fail = |what: String| ReaderFileError::new(format!("the table '{name}' {what}"));
        let entry = self.header.get(name).ok_or_else(|| fail("is missing".to_owned()))?;
        let expected = json!(shape);
        if entry["dtype"] != kind.name() || entry["shape"] != expected {
            let found = format!("{} {}", entry["dtype"].as_str().unwrap_or("?"), entry["shape"]);
            let found: String = found.chars().take(FOUND_CHARS_MAX).collect();
            return Err(fail(format!("is {found}, but must be {} {expected}", kind.name())));
        }
        let offset = |place: usize| usize::try_from(entry["data_offsets"][place].as_u64()?).ok();
        let range = offset(0).zip(offset(1));
        let bytes = range.and_then(|(start, end)| self.numbers.get(start..end));
        let length = shape.iter().product::<usize>() * kind.bytes();
        bytes.filter(|bytes| bytes.len() == length).ok_or_else(|| fail("is not complete".to_owned()))
    }
}

/// A file that is being written.
pub struct TensorWriter {
    header: Map<String, Value>,
    numbers: Vec<u8>,
}

impl TensorWriter {
    pub fn new(format: &str) -> Self {
        let mut header = Map::new();
        header.insert(METADATA.to_owned(), json!({"format": format}));
        Self { header, numbers: Vec::new() }
    }

    pub fn add_floats(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        self.add(name, Kind::Float, shape, bytes);
    }

    pub fn add_integers(&mut self, name: &str, shape: &[usize], values: &[i8]) {
        self.add(name, Kind::Byte, shape, values.iter().map(|value| value.cast_unsigned()));
    }

    fn add(&mut self, name: &str, kind: Kind, shape: &[usize], bytes: impl Iterator<Item = u8>) {
        let start = self.numbers.len();
        self.numbers.extend(bytes);
        let end = self.numbers.len();
        let entry = json!({"dtype": kind.name(), "shape": shape, "data_offsets": [start, end]});
        self.header.insert(name.to_owned(), entry);
    }

    /// The whole file.
    pub fn finish(self) -> Vec<u8> {
        let header = Value::Object(self.header).to_string();
        let length = (header.len() as u64).to_le_bytes();
        [&length[..], header.as_bytes(), self.numbers.as_slice()].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let mut writer = TensorWriter::new("a format");
        writer.add_floats("floats", &[2, 3], &[0.0, -1.5, 2.0, 3.0, 4.0, 5.0]);
        writer.add_integers("integers", &[4], &[-128, -1, 0, 127]);
        writer.finish()
    }

    fn error_of<T>(result: Result<T, ReaderFileError>) -> String {
        result.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn tables_are_read_as_they_were_written() {
        let bytes = file();
        let file = TensorFile::read(&bytes).unwrap();
        assert_eq!(file.format(), "a format");
        assert_eq!(file.floats("floats", &[2, 3]).unwrap(), [0.0, -1.5, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(file.integers("integers", &[4]).unwrap(), [-128, -1, 0, 127]);
    }

    #[test]
    fn a_wrong_table_is_named() {
        let bytes = file();
        let file = TensorFile::read(&bytes).unwrap();
        assert_eq!(
            error_of(file.floats("floats", &[3, 2])),
            "the table 'floats' is F32 [2,3], but must be F32 [3,2]"
        );
        assert_eq!(
            error_of(file.integers("floats", &[2, 3])),
            "the table 'floats' is F32 [2,3], but must be I8 [2,3]"
        );
        assert_eq!(error_of(file.floats("other", &[1])), "the table 'other' is missing");
        let cut = TensorFile::read(&bytes[..bytes.len() - 1]).unwrap();
        assert_eq!(error_of(cut.integers("integers", &[4])), "the table 'integers' is not complete");
        let mut writer = TensorWriter::new("");
        writer.add_floats("floats", &[1], &[f32::NAN]);
        let bytes = writer.finish();
        let file = TensorFile::read(&bytes).unwrap();
        assert!(error_of(file.floats("floats", &[1])).contains("not numbers"));
    }

    #[test]
    fn what_is_quoted_is_bounded() {
        let shape = [1].repeat(1000);
        let mut writer = TensorWriter::new("");
        writer.add_floats("floats", &shape, &[0.0]);
        let bytes = writer.finish();
        let message = error_of(TensorFile::read(&bytes).unwrap().floats("floats", &[1]));
        assert!(message.len() < FOUND_CHARS_MAX + 100, "{message}");
    }

    #[test]
    fn other_files_are_refused() {
        let mut long = (HEADER_BYTES_MAX as u64 + 1).to_le_bytes().to_vec();
        long.resize(HEADER_BYTES_MAX + 9, b' ');
        for file in [&b""[..], b"12345678", &[2, 0, 0, 0, 0, 0, 0, 0, b'[', b']'], &[255; 16], &long] {
            assert!(TensorFile::read(file).is_err());
        }
        let empty = TensorFile::read(&[2, 0, 0, 0, 0, 0, 0, 0, b'{', b'}']).unwrap();
        assert_eq!(empty.format(), "");
        assert_eq!(error_of(empty.floats("a", &[1])), "the table 'a' is missing");
        // Offsets that do not fit.
        let header = br#"{"a": {"dtype": "F32", "shape": [1], "data_offsets": [18446744073709551615, 0]}}"#;
        let bytes = [&(header.len() as u64).to_le_bytes()[..], header, &[0; 8]].concat();
        let file = TensorFile::read(&bytes).unwrap();
        assert_eq!(error_of(file.floats("a", &[1])), "the table 'a' is not complete");
    }
}
