//! Tokenizer: the words of a text with their positions, in one pass without copies.

use crate::ascii_words::run_length;
use std::borrow::Cow;
use syntax::highlights::{CLOSE, OPEN};
use unicode_normalization::UnicodeNormalization;
use unicode_properties::emoji::{is_regional_indicator, is_tag_character, is_zwj};
use unicode_properties::{GeneralCategoryGroup, UnicodeEmoji, UnicodeGeneralCategory};

/// Longest markup tag that is skipped in texts of sources, in bytes; a longer one is read as text.
pub const MARKUP_BYTES_MAX: usize = 512;

/// One word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The word as written.
    pub text: &'a str,
    /// Where it begins, in bytes.
    pub start: usize,
}

impl Token<'_> {
    /// Where it ends, in bytes.
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The words of `text`: runs of alphanumeric characters with their accents. An apostrophe inside a word belongs to it;
/// a Chinese or Japanese character and an emoji are words of their own. Highlights are skipped, and so are the entities
/// of readable texts. Other tags are text: `Vec<String>` has two words.
pub fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0, has_markup: false }
}

/// The words of a text as its source wrote it, perhaps with markup. Whatever looks like a tag is skipped.
pub fn tokens_of_source(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0, has_markup: true }
}

/// The normal form for comparison: lower case, with composed accents.
pub fn lower(word: &str) -> Cow<'_, str> {
    if !word.is_ascii() {
        return Cow::Owned(word.to_lowercase().nfc().map(|c| if c == '’' { '\'' } else { c }).collect());
    }
    if word.bytes().any(|byte| byte.is_ascii_uppercase()) {
        Cow::Owned(word.to_ascii_lowercase())
    } else {
        Cow::Borrowed(word)
    }
}

#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    text: &'a str,
    at: usize,
    has_markup: bool,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.advance()
    }
}

impl<'a> Tokens<'a> {
    /// Like [`Iterator::next`], inlined into the loops that read every text of a search.
    #[inline(always)]
    pub(crate) fn advance(&mut self) -> Option<Token<'a>> {
        let bytes = self.text.as_bytes();
        loop {
            // Fast path: most separators and most words are plain ASCII.
            let mut start = self.at;
            while bytes.get(start).is_some_and(|byte| IS_SEPARATOR[usize::from(*byte)]) {
                start += 1;
            }
            self.at = start;
            let length = run_length(bytes.get(start..).filter(|rest| !rest.is_empty())?);
            let end = start + length;
            let ends = bytes.get(end).is_none_or(|next| next.is_ascii() && *next != b'\'');
            if length > 0 && ends {
                self.at = end;
                return Some(Token { text: self.text.get(start..end)?, start });
            }
            if let Some(token) = self.take_open() {
                return Some(token);
            }
        }
    }

    /// Takes a word that is not plain; `None` if something else was skipped.
    #[inline(never)]
    fn take_open(&mut self) -> Option<Token<'a>> {
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        if let Some(length) = word_length(rest, first) {
            let start = self.at;
            self.at += length;
            return Some(Token { text: &rest[..length], start });
        }
        self.at += match first {
            '<' if self.has_markup => tag_length(rest).unwrap_or(1),
            '<' => [OPEN, CLOSE].iter().find(|mark| rest.starts_with(**mark)).map_or(1, |mark| mark.len()),
            '&' => ENTITIES.iter().find(|entity| rest.starts_with(**entity)).map_or(1, |entity| entity.len()),
            other => other.len_utf8(),
        };
        None
    }
}

/// The bytes that separate words, whatever stands around them.
const IS_SEPARATOR: [bool; 256] = separators();

const fn separators() -> [bool; 256] {
    let mut separators = [false; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        separators[byte as usize] = !byte.is_ascii_alphanumeric() && !matches!(byte, b'<' | b'&' | b'\'');
        byte += 1;
    }
    separators
}

/// Entities that a readable text still contains.
const ENTITIES: [&str; 2] = ["&lt;", "&amp;"];

/// Bytes of the word that `rest` begins with.
fn word_length(rest: &str, first: char) -> Option<usize> {
    if first.is_ascii() && !first.is_ascii_alphanumeric() {
        return None;
    }
    if !first.is_ascii() && is_emoji(first) {
        return Some(emoji_length(rest, first));
    }
    if !first.is_alphanumeric() {
        return None;
    }
    if stands_alone(first) {
        let after = &rest[first.len_utf8()..];
        return Some(rest.len() - after.trim_start_matches(is_accent).len());
    }
    for (at, c) in rest.char_indices() {
        let alphabetic_follows = || {
            let next = rest[at + c.len_utf8()..].chars().next();
            next.is_some_and(|next| next.is_alphabetic() && !stands_alone(next))
        };
        let continues = match c {
            '\'' | '’' | JOINER | NON_JOINER => alphabetic_follows(),
            _ => (c.is_alphanumeric() && !stands_alone(c)) || is_accent(c),
        };
        if !continues {
            return Some(at);
        }
    }
    Some(rest.len())
}

/// Zero-width characters inside words of Persian and Indian scripts.
const JOINER: char = '\u{200d}';
const NON_JOINER: char = '\u{200c}';

