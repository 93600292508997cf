//! Compression of texts: zstd with a checksum, limited in both directions.

use domain::ports::BodyError;
use std::io::Read;
use zstd::bulk::Compressor;
use zstd::stream::read::Decoder;

const LEVEL: i32 = 6;
/// Largest window for decompression, as a power of two. Our level needs less.
const WINDOW_LOG_MAX: u32 = 23;
const MB: u64 = 1024 * 1024;

/// Most bytes that a body of `max_mb` megabytes takes when stored; incompressible data grows a little.
pub fn compressed_bytes_max(max_mb: u32) -> u64 {
    let body = u64::from(max_mb) * MB;
    body + body / 128 + 1024
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Compression {
    pub(super) max_mb: u32,
}

impl Compression {
    pub(super) fn compress(self, body: &[u8]) -> Result<Vec<u8>, BodyError> {
        if body.len() as u64 > self.body_bytes_max() {
            return Err(BodyError::TooLarge(self.max_mb));
        }
        let failed = |error: std::io::Error| {
            BodyError::refused(format!("the text cannot be compressed: {error}")).caused_by(error)
        };
        let mut compressor = Compressor::new(LEVEL).map_err(failed)?;
        compressor.include_checksum(true).map_err(failed)?;
        compressor.compress(body).map_err(failed)
    }

    pub(super) fn decompress(self, compressed: &[u8]) -> Result<Vec<u8>, BodyError> {
        // The decoder accepts empty input as an empty text, which is never written.
        if compressed.is_empty() {
            return Err(BodyError::Damaged);
        }
        let damaged = |_: std::io::Error| BodyError::Damaged;
        let mut decoder = Decoder::with_buffer(compressed).map_err(damaged)?;
        decoder.window_log_max(WINDOW_LOG_MAX).map_err(damaged)?;
        let mut body = Vec::new();
        let most = self.body_bytes_max();
        decoder.take(most + 1).read_to_end(&mut body).map_err(damaged)?;
        if body.len() as u64 > most {
            return Err(BodyError::TooLarge(self.max_mb));
        }
        Ok(body)
    }

    fn body_bytes_max(self) -> u64 {
        u64::from(self.max_mb) * MB
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Compression = Compression { max_mb: 1 };

    /// Incompressible bytes.
    fn noise(size: usize) -> Vec<u8> {
        let mut state = 1_u64;
        let next = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 56) as u8
        };
        (0..size).map(next).collect()
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        for body in [Vec::new(), b"a".to_vec(), "Flüsse ".repeat(9_000).into_bytes(), noise(MB as usize)] {
            let compressed = SMALL.compress(&body).unwrap();
            assert!(SMALL.decompress(&compressed).unwrap() == body, "{} bytes", body.len());
            assert!(compressed.len() as u64 <= compressed_bytes_max(1), "{} bytes", compressed.len());
        }
        let words = "Flüsse fließen. ".repeat(9_000);
        assert!(SMALL.compress(words.as_bytes()).unwrap().len() < words.len() / 100);
    }

    #[test]
    fn one_byte_too_many_is_refused_on_both_ways() {
        let full = vec![b'a'; MB as usize];
        assert!(SMALL.decompress(&SMALL.compress(&full).unwrap()).is_ok());
        let more = vec![b'a'; MB as usize + 1];
        assert_eq!(SMALL.compress(&more), Err(BodyError::TooLarge(1)));
        let compressed = Compression { max_mb: 2 }.compress(&more).unwrap();
        assert_eq!(SMALL.decompress(&compressed), Err(BodyError::TooLarge(1)));
    }

    #[test]
    fn damage_is_seen() {
        let compressed = SMALL.compress(&noise(3_000)).unwrap();
        for place in [0, 5, compressed.len() / 2, compressed.len() - 1] {
            let mut damaged = compressed.clone();
            damaged[place] ^= 1;
            assert_eq!(SMALL.decompress(&damaged), Err(BodyError::Damaged), "byte {place}");
        }
        for length in [0, 1, compressed.len() / 2, compressed.len() - 1] {
            assert_eq!(SMALL.decompress(&compressed[..length]), Err(BodyError::Damaged), "{length} bytes");
        }
        assert_eq!(SMALL.decompress(b"no packed text"), Err(BodyError::Damaged));
        assert_eq!(SMALL.decompress(&[&compressed[..], b"more"].concat()), Err(BodyError::Damaged));
    }
}
