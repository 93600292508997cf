//! Strips HTML from text: tags, comments, scripts and styles are dropped, entities become characters. A small tolerant
//! scanner in linear time that never fails, whatever a source sends.

use std::borrow::Cow;

/// Maximum length of an entity, including `&` and `;`.
const ENTITY_BYTES_MAX: usize = 12;

/// The named entities that are common on the web.
const ENTITIES: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", "\u{a0}"),
    ("ndash", "–"),
    ("mdash", "—"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("hellip", "…"),
    ("bull", "•"),
    ("middot", "·"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("deg", "°"),
    ("plusmn", "±"),
    ("times", "×"),
    ("frac12", "½"),
    ("sect", "§"),
    ("para", "¶"),
    ("cent", "¢"),
    ("pound", "£"),
    ("euro", "€"),
    ("yen", "¥"),
    ("agrave", "à"),
    ("aacute", "á"),
    ("acirc", "â"),
    ("atilde", "ã"),
    ("auml", "ä"),
    ("aring", "å"),
    ("aelig", "æ"),
    ("ccedil", "ç"),
    ("egrave", "è"),
    ("eacute", "é"),
    ("ecirc", "ê"),
    ("euml", "ë"),
    ("igrave", "ì"),
    ("iacute", "í"),
    ("icirc", "î"),
    ("iuml", "ï"),
    ("ntilde", "ñ"),
    ("ograve", "ò"),
    ("oacute", "ó"),
    ("ocirc", "ô"),
    ("otilde", "õ"),
    ("ouml", "ö"),
    ("oslash", "ø"),
    ("ugrave", "ù"),
    ("uacute", "ú"),
    ("ucirc", "û"),
    ("uuml", "ü"),
    ("szlig", "ß"),
    ("Auml", "Ä"),
    ("Ouml", "Ö"),
    ("Uuml", "Ü"),
    ("Eacute", "É"),
    ("Agrave", "À"),
    ("Ccedil", "Ç"),
    ("Ntilde", "Ñ"),
    ("Oslash", "Ø"),
    ("Aring", "Å"),
];

/// Tags within a sentence or even within a word. [`readable`] removes them without leaving a space.
const INLINE: &[&str] = &[
    "a", "abbr", "b", "bdi", "bdo", "big", "c0", "cite", "code", "del", "dfn", "em", "font", "i", "ins",
    "kbd", "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "tt", "u", "var",
    "wbr",
];

/// The text without its markup: text nodes trimmed and joined by single spaces.
pub fn strip_markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut node = String::new();
    let mut scanner = Scanner { text, at: 0, no_balanced_end: false, no_end: false };
    while let Some(piece) = scanner.next() {
        match piece {
            Piece::Text(run) => push_decoded(&mut node, run),
            Piece::Tag(_) => flush(&mut out, &mut node),
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
    let is_plain = |byte: u8| is_printable_ascii(byte) && !matches!(byte, b'<' | b'&');
    let is_readable = |c: char| !matches!(c, '<' | '&') && !is_unprintable(c);
    // Without an early exit from the loop, sixteen bytes are examined at once.
    if text.bytes().fold(true, |all, byte| all & is_plain(byte)) || text.chars().all(is_readable) {
        return text.trim().into();
    }
    without_inline_tags(text).unwrap_or_else(|| scanned(text)).into()
}

/// What is readable of a text with nothing but inline tags without attributes, as in the highlighted titles of most
/// results. None for any other text.
fn without_inline_tags(text: &str) -> Option<String> {
    let is_plain = |byte: u8| is_printable_ascii(byte) && byte != b'&';
    if !text.bytes().fold(true, |all, byte| all & is_plain(byte)) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, tag)) = rest.split_once('<') {
        out.push_str(before);
        let (name, after) = tag.strip_prefix('/').unwrap_or(tag).split_once('>')?;
        if !INLINE.contains(&name) {
            return None;
        }
        rest = after;
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
    let mut scanner = Scanner { text, at: 0, no_balanced_end: false, no_end: false };
    while let Some(piece) = scanner.next() {
        match piece {
            Piece::Text(run) => push_decoded(&mut node, run),
            Piece::Tag(tag) if is_inline(tag) => {}
            Piece::Tag(_) => flush_printable(&mut out, &mut node),
        }
    }
    flush_printable(&mut out, &mut node);
    escaped(out)
}

/// Decodes entities; everything else is unchanged.
pub fn decode_entities(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_decoded(&mut out, text);
    out
}

enum Piece<'a> {
    Text(&'a str),
    /// With its content if that is dropped too.
    Tag(&'a str),
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// There is no further tag end outside quotes: searching again would make the scan quadratic.
    no_balanced_end: bool,
    /// There is no further `>`.
    no_end: bool,
}

impl<'a> Scanner<'a> {
    fn next(&mut self) -> Option<Piece<'a>> {
        let rest = self.text.get(self.at..).filter(|rest| !rest.is_empty())?;
        if let Some(skip) = self.tag_length(rest) {
            self.at += skip;
            return Some(Piece::Tag(&rest[..skip]));
        }
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let length = rest[first..].find('<').map_or(rest.len(), |found| found + first);
        self.at += length;
        Some(Piece::Text(&rest[..length]))
    }

    /// The length of the tag at the start of `rest`, with its content if that is dropped too.
    fn tag_length(&mut self, rest: &str) -> Option<usize> {
        if rest.starts_with("<!--") {
            return Some(rest.find("-->").map_or(rest.len(), |found| found + 3));
        }
        let bytes = rest.as_bytes();
        let opens = match (bytes.first(), bytes.get(1)) {
            (Some(b'<'), Some(b'!' | b'?')) => true,
            (Some(b'<'), Some(b'/')) => bytes.get(2).is_some_and(u8::is_ascii_alphabetic),
            (Some(b'<'), Some(second)) => second.is_ascii_alphabetic(),
            _ => false,
        };
        if !opens {
            return None;
        }
        let end = self.tag_end(rest)?;
        for name in ["script", "style"] {
            if is_named(&rest[1..], name) && !rest[..end].ends_with("/>") {
                return Some(end + content_length(&rest[end..], name));
            }
        }
        Some(end)
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

fn is_inline(tag: &str) -> bool {
    let inside = tag.trim_start_matches(['<', '/']);
    let name = inside.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    INLINE.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn is_printable_ascii(byte: u8) -> bool {
    (b' '..0x7f).contains(&byte) || byte == b'\n'
}

fn is_unprintable(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

/// Whether the inside of a tag begins with this name.
fn is_named(inside: &str, name: &str) -> bool {
    let bytes = inside.as_bytes();
    let same = bytes.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()));
    same && bytes.get(name.len()).is_none_or(|next| !next.is_ascii_alphanumeric())
}

/// How much to drop after an opening `script` or `style`: up to its end tag, or everything.
fn content_length(rest: &str, name: &str) -> usize {
    let mut from = 0;
    while let Some(found) = rest[from..].find("</") {
        let at = from + found;
        if is_named(&rest[at + 2..], name) {
            return at;
        }
        from = at + 2;
    }
    rest.len()
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
            "&" if entity(&rest[at..]).is_some() => out.push_str("&amp;"),
            _ => out.push_str(sign),
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

fn push_decoded(out: &mut String, text: &str) {
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match entity(rest) {
            Some((length, decoded)) => {
                out.push_str(&decoded);
                rest = &rest[length..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
}

/// The entity at the start of `rest`: its length and its character.
fn entity(rest: &str) -> Option<(usize, String)> {
    let end = rest.bytes().take(ENTITY_BYTES_MAX).position(|byte| byte == b';')?;
    let name = rest.get(1..end)?;
    let decoded = match name.strip_prefix('#') {
        Some(number) => {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?.to_string()
        }
        None => ENTITIES.iter().find(|(known, _)| *known == name)?.1.to_owned(),
    };
    Some((end + 1, decoded))
}

#[cfg(test)]
#[path = "strip_html_tests.rs"]
mod tests;
