//! The bytes of a word, hashed and classified.

use crate::ascii_words::eight;

/// A polynomial hash of bytes that can be extended byte by byte or word by word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct RollingHash(pub(super) u64);

impl RollingHash {
    /// The same in every process, so that a pool is always grouped the same way.
    const FACTOR: u64 = 0x5851_f42d_4c95_7f2d;

    pub(super) fn push(&mut self, byte: u8) {
        self.0 = self.0.wrapping_mul(Self::FACTOR).wrapping_add(u64::from(byte));
    }

    /// Appends a word of `bytes` bytes.
    pub(super) fn append(&mut self, word: Self, bytes: usize) {
        let factor = FACTOR_POWERS.get(bytes).copied();
        let factor =
            factor.unwrap_or_else(|| Self::FACTOR.wrapping_pow(bytes.try_into().unwrap_or(u32::MAX)));
        self.0 = self.0.wrapping_mul(factor).wrapping_add(word.0);
    }
}

/// The factors of most words.
const FACTOR_POWERS: [u64; 32] = factor_powers();

const fn factor_powers() -> [u64; 32] {
    let mut powers = [1_u64; 32];
    let mut bytes = 1;
    while bytes < powers.len() {
        powers[bytes] = powers[bytes - 1].wrapping_mul(RollingHash::FACTOR);
        bytes += 1;
    }
    powers
}

/// The bytes of a word, read once.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bytes {
    /// In lower case.
    pub(super) hash: RollingHash,
    /// What kinds of bytes occur.
    pub(super) kinds: u8,
}

impl Bytes {
    pub(super) const DIGIT: u8 = 1;
    /// Not a character of a Roman numeral.
    pub(super) const OTHER: u8 = 2;
    /// An apostrophe or not ASCII: the word must be folded.
    pub(super) const OPEN: u8 = 4;

    /// Of the word that the text begins with. The hash of an [open](Self::OPEN) word means nothing.
    #[inline(always)]
    pub(super) fn at_start(text: &[u8], word: &str) -> Self {
        let (Some(chunk), 1..=WORD_BYTES_MAX) = (text.first_chunk::<WORD_BYTES_MAX>(), word.len()) else {
            return Self::of(word);
        };
        let chunk = u128::from_le_bytes(*chunk);
        let short = word.len().min(CHUNK);
        let (mut hash, mut kinds) = hash_chunk(chunk as u64, short);
        if word.len() > CHUNK {
            let left = word.len() - CHUNK;
            let (next, next_kinds) = hash_chunk((chunk >> 64) as u64, left);
            hash.append(next, left);
            kinds |= next_kinds;
        }
        Self { hash, kinds }
    }

    #[inline(never)]
    pub(super) fn of(word: &str) -> Self {
        let (mut hash, mut kinds) = (RollingHash::default(), 0);
        for byte in word.bytes() {
            let (lower, kind) = BYTES[usize::from(byte)];
            hash.push(lower);
            kinds |= kind;
        }
        Self { hash, kinds }
    }
}

/// The hash and the kinds of the first `length` bytes, a word or a part of one; the first is the lowest of the number.
#[inline(always)]
fn hash_chunk(chunk: u64, length: usize) -> (RollingHash, u8) {
    // In lower case: the bit is set in every digit. The bytes after the word are shifted out, and zeros before its first
    // byte add nothing to the hash, so that the number of steps is always the same.
    let unused = u64::BITS as usize - 8 * length;
    let lower = (chunk | eight(0x20)) << unused;
    let hash = lower
        .to_le_bytes()
        .into_iter()
        .fold(0, |hash: u64, byte| hash.wrapping_mul(RollingHash::FACTOR).wrapping_add(u64::from(byte)));
    // The bit that digits lack.
    let has_digit = !lower & (eight(0x40) << unused) != 0;
    // An apostrophe has neither this bit nor that of digits; a byte that is not ASCII has the highest.
    let is_open = (!(lower | (lower >> 2)) & (eight(0x10) << unused)) | (lower & eight(0x80)) != 0;
    let is_numeral = |byte: &u8| matches!(byte | 0x20, b'i' | b'v' | b'x');
    let is_roman = is_numeral(&(chunk as u8)) && chunk.to_le_bytes().iter().take(length).all(is_numeral);
    let kinds = (if has_digit { Bytes::DIGIT } else { 0 })
        | (if is_roman { 0 } else { Bytes::OTHER })
        | (if is_open { Bytes::OPEN } else { 0 });
    (RollingHash(hash), kinds)
}

/// Bytes that are hashed at once.
const CHUNK: usize = 8;
/// Longest word that is hashed in chunks.
const WORD_BYTES_MAX: usize = 2 * CHUNK;

/// Every byte in lower case, and its kinds.
const BYTES: [(u8, u8); 256] = bytes();

const fn bytes() -> [(u8, u8); 256] {
    let mut bytes = [(0, 0); 256];
    let mut place = 0;
    while place < bytes.len() {
        let byte = place as u8;
        let digit = if byte.is_ascii_digit() { Bytes::DIGIT } else { 0 };
        let other = if matches!(byte.to_ascii_lowercase(), b'i' | b'v' | b'x') { 0 } else { Bytes::OTHER };
        let open = if byte.is_ascii() && byte != b'\'' { 0 } else { Bytes::OPEN };
        bytes[place] = (byte.to_ascii_lowercase(), digit | other | open);
        place += 1;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn kinds_of_words() {
        for (word, kinds) in [
            ("XIV", 0),
            ("river", Bytes::OTHER),
            ("r431", Bytes::OTHER | Bytes::DIGIT),
            ("car's", Bytes::OTHER | Bytes::OPEN),
            ("été", Bytes::OTHER | Bytes::OPEN),
        ] {
            assert_eq!(Bytes::of(word).kinds, kinds, "{word}");
        }
    }

    proptest! {
        #[test]
        fn chunks_are_read_like_single_bytes(
            word in "[a-zA-Z0-9]{1,20}|[ivxIVX]{1,9}|[0-9]{1,17}|[a-c0-9'’é東]{1,9}", after in "[ .,é]{0,20}",
        ) {
            let text = format!("{word} {after}");
            let (read, expected) = (Bytes::at_start(text.as_bytes(), &word), Bytes::of(&word));
            prop_assert_eq!(read.kinds & Bytes::OPEN, expected.kinds & Bytes::OPEN);
            if expected.kinds & Bytes::OPEN == 0 {
                prop_assert_eq!(read, expected);
            }
        }
    }
}
