//! Highlights of query words in titles and bodies: `<em>word</em>`. Everything else in a highlighted text is plain, so
//! highlights can be distinguished from the source's text.

use crate::strip_html::decode_entities;
use std::borrow::Cow;

pub const OPEN: &str = "<em>";
pub const CLOSE: &str = "</em>";

/// A part of a highlighted text for display.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub text: String,
    pub is_marked: bool,
}

/// The text without highlights.
pub fn unmarked(text: &str) -> Cow<'_, str> {
    // One byte is found faster than several.
    if text.contains('<') && (text.contains(OPEN) || text.contains(CLOSE)) {
        text.replace(OPEN, "").replace(CLOSE, "").into()
    } else {
        text.into()
    }
}

/// The text for display, without highlights.
pub fn plain(text: &str) -> String {
    decode_entities(&unmarked(text))
}

/// The text for display in parts, at most `chars_max` characters; a truncated text ends in `…`.
pub fn parts(text: &str, chars_max: usize) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut left = chars_max;
    let pieces = Between { rest: text, is_marked: false };
    for (between, is_marked) in pieces {
        let mut text = decode_entities(between);
        if let Some((end, _)) = text.char_indices().nth(left) {
            text.truncate(end);
            text.truncate(text.trim_end().len());
            text.push('…');
            parts.push(Part { text, is_marked });
            return parts;
        }
        left -= text.chars().count();
        match parts.last_mut() {
            Some(last) if last.is_marked == is_marked => last.text.push_str(&text),
            _ => parts.push(Part { text, is_marked }),
        }
    }
    parts
}

/// The texts between highlight tags, in order; empty ones are omitted.
struct Between<'a> {
    rest: &'a str,
    is_marked: bool,
}

impl<'a> Iterator for Between<'a> {
    type Item = (&'a str, bool);

    fn next(&mut self) -> Option<(&'a str, bool)> {
        while !self.rest.is_empty() {
            let is_marked = self.is_marked;
            let mark = if is_marked { CLOSE } else { OPEN };
            let (piece, rest) = self.rest.split_once(mark).unwrap_or((self.rest, ""));
            (self.rest, self.is_marked) = (rest, !is_marked);
            if !piece.is_empty() {
                return Some((piece, is_marked));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, chars_max: usize) -> String {
        let wrap = |part: Part| if part.is_marked { format!("[{}]", part.text) } else { part.text };
        parts(text, chars_max).into_iter().map(wrap).collect()
    }

    #[test]
    fn marks_are_told_from_text() {
        let cases = [
            ("", 9, ""),
            ("plain", 9, "plain"),
            ("a <em>solid</em> state", 20, "a [solid] state"),
            ("<em>solid</em> <em>state</em>", 20, "[solid] [state]"),
            ("<em>東</em><em>京</em>", 20, "[東京]"),
            ("a &lt;b &amp;amp; <em>c</em>", 20, "a <b &amp; [c]"),
            ("a <em>solid</em> state", 4, "a [so…]"),
            ("a <em>solid</em> state", 7, "a [solid]…"),
            ("äöü", 3, "äöü"),
            ("äöüß", 3, "äöü…"),
        ];
        for (text, chars_max, expected) in cases {
            assert_eq!(shown(text, chars_max), expected, "{text}");
        }
    }

    #[test]
    fn marks_go_without_a_trace() {
        assert_eq!(unmarked("a <em>solid</em>-state &lt;b"), "a solid-state &lt;b");
        assert_eq!(plain("a <em>solid</em>-state &lt;b"), "a solid-state <b");
        assert!(matches!(unmarked("plain"), Cow::Borrowed("plain")));
    }
}
