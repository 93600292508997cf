//! A text prepared for comparison: hashed words, shingles, and index keys.

use super::word_bytes::{Bytes, RollingHash};
use crate::embedder::Embedding;
use crate::tokens::tokens;
use std::cell::OnceCell;
use syntax::strip_html::readable;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Most words of a title and a body together. An embedding is limited to as many tokens.
pub const WORDS_MAX: usize = 512;
/// Most shingles that represent a text in the index: those with the smallest hashes, as in MinHash, a random choice
/// that is the same for equal shingles.
pub const SKETCH_KEYS_MAX: usize = 24;
/// Words per shingle.
pub(super) const SHINGLE_WORDS: usize = 3;

/// One word: its hash without case, accents and apostrophes. The highest bit marks a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Word(u32);

impl Word {
    const NUMBER: u32 = 1 << 31;
    /// Before the first word and after the last.
    pub(super) const NONE: Self = Self(0);

    pub(super) fn is_number(self) -> bool {
        self.0 & Self::NUMBER != 0
    }
}

/// The title and body of a result, prepared for comparison.
#[derive(Debug)]
pub struct Text<'a> {
    title: &'a str,
    body: &'a str,
    /// The publication day, if known.
    day: Option<&'a str>,
    /// Of the title, then of the body.
    words: Vec<Word>,
    title_words: usize,
    /// Hashes of the alphanumeric characters alone, so that word boundaries do not matter.
    title_key: u64,
    whole_key: u64,
    /// The smallest shingles, each once.
    sketch: Vec<u32>,
    /// Computed on demand: most texts are compared with no other.
    sorted: OnceCell<Box<Sorted>>,
    embedding: OnceCell<Box<Embedding>>,
}

/// Sorted lists.
#[derive(Debug)]
pub(super) struct Sorted {
    /// Each once.
    pub(super) shingles: Vec<u32>,
    pub(super) body: Vec<Word>,
}

impl<'a> Text<'a> {
    /// `day` is `YYYY-MM-DD`.
    pub fn of(title: &'a str, body: &'a str, day: Option<&'a str>) -> Self {
        let mut reader = Reader::with_capacity_for(title.len() + body.len());
        reader.read(title, true);
        let (title_words, title_key) = (reader.words.len(), reader.hash.0);
        reader.read(body, false);
        Self {
            title,
            body,
            day,
            title_words,
            title_key,
            whole_key: reader.hash.0,
            sketch: sketch(&reader.words),
            words: reader.words,
            sorted: OnceCell::new(),
            embedding: OnceCell::new(),
        }
    }

    /// Keys that texts with the same title or the same words share, and hardly any other.
    pub(super) fn strong_keys(&self) -> impl Iterator<Item = u32> {
        let title = (self.title_words > 0).then(|| high_half(mixed(self.title_key, TITLE)));
        let whole = (!self.words.is_empty()).then(|| high_half(mixed(self.whole_key, WHOLE)));
        title.into_iter().chain(whole)
    }

    /// Keys of which near duplicates share several.
    pub(super) fn sketch(&self) -> &[u32] {
        &self.sketch
    }

    pub(super) fn title(&self) -> &[Word] {
        &self.words[..self.title_words]
    }

    pub(super) fn body(&self) -> &[Word] {
        &self.words[self.title_words..]
    }

    pub(super) fn words(&self) -> &[Word] {
        &self.words
    }

    pub(super) fn sorted(&self) -> &Sorted {
        self.sorted.get_or_init(|| {
            let mut shingles = sorted(shingles(&self.words));
            shingles.dedup();
            Box::new(Sorted { shingles, body: sorted(self.body().iter().copied()) })
        })
    }

    /// Includes those of the title.
    pub(super) fn sorted_words(&self) -> Vec<Word> {
        sorted(self.words.iter().copied())
    }

    pub(super) fn day(&self) -> Option<&str> {
        self.day
    }

    pub(super) fn has_title_of(&self, other: &Self) -> bool {
        self.title_key == other.title_key
    }

