//! Stemming.

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

/// Fast check that is false for most words: a word with this beginning cannot have that stem.
pub fn may_begin(word: Beginning, stem: Beginning) -> bool {
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
    fn most_words_are_passed_over() {
        let table = [
            ("english", "cars", "car", true),
            ("english", "Cats", "car", true),
            ("english", "coat", "car", false),
            ("english", "dying", "die", true),
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
            let may = may_begin(language.beginning(word), language.beginning(stem));
            assert_eq!(may, expected, "{word} for {stem}");
        }
    }

    fn check(language: Language, text: &str) -> Result<(), TestCaseError> {
        for word in tokens(text).map(|token| token.text) {
            let lower = lower(word);
            let stem = language.stem(&lower);
            let (whole, kept) = (language.beginning(word), language.beginning(&stem));
            prop_assert!(may_begin(whole, kept), "{word} has the stem {stem} in {language:?}");
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
