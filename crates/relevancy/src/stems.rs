//! Stemming.

use crate::ascii_words::{eight, first_eight, lower};
use crate::language::{Keeps, Language};
use rust_stemmers::Stemmer;
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::decompose_canonical;

/// The first two characters of a word, as far as its stem preserves them.
pub type Beginning = (Option<char>, Option<char>);

impl Language {
    /// The stem of a word in lower case.
    pub fn stem(self, word: &str) -> Cow<'_, str> {
        let Some(known) = self.known() else { return word.into() };
        // Creating the stemmer only selects a function; there is nothing to cache.
        Stemmer::create(known.algorithm).stem(without_elision(word, known.elides))
    }

    /// Whether an ASCII word of two characters or more begins with the same character as its stem.
    pub fn keeps_first_character(self) -> bool {
        self.known().is_none_or(|known| known.keeps != Keeps::Nothing && known.elides.is_empty())
    }

    /// The common beginning of a word and its stem, ignoring case.
    pub fn beginning(self, word: &str) -> Beginning {
        let Some(known) = self.known() else { return first_two(word) };
        match known.keeps {
            Keeps::Two => first_two(word),
            Keeps::First => (lower_chars(without_elision(word, known.elides)).next().map(unaccented), None),
            Keeps::Nothing => (None, None),
        }
    }
}

/// What the words with a certain stem begin with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StemBeginning {
    pub first_two: Beginning,
    /// All but the last character of an English stem, at most eight bytes, and the mask of these bytes: only the last
    /// character of a stem may differ from its words, as in `happi` and `hope`. Shorter stems, such as `die`, may
    /// differ in two.
    prefix: Option<(u64, u64)>,
}

/// From this length on, in bytes, only the last character of an English stem may differ from its words.
const PREFIXED_STEM_BYTES_MIN: usize = 4;
const PREFIX_BYTES_MAX: usize = 8;

impl StemBeginning {
    pub fn of(language: Language, stem: &str) -> Self {
        let first_two = language.beginning(stem);
        let keeps_all_but_one = language.known().is_some_and(|known| known.keeps == Keeps::Two);
        let has_prefix = keeps_all_but_one && stem.len() >= PREFIXED_STEM_BYTES_MIN && stem.is_ascii();
        let prefix = has_prefix.then(|| {
            let length = (stem.len() - 1).min(PREFIX_BYTES_MAX);
            (first_eight(stem.as_bytes(), length), first_eight(&[u8::MAX; PREFIX_BYTES_MAX], length))
        });
        Self { first_two, prefix }
    }

    /// Fast check that is false for most words: the word cannot have the stem. `prefix` is that of [`plain_prefix`].
    #[inline]
    pub fn may_begin(self, language: Language, word: &str, prefix: Option<u64>) -> bool {
        match (self.prefix, prefix) {
            (Some((kept, mask)), Some(prefix)) => prefix & mask == kept,
            _ => may_begin(language.beginning(word), self.first_two),
        }
    }
}

/// The first bytes of a word in lower case; `None` if they are not plain ASCII.
pub fn plain_prefix(word: &str) -> Option<u64> {
    let bytes = word.as_bytes();
    let prefix = first_eight(bytes, bytes.len().min(PREFIX_BYTES_MAX));
    // The next byte may be the accent of the last one.
    let is_plain = prefix & eight(0x80) == 0 && bytes.get(PREFIX_BYTES_MAX).is_none_or(u8::is_ascii);
    is_plain.then(|| lower(prefix))
}

/// Fast check that is false for most words: a word with this beginning cannot have that stem.
fn may_begin(word: Beginning, stem: Beginning) -> bool {
    word.0 == stem.0 && (word.1 == stem.1 || stem.1.is_none() || word.1 == Some('y'))
}

fn first_two(word: &str) -> Beginning {
    // Most words are plain ASCII. The third character may be the accent of the second.
    if let [first, second, ..] = word.as_bytes()
        && word.as_bytes().iter().take(3).all(u8::is_ascii)
    {
        let lowercase = |byte: &u8| Some(char::from(byte.to_ascii_lowercase()));
        return (lowercase(first), lowercase(second));
    }
    let mut chars = lower_chars(word);
    (chars.next(), chars.next())
}

fn lower_chars(word: &str) -> impl Iterator<Item = char> {
    word.chars().flat_map(char::to_lowercase).nfc().map(|c| if c == '’' { '\'' } else { c })
}

/// `l'eau` is a form of `eau`.
fn without_elision<'a>(word: &'a str, elides: &[&str]) -> &'a str {
    let mut left = word;
    while !elides.is_empty()
        && let Some((before, after)) = left.split_once(['\'', '’'])
        && !after.is_empty()
        && elides.iter().any(|short| short.eq_ignore_ascii_case(before))
    {
        left = after;
    }
    left
}

/// The word with the base characters of its accented ones.
pub fn without_accents(word: &str) -> String {
    word.chars().map(unaccented).collect()
}

