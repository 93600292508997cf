//! Compressed JSON, the form in which SQLite stores large JSON columns. PostgreSQL compresses large values itself.
//!
//! A block is `Z1 `, the keys that queries look for, a line feed, and a zstd frame with a checksum. The keys are the
//! same text as in the JSON: `LIKE '%"new":%'` is true for a text with this key and for the block of such a text.

use domain::ports::StoreError;
use std::borrow::Cow;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::{compress_bound, get_frame_content_size};

/// The first bytes of a block; no JSON begins like this.
const START: &[u8] = b"Z1 ";
const KEYS_END: u8 = b'\n';
/// The first level that also encodes single characters. Higher levels save two percent of the results of a search.
const LEVEL: i32 = 1;
/// Shorter texts are stored as they are, because they hardly shrink.
const TEXT_BYTES_MIN: usize = 256;
/// Longer texts are stored as they are, and no block decompresses to more.
const TEXT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// A key of a result that queries look for.
pub(crate) const NEW_KEY: &str = "\"new\":";
/// A key of a result that queries look for.
pub(crate) const CACHE_KEY: &str = "\"cache\":";

/// The columns that are stored as blocks, with their tables.
const COLUMNS: [(&str, &str); 2] = [("result_sets", "items"), ("search_runs", "entries")];

pub(crate) fn is_compressed(table: &str, column: &str) -> bool {
    COLUMNS.contains(&(table, column))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum JsonBlockError {
    #[error("a compressed text is damaged")]
    Damaged,
    #[error("a compressed text is longer than {TEXT_BYTES_MAX} bytes")]
    TooLong,
}

/// Compresses texts one after the other, with the same memory.
pub(crate) struct JsonCompressor {
    compressor: Compressor<'static>,
    frame: Vec<u8>,
}

impl JsonCompressor {
    pub(crate) fn new() -> Result<Self, StoreError> {
        let mut compressor = Compressor::new(LEVEL).map_err(failed)?;
        compressor.include_checksum(true).map_err(failed)?;
        Ok(Self { compressor, frame: Vec::new() })
    }

    /// Frees the memory for frames if it is larger.
    pub(crate) fn free_memory_above(&mut self, bytes: usize) {
        if self.frame.capacity() > bytes {
            self.frame = Vec::new();
        }
    }

    #[cfg(test)]
    pub(crate) fn memory(&self) -> usize {
        self.frame.capacity()
    }

    /// The block of a text, with those of the searched keys that it contains. None if it is stored as it is.
    pub(crate) fn compress(&mut self, text: &[u8], keys: &[&str]) -> Result<Option<Vec<u8>>, StoreError> {
        if !(TEXT_BYTES_MIN..=TEXT_BYTES_MAX).contains(&text.len()) {
            return Ok(None);
        }
        self.frame.clear();
        self.frame.reserve(compress_bound(text.len()));
        self.compressor.compress_to_buffer(text, &mut self.frame).map_err(failed)?;
        let keys_len: usize = keys.iter().map(|key| key.len()).sum();
        let mut block = Vec::with_capacity(START.len() + keys_len + 1 + self.frame.len());
        block.extend_from_slice(START);
        for key in keys {
            block.extend_from_slice(key.as_bytes());
        }
        block.push(KEYS_END);
        block.extend_from_slice(&self.frame);
        Ok(Some(block).filter(|block| block.len() < text.len()))
    }
}

/// The searched keys that a text may contain, if only the text is known.
pub(crate) fn keys_in(text: &str) -> Vec<&'static str> {
    [NEW_KEY, CACHE_KEY].into_iter().filter(|key| text.contains(key)).collect()
}

fn failed(error: std::io::Error) -> StoreError {
    StoreError::failed("a record could not be compressed").caused_by(error)
}

