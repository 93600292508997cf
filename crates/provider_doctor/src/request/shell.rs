//! Splits a command line into words like a shell. Nothing is expanded or executed.

use syntax::error::SyntaxError;

/// Splits a command at spaces; quotes, backslashes, `$'…'` and continued lines work as in a shell. Everything after a
/// pipe or a semicolon is ignored.
pub fn split_words(text: &str) -> Result<Vec<String>, SyntaxError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => take_until(&mut chars, '\'', word.get_or_insert_default())?,
            '"' => take_quoted(&mut chars, word.get_or_insert_default())?,
            '$' if chars.peek() == Some(&'\'') => {
                chars.next();
                take_escaped(&mut chars, word.get_or_insert_default())?;
            }
            // A caret at the end of a line continues it on Windows, as a backslash does elsewhere.
            '\\' | '^' if ends_line(&mut chars) => {}
            '\\' => word.get_or_insert_default().extend(chars.next()),
            '|' | ';' => break,
            // Inside a word it is part of an unquoted URL.
            '&' | '>' if word.is_none() => break,
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Ok(words)
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

/// Consumes the end of a line, if it comes next.
fn ends_line(chars: &mut Chars<'_>) -> bool {
    let mut ahead = chars.clone();
    let blank = std::iter::from_fn(|| ahead.next_if(|c| matches!(c, ' ' | '\t' | '\r'))).count();
    if ahead.peek() == Some(&'\n') {
        for _ in 0..=blank {
            chars.next();
        }
        return true;
    }
    false
}

fn take_until(chars: &mut Chars<'_>, end: char, word: &mut String) -> Result<(), SyntaxError> {
    for c in chars.by_ref() {
        if c == end {
            return Ok(());
        }
        word.push(c);
    }
    Err(not_closed(end).into())
}

/// Inside double quotes a backslash escapes `"`, `\`, `$` and a backtick, and joins lines.
fn take_quoted(chars: &mut Chars<'_>, word: &mut String) -> Result<(), SyntaxError> {
    while let Some(c) = chars.next() {
        match c {
            '"' => return Ok(()),
            '\\' => match chars.next() {
                Some(kept @ ('"' | '\\' | '$' | '`')) => word.push(kept),
                Some('\n') => {}
                Some(other) => word.extend(['\\', other]),
                None => break,
            },
            c => word.push(c),
        }
    }
    Err(not_closed('"').into())
}

/// Inside `$'…'` backslashes are escapes as in C.
fn take_escaped(chars: &mut Chars<'_>, word: &mut String) -> Result<(), SyntaxError> {
    while let Some(c) = chars.next() {
        match c {
            '\'' => return Ok(()),
            '\\' => match chars.next() {
                Some('n') => word.push('\n'),
                Some('t') => word.push('\t'),
                Some('r') => word.push('\r'),
                Some('u') => {
                    let digits: String =
                        std::iter::from_fn(|| chars.next_if(char::is_ascii_hexdigit)).take(4).collect();
                    word.extend(u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32));
                }
                Some(other) => word.push(other),
                None => break,
            },
            c => word.push(c),
        }
    }
    Err(not_closed('\'').into())
}

fn not_closed(quote: char) -> String {
    format!("The quote {quote} is not closed.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn splits_like_a_shell() {
        let table: [(&str, &[&str]); 12] = [
            ("curl  a\tb", &["curl", "a", "b"]),
            ("curl 'a b' \"c d\"e", &["curl", "a b", "c de"]),
            (r#"-H "A: \"b\" \n""#, &["-H", r#"A: "b" \n"#]),
            (r"$'it\'s\u0021\n'", &["it's!\n"]),
            ("curl \\\n  x \\\r\n  y", &["curl", "x", "y"]),
            ("curl ^\r\n  x", &["curl", "x"]),
            (r"a\ b \'c", &["a b", "'c"]),
            ("''", &[""]),
            ("curl x | jq .", &["curl", "x"]),
            ("curl x; rm -r /", &["curl", "x"]),
            ("curl https://h/?a=1&b=2 > file", &["curl", "https://h/?a=1&b=2"]),
            ("", &[]),
        ];
        for (text, want) in table {
            let want: Vec<String> = want.iter().map(|&word| word.to_owned()).collect();
            assert_eq!(split_words(text), Ok(want), "{text}");
        }
        for text in ["'a", "\"a", "$'a", "\"a\\"] {
            assert!(split_words(text).is_err(), "{text}");
        }
    }

    proptest! {
        #[test]
        fn never_panics(text in "[a '\"\\\\$^\n\r|;&>u0-9é]{0,60}|.{0,60}") {
            let _ = split_words(&text);
        }
    }
}
