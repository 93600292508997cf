//! Streams a growing text in whole sentences that are sanitized like the final text, so that no foreign link, image or
//! fabricated citation reaches a reader.

use crate::check::sanitized_text;
use crate::prompt::PromptSource;

/// Minimum number of new bytes per check, so that texts of tiny sentences are not checked over and over.
const STEP_BYTES_MIN: usize = 24;
/// Maximum number of bytes that are streamed; the rest is emitted at the end.
const EMITTED_BYTES_MAX: usize = 16 * 1024;

/// Sanitizer of a growing text.
#[derive(Default)]
pub(crate) struct SafeStream {
    scanner: SentenceScanner,
    /// Number of bytes checked so far.
    checked: usize,
    /// The text emitted so far.
    emitted: String,
}

impl SafeStream {
    /// The text that can be emitted now, if any. `written` is the text so far.
    pub fn more(&mut self, written: &str, sources: &[PromptSource]) -> Option<String> {
        let end = self.scanner.end_of_sentences(written);
        if end < self.checked + STEP_BYTES_MIN || end > EMITTED_BYTES_MAX {
            return None;
        }
        self.checked = end;
        self.emit(&sanitized_text(&written[..end], sources))
    }

    /// The rest, after the whole text was checked.
    pub fn rest(&mut self, body: &str) -> Option<String> {
        self.emit(body)
    }

    /// Emitted text is never revoked: if the checked text starts differently, only the last event contains it.
    fn emit(&mut self, body: &str) -> Option<String> {
        let more = body.strip_prefix(self.emitted.as_str())?;
        if more.is_empty() {
            return None;
        }
        let more = more.to_owned();
        self.emitted.push_str(&more);
        Some(more)
    }
}

/// Finds the end of the last complete sentence or line in a single pass. Text from the first code fence on is not part
/// of the answer.
#[derive(Default)]
struct SentenceScanner {
    read: usize,
    end: usize,
    before: Option<char>,
    backticks: usize,
    is_fenced: bool,
}

impl SentenceScanner {
    fn end_of_sentences(&mut self, text: &str) -> usize {
        for (at, c) in text[self.read..].char_indices() {
            self.backticks = if c == '`' { self.backticks + 1 } else { 0 };
            self.is_fenced |= self.backticks == 3;
            // The space confirms the end of the sentence, and that no citation follows directly.
            let ends = c == '\n' || (c.is_whitespace() && matches!(self.before, Some('.' | '!' | '?' | ']')));
            if ends && !self.is_fenced {
                self.end = self.read + at;
            }
            self.before = Some(c);
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
        for (text, emitted) in [
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
            assert_eq!(&text[..SentenceScanner::default().end_of_sentences(text)], emitted, "{text}");
            // Character by character it ends at the same position.
            let mut scanner = SentenceScanner::default();
            let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
            let last = ends.fold(0, |_, end| scanner.end_of_sentences(&text[..end]));
            assert_eq!(&text[..last], emitted, "{text}");
        }
    }

    #[test]
    fn tiny_sentences_and_endless_texts_cost_little() {
        let mut safe_stream = SafeStream::default();
        let tiny = "I. ".repeat(EMITTED_BYTES_MAX);
        let mut count = 0;
        for end in (3..tiny.len()).step_by(3) {
            count += usize::from(safe_stream.more(&tiny[..end], &[]).is_some());
        }
        assert!(count > 100 && count <= EMITTED_BYTES_MAX / STEP_BYTES_MIN, "{count}");
        assert!(safe_stream.checked <= EMITTED_BYTES_MAX && safe_stream.checked > EMITTED_BYTES_MAX - 100);
    }

    #[test]
    fn what_was_told_is_not_taken_back() {
        let mut safe_stream = SafeStream::default();
        assert_eq!(safe_stream.emit("It rises."), Some("It rises.".to_owned()));
        assert_eq!(safe_stream.emit("It rises. It falls."), Some(" It falls.".to_owned()));
        assert_eq!(safe_stream.emit("It rises. It falls."), None);
        assert_eq!(safe_stream.emit("Another text altogether."), None);
        assert_eq!(safe_stream.rest("It rises. It falls. End"), Some(" End".to_owned()));
    }
}
