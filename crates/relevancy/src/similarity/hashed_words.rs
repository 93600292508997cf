//! The hashed words of a title and a body, and what is derived from them: shingles and index keys.
//!
//! They are computed from the tokens of a result when it is prepared, beside the other providers, and kept with it. So
//! the duplicate check, which waits for the last provider, need not read the texts.

use super::word_bytes::{Bytes, RollingHash};
use crate::ascii_words::first_eight;
use crate::tokens::{Token, tokens};
use domain::result::HashedWords;
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
pub(super) type Word = u32;
/// Before the first word and after the last.
pub(super) const NO_WORD: Word = 0;
const NUMBER: Word = 1 << 31;

pub(super) fn is_number(word: Word) -> bool {
    word & NUMBER != 0
}

/// Hashes the words of a title and a body.
pub(super) fn hash_texts([title, body]: [&str; 2]) -> HashedWords {
    let words_expected = (title.len() + body.len()) / BYTES_PER_WORD;
    Reader::with_capacity(words_expected)
        .read_both([(title, tokens(title)), (body, tokens(body))], [title, body])
}

/// Hashes the tokens of a readable title and a readable body, each with its text. `shown` are the same texts with
/// highlights: these do not change the words.
pub(crate) fn hash_tokens(fields: [(&str, &[Token<'_>]); 2], shown: [&str; 2]) -> HashedWords {
    let words_expected: usize = fields.iter().map(|(_, tokens)| tokens.len()).sum();
    let fields = fields.map(|(text, tokens)| (text, tokens.iter().copied()));
    Reader::with_capacity(words_expected).read_both(fields, shown)
}

/// Keys that texts with the same title or the same words share, and hardly any other.
pub(super) fn strong_keys(words: &HashedWords) -> impl Iterator<Item = u32> {
    let title = (words.title_words > 0).then(|| high_half(mixed(words.title_key, TITLE)));
    let whole = (words.words > 0).then(|| high_half(mixed(words.whole_key, WHOLE)));
    title.into_iter().chain(whole)
}

/// Hashes of the shingles, in order.
pub(super) fn shingles(words: &[Word]) -> impl Iterator<Item = u32> {
    // The hashes of the last word and of the last two: each word is read once.
    let (mut one, mut two) = (0, 0);
    let with_word = move |word: &Word| {
        let word = u64::from(*word);
        let three = mixed(two, word);
        two = mixed(one, word);
        one = mixed(0, word);
        high_half(three)
    };
    words.iter().map(with_word).skip(SHINGLE_WORDS - 1)
}

/// Appends the smallest shingles of the words, each once.
fn append_sketch(words: &mut Vec<Word>) {
    let mut all = [0; WORDS_MAX];
    let mut count = 0;
    for (place, shingle) in all.iter_mut().zip(shingles(words)) {
        *place = shingle;
        count += 1;
    }
    let all = &mut all[..count];
    let smallest = if count > SKETCH_KEYS_MAX { all.select_nth_unstable(SKETCH_KEYS_MAX).0 } else { all };
    smallest.sort_unstable();
    let mut last = None;
    for key in smallest.iter().copied() {
        if last.replace(key) != Some(key) {
            words.push(key);
        }
    }
}

struct Reader {
    words: Vec<Word>,
    hash: RollingHash,
    ends_with_digit: bool,
}

impl Reader {
    fn with_capacity(words: usize) -> Self {
        let words = Vec::with_capacity(words.min(WORDS_MAX) + SKETCH_KEYS_MAX);
        Self { words, hash: RollingHash::default(), ends_with_digit: false }
    }

    /// Reads the title and the body. `shown` are the texts that are kept.
    fn read_both<'t>(
        mut self,
        [(title, title_tokens), (body, body_tokens)]: [(&str, impl Iterator<Item = Token<'t>>); 2],
        shown: [&str; 2],
    ) -> HashedWords {
        self.read(title, title_tokens, true);
        let (title_words, title_key) = (self.words.len(), self.hash.0);
        self.read(body, body_tokens, false);
        let (words, whole_key) = (self.words.len(), self.hash.0);
        let mut values = self.words;
        append_sketch(&mut values);
        HashedWords { values, title_words, words, title_key, whole_key, text_hash: hash_of(shown) }
    }

    /// Adds the tokens of a text.
    #[inline]
    fn read<'t>(&mut self, text: &str, tokens: impl Iterator<Item = Token<'t>>, is_title: bool) {
        for token in tokens.take(WORDS_MAX - self.words.len()) {
            let rest = text.as_bytes().get(token.start..).unwrap_or_default();
            let bytes = Bytes::at_start(rest, token.text);
            if bytes.kinds & Bytes::OPEN == 0 {
                self.add(token.text, bytes, is_title);
            } else {
                self.add_open(token.text, is_title);
            }
        }
    }

    #[inline(never)]
    fn add_open(&mut self, word: &str, is_title: bool) {
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
        let number = if is_number { NUMBER } else { 0 };
        self.words.push((high_half(mixed(hash.0, WORD)) & !NUMBER) | number);
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

/// A hash of the bytes of the texts, which says whether hashed words are theirs.
pub(super) fn hash_of(texts: [&str; 2]) -> u64 {
    texts.into_iter().fold(0, |hash, text| {
        let (chunks, rest) = text.as_bytes().as_chunks::<8>();
        let start = mixed(hash, text.len() as u64);
        let hash = chunks.iter().fold(start, |hash, chunk| mixed(hash, u64::from_le_bytes(*chunk)));
        mixed(hash, first_eight(rest, rest.len()))
    })
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
    use crate::config::ScoringConfig;
    use crate::language::Language;
    use crate::prepare::prepare;
    use crate::query::Query;
    use crate::targets::MatchTargets;
    use domain::result::ResultItem;
    use proptest::prelude::*;

    #[test]
    fn numbers() {
        let is_number = |word: &str, is_title: bool| {
            let texts = if is_title { [word, ""] } else { ["", word] };
            is_number(hash_texts(texts).values[0])
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
        let found = hash_texts([&long, &long]);
        assert_eq!((found.title_words, found.words), (WORDS_MAX, WORDS_MAX));
        assert_eq!(found.values.len(), WORDS_MAX + 1, "each shingle once");
        let many: Vec<String> = (0..WORDS_MAX + 10).map(|word| word.to_string()).collect();
        let found = hash_texts(["", &many.join(" ")]);
        assert_eq!((found.title_words, found.words), (0, WORDS_MAX));
        assert_eq!(found.values.len(), WORDS_MAX + SKETCH_KEYS_MAX);
    }

    proptest! {
        #[test]
        fn shingles_are_hashes_of_three_words(words in prop::collection::vec(any::<Word>(), 0..9)) {
            let hash = |words: &[Word]| words.iter().fold(0, |hash, word| mixed(hash, u64::from(*word)));
            let expected: Vec<u32> = words.windows(SHINGLE_WORDS).map(|words| high_half(hash(words))).collect();
            prop_assert_eq!(shingles(&words).collect::<Vec<u32>>(), expected);
        }

        #[test]
        fn titles_of_the_same_words_have_the_same_key(
            words in prop::collection::vec(
                prop::sample::select(vec![("Été", "ete"), ("12", "12"), ("3", "3"), ("River", "river"), ("IV", "iv")]),
                0..6,
            ),
        ) {
            let (one, other): (Vec<&str>, Vec<&str>) = words.into_iter().unzip();
            let one = hash_texts([&one.join(" "), ""]);
            let other = hash_texts([&other.join(", "), ""]);
            prop_assert_eq!(&one.values, &other.values);
            prop_assert_eq!(one.title_key, other.title_key);
        }

        #[test]
        fn the_words_of_a_prepared_result_are_those_of_its_texts(
            query in "(Straße|été|東京|كتاب|🚀|river|[ivx7]|e\u{301}| |\"|-|\\PC){0,8}",
            title in "(Straße|ÉTÉ |l’été|東京タワー|🚀|rivers? |[ivx] |7 |<em>|&lt;|\\PC){0,12}",
            body in "(straße |river's |l’été|東京タワー|か\u{3099}|هذا الكتاب|👩🏽\u{200d}🚀|7 |i|<b>|<|>|&amp;|[.!?]|\\PC){0,40}",
        ) {
            for language in ["english", "french", "arabic"] {
                let query = Query::parse_in(Language::named(language), &query);
                let config = ScoringConfig::default();
                let mut item =
                    ResultItem { title: title.clone(), body: body.clone(), ..ResultItem::default() };
                prepare(&MatchTargets::of(&query, &config), &mut item);
                let texts = [item.title.as_str(), item.body.as_str()];
                let expected = hash_texts(texts);
                prop_assert_eq!(item.hashed_words.as_deref(), Some(&expected));
            }
        }
    }
}
