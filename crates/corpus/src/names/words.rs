//! Words of a name or of the beginning of a text, with what stands before each: version marks and dates depend on it.

use relevancy::tokens::{lower, tokens};

/// At least so many characters after a digit are a word of their own: `v2final`, but `12th`.
const CHARACTERS_MIN: usize = 3;
/// Words that are abbreviated with a period inside a sentence.
const ABBREVIATED: [&str; 11] = ["dr", "mr", "mrs", "ms", "prof", "st", "no", "nr", "rev", "ed", "hr"];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// In lower case, without `'s`.
    pub text: String,
    /// The separator before it, if it is a single character.
    pub before: Option<char>,
    pub is_first_of_sentence: bool,
    pub is_capitalized: bool,
    /// In capital characters only.
    pub is_shouted: bool,
    /// Stands alone in parentheses.
    pub is_parenthesized: bool,
}

impl Word {
    pub fn number(&self) -> Option<u32> {
        let is_number = self.text.len() <= 8 && self.text.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| self.text.parse().ok()).flatten()
    }

    pub fn has_digit(&self) -> bool {
        self.text.bytes().any(|byte| byte.is_ascii_digit())
    }
}

/// The first words, at most `most`.
pub fn words(text: &str, most: usize) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut end = 0;
    for token in tokens(text) {
        for piece in pieces(token.text) {
            if words.len() == most {
                return words;
            }
            let start = token.start + piece.start;
            let gap = &text[end..start];
            end = token.start + piece.end;
            let raw = &token.text[piece];
            words.push(word(raw, gap, text[end..].starts_with(')'), words.last()));
        }
    }
    words
}

fn word(raw: &str, gap: &str, is_closed: bool, last: Option<&Word>) -> Word {
    let mut separators = gap.chars();
    let before = separators.next().filter(|_| separators.next().is_none());
    let is_abbreviated = last.is_none_or(|last| {
        let is_initial = last.text.chars().count() == 1 && !last.has_digit();
        is_initial || ABBREVIATED.contains(&last.text.as_str())
    });
    let ends = |c: char| matches!(c, '!' | '?' | '\n' | ':' | ';' | '•') || (c == '.' && !is_abbreviated);
    let is_capitalized = raw.starts_with(char::is_uppercase);
    let lowered = lower(raw);
    let text = lowered.strip_suffix("'s").unwrap_or(&lowered).to_owned();
    Word {
        text,
        before,
        is_first_of_sentence: last.is_none() || gap.chars().any(ends),
        is_capitalized,
        is_shouted: is_capitalized && raw.chars().count() > 1 && !raw.contains(char::is_lowercase),
        is_parenthesized: is_closed && gap.ends_with('('),
    }
}

/// Splits `revB` and `v2final`.
fn pieces(token: &str) -> Vec<std::ops::Range<usize>> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut last: Option<char> = None;
    for (place, c) in token.char_indices() {
        let is_hump = last.is_some_and(char::is_lowercase) && c.is_uppercase();
        let characters = || token[place..].chars().take(CHARACTERS_MIN).filter(|c| c.is_alphabetic()).count();
        let follows_number = last.is_some_and(|last| last.is_ascii_digit()) && c.is_alphabetic();
        if is_hump || (follows_number && characters() == CHARACTERS_MIN) {
            pieces.push(start..place);
            start = place;
        }
        last = Some(c);
    }
    pieces.push(start..token.len());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_names() {
        let told =
            |text: &str| words(text, 20).into_iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
        let table = [
            ("Lumenfold_Deck_V4_FINAL.pptx", "lumenfold deck v4 final pptx"),
            ("pump-controller-req_revC", "pump controller req rev c"),
            ("contract-v2final 12th", "contract v2 final 12th"),
            ("The manager's office (2)", "the manager office 2"),
            ("HX-200 b12", "hx 200 b12"),
            ("", ""),
        ];
        for (name, expected) in table {
            assert_eq!(told(name), expected, "{name}");
        }
        assert_eq!(words("one two three", 2).len(), 2);
    }

    #[test]
    fn what_stands_around_a_word() {
        let found = words("Dear Dr. Abara (2). The END", 9);
        let names: Vec<_> = found.iter().filter(|word| word.is_capitalized).map(|word| &word.text).collect();
        assert_eq!(names, ["dear", "dr", "abara", "the", "end"]);
        let first: Vec<_> =
            found.iter().filter(|word| word.is_first_of_sentence).map(|word| &word.text).collect();
        assert_eq!(first, ["dear", "the"]);
        assert!(found[3].is_parenthesized && found[5].is_shouted && !found[2].is_parenthesized);
        assert_eq!((found[1].before, found[2].before), (Some(' '), None));
    }
}
