//! The tokens of the model, and how a word is cut into them.

use crate::ascii_words::{KEY_BYTES_MAX, combined, key};
use std::sync::LazyLock;

static LINES: &str = include_str!("../../data/vocab.txt");

pub(super) static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| Vocabulary::read(LINES));

/// Longer words are unknown.
pub(super) const WORD_CHARS_MAX: usize = 100;
const UNKNOWN: &[u8] = b"[UNK]";
/// What a token that continues a word begins with.
const NEXT: &[u8] = b"##";
/// The number of bits of a slot's index: twice as many slots as tokens.
const SLOT_BITS: u32 = 16;

/// Whether these lines are the tokens of the model.
pub fn is_vocabulary(lines: &str) -> bool {
    lines.lines().eq(LINES.lines())
}

/// A hash table of short tokens. A slot is half of the hash and, in its low half, the token plus one; 0 is empty.
pub(super) struct Vocabulary {
    slots: Vec<u32>,
    /// By token.
    keys: Vec<u128>,
    /// The few tokens without a key.
    long: Vec<(&'static [u8], u32)>,
    pub(super) unknown: u32,
    /// Length of the longest token, in bytes.
    longest: usize,
}

impl Vocabulary {
    /// One token per line.
    fn read(lines: &'static str) -> Self {
        let mut vocabulary = Self {
            slots: vec![0; 1 << SLOT_BITS],
            keys: Vec::new(),
            long: Vec::new(),
            unknown: 0,
            longest: 0,
        };
        let tokens = lines.trim_end().as_bytes().split(|byte| *byte == b'\n');
        for (id, token) in (0u16..u16::MAX).zip(tokens) {
            vocabulary.add(id, token);
        }
        vocabulary.unknown = vocabulary.of_key(key(UNKNOWN, UNKNOWN.len())).unwrap_or_default();
        vocabulary
    }

    fn add(&mut self, id: u16, token: &'static [u8]) {
        self.longest = self.longest.max(token.len());
        if token.len() > KEY_BYTES_MAX {
            self.long.push((token, u32::from(id)));
            self.keys.push(0);
            return;
        }
        let key = key(token, token.len());
        self.keys.push(key);
        let (mut slot, tag) = place(key);
        while self.slots[slot] != 0 {
            slot = (slot + 1) % self.slots.len();
        }
        self.slots[slot] = tag | (u32::from(id) + 1);
    }

    /// The token with this key.
    #[inline]
    pub(super) fn of_key(&self, key: u128) -> Option<u32> {
        let (mut slot, tag) = place(key);
        loop {
            let found = *self.slots.get(slot)?;
            if found == 0 {
                return None;
            }
            let id = (found & ID) - 1;
            if found & !ID == tag && self.keys.get(id as usize) == Some(&key) {
                return Some(id);
            }
            slot = (slot + 1) % (1 << SLOT_BITS);
        }
    }

    /// Splits a word into the longest tokens from the left; a word that cannot be split is unknown as a whole.
    pub(super) fn cut(&self, word: &[u8], mut take: impl FnMut(u32) -> bool) -> bool {
        if let Some(id) = self.first(word) {
            return take(id);
        }
        let mut ids = [0; WORD_CHARS_MAX];
        let mut count = 0;
        let mut rest = word;
        while !rest.is_empty() {
            let mut ends = (1..=rest.len().min(self.longest)).rev();
            let longest = ends.find_map(|end| {
                let part = &rest[..end];
                Some((if count == 0 { self.first(part) } else { self.next(part) }?, end))
            });
            // A token is whole characters, so a cut inside of one finds nothing.
            let Some((id, length)) = longest else { return take(self.unknown) };
            ids[count] = id;
            count += 1;
            rest = &rest[length..];
        }
        ids[..count].iter().all(|id| take(*id))
    }

    /// The token that begins a word.
    fn first(&self, token: &[u8]) -> Option<u32> {
        if token.len() > KEY_BYTES_MAX {
            return self.long(&[], token);
        }
        self.of_key(key(token, token.len()))
    }

    /// The token that continues a word.
    fn next(&self, token: &[u8]) -> Option<u32> {
        if token.len() + NEXT.len() > KEY_BYTES_MAX {
            return self.long(NEXT, token);
        }
        self.of_key((key(token, token.len()) << (8 * NEXT.len())) | key(NEXT, NEXT.len()))
    }

    fn long(&self, before: &[u8], token: &[u8]) -> Option<u32> {
        let is_same = |known: &[u8]| known.strip_prefix(before) == Some(token);
        self.long.iter().find(|(known, _)| is_same(known)).map(|(_, id)| *id)
    }
}

/// The part of a slot that is the token.
const ID: u32 = 0xffff;

/// The slot of a key, and the half of its hash that is kept there.
#[inline]
fn place(key: u128) -> (usize, u32) {
    let hash = combined(key as u64, (key >> 64) as u64);
    ((hash >> (u64::BITS - SLOT_BITS)) as usize, hash as u32 & !ID)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found() {
        let lines = include_str!("../../data/vocab.txt");
        for (id, line) in (0u32..).zip(lines.lines()) {
            let token = line.as_bytes();
            let found = match token.strip_prefix(NEXT).filter(|rest| !rest.is_empty()) {
                Some(rest) => VOCABULARY.next(rest),
                None => VOCABULARY.first(token),
            };
            assert_eq!(found, Some(id), "{line}");
        }
        assert_eq!(VOCABULARY.first(b"qqxzy"), None);
        assert_eq!(VOCABULARY.first(b"a word that is far too long for a token"), None);
        assert_eq!(VOCABULARY.next(b"a word that is far too long for a token"), None);
        assert!(VOCABULARY.long.len() < 10, "they are searched one by one");
    }
}
