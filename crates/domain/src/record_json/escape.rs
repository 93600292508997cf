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
    match first_escaped(text.as_bytes()) {
        None => json.extend_from_slice(text.as_bytes()),
        Some(_) => push_escaped(json, text),
    }
    json.push(b'"');
}

#[inline(never)]
fn push_escaped(json: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    while let Some(place) = first_escaped(rest) {
        json.extend_from_slice(&rest[..place]);
        push_escape(json, rest[place]);
        rest = &rest[place + 1..];
    }
    json.extend_from_slice(rest);
}

/// Bytes that are examined at once.
const BLOCK: usize = 16;
const HALF: usize = BLOCK / 2;

/// The place of the first byte that is escaped in JSON.
#[inline(always)]
pub(super) fn first_escaped(bytes: &[u8]) -> Option<usize> {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    for (number, block) in blocks.iter().enumerate() {
        if has_escaped(block) {
            return block.iter().position(is_escaped).map(|place| number * BLOCK + place);
        }
    }
    if rest.is_empty() {
        return None;
    }
    // The last bytes are examined together with some before them, which need no escape.
    let last = match (bytes.last_chunk::<BLOCK>(), bytes.first_chunk::<HALF>(), bytes.last_chunk::<HALF>()) {
        (Some(last), ..) => *last,
        (None, Some(first), Some(last)) => joined(*first, *last),
        _ => return rest.iter().position(is_escaped),
    };
    if has_escaped(&last) { bytes.iter().position(is_escaped) } else { None }
}

fn joined(first: [u8; HALF], last: [u8; HALF]) -> [u8; BLOCK] {
    let mut both = [0; BLOCK];
    both[..HALF].copy_from_slice(&first);
    both[HALF..].copy_from_slice(&last);
    both
}

fn is_escaped(byte: &u8) -> bool {
    *byte < b' ' || matches!(byte, b'"' | b'\\')
}

/// Compiled to a few vector instructions, because no byte decides which are examined next.
#[inline(always)]
fn has_escaped(block: &[u8; BLOCK]) -> bool {
    let marks = block.map(|byte| u8::from(byte < b' ') | u8::from(byte == b'"') | u8::from(byte == b'\\'));
    marks != [0; BLOCK]
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
