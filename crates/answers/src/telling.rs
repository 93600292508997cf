//! What of a text may be told while it is still written: whole sentences, checked like the whole answer, so that no
//! foreign link or image and no citation of nothing reaches a reader.

use crate::check::shown;
use crate::prompt::PromptSource;

/// Follows a growing text.
#[derive(Default)]
pub(crate) struct Telling {
    /// How much of the written text was looked at, in bytes.
    looked_at: usize,
    /// What the reader has.
    told: String,
}

impl Telling {
    /// What can be told now, if there is anything. `written` is the text so far.
    pub fn more(&mut self, written: &str, sources: &[PromptSource]) -> Option<String> {
        let end = end_of_sentences(written);
        if end <= self.looked_at {
            return None;
        }
        self.looked_at = end;
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

/// Where the last whole sentence or line ends. Nothing in a fence counts: what stands there is no part of the answer.
fn end_of_sentences(text: &str) -> usize {
    let text = match text.find("```") {
        Some(fence) => &text[..fence],
        None => text,
    };
    let mut end = 0;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        // The space after a full stop shows that it was one, and that no citation follows at once.
        if letter == '\n' || (letter.is_whitespace() && matches!(before, '.' | '!' | '?' | ']')) {
            end = at;
        }
        before = letter;
    }
    end
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
            assert_eq!(&text[..end_of_sentences(text)], told, "{text}");
        }
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
