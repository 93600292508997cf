//! Splits a text into sentences.

use crate::ascii_words::eight;
use std::ops::Range;

/// Most sentences of a text; the rest belongs to the last.
pub const SENTENCES_MAX: usize = 64;

/// Abbreviations that end in a period.
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "bzw", "ca", "cf", "co", "corp", "dept", "dr", "ed", "eds", "est", "etc", "ex", "fig",
    "gen", "gov", "hon", "inc", "jr", "ltd", "max", "min", "mme", "mr", "mrs", "ms", "mt", "no", "nr", "op",
    "pp", "prof", "rev", "sen", "sr", "st", "str", "usw", "viz", "vol", "vs",
];

/// The byte ranges of the sentences. A sentence ends at `.`, `!`, `?` and similar before a space, unless a lower-case
/// character follows or the period belongs to an abbreviation, and at the end of a line. A part without alphanumeric
/// characters is not a sentence. Together the sentences are the whole text.
pub fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut ends = ends(text).chain([text.len()]);
    let (mut start, mut count) = (0, 0);
    let mut last: Option<Range<usize>> = None;
    std::iter::from_fn(move || {
        for end in ends.by_ref() {
            if count < SENTENCES_MAX && text[start..end].contains(char::is_alphanumeric) {
                count += 1;
                let before = last.replace(start..end);
                start = end;
                if before.is_some() {
                    return before;
                }
            }
        }
        last.take().map(|last| last.start..text.len())
    })
}

/// Where sentences end, before the end of the text. The part between two ends may have no alphanumeric character.
pub fn ends(text: &str) -> impl Iterator<Item = usize> {
    Candidates { text, chunk: 0, places: candidates(text, 0).unwrap_or_default() }.filter_map(move |at| {
        let c = text[at..].chars().next()?;
        let after = at + c.len_utf8();
        match c {
            '\n' | '。' | '！' | '？' | '।' | '؟' | '۔' => Some(after),
            '.' | '!' | '?' | '…' => end_after(text, at, after),
            _ => None,
        }
    })
}

/// The places of the characters that may end a sentence, and of a few others: most characters are alphanumeric or
/// spaces, and eight bytes are examined at once.
struct Candidates<'a> {
    text: &'a str,
    /// Where the examined bytes begin.
    chunk: usize,
    /// The highest bit of each byte in question.
    places: u64,
}

impl Iterator for Candidates<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.places == 0 {
            self.chunk += 8;
            self.places = candidates(self.text, self.chunk)?;
        }
        let place = self.chunk + (self.places.trailing_zeros() / 8) as usize;
        self.places &= self.places - 1;
        Some(place)
    }
}

/// The highest bit of each byte at `start` and after it that may end a sentence; `None` at the end of the text.
#[inline]
fn candidates(text: &str, start: usize) -> Option<u64> {
    const HIGH: u64 = eight(0x80);
    let rest = text.as_bytes().get(start..).filter(|rest| !rest.is_empty())?;
    let mut last = [b' '; 8];
    let chunk = rest.first_chunk().unwrap_or_else(|| {
        last[..rest.len()].copy_from_slice(rest);
        &last
    });
    let chunk = u64::from_le_bytes(*chunk);
    let low = chunk & !HIGH;
    let is_not = |byte: u8| (low ^ eight(byte)) + eight(0x7f);
    // Below the digits, such as `.`, `!` and a line break, but not a space; `?`; the first byte of another character.
    let is_below = !(low + eight(0x80 - b'0')) & is_not(b' ');
    let is_ascii_end = (is_below | !is_not(b'?')) & !chunk;
    Some((is_ascii_end | (chunk & (chunk << 1))) & HIGH)
}

/// The end of the sentence whose final punctuation is here, including closing quotes; `None` if it continues.
fn end_after(text: &str, at: usize, after: usize) -> Option<usize> {
    let closes = |c: char| matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']');
    let rest = text[after..].trim_start_matches(closes);
    let next = rest.trim_start();
    // The last of several punctuation characters counts.
    if next.len() == rest.len() || next.starts_with(char::is_lowercase) {
        return None;
    }
    let goes_on = text[at..].starts_with('.') && is_abbreviation(&text[..at]);
    (!goes_on).then(|| text.len() - rest.len())
}

/// Whether the text ends in a word that a period belongs to: an initial, `e.g`, or an abbreviation.
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let mut characters = word.chars();
    let is_initial = characters.next().is_some_and(char::is_alphabetic) && characters.next().is_none();
    let has_stop =
        word.contains('.') && word.chars().all(|c| c == '.' || c.is_alphabetic()) && word.len() < 8;
    is_initial || has_stop || ABBREVIATIONS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sentences_are_told_apart() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("...", &[]),
            ("One.\n\n - \n\nTwo. :-) ", &["One.", "- \n\nTwo. :-)"]),
            ("One sentence", &["One sentence"]),
            ("One. Two! Three?", &["One.", "Two!", "Three?"]),
            ("Really?! Yes.", &["Really?!", "Yes."]),
            ("Version 3.5 is out. Get it.", &["Version 3.5 is out.", "Get it."]),
            (
                "Dr. Byron met J. Smith, e.g. Here. Then left",
                &["Dr. Byron met J. Smith, e.g. Here.", "Then left"],
            ),
            ("The U.S. Army. It", &["The U.S. Army.", "It"]),
            ("He said \"No.\" Then left.", &["He said \"No.\"", "Then left."]),
            ("yahoo! is a word", &["yahoo! is a word"]),
            ("first line\nsecond line\r\n\n", &["first line", "second line"]),
            ("これは文。あれも文！", &["これは文。", "あれも文！"]),
            ("كيف الحال؟ بخير", &["كيف الحال؟", "بخير"]),
            ("Straße 5. Öffnung", &["Straße 5.", "Öffnung"]),
            ("example.org has more", &["example.org has more"]),
        ];
        for (text, expected) in table {
            let found: Vec<&str> = sentences(text).map(|place| text[place].trim()).collect();
            assert_eq!(found, *expected, "{text}");
        }
    }

    #[test]
    fn their_number_is_bounded() {
        let text = "One. ".repeat(SENTENCES_MAX * 2);
        let found: Vec<Range<usize>> = sentences(&text).collect();
        assert_eq!(found.len(), SENTENCES_MAX);
        assert_eq!(found.last().map(|place| place.end), Some(SENTENCES_MAX * 2 * 5));
    }

    proptest! {
        #[test]
        fn sentences_stand_one_after_the_other(text in "([a-cÄé東。.!?\n ]|\\PC){0,60}") {
            let mut end = 0;
            for place in sentences(&text) {
                prop_assert!(place.start == end && place.end > place.start);
                prop_assert!(text.get(place.clone()).is_some());
                end = place.end;
            }
            prop_assert!(end == text.len() || !text.contains(char::is_alphanumeric));
        }
    }
}
