//! Strips HTML from text: tags, comments, scripts and styles are dropped, entities become characters. A small tolerant
//! scanner in linear time that never fails, whatever a source sends. What is no markup is text and stays.

use crate::html_tag_context::TagContext;
use crate::html_tags::begins_with;
use std::borrow::Cow;

/// Number of bytes after an `&` that decide whether an entity begins there: the longest name, and the byte after it.
const ENTITY_BYTES_MAX: usize = htmlize::ENTITY_MAX_LENGTH + 1;

/// Tags without attributes that [`readable`] removes without reading the text in full.
const HIGHLIGHTS: &[&str] = &["b", "c0", "em", "i", "mark", "span", "strong", "sub", "sup"];
/// How deep they may be nested for that.
const HIGHLIGHTS_DEPTH_MAX: usize = 8;

/// The text without its markup: text nodes trimmed and joined by single spaces.
pub fn strip_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut node = String::new();
    let mut scanner = Scanner::of(text);
    while let Some(piece) = scanner.next() {
        match piece {
            Piece::Text(run) => push_decoded(&mut node, run),
            Piece::Markup { .. } => flush(&mut out, &mut node),
        }
    }
    flush(&mut out, &mut node);
    out
}

/// The text for display, also in a page with highlight tags of our own.
///
/// Markup is removed, within a word without a space, and entities become characters. Two of them are kept where the
/// character would be misread: `&lt;` before an alphabetic character, `/`, `!` or `?`, which would open a tag, and
/// `&amp;` before what would then be an entity. Control characters are removed, white space is kept. The function is
/// idempotent.
pub fn readable(text: &str) -> Cow<'_, str> {
    if reads_as_it_is(text) {
        return text.trim().into();
    }
    without_inline_tags(text).unwrap_or_else(|| scanned(text)).into()
}

/// A text without markup, such as that of a file, as [`readable`] returns it: what looks like markup stays.
pub fn readable_plain(text: &str) -> Cow<'_, str> {
    if reads_as_it_is(text) {
        return text.trim().into();
    }
    let printable: String = text.chars().filter(|c| !is_unprintable(*c)).collect();
    escaped(printable.trim().to_owned()).into()
}

/// Whether a text has no sign of markup and no control characters.
fn reads_as_it_is(text: &str) -> bool {
    let is_plain = |byte: u8| is_printable_ascii(byte) && !matches!(byte, b'<' | b'&');
    let is_readable = |c: char| !matches!(c, '<' | '&') && !is_unprintable(c);
    // Without an early exit from the loop, sixteen bytes are examined at once.
    text.bytes().fold(true, |all, byte| all & is_plain(byte)) || text.chars().all(is_readable)
}

/// What is readable of a text with nothing but nested inline tags without attributes, as in the highlighted titles of
/// most results. None for any other text.
fn without_inline_tags(text: &str) -> Option<String> {
    let is_plain = |byte: u8| is_printable_ascii(byte) && byte != b'&';
    if !text.bytes().fold(true, |all, byte| all & is_plain(byte)) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let (mut open, mut depth) = ([0; HIGHLIGHTS_DEPTH_MAX], 0);
    while let Some((before, tag)) = rest.split_once('<') {
        out.push_str(before);
        let start = tag.strip_prefix('/');
        let (name, after) = start.unwrap_or(tag).split_once('>')?;
        let element = HIGHLIGHTS.iter().position(|known| *known == name)?;
        if start.is_none() {
            *open.get_mut(depth)? = element;
            depth += 1;
        } else {
            depth = depth.checked_sub(1).filter(|last| open[*last] == element)?;
        }
        rest = after;
    }
    if depth > 0 {
        return None;
    }
    out.push_str(rest);
    out.truncate(out.trim_end().len());
    let blank = out.len() - out.trim_start().len();
    out.drain(..blank);
    Some(out)
}

fn scanned(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut node = String::new();
    let mut scanner = Scanner::of(text);
    while let Some(piece) = scanner.next() {
        match piece {
            Piece::Text(run) => push_decoded(&mut node, run),
            Piece::Markup { is_inline: true } => {}
            Piece::Markup { is_inline: false } => flush_printable(&mut out, &mut node),
        }
    }
    flush_printable(&mut out, &mut node);
    escaped(out)
}

/// Decodes the entities of HTML; everything else is unchanged. One without its semicolon is decoded as in an attribute:
/// not before an alphanumeric character or `=`, because texts contain addresses (`?section=2&region=3`).
pub fn decode_entities(text: &str) -> String {
    htmlize::unescape_attribute(text).into_owned()
}

enum Piece<'a> {
    Text(&'a str),
    /// A tag or comment, with its content if that is dropped too.
    Markup {
        is_inline: bool,
    },
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    context: TagContext<'a>,
    /// There is no further tag end outside quotes: searching again would make the scan quadratic.
    no_balanced_end: bool,
    /// There is no further `>`.
    no_end: bool,
    /// There is no further `-->`.
    no_comment_end: bool,
}