/// The JSON of a stored value: a block, or the text itself.
pub(crate) fn json_of(stored: &[u8]) -> Result<Cow<'_, str>, JsonBlockError> {
    let damaged = |_| JsonBlockError::Damaged;
    let Some(block) = stored.strip_prefix(START) else {
        return std::str::from_utf8(stored).map(Cow::Borrowed).map_err(|_| JsonBlockError::Damaged);
    };
    let keys_end = block.iter().position(|byte| *byte == KEYS_END).ok_or(JsonBlockError::Damaged)?;
    let frame = &block[keys_end + 1..];
    let size = get_frame_content_size(frame).ok().flatten().ok_or(JsonBlockError::Damaged)?;
    let size = usize::try_from(size).ok().filter(|size| *size <= TEXT_BYTES_MAX);
    let size = size.ok_or(JsonBlockError::TooLong)?;
    let mut decompressor = Decompressor::new().map_err(damaged)?;
    let text = decompressor.decompress(frame, size).map_err(damaged)?;
    String::from_utf8(text).map(Cow::Owned).map_err(|_| JsonBlockError::Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compress(text: &str, keys: &[&str]) -> Option<Vec<u8>> {
        JsonCompressor::new().unwrap().compress(text.as_bytes(), keys).unwrap()
    }

    fn results(count: usize) -> String {
        let one = |number: usize| {
            format!("{{\"title\":\"Flüsse {number}\",\"url\":\"https://a.example/{number}\"}}")
        };
        format!("[{}]", (0..count).map(one).collect::<Vec<_>>().join(","))
    }

    #[test]
    fn a_text_is_read_as_it_was_written() {
        let mut compressor = JsonCompressor::new().unwrap();
        for count in [10, 100, 20_000, 11] {
            let text = results(count);
            let block = compressor.compress(text.as_bytes(), &[NEW_KEY]).unwrap().expect("it shrinks");
            assert!(block.len() < text.len() * 2 / 3, "{} of {} bytes", block.len(), text.len());
            assert_eq!(json_of(&block).unwrap(), text);
        }
    }

    #[test]
    fn texts_that_would_not_shrink_stay() {
        let mut state = 1_u64;
        let noise = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            char::from(b'!' + ((state >> 33) % 94) as u8)
        };
        let noise: String = (0..TEXT_BYTES_MIN).map(noise).collect();
        for text in ["[]".to_owned(), "a".repeat(TEXT_BYTES_MIN - 1), noise] {
            assert_eq!(compress(&text, &[]), None, "{} bytes", text.len());
            assert_eq!(json_of(text.as_bytes()).unwrap(), text);
        }
        assert!(compress(&"a".repeat(TEXT_BYTES_MIN), &[]).is_some());
    }

    #[test]
    fn a_block_is_bounded() {
        let longest = "a".repeat(TEXT_BYTES_MAX);
        let block = compress(&longest, &[]).expect("it shrinks");
        assert!(json_of(&block).unwrap() == longest);
        let longer = longest + "a";
        assert_eq!(compress(&longer, &[]), None);
        let frame = zstd::bulk::compress(longer.as_bytes(), LEVEL).unwrap();
        let block = [START, &[KEYS_END], &frame].concat();
        assert_eq!(json_of(&block), Err(JsonBlockError::TooLong));
    }

    #[test]
    fn keys_can_be_searched() {
        let text = results(30);
        let cases: [&[&str]; 4] = [&[], &[NEW_KEY], &[CACHE_KEY], &[NEW_KEY, CACHE_KEY]];
        for keys in cases {
            let block = compress(&text, keys).expect("it shrinks");
            let shown = String::from_utf8_lossy(&block);
            for key in [NEW_KEY, CACHE_KEY] {
                assert_eq!(shown.contains(key), keys.contains(&key), "{keys:?}");
            }
            assert_eq!(json_of(&block).unwrap(), text);
        }
        assert_eq!(keys_in("[{\"new\":1}]"), [NEW_KEY]);
        assert_eq!(keys_in("[{\"cache\":{},\"new\":1}]"), [NEW_KEY, CACHE_KEY]);
        assert!(keys_in("[{\"news\":1}]").is_empty());
    }

    #[test]
    fn damage_is_found() {
        let block = compress(&results(50), &[CACHE_KEY]).expect("it shrinks");
        for place in START.len() + CACHE_KEY.len()..block.len() {
            let mut damaged = block.clone();
            damaged[place] ^= 1;
            assert!(json_of(&damaged).is_err(), "byte {place}");
        }
        for length in 0..block.len() {
            let begins = json_of(&block[..length]);
            assert!(begins.is_err() || length < START.len(), "{length} bytes");
        }
        let longer = [&block[..], b"more"].concat();
        assert_eq!(json_of(&longer), Err(JsonBlockError::Damaged));
        assert_eq!(json_of(b"Z1 no line feed"), Err(JsonBlockError::Damaged));
        assert_eq!(json_of(&[0xff, 0xfe]), Err(JsonBlockError::Damaged));
    }
}
