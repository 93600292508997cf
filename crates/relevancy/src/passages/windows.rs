//! The words of a long text with their sentences, and the windows over them.

use crate::sentences::ends;
use crate::tokens::tokens;
use std::ops::Range;

/// Most words of a text that are read.
pub const WORDS_MAX: usize = 200_000;
/// Longest word, in bytes; longer ones are data.
pub const WORD_BYTES_MAX: usize = 256;
/// Average bytes per word of a window, including punctuation: a window ends before a long run of symbols.
pub const WORD_BYTES_USUAL: usize = 32;
/// Punctuation after the last word of a window that still belongs to it, such as a period.
const CLOSING_CHARS_MAX: usize = 3;

/// Positions are stored in four bytes; longer texts are cut.
const TEXT_BYTES_MAX: usize = u32::MAX as usize;

pub struct Words<'t> {
    text: &'t str,
    /// Where each word begins and ends, in bytes.
    places: Vec<(u32, u32)>,
    /// The first word of each sentence that has one.
    sentences: Vec<u32>,
}

impl<'t> Words<'t> {
    pub fn of(text: &'t str) -> Self {
        let text = &text[..text.floor_char_boundary(TEXT_BYTES_MAX)];
        let place = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        let mut ends = ends(text).peekable();
        let mut words = Self { text, places: Vec::new(), sentences: Vec::new() };
        let mut begins = true;
        for token in tokens(text).filter(|token| token.text.len() <= WORD_BYTES_MAX).take(WORDS_MAX) {
            while ends.next_if(|end| *end <= token.start).is_some() {
                begins = true;
            }
            if std::mem::take(&mut begins) {
                words.sentences.push(place(words.places.len()));
            }
            words.places.push((place(token.start), place(token.end())));
        }
        words
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn word(&self, place: usize) -> &'t str {
        self.places.get(place).map_or("", |(start, end)| &self.text[*start as usize..*end as usize])
    }

    /// The first word of each sentence.
    pub fn sentences(&self) -> &[u32] {
        &self.sentences
    }

    /// The text of a range of words, with the punctuation between them and after the last.
    pub fn text(&self, words: &Range<usize>) -> &'t str {
        let (Some(first), Some(last)) = (self.places.get(words.start), self.places[..words.end].last())
        else {
            return "";
        };
        if words.is_empty() {
            return "";
        }
        let next = self.places.get(words.end).map_or(self.text.len(), |next| next.0 as usize);
        let end = last.1 as usize;
        let is_closing =
            |c: &char| !c.is_whitespace() && !c.is_alphanumeric() && !matches!(c, '<' | '&' | '(' | '[');
        let signs = self.text[end..next].chars().take_while(is_closing).take(CLOSING_CHARS_MAX);
        &self.text[first.0 as usize..end + signs.map(char::len_utf8).sum::<usize>()]
    }

    /// The window of this many words that begins here, or a shorter one at the end of the text or before a run of
    /// symbols.
    pub fn window_at(&self, start: usize, count: usize) -> Range<usize> {
        let last = start.saturating_add(count).min(self.len());
        let Some((first, _)) = self.places.get(start) else { return start..start };
        let bytes_max = count.saturating_mul(WORD_BYTES_USUAL).max(WORD_BYTES_MAX);
        let fits = |(_, end): &(u32, u32)| (*end - *first) as usize <= bytes_max;
        let length = self.places.get(start..last).unwrap_or_default().partition_point(fits);
        start..start + length
    }

    /// Windows of this many words. Each begins half a window after the previous one, moved back to the beginning of its
    /// sentence if that is less than half a window away.
    pub fn windows(&self, count: usize) -> Vec<Range<usize>> {
        let step = (count / 2).max(1);
        let mut windows: Vec<Range<usize>> = Vec::new();
        if count == 0 {
            return windows;
        }
        for at in (0..self.len()).step_by(step) {
            let sentence = self.sentences.partition_point(|start| *start as usize <= at);
            let sentence = self.sentences[..sentence].last().map_or(0, |start| *start as usize);
            let start = if at - sentence < step { sentence } else { at };
            let window = self.window_at(start, count);
            let is_last = window.end == self.len();
            windows.push(window);
            if is_last {
                break;
            }
        }
        windows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn windows_begin_with_sentences() {
        let text = "One two. Three four five six seven eight nine. Ten.";
        let table: &[(usize, &[&str])] = &[
            (
                4,
                &[
                    "One two. Three four",
                    "Three four five six",
                    "five six seven eight",
                    "seven eight nine. Ten.",
                ],
            ),
            // The seventh word is too far from the beginning of its sentence.
            (
                6,
                &[
                    "One two. Three four five six",
                    "Three four five six seven eight",
                    "seven eight nine. Ten.",
                ],
            ),
            (20, &[text]),
            (0, &[]),
        ];
        for (count, expected) in table {
            let words = Words::of(text);
            let found: Vec<&str> = words.windows(*count).iter().map(|window| words.text(window)).collect();
            assert_eq!(found, *expected, "{count}");
        }
    }

    #[test]
    fn a_text_has_words_and_sentences() {
        let words = Words::of("\u{201c}Yes!\u{201d} he said (twice). - \n\n Then (left)");
        assert_eq!((words.len(), words.sentences()), (6, &[0_u32, 4][..]));
        assert_eq!(words.word(3), "twice");
        assert_eq!(words.text(&(0..1)), "Yes!\u{201d}");
        assert_eq!(words.text(&(0..4)), "Yes!\u{201d} he said (twice).");
        assert_eq!((words.text(&(2..2)), words.text(&(0..0)), words.word(9)), ("", "", ""));
        assert_eq!(Words::of("").windows(4), Vec::<Range<usize>>::new());
    }

    #[test]
    fn reading_is_bounded() {
        assert_eq!(Words::of(&"a ".repeat(WORDS_MAX + 10)).len(), WORDS_MAX);
        let data = "x".repeat(WORD_BYTES_MAX + 1);
        assert_eq!(Words::of(&format!("a {data} b")).len(), 2);
        let signs = format!("a b {} c d", "- ".repeat(1_000));
        let words = Words::of(&signs);
        assert_eq!(words.text(&words.window_at(0, 4)), "a b");
    }

    proptest! {
        #[test]
        fn windows_leave_nothing_out(text in "([a-c]{1,3}[ .!?\n]{1,2}|東|\\PC){0,60}", count in 1usize..9) {
            let words = Words::of(&text);
            let mut end = 0;
            for window in words.windows(count) {
                prop_assert!(window.start <= end && window.end > end && window.len() <= count, "{window:?}");
                end = window.end;
            }
            prop_assert_eq!(end, words.len());
        }
    }
}
