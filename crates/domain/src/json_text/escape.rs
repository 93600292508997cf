//! Texts in JSON.

use std::fmt;

/// Escapes what is formatted.
pub(super) struct Escaped<'a>(pub(super) &'a mut Vec<u8>);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        push_escaped(self.0, text);
        Ok(())
    }
}

pub(super) fn push_text(json: &mut Vec<u8>, text: &str) {
    json.reserve(text.len() + 2);
    json.push(b'"');
    push_escaped(json, text);
    json.push(b'"');
}

fn push_escaped(json: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    while let Some(place) = first_escaped(rest) {
        json.extend_from_slice(&rest[..place]);
        push_escape(json, rest[place]);
        rest = &rest[place + 1..];
    }
    json.extend_from_slice(rest);
}

const WORD_BYTES: usize = size_of::<u64>();

/// The place of the first byte that is escaped in JSON.
pub(super) fn first_escaped(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<WORD_BYTES>();
    for (number, word) in words.iter().enumerate() {
        if let Some(place) = escaped_in_word(*word) {
            return Some(number * WORD_BYTES + place);
        }
    }
    if rest.is_empty() {
        return None;
    }
    match bytes.last_chunk::<WORD_BYTES>() {
        // It overlaps the word before, which has none.
        Some(last) => escaped_in_word(*last).map(|place| bytes.len() - WORD_BYTES + place),
        None => rest.iter().position(|byte| matches!(byte, 0..0x20 | b'"' | b'\\')),
    }
}

/// Examines eight bytes at once: the highest bit of a byte that is escaped gets set, and perhaps those of bytes after
/// it.
fn escaped_in_word(word: [u8; WORD_BYTES]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xff;
    let word = u64::from_le_bytes(word);
    let below = |word: u64, limit: u64| word.wrapping_sub(ONES * limit) & !word;
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    let found = (below(word, 0x20) | equal(b'"') | equal(b'\\')) & (ONES * 0x80);
    (found != 0).then(|| found.trailing_zeros() as usize / 8)
}

fn push_escape(text: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => {
            const DIGITS: &[u8; 16] = b"0123456789abcdef";
            text.extend_from_slice(b"\\u00");
            text.extend([byte >> 4, byte & 0xf].map(|digit| DIGITS[usize::from(digit)]));
            return;
        }
    };
    text.extend_from_slice(&[b'\\', short]);
}
