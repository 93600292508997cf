//! Plain ASCII words, read eight or sixteen bytes at a time: most words of most texts.

/// Longest word with a [`key`].
pub(crate) const KEY_BYTES_MAX: usize = 16;

/// One byte, eight times.
pub(crate) const fn eight(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The number of ASCII alphanumeric characters that `text` begins with.
#[inline(always)]
pub(crate) fn run_length(text: &[u8]) -> usize {
    let Some(chunk) = text.first_chunk::<16>() else { return long_run_length(text) };
    let [first, second] = [0, 8].map(|start| others(first_eight_of(chunk, start)));
    match (first, second) {
        (0, 0) => long_run_length(text),
        (0, second) => 8 + (second.trailing_zeros() / 8) as usize,
        (first, _) => (first.trailing_zeros() / 8) as usize,
    }
}

#[inline(always)]
fn first_eight_of(chunk: &[u8; 16], start: usize) -> u64 {
    chunk[start..].first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight))
}

#[inline(never)]
fn long_run_length(text: &[u8]) -> usize {
    let (chunks, rest) = text.as_chunks::<8>();
    for (place, chunk) in chunks.iter().enumerate() {
        let others = others(u64::from_le_bytes(*chunk));
        if others != 0 {
            return place * chunk.len() + (others.trailing_zeros() / 8) as usize;
        }
    }
    text.len() - rest.len() + rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

/// The highest bit of each byte that is not an ASCII alphanumeric character.
#[inline]
fn others(chunk: u64) -> u64 {
    const HIGH: u64 = eight(0x80);
    // The sums of seven bits do not carry into the next byte; they set the highest bit from a certain character on.
    let low = chunk & !HIGH;
    let lower = low | eight(0x20);
    let from = |characters: u64, first: u8| characters + eight(0x80 - first);
    let alphabetic = from(lower, b'a') & !from(lower, b'z' + 1);
    let digits = from(low, b'0') & !from(low, b'9' + 1);
    (!(alphabetic | digits) | chunk) & HIGH
}

/// Eight bytes of any text with the ASCII characters in lower case.
#[inline]
pub(crate) fn lower(chunk: u64) -> u64 {
    const HIGH: u64 = eight(0x80);
    let low = chunk & !HIGH;
    let upper = (low + eight(0x80 - b'A')) & !(low + eight(0x80 - b'Z' - 1)) & !chunk & HIGH;
    chunk | (upper >> 2)
}

/// The first `length` bytes of `text`, at most [`KEY_BYTES_MAX`], as a number. The other bytes of the number are 0.
#[inline]
pub(crate) fn key(text: &[u8], length: usize) -> u128 {
    let mut buffer = [0; KEY_BYTES_MAX];
    let chunk = text.first_chunk().unwrap_or_else(|| {
        buffer[..text.len()].copy_from_slice(text);
        &buffer
    });
    u128::from_le_bytes(*chunk) & MASKS[length]
}

/// The first `length` bytes of `text`, at most eight, as a number.
#[inline]
pub(crate) fn first_eight(text: &[u8], length: usize) -> u64 {
    let mut last = [0; 8];
    let chunk = text.first_chunk().unwrap_or_else(|| {
        last[..text.len()].copy_from_slice(text);
        &last
    });
    u64::from_le_bytes(*chunk) & (MASKS[length] as u64)
}

/// The [`key`] of ASCII alphanumeric characters in lower case.
#[inline(always)]
pub(crate) fn lower_key(text: &[u8], length: usize) -> u128 {
    // The bit that distinguishes lower case is set in every digit.
    const LOWER: u128 = u128::from_ne_bytes([0x20; KEY_BYTES_MAX]);
    let key = match text.first_chunk() {
        Some(chunk) => u128::from_le_bytes(*chunk),
        None => key(text, length),
    };
    (key | LOWER) & MASKS[length]
}

/// The bytes of a key, by its length.
const MASKS: [u128; KEY_BYTES_MAX + 1] = masks();

const fn masks() -> [u128; KEY_BYTES_MAX + 1] {
    let mut masks = [0; KEY_BYTES_MAX + 1];
    let mut length = 1;
    while length <= KEY_BYTES_MAX {
        masks[length] = u128::MAX >> (128 - 8 * length);
        length += 1;
    }
    masks
}

/// Combines two halves of a key, or a hash and the next eight bytes, into a hash.
#[inline]
pub(crate) fn combined(one: u64, other: u64) -> u64 {
    let product = u128::from(one ^ 0x9e37_79b9_7f4a_7c15) * u128::from(other ^ 0xd6e8_feb8_6659_fd93);
    (product as u64) ^ ((product >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_byte_continues_a_run_or_ends_it() {
        for byte in 0..=u8::MAX {
            for place in 0..11 {
                let mut text = [b'a'; 11];
                text[place] = byte;
                let expected = if byte.is_ascii_alphanumeric() { 11 } else { place };
                assert_eq!(run_length(&text), expected, "{byte} at {place}");
            }
        }
        assert_eq!(run_length(b""), 0);
    }

    #[test]
    fn keys_are_the_bytes() {
        assert_eq!(key(b"abc", 2), u128::from(u16::from_le_bytes(*b"ab")));
        assert_eq!((first_eight(b"abc", 2), first_eight(b"abcdefghi", 8)), (0x6261, 0x6867_6665_6463_6261));
        let long = b"ABCdef0123456789 and more";
        assert_eq!(key(long, 16), u128::from_le_bytes(*b"ABCdef0123456789"));
        assert_eq!(lower_key(long, 16), key(b"abcdef0123456789", 16));
        assert_eq!(lower_key(b"A1 b", 2), key(b"a1", 2));
    }

    #[test]
    fn every_byte_has_its_lower_case() {
        for byte in 0..=u8::MAX {
            let chunk = [b'A', byte, 0xff, byte, byte, b'[', b'@', byte];
            assert_eq!(
                lower(u64::from_le_bytes(chunk)).to_le_bytes(),
                chunk.map(|byte| byte.to_ascii_lowercase())
            );
        }
    }

    proptest! {
        #[test]
        fn runs_are_counted(text in "([a-zA-Z0-9]{0,20}|[ '.é@`{/:\\[])*") {
            let expected = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
            prop_assert_eq!(run_length(text.as_bytes()), expected);
        }
    }
}
