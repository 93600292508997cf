//! What of a text may be told while it is still written: whole sentences, checked like the whole answer, so that no
//! foreign link or image and no citation of nothing reaches a reader.

use crate::check::shown;
use crate::prompt::PromptSource;

/// Bytes that a reader waits for at least, so that a text of tiny sentences is not checked again and again.
const STEP_BYTES_MIN: usize = 24;
/// Bytes of a text that are told while it is written; the rest comes when it is whole.
const TOLD_BYTES_MAX: usize = 16 * 1024;

/// Follows a growing text.
#[derive(Default)]
pub(crate) struct Telling {
    reading: Reading,
    /// How much of the written text was checked, in bytes.
    checked: usize,
    /// What the reader has.
    told: String,
}

impl Telling {
    /// What can be told now, if there is anything. `written` is the text so far.
    pub fn more(&mut self, written: &str, sources: &[PromptSource]) -> Option<String> {
        let end = self.reading.end_of_sentences(written);
        if end < self.checked + STEP_BYTES_MIN || end > TOLD_BYTES_MAX {
            return None;
        }
        self.checked = end;
        self.tell(&shown(&written[..end], sources))
    }

    /// The rest, once the whole answer is checked.
    pub fn rest(&mut self, body: &str) -> Option<String> {
        self.tell(body)
    }

    /// What was told is never taken back: where the checked text begins differently, the last event has it whole.
    fn tell(&mut self, body: &str) -> Option<String> {
        let more = body.strip_prefix(self.told.as_str())?;
        if more.is_empty() {
            return None;
        }
        let more = more.to_owned();
        self.told.push_str(&more);
        Some(more)
    }
}

/// Where the last whole sentence or line ends, found without reading anything twice. Nothing from the first fence on
/// counts: what stands there is no part of the answer.
#[derive(Default)]
struct Reading {
    read: usize,
    end: usize,
    before: Option<char>,
    backticks: usize,
    is_fenced: bool,
}

impl Reading {
    fn end_of_sentences(&mut self, text: &str) -> usize {
        for (at, letter) in text[self.read..].char_indices() {
            self.backticks = if letter == '`' { self.backticks + 1 } else { 0 };
            self.is_fenced |= self.backticks == 3;
            // The space after a full stop shows that it was one, and that no citation follows at once.
            let ends = letter == '\n'
                || (letter.is_whitespace() && matches!(self.before, Some('.' | '!' | '?' | ']')));
            if ends && !self.is_fenced {
                self.end = self.read + at;
            }
            self.before = Some(letter);
        }
        self.read = text.len();
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end() {
        for (text, told) in [
            ("", ""),
            ("The river", ""),
            ("The river rises.", ""),
            ("The river rises. ", "The river rises."),
            ("It rises [1]. It fal", "It rises [1]."),
            ("It rises. [1] It", "It rises. [1]"),
            ("3.5 metres", ""),
            ("- one\n- two", "- one"),
            ("It rises. ```\nWhy? When? ", "It rises."),
        ] {
            assert_eq!(&text[..Reading::default().end_of_sentences(text)], told, "{text}");
            // Letter by letter it ends at the same place.
            let mut reading = Reading::default();
            let ends = text.char_indices().map(|(at, letter)| at + letter.len_utf8());
            let last = ends.fold(0, |_, end| reading.end_of_sentences(&text[..end]));
            assert_eq!(&text[..last], told, "{text}");
        }
    }

    #[test]
    fn tiny_sentences_and_endless_texts_cost_little() {
        let mut telling = Telling::default();
        let tiny = "I. ".repeat(TOLD_BYTES_MAX);
        let mut count = 0;
        for end in (3..tiny.len()).step_by(3) {
            count += usize::from(telling.more(&tiny[..end], &[]).is_some());
        }
        assert!(count > 100 && count <= TOLD_BYTES_MAX / STEP_BYTES_MIN, "{count}");
        assert!(telling.checked <= TOLD_BYTES_MAX && telling.checked > TOLD_BYTES_MAX - 100);
    }

    #[test]
    fn what_was_told_is_not_taken_back() {
        let mut telling = Telling::default();
        assert_eq!(telling.tell("It rises."), Some("It rises.".to_owned()));
        assert_eq!(telling.tell("It rises. It falls."), Some(" It falls.".to_owned()));
        assert_eq!(telling.tell("It rises. It falls."), None);
        assert_eq!(telling.tell("Another text altogether."), None);
        assert_eq!(telling.rest("It rises. It falls. End"), Some(" End".to_owned()));
    }
}