    pub(super) fn has_words_of(&self, other: &Self) -> bool {
        self.whole_key == other.whole_key
    }

    /// The embedding of the readable text.
    pub(super) fn embedding(&self, embed: impl FnOnce(&str) -> Embedding) -> &Embedding {
        self.embedding.get_or_init(|| Box::new(embed(&self.plain())))
    }

    /// The readable text: title, space, body.
    fn plain(&self) -> String {
        format!("{} {}", readable(self.title), readable(self.body))
    }

    /// The readable text of a part of the body: `words` words starting at `first`.
    pub(super) fn plain_part(&self, first: usize, words: usize) -> String {
        let body = readable(self.body);
        let start = |place: usize| tokens(&body).nth(place).map_or(body.len(), |word| word.start);
        format!("{} {}", readable(self.title), body[start(first)..start(first + words)].trim_end())
    }
}

/// Hashes of the shingles, in order.
pub(super) fn shingles(words: &[Word]) -> impl Iterator<Item = u32> {
    let hash = |words: &[Word]| words.iter().fold(0, |hash, word| mixed(hash, u64::from(word.0)));
    words.windows(SHINGLE_WORDS).map(move |words| high_half(hash(words)))
}

fn sketch(words: &[Word]) -> Vec<u32> {
    let mut all: Vec<u32> = shingles(words).collect();
    if all.len() > SKETCH_KEYS_MAX {
        all.select_nth_unstable(SKETCH_KEYS_MAX);
        all.truncate(SKETCH_KEYS_MAX);
        all.shrink_to_fit();
    }
    all.sort_unstable();
    all.dedup();
    all
}

#[derive(Default)]
struct Reader {
    words: Vec<Word>,
    hash: RollingHash,
    ends_with_digit: bool,
}

impl Reader {
    fn with_capacity_for(bytes: usize) -> Self {
        Self { words: Vec::with_capacity((bytes / BYTES_PER_WORD).min(WORDS_MAX)), ..Self::default() }
    }

    fn read(&mut self, text: &str, is_title: bool) {
        let mut tokens = tokens(text);
        while self.words.len() < WORDS_MAX
            && let Some((token, is_plain)) = tokens.advance_plainly()
        {
            if is_plain {
                let bytes = Bytes::of_plain(&text.as_bytes()[token.start..], token.text);
                self.add(token.text, bytes, is_title);
            } else {
                self.add_open(token.text, is_title);
            }
        }
    }

    #[inline(never)]
    fn add_open(&mut self, word: &str, is_title: bool) {
        let bytes = Bytes::of(word);
        if bytes.kinds & Bytes::OPEN == 0 {
            return self.add(word, bytes, is_title);
        }
        let word = folded(word);
        self.add(&word, Bytes::of(&word), is_title);
    }

    #[inline(always)]
    fn add(&mut self, word: &str, Bytes { hash, kinds }: Bytes, is_title: bool) {
        let bytes = word.as_bytes();
        let has_digit = kinds & Bytes::DIGIT != 0;
        // Two adjacent numbers are not one number.
        if has_digit && self.ends_with_digit && bytes.first().is_some_and(u8::is_ascii_digit) {
            self.hash.push(b' ');
        }
        self.ends_with_digit = has_digit && bytes.last().is_some_and(u8::is_ascii_digit);
        self.hash.append(hash, bytes.len());
        let is_number = has_digit
            || (kinds & Bytes::OTHER == 0 && is_roman(bytes.len(), is_title))
            || (kinds & Bytes::OPEN != 0 && has_other_digit(word));
        let number = if is_number { Word::NUMBER } else { 0 };
        self.words.push(Word((high_half(mixed(hash.0, WORD)) & !Word::NUMBER) | number));
    }
}

/// Average length of a word with its space, for the initial capacity.
const BYTES_PER_WORD: usize = 6;

/// What a hash is of.
const WORD: u64 = 1;
const TITLE: u64 = 2;
const WHOLE: u64 = 3;

