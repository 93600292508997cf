//! The search string of `$text`: each word in double quotes, so that none is an operator; unwanted words get a hyphen.

/// The search string of a query; `None` if no word of it can be searched for. With `is_any`, words are not quoted and
/// any of them may match.
pub fn expression(query: &str, is_any: bool) -> Option<String> {
    let mut terms = Vec::new();
    let mut is_wanted = false;
    for word in query.split(|c: char| c.is_whitespace() || c == '"') {
        let (hyphen, word) = match word.strip_prefix('-') {
            Some(rest) => ("-", rest.trim_start_matches('-')),
            None => ("", word),
        };
        // A word without alphanumeric characters is in no index.
        if !word.chars().any(char::is_alphanumeric) {
            continue;
        }
        is_wanted |= hyphen.is_empty();
        let is_plain = word.chars().all(char::is_alphanumeric);
        let is_bare = if hyphen.is_empty() { is_any } else { is_plain };
        terms.push(if is_bare { format!("{hyphen}{word}") } else { format!("{hyphen}\"{word}\"") });
    }
    is_wanted.then(|| terms.join(" "))
}

/// The search string for a query as one phrase.
pub fn phrase(query: &str) -> Option<String> {
    query.chars().any(char::is_alphanumeric).then(|| format!("\"{}\"", query.replace('"', " ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        let table = [
            ("flood warning", false, Some(r#""flood" "warning""#)),
            ("flood warning", true, Some("flood warning")),
            ("flood -dam -low-land", false, Some(r#""flood" -dam -"low-land""#)),
            ("flood -dam", true, Some("flood -dam")),
            (r#"say "hi there" now"#, false, Some(r#""say" "hi" "there" "now""#)),
            (r#"x" -"y"#, false, Some(r#""x" "y""#)),
            ("it's; -- #", false, Some(r#""it's;""#)),
            ("--dam flood", false, Some(r#"-dam "flood""#)),
            ("-dam", false, None),
            ("- * \"", false, None),
            ("", true, None),
        ];
        for (query, is_any, want) in table {
            assert_eq!(expression(query, is_any).as_deref(), want, "{query} {is_any}");
        }
        assert_eq!(phrase(r#"say "hi" -x"#).as_deref(), Some(r#""say  hi  -x""#));
        assert_eq!(phrase("- \""), None);
    }
}
