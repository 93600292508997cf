//! Words of a text, with their places. One pass over the text, nothing is copied.

use std::borrow::Cow;

/// Longest markup tag that is skipped, in bytes; a longer one is read as text.
pub const MARKUP_BYTES_MAX: usize = 512;

/// One word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The word as it is written.
    pub text: &'a str,
    /// Where it begins, in bytes.
    pub start: usize,
}

/// The words of `text`: runs of letters and digits. An apostrophe between letters belongs to its word, a
/// character of Chinese or Japanese is a word of its own, and markup tags are skipped.
pub fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0 }
}

/// The lower-case form in which words are compared.
pub fn lower(word: &str) -> Cow<'_, str> {
    if !word.is_ascii() {
        return Cow::Owned(word.to_lowercase().replace('’', "'"));
    }
    match word.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(word.to_ascii_lowercase()),
        false => Cow::Borrowed(word),
    }
}

/// The first two characters of a word.
pub type Beginning = (Option<char>, Option<char>);

/// The first two characters of the lower-case form.
pub fn beginning(word: &str) -> Beginning {
    let mut chars = word.chars().flat_map(char::to_lowercase).map(|c| if c == '’' { '\'' } else { c });
    (chars.next(), chars.next())
}

#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = &self.text[self.at..];
            let first = rest.chars().next()?;
            if is_word(first) {
                let text = &rest[..word_length(rest, first)];
                let start = self.at;
                self.at += text.len();
                return Some(Token { text, start });
            }
            self.at += match first {
                '<' => tag_length(rest).unwrap_or(1),
                other => other.len_utf8(),
            };
        }
    }
}

fn is_word(c: char) -> bool {
    // Combining accents follow their letter and belong to its word.
    c.is_alphanumeric() || matches!(c, '\u{300}'..='\u{36f}')
}

/// Scripts that put no space between words.
fn stands_alone(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Bytes of the word that `rest` begins with.
fn word_length(rest: &str, first: char) -> usize {
    if stands_alone(first) {
        return first.len_utf8();
    }
    // Most words are plain letters and end at a plain character; the others take the long way.
    let plain = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
    match rest.as_bytes().get(plain) {
        Some(byte) if !byte.is_ascii() || *byte == b'\'' => {}
        _ => return plain,
    }
    let mut chars = rest.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let continues = match c {
            '\'' | '’' => {
                chars.peek().is_some_and(|(_, next)| next.is_alphabetic() && !stands_alone(*next))
            }
            _ => is_word(c) && !stands_alone(c),
        };
        if !continues {
            return at;
        }
    }
    rest.len()
}

/// Bytes of the markup tag that `rest` begins with. A `<` ends the look ahead, so a text full of them is
/// still read once.
fn tag_length(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let opens = bytes.get(1).is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'/' | b'!'));
    if !opens {
        return None;
    }
    let inside = bytes.iter().skip(1).take(MARKUP_BYTES_MAX - 1);
    let end = inside.clone().position(|byte| matches!(byte, b'>' | b'<'))? + 1;
    (bytes[end] == b'>').then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &str) -> Vec<&str> {
        tokens(text).map(|token| token.text).collect()
    }

    #[test]
    fn words_of_texts() {
        let table: &[(&str, &[&str])] = &[
            ("", &[]),
            ("  -- !", &[]),
            ("Solid-State drives, 2nd edition", &["Solid", "State", "drives", "2nd", "edition"]),
            ("snake_case a/b", &["snake", "case", "a", "b"]),
            ("the car's owner’s 'quoted' rock 'n'", &["the", "car's", "owner’s", "quoted", "rock", "n"]),
            ("the <em>Matched</em> word<br/>next", &["the", "Matched", "word", "next"]),
            ("a < b and c > d", &["a", "b", "and", "c", "d"]),
            ("x <y", &["x", "y"]),
            ("<a<b>c", &["a", "c"]),
            ("naïve cafe\u{301} ÜBER", &["naïve", "cafe\u{301}", "ÜBER"]),
            ("東京 tower", &["東", "京", "tower"]),
            ("Привет, мир", &["Привет", "мир"]),
        ];
        for (text, expected) in table {
            assert_eq!(words(text), *expected, "{text}");
        }
    }

    #[test]
    fn a_tag_may_be_so_long_and_no_longer() {
        let tag = |bytes: usize| format!("<a {}>end", "x".repeat(bytes - 4));
        assert_eq!(words(&tag(MARKUP_BYTES_MAX)), ["end"]);
        assert_eq!(words(&tag(MARKUP_BYTES_MAX + 1)).len(), 3);
    }

    #[test]
    fn lower_case_compares() {
        for (word, expected) in [("Cars", "cars"), ("cars", "cars"), ("ÜBER", "über"), ("Owner’s", "owner's")]
        {
            assert_eq!(lower(word), expected);
            assert_eq!(beginning(word), beginning(expected));
        }
    }

    proptest! {
        #[test]
        fn tokens_stand_where_they_say(text in "\\PC{0,80}") {
            let mut end = 0;
            for token in tokens(&text) {
                prop_assert!(token.start >= end && !token.text.is_empty());
                end = token.start + token.text.len();
                prop_assert_eq!(&text[token.start..end], token.text);
            }
        }
    }
}
