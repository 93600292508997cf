//! Removes the words of a query from log lines.

use syntax::query_string::is_word_char;

/// Shorter words in ASCII reveal nothing about a query. In other scripts, one or two characters may be a word.
const ASCII_WORD_CHARS_MIN: usize = 3;
const HIDDEN: &str = "…";

/// The text without the words of the query, which some providers quote in their errors.
pub fn without_query(text: &str, query: &str) -> String {
    let is_word = |word: &&str| word.len() >= ASCII_WORD_CHARS_MIN || !(word.is_empty() || word.is_ascii());
    let is_separator = |c: char| !is_word_char(c);
    let words: Vec<String> = query.split(is_separator).filter(is_word).map(str::to_lowercase).collect();
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(is_separator) {
        let word = piece.trim_end_matches(is_separator);
        if words.contains(&word.to_lowercase()) {
            out.push_str(HIDDEN);
            out.push_str(&piece[word.len()..]);
        } else {
            out.push_str(piece);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_that_a_source_quotes_is_hidden() {
        for (text, query, expected) in [
            (
                "syntax error near 'Medical' (HTTP 400)",
                "my medical question",
                "syntax error near '…' (HTTP 400)",
            ),
            ("cannot parse [my medical question]", "my medical question", "cannot parse [my … …]"),
            ("the host a.example cannot be found", "river level", "the host a.example cannot be found"),
            ("unknown: Überlauf", "überlauf", "unknown: …"),
            ("no such field", "", "no such field"),
            ("cannot parse '東京 हिन्दी' at 7", "東京 हिन्दी at", "cannot parse '… …' at 7"),
        ] {
            assert_eq!(without_query(text, query), expected);
        }
    }
}