/// The normal form of words: lower case, no accents, no apostrophes.
fn folded(word: &str) -> String {
    let plain = word.nfkd().filter(|c| !is_combining_mark(*c) && !matches!(c, '\'' | '’'));
    plain.flat_map(char::to_lowercase).collect()
}

/// Whether a word of these characters is a Roman numeral, I to XXXIX. A single character counts only in a title, as in
/// `Part I`.
fn is_roman(length: usize, is_title: bool) -> bool {
    const LONGEST: usize = "xxxviii".len();
    let lengths = if is_title { 1..=LONGEST } else { 2..=LONGEST };
    lengths.contains(&length)
}

/// A digit of another script.
fn has_other_digit(word: &str) -> bool {
    word.chars().any(char::is_numeric)
}

fn sorted<T: Ord>(list: impl Iterator<Item = T>) -> Vec<T> {
    let mut list: Vec<T> = list.collect();
    list.sort_unstable();
    list
}

/// Combines a hash with the next value.
fn mixed(hash: u64, next: u64) -> u64 {
    let product = u128::from(hash ^ 0x9e37_79b9_7f4a_7c15) * u128::from(next ^ 0xd6e8_feb8_6659_fd93);
    (product as u64) ^ ((product >> 64) as u64)
}

fn high_half(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_of_the_same_words() {
        let table = [
            ("Solid-State drives", "solid state DRIVES!", true),
            ("Solid-State drives", "SolidState drives", true),
            ("Dewey's system", "Deweys <em>System</em>", true),
            ("naïve café", "naive cafe\u{301}", true),
            ("chapter 1 23", "chapter 12 3", false),
            ("chapter 12", "chapter 13", false),
            ("rivers", "river", false),
        ];
        for (a, b, same) in table {
            let (a, b) = (Text::of(a, "", None), Text::of(b, "", None));
            assert_eq!((a.has_words_of(&b), a.has_title_of(&b)), (same, same), "{a:?} {b:?}");
        }
        let (split, joined) = (Text::of("Rivers", "in spring", None), Text::of("", "Rivers in spring", None));
        assert!(split.has_words_of(&joined) && !split.has_title_of(&joined));
    }

    #[test]
    fn numbers() {
        let is_number = |word: &str, is_title: bool| {
            let mut reader = Reader::default();
            reader.read(word, is_title);
            reader.words[0].is_number()
        };
        for word in ["12", "1963", "r431", "3rd", "ii", "VIII", "٣"] {
            assert!(is_number(word, false) && is_number(word, true), "{word}");
        }
        for (word, in_title) in [("i", true), ("x", true), ("six", false), ("mix", false), ("an", false)] {
            assert_eq!((is_number(word, false), is_number(word, true)), (false, in_title), "{word}");
        }
    }

    #[test]
    fn reading_is_bounded() {
        let long = "river ".repeat(WORDS_MAX + 10);
        let text = Text::of(&long, &long, None);
        assert_eq!((text.title().len(), text.body().len()), (WORDS_MAX, 0));
        let many: Vec<String> = (0..WORDS_MAX).map(|word| word.to_string()).collect();
        let many = many.join(" ");
        assert_eq!(Text::of("", &many, None).sketch().len(), SKETCH_KEYS_MAX);
    }

    #[test]
    fn parts() {
        let text = Text::of("<em>Title</em>", "One, two; <em>three</em> four.", None);
        assert_eq!(text.plain(), "Title One, two; three four.");
        let table =
            [((0, 2), "Title One, two;"), ((1, 2), "Title two; three"), ((2, 9), "Title three four.")];
        for ((first, words), expected) in table {
            assert_eq!(text.plain_part(first, words), expected);
        }
        assert_eq!(text.plain_part(9, 9), "Title ");
    }

    proptest! {
        #[test]
        fn any_text_is_read(title in "\\PC{0,40}", body in "\\PC{0,80}", first in 0..20_usize) {
            let text = Text::of(&title, &body, None);
            prop_assert!(text.has_words_of(&text));
            prop_assert!(text.plain_part(first, 3).len() <= text.plain().len());
        }
    }
}
