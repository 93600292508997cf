//! The words before a position, which resolve ambiguous numbers.

/// How far back words are searched.
const BACK_BYTES_MAX: usize = 32;
/// How many of them count.
const WORDS_MAX: usize = 3;

/// Whether one of `words` (in lower case) is among the last words before a position.
pub fn is_after(text: &str, at: usize, words: &[&str]) -> bool {
    last_words(text, at).any(|word| words.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// The last words before a position, nearest first, without punctuation.
pub fn last_words(text: &str, at: usize) -> impl Iterator<Item = &str> {
    let mut from = at.saturating_sub(BACK_BYTES_MAX);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let before = text.get(from..at).unwrap_or_default();
    let parts =
        before.rsplit(|c: char| c.is_whitespace() || matches!(c, ':' | '=' | '(' | ')' | ',' | ';' | '#'));
    let words = parts.map(|part| part.trim_matches(|c: char| !c.is_alphanumeric() && c != '§'));
    words.filter(|word| !word.is_empty()).take(WORDS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_words_before() {
        let table = [
            ("phone: |", true),
            ("Phone number is |", true),
            ("phone and its number |", false),
            ("phone|", true),
            ("phoned |", false),
            ("(tel.) |", true),
            ("é|", false),
            ("|", false),
            ("phone éééééééééééééééééé |", false),
        ];
        for (text, want) in table {
            let at = text.find('|').expect("a place");
            assert_eq!(is_after(text, at, &["phone", "tel"]), want, "{text}");
        }
    }
}