/// Scripts without spaces between words.
fn stands_alone(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Combining characters, which belong to the previous one. Variation selectors are not included.
fn is_accent(c: char) -> bool {
    !c.is_ascii()
        && !matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
        && c.general_category_group() == GeneralCategoryGroup::Mark
}

/// Characters below these are arrows, trade marks and similar.
const EMOJI_FIRST: char = '\u{2600}';

fn is_emoji(c: char) -> bool {
    c >= EMOJI_FIRST && !c.is_alphanumeric() && (c.is_emoji_char() || is_regional_indicator(c))
}

/// Bytes of the emoji that `rest` begins with: the two halves of a flag, or a pictograph with its skin tone and
/// everything joined to it.
fn emoji_length(rest: &str, first: char) -> usize {
    let mut end = first.len_utf8();
    let mut chars = rest[end..].chars().peekable();
    if is_regional_indicator(first) {
        return end + chars.next().filter(|next| is_regional_indicator(*next)).map_or(0, char::len_utf8);
    }
    while let Some(c) = chars.next() {
        let belongs = match c {
            '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' => true,
            _ if is_zwj(c) => chars.peek().is_some_and(|next| is_emoji(*next)),
            _ => is_tag_character(c),
        };
        if !belongs {
            break;
        }
        end += c.len_utf8();
        if is_zwj(c) {
            end += chars.next().map_or(0, char::len_utf8);
        }
    }
    end
}

/// Bytes of the markup tag that `rest` begins with. A `<` ends the lookahead, so a text full of them is still read
/// once.
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
            ("the <em>Matched</em> word<em", &["the", "Matched", "word", "em"]),
            ("a < b and c > d", &["a", "b", "and", "c", "d"]),
            ("x <y", &["x", "y"]),
            ("<a<b>c", &["a", "b", "c"]),
            ("Vec<String>, x<y and z>w", &["Vec", "String", "x", "y", "and", "z", "w"]),
            ("npm run <script> by <ann@a.example>", &["npm", "run", "script", "by", "ann", "a", "example"]),
            ("Vec<<em>String</em>>", &["Vec", "String"]),
            ("naïve cafe\u{301} ÜBER", &["naïve", "cafe\u{301}", "ÜBER"]),
            ("東京 tower", &["東", "京", "tower"]),
            ("Привет, мир", &["Привет", "мир"]),
            ("Übergrößenträger, l’été", &["Übergrößenträger", "l’été"]),
            ("か\u{3099}く 東a", &["か\u{3099}", "く", "東", "a"]),
            ("abc東", &["abc", "東"]),
            ("كِتَاب جديد؟", &["كِتَاب", "جديد"]),
            ("می\u{200c}خواهم", &["می\u{200c}خواهم"]),
            ("हिन्दी भाषा", &["हिन्दी", "भाषा"]),
            ("a🚀b 👩🏽\u{200d}🚀! 🇩🇪🇫🇷 ❤\u{fe0f}", &["a", "🚀", "b", "👩🏽\u{200d}🚀", "🇩🇪", "🇫🇷", "❤\u{fe0f}"]),
            ("Acme® x\u{200d} 1\u{fe0f}\u{20e3}", &["Acme", "x", "1"]),
            ("a &lt;b &amp;amp; c & lt", &["a", "b", "amp", "c", "lt"]),
        ];
        for (text, expected) in table {
            assert_eq!(words(text), *expected, "{text}");
        }
    }

    #[test]
    fn texts_of_sources_may_have_markup() {
        fn words(text: &str) -> Vec<&str> {
            tokens_of_source(text).map(|token| token.text).collect()
        }
        let table: &[(&str, &[&str])] = &[
            ("the <em>Matched</em> word<br/>next", &["the", "Matched", "word", "next"]),
            ("<a href=\"x\">river</a> <!-- b -->", &["river"]),
            ("a < b and c > d", &["a", "b", "and", "c", "d"]),
            ("<a<b>c", &["a", "c"]),
        ];
        for (text, expected) in table {
            assert_eq!(words(text), *expected, "{text}");
        }
        let tag = |bytes: usize| format!("<a {}>end", "x".repeat(bytes - 4));
        assert_eq!(words(&tag(MARKUP_BYTES_MAX)), ["end"]);
        assert_eq!(words(&tag(MARKUP_BYTES_MAX + 1)).len(), 3);
    }

    #[test]
    fn lower_case_compares() {
        for (word, expected) in [
            ("Cars", "cars"),
            ("cars", "cars"),
            ("ÜBER", "über"),
            ("Owner’s", "owner's"),
            ("E\u{301}te\u{301}", "été"),
        ] {
            assert_eq!(lower(word), expected);
        }
    }

    proptest! {
        #[test]
        fn tokens_stand_where_they_say(
            text in "\\PC{0,80}|([a-cß東か\u{3099}\u{301}\u{200c}\u{200d}\u{fe0f}🚀👩🏽🇩🇪'’&<> ]|&lt;|<em>|[ء-ي]){0,40}",
        ) {
            let mut end = 0;
            for token in tokens(&text) {
                prop_assert!(token.start >= end && !token.text.is_empty());
                end = token.end();
                prop_assert_eq!(&text[token.start..end], token.text);
                let alone: Vec<&str> = tokens(token.text).map(|token| token.text).collect();
                prop_assert_eq!(alone, [token.text], "a word read by itself is the same word");
            }
        }
    }
}
