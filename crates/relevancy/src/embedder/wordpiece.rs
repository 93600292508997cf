//! WordPiece tokenizer of BERT (uncased).

use super::vocabulary::{VOCABULARY, Vocabulary, WORD_CHARS_MAX};
use crate::ascii_words::{KEY_BYTES_MAX, lower_key, run_length};
use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// A token of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordPiece {
    pub id: u32,
    /// Where its word begins, in bytes.
    pub start: u32,
}

/// The tokens of a text.
pub fn token_ids(text: &str) -> Vec<u32> {
    let mut ids = Vec::with_capacity(text.len() / 4);
    read(text, usize::MAX, |_, id| ids.push(id));
    ids
}

/// The first tokens of a text.
pub fn first_token_ids(text: &str, most: usize) -> Vec<u32> {
    let mut ids = Vec::new();
    read(text, most, |_, id| ids.push(id));
    ids
}

/// Calls `take` with the byte position of each word and with each of its tokens, at most `tokens_max` times.
pub(super) fn read(text: &str, tokens_max: usize, mut take: impl FnMut(usize, u32)) {
    let vocabulary = &*VOCABULARY;
    let mut word = Word::default();
    let mut left = tokens_max;
    let mut take = |start, id| {
        if left > 0 {
            left -= 1;
            take(start, id);
        }
        left > 0
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(first) = bytes.get(at) {
        // Fast path: most words are plain ASCII.
        if word.chars == 0 {
            if *first == b' ' {
                at += 1;
                continue;
            }
            let rest = &bytes[at..];
            if let Some(length) = plain_length(rest) {
                let goes_on = match known_word(vocabulary, rest, length) {
                    Some(id) => take(at, id),
                    None => cut_plain(vocabulary, &rest[..length], |id| take(at, id)),
                };
                if !goes_on {
                    return;
                }
                at += length;
                continue;
            }
            if first.is_ascii_punctuation() {
                if !take(at, vocabulary.of_key(u128::from(*first)).unwrap_or(vocabulary.unknown)) {
                    return;
                }
                at += 1;
                continue;
            }
        }
        let Some(c) = text[at..].chars().next() else { break };
        let start = at;
        at += c.len_utf8();
        let goes_on = match kind(c) {
            Kind::Alphanumeric => {
                word.push(start, c);
                continue;
            }
            Kind::Nothing => continue,
            Kind::Space => word.end(vocabulary, &mut take),
            Kind::Alone => {
                word.end(vocabulary, &mut take);
                word.push(start, c);
                word.end(vocabulary, &mut take)
            }
        };
        if !goes_on {
            return;
        }
    }
    word.end(vocabulary, &mut take);
}

/// The length of the plain word that the text begins with: ASCII alphanumeric characters before anything that ends a
/// word.
#[inline(always)]
fn plain_length(rest: &[u8]) -> Option<usize> {
    let length = run_length(rest);
    // A control character does not end a word; an accent belongs to it.
    let ends = rest
        .get(length)
        .is_none_or(|byte| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
    ((1..=WORD_CHARS_MAX).contains(&length) && ends).then_some(length)
}

/// The token of a plain word that is a token as a whole, as most are.
#[inline(always)]
fn known_word(vocabulary: &Vocabulary, rest: &[u8], length: usize) -> Option<u32> {
    if length > KEY_BYTES_MAX {
        return None;
    }
    vocabulary.of_key(lower_key(rest, length))
}

#[inline(never)]
fn cut_plain(vocabulary: &Vocabulary, word: &[u8], take: impl FnMut(u32) -> bool) -> bool {
    let mut lower = [0; WORD_CHARS_MAX];
    let lower = &mut lower[..word.len()];
    lower.copy_from_slice(word);
    lower.make_ascii_lowercase();
    vocabulary.cut(lower, take)
}

/// What a character does to the words around it.
enum Kind {
    Alphanumeric,
    Space,
    /// Punctuation and Chinese characters are words of their own.
    Alone,
    /// Control characters are skipped.
    Nothing,
}

fn kind(c: char) -> Kind {
    if c.is_ascii() {
        return match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' => Kind::Alphanumeric,
            ' ' | '\t' | '\n' | '\r' => Kind::Space,
            '\0'..='\u{1f}' | '\u{7f}' => Kind::Nothing,
            _ => Kind::Alone,
        };
    }
    if c.is_whitespace() {
        return Kind::Space;
    }
    if is_chinese(c) {
        return Kind::Alone;
    }
    match c.general_category_group() {
        GeneralCategoryGroup::Punctuation => Kind::Alone,
        GeneralCategoryGroup::Other => Kind::Nothing,
        _ if c == '\u{fffd}' => Kind::Nothing,
        _ => Kind::Alphanumeric,
    }
}

/// The blocks that BERT treats as Chinese; Japanese kana and Korean syllables are part of words.
fn is_chinese(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2ceaf}' | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}

/// A word being read, in lower case and without accents.
#[derive(Default)]
struct Word {
    text: String,
    start: usize,
    chars: usize,
}

impl Word {
    fn push(&mut self, at: usize, c: char) {
        if self.chars == 0 {
            self.start = at;
        }
        self.chars += 1;
        // A word that is too long is unknown anyway and need not be kept.
        if self.chars > WORD_CHARS_MAX {
            return;
        }
        if c.is_ascii() {
            return self.text.push(c.to_ascii_lowercase());
        }
        let plain = c.to_lowercase().nfd();
        self.text.extend(plain.filter(|c| c.general_category() != GeneralCategory::NonspacingMark));
    }

    /// Emits the tokens of the word; false if no more are wanted.
    fn end(&mut self, vocabulary: &Vocabulary, take: &mut impl FnMut(usize, u32) -> bool) -> bool {
        let is_too_long = self.chars > WORD_CHARS_MAX || self.text.chars().count() > WORD_CHARS_MAX;
        let goes_on = match (self.text.is_empty(), is_too_long) {
            (true, false) => true,
            (_, true) => take(self.start, vocabulary.unknown),
            _ => vocabulary.cut(self.text.as_bytes(), |id| take(self.start, id)),
        };
        self.text.clear();
        self.chars = 0;
        goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tokens_of_texts() {
        let table: &[(&str, &[u32])] = &[
            ("", &[]),
            (" \t\u{200b}\u{1}", &[]),
            ("solar panels for homes", &[5943, 9320, 2005, 5014]),
            ("How do I reset my password?", &[2129, 2079, 1045, 25141, 2026, 20786, 1029]),
            // `embeddings` is not in the vocabulary: em ##bed ##ding ##s.
            ("Embeddings", &[7861, 8270, 4667, 2015]),
            ("caf\u{e9} CAFE cafe\u{301}", &[7668, 7668, 7668]),
            ("a\u{0}b", &[11113]),
            ("\u{1f980}", &[100]),
        ];
        for (text, expected) in table {
            assert_eq!(token_ids(text), *expected, "{text}");
        }
        assert_eq!(token_ids(&"x".repeat(WORD_CHARS_MAX + 1)), [100]);
        assert_ne!(token_ids(&"x".repeat(WORD_CHARS_MAX)), [100]);
        assert_eq!(token_ids("東京").len(), 2);
    }

    #[test]
    fn reading_stops_when_it_is_told() {
        let mut taken = 0;
        read("embeddings of embeddings", 3, |_, _| taken += 1);
        assert_eq!(taken, 3);
    }

    /// The reference algorithm of BERT: character by character, without the fast path.
    fn slowly(text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        let mut take = |_, id| {
            ids.push(id);
            true
        };
        let mut word = Word::default();
        for (at, c) in text.char_indices() {
            match kind(c) {
                Kind::Alphanumeric => word.push(at, c),
                Kind::Nothing => {}
                Kind::Space => drop(word.end(&VOCABULARY, &mut take)),
                Kind::Alone => {
                    word.end(&VOCABULARY, &mut take);
                    word.push(at, c);
                    word.end(&VOCABULARY, &mut take);
                }
            }
        }
        word.end(&VOCABULARY, &mut take);
        ids
    }

    proptest! {
        #[test]
        fn the_short_way_leads_to_the_same_place(text in "([A-Za-z0-9]{1,12}|[ .,_'\u{1}\u{301}éß東-]|\\PC|[a-z]{95,105}){0,20}") {
            prop_assert_eq!(token_ids(&text), slowly(&text));
        }

        #[test]
        fn tokens_stand_in_the_text(text in "\\PC{0,60}") {
            let mut last = 0;
            read(&text, usize::MAX, |start, id| {
                assert!(text.is_char_boundary(start) && start >= last && start < text.len());
                assert!((id as usize) < 30_522);
                last = start;
            });
        }
    }
}
