//! Removes the words of a query from log lines.

/// Shorter words reveal nothing about a query.
const WORD_CHARS_MIN: usize = 3;
const HIDDEN: &str = "…";

/// The text without the words of the query, which some providers quote in their errors.
pub fn without_query(text: &str, query: &str) -> String {
    let is_word = |word: &&str| word.chars().count() >= WORD_CHARS_MIN;
    let words: Vec<String> =
        query.split(|c: char| !c.is_alphanumeric()).filter(is_word).map(str::to_lowercase).collect();
    let mut out = String::with_capacity(text.len());
    for piece in text.split_inclusive(|c: char| !c.is_alphanumeric()) {
        let word = piece.trim_end_matches(|c: char| !c.is_alphanumeric());
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
        ] {
            assert_eq!(without_query(text, query), expected);
        }
    }
}
