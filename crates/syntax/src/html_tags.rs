//! Tells HTML tags from other text in angle brackets: `<em>` is a tag; `Vec<String>`, `x<y` and `<https://a.example>`
//! are text. A tag has the name of a known element, and attributes if there is a space after the name.

/// The elements within a sentence or even within a word. In order, for binary search.
#[rustfmt::skip]
const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "bdi", "bdo", "big", "bold", "c0", "cite", "code", "del", "dfn", "em",
    "font", "i", "ins", "italic", "kbd", "mark", "math", "mfenced", "mfrac", "mi", "mn", "mo", "mover",
    "mroot", "mrow", "ms", "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtext", "munder",
    "munderover", "q", "rb", "rp", "rt", "rtc", "ruby", "s", "samp", "sc", "semantics", "small", "span",
    "strike", "strong", "sub", "sup", "tt", "u", "var", "wbr",
];

/// The other elements of HTML, and those of articles in JATS that stand without a prefix. In order.
#[rustfmt::skip]
const OTHER: &[&str] = &[
    "address", "annotation", "applet", "area", "article", "aside", "audio", "base", "basefont", "blink",
    "blockquote", "body", "br", "button", "canvas", "caption", "center", "col", "colgroup", "data",
    "datalist", "dd", "ddd", "details", "dialog", "dir", "div", "dl", "dt", "embed", "fieldset",
    "figcaption", "figure", "footer", "form", "frame", "frameset", "g", "h1", "h2", "h3", "h4", "h5", "h6",
    "head", "header", "hgroup", "hr", "html", "iframe", "image", "img", "input", "label", "legend", "li",
    "link", "main", "map", "marquee", "menu", "meta", "meter", "mtable", "mtd", "mtr", "nav", "nobr",
    "noframes", "noscript", "object", "ol", "optgroup", "option", "output", "p", "param", "path", "picture",
    "pre", "progress", "script", "search", "section", "select", "slot", "source", "style", "summary", "svg",
    "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "time", "title", "tr", "track",
    "ul", "use", "video", "xmp",
];

/// Elements that say nothing without an attribute: `cp <source> <output>` is text.
#[rustfmt::skip]
const WITH_ATTRIBUTES: &[&str] = &[
    "area", "base", "data", "embed", "g", "image", "img", "input", "link", "map", "meta", "object",
    "output", "param", "path", "source", "time", "track", "use",
];

/// Prefixes of the elements of articles (JATS), formulas and office files.
#[rustfmt::skip]
const PREFIXES: &[&str] = &[
    "jats", "m", "mml", "o", "st1", "svg", "v", "w", "xhtml",
];

/// Attributes without a value. Other words after the name are text, as in `if a <b and c> d`.
#[rustfmt::skip]
const BARE_ATTRIBUTES: &[&str] = &[
    "allowfullscreen", "async", "autofocus", "autoplay", "checked", "compact", "controls", "default",
    "defer", "disabled", "download", "hidden", "inert", "ismap", "itemscope", "loop", "multiple", "muted",
    "nohref", "nomodule", "noshade", "novalidate", "nowrap", "open", "playsinline", "readonly", "required",
    "reversed", "selected",
];

/// Maximum length of the name of an element; all known ones are shorter.
const NAME_BYTES_MAX: usize = 24;

/// The beginning of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TagStart {
    pub is_inline: bool,
    /// Its content is not text: `script` or `style`.
    pub unread: Option<&'static str>,
    /// Its length, if it has no attribute that may contain a `>`.
    pub length: Option<usize>,
}

/// The tag that `rest` begins with, after the byte `before`. A comment is none.
pub(crate) fn tag_start(rest: &str, before: Option<u8>) -> Option<TagStart> {
    let inside = rest.strip_prefix('<')?;
    let other = TagStart { is_inline: false, unread: None, length: None };
    if let Some(inside) = inside.strip_prefix('!') {
        return (inside.starts_with("[CDATA[") || begins_with(inside, "doctype")).then_some(other);
    }
    if let Some(inside) = inside.strip_prefix('?') {
        return begins_with(inside, "xml").then_some(other);
    }
    let (is_end, inside) = match inside.strip_prefix('/') {
        Some(inside) => (true, inside),
        None => (false, inside),
    };
    let name_bytes = name_length(inside.as_bytes());
    let element = Element::named(&inside[..name_bytes])?;
    let after = &inside[name_bytes..];
    let head = rest.len() - after.len();
    let closed = after.trim_ascii_start();
    let closed = if is_end { closed } else { closed.strip_prefix('/').unwrap_or(closed) };
    let unread = if is_end { None } else { element.unread };
    let start = TagStart { is_inline: element.is_inline, unread, length: None };
    if closed.starts_with('>') {
        let is_bare_text = !is_end && (element.needs_attributes || element.is_type_parameter(before));
        let length = head + (after.len() - closed.len()) + 1;
        return (!is_bare_text).then_some(TagStart { length: Some(length), ..start });
    }
    (!is_end && begins_attributes(after)).then_some(start)
}

struct Element {
    is_inline: bool,
    needs_attributes: bool,
    unread: Option<&'static str>,
    /// The name is one upper-case character.
    is_capital: bool,
}