impl<'a> Scanner<'a> {
    fn of(text: &'a str) -> Self {
        let context = TagContext::of(text);
        Self { text, at: 0, context, no_balanced_end: false, no_end: false, no_comment_end: false }
    }

    fn next(&mut self) -> Option<Piece<'a>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        if rest.starts_with('<')
            && let Some((skip, is_inline)) = self.markup(rest)
        {
            self.at += skip;
            return Some(Piece::Markup { is_inline });
        }
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let length = rest[first..].find('<').map_or(rest.len(), |found| found + first);
        self.at += length;
        Some(Piece::Text(&rest[..length]))
    }

    /// The length of the markup at the start of `rest`, with its content if that is dropped too, and whether it is
    /// inline.
    fn markup(&mut self, rest: &str) -> Option<(usize, bool)> {
        if rest.starts_with("<!--") {
            return Some((self.comment(rest)?, false));
        }
        let tag = self.context.markup(self.at)?;
        let end = match tag.length {
            Some(length) => length,
            None => self.tag_end(rest)?,
        };
        let content = match tag.unread {
            Some(name) if !closes_itself(&rest[..end]) && self.context.is_ended(self.at, &tag) => {
                content_length(&rest[end..], name)
            }
            _ => 0,
        };
        self.context.accept(&tag, self.at + end + content);
        Some((end + content, tag.is_inline))
    }

    /// The length of a comment. One that does not end is text, unless a text is truncated within its markup.
    fn comment(&mut self, rest: &str) -> Option<usize> {
        let end = if self.no_comment_end { None } else { rest.find("-->").map(|found| found + 3) };
        self.no_comment_end = end.is_none();
        let length = end.or_else(|| self.context.is_right_after_markup(self.at).then_some(rest.len()))?;
        self.context.accept_comment(self.at + length);
        Some(length)
    }

    /// The end of the tag: the first `>` outside quotes, else the first `>`.
    fn tag_end(&mut self, rest: &str) -> Option<usize> {
        if !self.no_balanced_end {
            let mut quote = None;
            for (index, byte) in rest.bytes().enumerate() {
                match (quote, byte) {
                    (None, b'>') => return Some(index + 1),
                    (None, b'"' | b'\'') => quote = Some(byte),
                    (Some(open), _) if open == byte => quote = None,
                    _ => {}
                }
            }
            self.no_balanced_end = true;
        }
        if self.no_end {
            return None;
        }
        let end = rest.find('>').map(|found| found + 1);
        self.no_end = end.is_none();
        end
    }
}

fn is_printable_ascii(byte: u8) -> bool {
    (b' '..0x7f).contains(&byte) || byte == b'\n'
}

fn is_unprintable(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

/// Whether a tag ends in `/>`, which is no part of a value without quotes.
fn closes_itself(tag: &str) -> bool {
    let inside = tag.strip_suffix("/>").unwrap_or_default();
    inside.ends_with(['"', '\'', ' ', '\t', '\n']) || (!inside.is_empty() && !inside.contains('='))
}

/// How much to drop after an opening `script` or `style`: up to its end tag. Without one, nothing: it may be text.
fn content_length(rest: &str, name: &str) -> usize {
    let mut from = 0;
    while let Some(found) = rest[from..].find("</") {
        let at = from + found;
        if begins_with(&rest[at + 2..], name) {
            return at;
        }
        from = at + 2;
    }
    0
}

fn flush(out: &mut String, node: &mut String) {
    let trimmed = node.trim();
    if !trimmed.is_empty() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(trimmed);
    }
    node.clear();
}

fn flush_printable(out: &mut String, node: &mut String) {
    if !node.bytes().fold(true, |all, byte| all & is_printable_ascii(byte)) {
        node.retain(|c| !is_unprintable(c));
    }
    flush(out, node);
}

/// Escapes a `<` that would open a tag and an `&` that would begin an entity.
fn escaped(text: String) -> String {
    if !text.contains(['<', '&']) {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['<', '&']) {
        out.push_str(&rest[..at]);
        let (sign, after) = rest[at..].split_at(1);
        let opens = |c: char| c.is_alphabetic() || matches!(c, '/' | '!' | '?');
        match sign {
            "<" if after.starts_with(opens) => out.push_str("&lt;"),
            "&" if begins_entity(&rest[at..]) => out.push_str("&amp;"),
            _ => out.push_str(sign),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn push_decoded(out: &mut String, text: &str) {
    out.push_str(&htmlize::unescape_attribute(text));
}

/// Whether `rest` begins with an entity. It begins with `&`.
fn begins_entity(rest: &str) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    let name = rest.bytes().skip(1).take(ENTITY_BYTES_MAX).take_while(is_part).count();
    let end = 1 + name + usize::from(rest.as_bytes().get(1 + name).is_some_and(u8::is_ascii));
    name > 0 && matches!(htmlize::unescape_attribute(&rest[..end]), Cow::Owned(_))
}

#[cfg(test)]
#[path = "strip_html_tests.rs"]
mod tests;