fn unaccented(c: char) -> char {
    let mut base = None;
    decompose_canonical(c, |part| {
        base.get_or_insert(part);
    });
    match base.unwrap_or(c) {
        'ß' => 's',
        base => base,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stopwords;
    use crate::tokens::{lower, tokens};
    use proptest::prelude::*;

    #[test]
    fn forms_of_a_word_share_a_stem() {
        let table = [
            ("english", "cars", "car"),
            ("english", "car's", "car"),
            ("english", "electric", "electr"),
            ("english", "dying", "die"),
            ("english", "skies", "sky"),
            ("english", "yellowing", "yellow"),
            ("english", "3", "3"),
            ("english", "東", "東"),
            ("english", "🚀", "🚀"),
            ("german", "häuser", "haus"),
            ("german", "straße", "strass"),
            ("french", "l'eau", "eau"),
            ("french", "qu'il", "il"),
            ("french", "aujourd'hui", "aujourd'hui"),
            ("italian", "dell'acqua", "acqua"),
            ("spanish", "canciones", "cancion"),
            ("russian", "реки", "рек"),
            ("arabic", "الكتاب", "كتاب"),
            ("klingon", "cars", "cars"),
        ];
        for (language, word, expected) in table {
            assert_eq!(Language::named(language).stem(word), expected, "{word} in {language}");
        }
    }

    #[test]
    fn accents_are_removed() {
        for (word, expected) in
            [("café", "cafe"), ("jalapeño", "jalapeno"), ("river", "river"), ("東京", "東京")]
        {
            assert_eq!(without_accents(word), expected);
        }
    }

    #[test]
    fn most_words_are_passed_over() {
        let table = [
            ("english", "cars", "car", true),
            ("english", "Cats", "car", true),
            ("english", "coat", "car", false),
            ("english", "dying", "die", true),
            ("english", "Hoping", "hope", true),
            ("english", "sensational", "sensor", false),
            ("english", "SENSORS", "sensor", true),
            ("english", "sensé", "sensor", true),
            ("english", "day", "die", false),
            ("english", "x's", "x", true),
            ("german", "Ähren", "ahr", true),
            ("german", "Bär", "ahr", false),
            ("french", "L’eau", "eau", true),
            ("french", "lac", "eau", false),
            ("arabic", "الكتاب", "كتاب", true),
            ("klingon", "cars", "car", true),
            ("klingon", "coat", "car", false),
        ];
        for (language, word, stem, expected) in table {
            let language = Language::named(language);
            let may = StemBeginning::of(language, stem).may_begin(language, word, plain_prefix(word));
            assert_eq!(may, expected, "{word} for {stem}");
        }
    }

    fn check(language: Language, text: &str) -> Result<(), TestCaseError> {
        for word in tokens(text).map(|token| token.text) {
            let lower = lower(word);
            let stem = language.stem(&lower);
            let may = StemBeginning::of(language, &stem).may_begin(language, word, plain_prefix(word));
            prop_assert!(may, "{word} has the stem {stem} in {language:?}");
        }
        Ok(())
    }

    #[test]
    fn stopwords_may_begin_their_own_stems() {
        for language in Language::all() {
            for word in stopwords::list(language) {
                check(language, word).unwrap();
            }
        }
    }

    #[test]
    fn english_words_may_begin_their_own_stems_with_any_ending() {
        const ENDINGS: [&str; 24] = [
            "", "s", "es", "ed", "ied", "ies", "ing", "ying", "ly", "y", "ily", "ness", "iness", "ation",
            "ization", "ational", "ability", "ibility", "ivity", "ality", "fully", "lessly", "ology", "'s",
        ];
        let words = include_str!("../data/vocab.txt")
            .lines()
            .filter(|word| word.bytes().all(|b| b.is_ascii_alphanumeric()));
        for (number, word) in words.enumerate() {
            let all = number % 16 == 0;
            for ending in ENDINGS.iter().take(if all { ENDINGS.len() } else { 1 }) {
                check(Language::ENGLISH, &format!("{word}{ending}")).unwrap();
                check(Language::ENGLISH, &format!("{}{ending}", word.trim_end_matches(['e', 'y']))).unwrap();
            }
        }
    }

    proptest! {
        #[test]
        fn a_word_may_begin_its_own_stem(
            english in "[a-zéß東][a-z']{0,8}(ing|ying|ies|ed|ly|ation|fulness|y|'s)?",
            latin in "[a-zàáâãäåæçèéêëìíîïñòóôõöøùúûüýßăâîșțşţğıőű']{1,12}",
            upper in "[A-ZÀ-ÖØ-ÞİŞĞ][a-zà-öø-ÿ’]{0,9}",
            parted in "([A-Za-z]\u{301}?\u{308}?){1,9}",
            cyrillic in "[а-яё]{1,12}",
            greek in "[α-ωάέήίόύώϊϋΐΰςἀ-ᾼ]{1,12}",
            arabic in "[\u{621}-\u{64a}\u{64b}-\u{652}]{1,12}",
            tamil in "[\u{b85}-\u{bb9}\u{bbe}-\u{bcd}]{1,12}",
            any in "\\PC{1,12}",
        ) {
            for language in Language::all() {
                for word in [&english, &latin, &upper, &parted, &cyrillic, &greek, &arabic, &tamil, &any] {
                    check(language, word)?;
                }
            }
        }
    }
}
