//! Splits a text of any length into sentences.

use crate::facts::months;
use relevancy::passages::ELLIPSIS;
use relevancy::sentences::{SENTENCES_MAX, sentences as first_sentences};
use relevancy::tokens::lower;

/// A sentence and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sentence<'a> {
    pub text: &'a str,
    /// Byte offset in the text.
    pub start: usize,
    /// Sentences of one run are adjacent.
    pub run: usize,
}

/// The first `max` sentences of a text, trimmed. No sentence crosses a line break or the ellipsis between two
/// passages.
pub(crate) fn sentences(text: &str, max: usize) -> Vec<Sentence<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    for (run, part) in text.split_inclusive(['\n', '…']).enumerate() {
        let mut at = 0;
        while at < part.len() && found.len() < max {
            let places: Vec<_> = first_sentences(&part[at..]).collect();
            let is_full = places.len() == SENTENCES_MAX;
            // The last one contains the rest of the text, which is split again.
            let whole = if is_full { &places[..SENTENCES_MAX - 1] } else { places.as_slice() };
            for place in whole {
                let sentence = &part[at + place.start..at + place.end];
                let trimmed = sentence.trim().trim_end_matches(ELLIPSIS.trim()).trim_end();
                let before = sentence.len() - sentence.trim_start().len();
                let begin = start + at + place.start + before;
                if let Some(last) = found.last_mut().filter(|last: &&mut Sentence<'_>| last.run == run)
                    && ends_with_ordinal(last.text)
                    && continues(trimmed)
                {
                    // "Am 3. August" is one sentence.
                    last.text = &text[last.start..begin + trimmed.len()];
                } else if !trimmed.is_empty() && found.len() < max {
                    found.push(Sentence { text: trimmed, start: begin, run });
                }
            }
            match whole.last() {
                Some(last) if is_full => at += last.end,
                _ => break,
            }
        }
        start += part.len();
    }
    found
}

/// Whether a text ends with a number such as "3.", which ends no sentence if a month or a word in lower case follows.
fn ends_with_ordinal(text: &str) -> bool {
    let before = text.strip_suffix('.').unwrap_or_default();
    let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    (1..=2).contains(&digits) && before[..before.len() - digits].ends_with(' ')
}

fn continues(text: &str) -> bool {
    let word: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
    text.starts_with(char::is_lowercase) || months(&lower(&word)).is_some() || word == "Jahrhundert"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_of_long_texts() {
        let text = " It rose. It fell.\n\nThen … nothing more. The end ";
        let found = sentences(text, 10);
        let texts: Vec<(&str, usize)> = found.iter().map(|one| (one.text, one.run)).collect();
        assert_eq!(
            texts,
            [("It rose.", 0), ("It fell.", 0), ("Then", 2), ("nothing more.", 3), ("The end", 3)]
        );
        for one in &found {
            assert_eq!(&text[one.start..one.start + one.text.len()], one.text);
        }
        let dated = sentences(
            "Er kam am 3. August 2023 an. Im 13. Jahrhundert war es so. Es waren 12. Dann kam er.",
            9,
        );
        let texts: Vec<&str> = dated.iter().map(|one| one.text).collect();
        assert_eq!(
            texts,
            ["Er kam am 3. August 2023 an.", "Im 13. Jahrhundert war es so.", "Es waren 12.", "Dann kam er."]
        );
        let long = "It rose. ".repeat(500);
        assert_eq!(sentences(&long, 1000).len(), 500);
        assert_eq!(sentences(&long, 70).len(), 70);
        assert!(sentences("", 9).is_empty() && sentences("...", 9).is_empty());
    }
}
