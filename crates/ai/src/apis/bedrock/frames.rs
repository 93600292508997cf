//! Parser of AWS event-stream frames: lengths, checksums, headers, payload.

use domain::ports::{ModelError, ModelErrorKind};
use flate2::Crc;

/// Maximum size of a frame.
pub const FRAME_BYTES_MAX: usize = 16 * 1024 * 1024;

/// Two lengths and their checksum.
const PRELUDE_BYTES: usize = 12;
const CRC_BYTES: usize = 4;

/// One message of the stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// Headers with text values; others are ignored.
    pub headers: Vec<(String, String)>,
    pub payload: Vec<u8>,
}

impl Frame {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Assembles frames from arbitrary byte chunks.
#[derive(Debug, Default)]
pub struct Frames {
    held: Vec<u8>,
}

impl Frames {
    pub fn feed(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
    }

    /// The next complete frame; None if more bytes are needed.
    pub fn next(&mut self) -> Result<Option<Frame>, ModelError> {
        let Some(prelude) = self.held.get(..PRELUDE_BYTES) else { return Ok(None) };
        let (total, headers) = (number(prelude, 0), number(prelude, 4));
        if crc(&prelude[..8]) != number(prelude, 8) {
            return Err(broken("the checksum of a frame's lengths is wrong"));
        }
        let (total, headers) = (total as usize, headers as usize);
        let least = PRELUDE_BYTES + CRC_BYTES;
        if total > FRAME_BYTES_MAX || total < least || headers > total - least {
            return Err(broken("a frame has an impossible length"));
        }
        let Some(frame) = self.held.get(..total) else { return Ok(None) };
        let end = total - CRC_BYTES;
        if crc(&frame[..end]) != number(frame, end) {
            return Err(broken("the checksum of a frame is wrong"));
        }
        let payload_at = PRELUDE_BYTES + headers;
        let read = read_headers(&frame[PRELUDE_BYTES..payload_at]);
        let headers = read.ok_or_else(|| broken("the headers of a frame cannot be read"))?;
        let frame = Frame { headers, payload: frame[payload_at..end].to_vec() };
        self.held.drain(..total);
        Ok(Some(frame))
    }

    /// Whether no incomplete frame is buffered.
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}

/// The big-endian number at this offset, which must exist.
fn number(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |sum, byte| (sum << 8) | u32::from(*byte))
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn broken(sentence: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Unreadable, format!("the answer cannot be read: {sentence}"))
}

/// None if the headers are malformed.
fn read_headers(mut bytes: &[u8]) -> Option<Vec<(String, String)>> {
    let mut headers = Vec::new();
    while let Some((&length, rest)) = bytes.split_first() {
        let (name, rest) = rest.split_at_checked(usize::from(length))?;
        let (&kind, rest) = rest.split_first()?;
        let (value, rest) = match kind {
            0 | 1 => rest.split_at_checked(0)?,
            2 => rest.split_at_checked(1)?,
            3 => rest.split_at_checked(2)?,
            4 => rest.split_at_checked(4)?,
            5 | 8 => rest.split_at_checked(8)?,
            6 | 7 => {
                let (length, rest) = rest.split_at_checked(2)?;
                rest.split_at_checked(usize::from(u16::from_be_bytes([length[0], length[1]])))?
            }
            9 => rest.split_at_checked(16)?,
            _ => return None,
        };
        if kind == 7 {
            headers.push((String::from_utf8(name.to_vec()).ok()?, String::from_utf8(value.to_vec()).ok()?));
        }
        bytes = rest;
    }
    Some(headers)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A frame as the service writes it.
    pub fn written(headers: &[u8], payload: &[u8]) -> Vec<u8> {
        let total = (PRELUDE_BYTES + headers.len() + payload.len() + CRC_BYTES) as u32;
        let mut frame = total.to_be_bytes().to_vec();
        frame.extend((headers.len() as u32).to_be_bytes());
        frame.extend(crc(&frame).to_be_bytes());
        frame.extend(headers);
        frame.extend(payload);
        frame.extend(crc(&frame).to_be_bytes());
        frame
    }

    pub fn text_header(name: &str, value: &str) -> Vec<u8> {
        let mut header = vec![name.len() as u8];
        header.extend(name.as_bytes());
        header.push(7);
        header.extend((value.len() as u16).to_be_bytes());
        header.extend(value.as_bytes());
        header
    }

    /// The published test vector: no headers, payload `{'foo':'bar'}`.
    #[test]
    fn the_published_vector() {
        let bytes = [
            0x00, 0x00, 0x00, 0x1d, 0x00, 0x00, 0x00, 0x00, 0xfd, 0x52, 0x8c, 0x5a, 0x7b, 0x27, 0x66, 0x6f,
            0x6f, 0x27, 0x3a, 0x27, 0x62, 0x61, 0x72, 0x27, 0x7d, 0xc3, 0x65, 0x39, 0x36,
        ];
        let mut frames = Frames::default();
        frames.feed(&bytes);
        let frame = frames.next().unwrap().unwrap();
        assert_eq!((frame.payload.as_slice(), frame.headers.len()), (&b"{'foo':'bar'}"[..], 0));
        assert!(frames.is_empty());
    }

    #[test]
    fn frames_are_put_together_from_any_pieces() {
        let mut headers = text_header(":event-type", "messageStop");
        // One header of each other type; they are skipped.
        for (kind, length) in [(0, 0), (1, 0), (2, 1), (3, 2), (4, 4), (5, 8), (8, 8), (9, 16)] {
            headers.extend([1, b'x', kind]);
            headers.extend(vec![0; length]);
        }
        headers.extend([1, b'y', 6, 0, 1, 9]);
        let mut all = written(&headers, b"{}");
        all.extend(written(&[], b"second"));
        for size in 1..all.len() {
            let mut frames = Frames::default();
            let mut read = Vec::new();
            for piece in all.chunks(size) {
                frames.feed(piece);
                while let Some(frame) = frames.next().unwrap() {
                    read.push(frame);
                }
            }
            assert_eq!(read.len(), 2, "pieces of {size}");
            assert_eq!(read[0].header(":event-type"), Some("messageStop"));
            assert_eq!((read[0].headers.len(), read[1].payload.as_slice()), (1, &b"second"[..]));
            assert!(frames.is_empty());
        }
    }

    #[test]
    fn damage_is_seen() {
        let good = written(&text_header("a", "b"), b"payload");
        for place in 0..good.len() {
            let mut bad = good.clone();
            bad[place] ^= 0x01;
            let mut frames = Frames::default();
            frames.feed(&bad);
            assert!(frames.next().is_err(), "byte {place}");
        }
        for headers in [&b"\x05ab"[..], b"\x01a\x07\x00\x09b", b"\x01a\x63"] {
            let mut frames = Frames::default();
            frames.feed(&written(headers, b""));
            assert!(frames.next().is_err(), "{headers:?}");
        }
    }

    #[test]
    fn no_frame_is_too_long_or_too_short() {
        for (total, headers) in [(FRAME_BYTES_MAX as u32 + 1, 0), (15, 0), (20, 5)] {
            let mut prelude = u32::to_be_bytes(total).to_vec();
            prelude.extend(u32::to_be_bytes(headers));
            prelude.extend(crc(&prelude).to_be_bytes());
            let mut frames = Frames::default();
            frames.feed(&prelude);
            assert!(frames.next().is_err(), "{total} {headers}");
        }
    }
}