impl Element {
    fn named(name: &str) -> Option<Self> {
        let (is_prefixed, local) = match name.split_once(':') {
            Some((prefix, local)) if PREFIXES.contains(&prefix) => (true, local),
            Some(_) => return None,
            None => (false, name),
        };
        let mut lower = [0; NAME_BYTES_MAX];
        let lower = lower.get_mut(..local.len())?;
        lower.copy_from_slice(local.as_bytes());
        // `Vec<Object>` is text: tags are written either way, but not mixed.
        let has_upper = lower.iter().any(u8::is_ascii_uppercase);
        if has_upper && lower.iter().any(u8::is_ascii_lowercase) && !is_prefixed {
            return None;
        }
        lower.make_ascii_lowercase();
        let is_in = |names: &[&str]| names.binary_search_by(|known| known.as_bytes().cmp(lower)).is_ok();
        let is_inline = is_in(INLINE);
        if !(is_inline || is_in(OTHER) || (is_prefixed && !lower.is_empty())) {
            return None;
        }
        Some(Self {
            is_inline,
            needs_attributes: !is_prefixed && is_in(WITH_ATTRIBUTES),
            unread: ["script", "style"].into_iter().find(|known| known.as_bytes() == lower),
            is_capital: has_upper && local.len() == 1,
        })
    }

    /// `Set<A>`: a capital directly after a word.
    fn is_type_parameter(&self, before: Option<u8>) -> bool {
        self.is_capital && before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }
}

fn name_length(bytes: &[u8]) -> usize {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-');
    let first = bytes.first().is_some_and(u8::is_ascii_alphabetic);
    if first { bytes.iter().take_while(|byte| is_name(byte)).count() } else { 0 }
}

/// Whether attributes follow: some without a value, then the end of the tag or one with a value.
fn begins_attributes(after_name: &str) -> bool {
    let mut rest = after_name;
    loop {
        let trimmed = rest.trim_ascii_start();
        let is_apart = trimmed.len() < rest.len();
        let trimmed = trimmed.strip_prefix('/').unwrap_or(trimmed);
        if trimmed.starts_with('>') {
            return true;
        }
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b':' | b'@');
        let length = trimmed.bytes().take_while(|byte| is_name(byte)).count();
        if !is_apart || length == 0 {
            return false;
        }
        let (name, after) = trimmed.split_at(length);
        if after.trim_ascii_start().starts_with('=') {
            return true;
        }
        if !BARE_ATTRIBUTES.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            return false;
        }
        rest = after;
    }
}

/// Whether `text` begins with a name, in any case.
pub(crate) fn begins_with(text: &str, name: &str) -> bool {
    let bytes = text.as_bytes();
    let same = bytes.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()));
    same && bytes.get(name.len()).is_none_or(|next| !next.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_fit() {
        for names in [INLINE, OTHER, WITH_ATTRIBUTES, PREFIXES, BARE_ATTRIBUTES] {
            assert!(names.is_sorted(), "{names:?}");
        }
        assert!([INLINE, OTHER].iter().all(|names| names.iter().all(|name| name.len() <= NAME_BYTES_MAX)));
        assert!(WITH_ATTRIBUTES.iter().all(|name| OTHER.contains(name)));
    }

    #[rustfmt::skip]
    const TAGS: &[&str] = &[
        "<b>", "<B>", "</b>", "</b >", "<br/>", "<br />", "<BR>", "<p>", "<div class=x>", "<td nowrap>",
        "<input disabled>", "<input type=text>", "<source src='a'>", "<A HREF=\"x\">", "<h2\nid=a>", "<jats:p>",
        "<jats:inline-formula id='x'>", "<jats:supplementary-material>", "</mml:mi>", "<o:p/>", "<!DOCTYPE html>",
        "<!doctype html>", "<?xml version='1.0'?>", "<![CDATA[x]]>", "</object>", "<wbr>", "<script>",
        "<a data-x:y=1>",
    ];
    #[rustfmt::skip]
    const TEXTS: &[&str] = &[
        "<String>", "<y and z>", "<b and c>", "<b && c=d>", "<https://shop.example|the shop>", "<>", "< b>", "<T>",
        "<a, b>", "<std::string>", "<Object>", "<source>", "<input>", "<@U123>", "<!here>", "<?php", "<3>", "<-",
        "<b", "<em", "</>", "</y>", "</b c>", "<user@a.example>", "<unknown a=1>", "<b.c>", "<c:b>", "<a-b>",
        "<b'x'>", "<jats:a-name-that-is-longer-than-any>", "<é>", "",
    ];

    #[test]
    fn tags_are_told_from_text() {
        for tag in TAGS {
            assert!(tag_start(tag, None).is_some(), "{tag}");
        }
        for text in TEXTS {
            assert_eq!(tag_start(text, None), None, "{text}");
        }
        for (tag, before, is_tag) in [
            ("<P>", b' ', true),
            ("<P>", b't', false),
            ("<p>", b't', true),
            ("<BR>", b't', true),
            ("</P>", b't', true),
        ] {
            assert_eq!(tag_start(tag, Some(before)).is_some(), is_tag, "{tag}");
        }
    }
}
