//! Tells HTML tags from other text in angle brackets: `<em>` has the form of a tag; `Vec<String>`, `x<y` and
//! `<https://a.example>` are text. A tag has the name of a known element, and attributes if there is a space after the
//! name. Whether a tag is markup or a word of the text may depend on the others: `html_tag_context`.

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

/// Elements whose end tag may be left out.
const OPEN_ENDED: &[&str] = &["dd", "dt", "li", "option", "p", "td", "th", "tr"];

/// Elements whose tag is never closed.
const SINGLE: &[&str] = &["br", "hr", "wbr"];

/// Number of elements that are known by their whole name.
pub(crate) const ELEMENTS: usize = INLINE.len() + OTHER.len();

/// Maximum length of the name of an element; all known ones are shorter.
const NAME_BYTES_MAX: usize = 24;

/// The beginning of a tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TagStart {
    /// The number of the element, unless it has a prefix.
    pub element: Option<usize>,
    pub is_end: bool,
    pub is_inline: bool,
    /// Its content is not text: `script` or `style`.
    pub unread: Option<&'static str>,
    /// Its length, if it has no attribute that may contain a `>`.
    pub length: Option<usize>,
    pub proof: Proof,
}

/// What shows that a tag is markup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Its form: it has attributes or a prefix, closes itself, or is never closed.
    Form,
    /// The tags and the text around it.
    Context,
    /// That nothing but markup is before it.
    Beginning,
}

/// The tag that `rest` begins with, after the byte `before`. A comment is none.
pub(crate) fn tag_start(rest: &str, before: Option<u8>) -> Option<TagStart> {
    let inside = rest.strip_prefix('<')?;
    if inside.starts_with("![CDATA[") {
        return Some(TagStart::declaration(Proof::Form));
    }
    let declared = inside.strip_prefix('!').map(|name| begins_with(name, "doctype"));
    let declared = declared.or_else(|| inside.strip_prefix('?').map(|name| begins_with(name, "xml")));
    if let Some(is_known) = declared {
        return is_known.then(|| TagStart::declaration(Proof::Beginning));
    }
    let (is_end, inside) = match inside.strip_prefix('/') {
        Some(inside) => (true, inside),
        None => (false, inside),
    };
    let name_bytes = name_length(inside.as_bytes());
    let element = Element::named(&inside[..name_bytes])?;
    let after = &inside[name_bytes..];
    let head = rest.len() - after.len();
    let spaced = after.trim_ascii_start();
    let closed = if is_end { spaced } else { spaced.strip_prefix('/').unwrap_or(spaced) };
    let is_proven =
        element.number.is_none() || (!is_end && (element.is_single || closed.len() < spaced.len()));
    let start = TagStart {
        element: element.number,
        is_end,
        is_inline: element.is_inline,
        unread: if is_end { None } else { element.unread },
        length: None,
        proof: if is_proven { Proof::Form } else { Proof::Context },
    };
    if closed.starts_with('>') {
        let is_bare_text = !is_end && (element.needs_attributes || element.is_type_parameter(before));
        let length = head + (after.len() - closed.len()) + 1;
        return (!is_bare_text).then_some(TagStart { length: Some(length), ..start });
    }
    (!is_end && begins_attributes(after)).then_some(TagStart { proof: Proof::Form, ..start })
}

impl TagStart {
    fn declaration(proof: Proof) -> Self {
        Self { element: None, is_end: false, is_inline: false, unread: None, length: None, proof }
    }
}

/// Whether the end tag of an element may be left out.
pub(crate) fn may_stay_open(element: usize) -> bool {
    let name = element.checked_sub(INLINE.len()).and_then(|place| OTHER.get(place));
    name.is_some_and(|name| OPEN_ENDED.contains(name))
}

/// The number of the element whose end tag `rest` begins with, in any case and also if it has attributes.
pub(crate) fn element_ended(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix("</")?;
    let mut lower = [0; NAME_BYTES_MAX];
    let name = &inside.as_bytes()[..name_length(inside.as_bytes())];
    number(lowered(name, &mut lower)?)
}

fn lowered<'b>(name: &[u8], buffer: &'b mut [u8; NAME_BYTES_MAX]) -> Option<&'b [u8]> {
    let lower = buffer.get_mut(..name.len())?;
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    Some(lower)
}

/// The number of an element by its name in lowercase.
fn number(lower: &[u8]) -> Option<usize> {
    let initial = usize::from(lower.first()?.checked_sub(b'a')?);
    let place = |names: &[&str], starts: &[usize; INITIALS + 1]| {
        let range = *starts.get(initial)?..*starts.get(initial + 1)?;
        let within = names.get(range.clone())?.iter().position(|known| known.as_bytes() == lower)?;
        Some(range.start + within)
    };
    place(INLINE, &INLINE_STARTS).or_else(|| Some(INLINE.len() + place(OTHER, &OTHER_STARTS)?))
}

const INITIALS: usize = 26;
static INLINE_STARTS: [usize; INITIALS + 1] = starts(INLINE);
static OTHER_STARTS: [usize; INITIALS + 1] = starts(OTHER);

/// Where the names with each first character begin, and the end. Texts have many tags, and this finds their names quickly.
const fn starts(names: &[&str]) -> [usize; INITIALS + 1] {
    let mut starts = [0; INITIALS + 1];
    let mut place = 0;
    while place < names.len() {
        let mut initial = (names[place].as_bytes()[0] - b'a') as usize + 1;
        while initial <= INITIALS {
            starts[initial] += 1;
            initial += 1;
        }
        place += 1;
    }
    starts
}

struct Element {
    /// None for one with a prefix.
    number: Option<usize>,
    is_inline: bool,
    is_single: bool,
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
        let lower = lowered(local.as_bytes(), &mut lower)?;
        let number = number(lower);
        if number.is_none() && (!is_prefixed || lower.is_empty()) {
            return None;
        }
        // `Vec<Object>` is text: tags are written either way, but not mixed.
        let has_upper = local.bytes().any(|byte| byte.is_ascii_uppercase());
        if has_upper && local.bytes().any(|byte| byte.is_ascii_lowercase()) && !is_prefixed {
            return None;
        }
        let is_in = |names: &[&str]| names.iter().any(|known| known.as_bytes() == lower);
        Some(Self {
            number: number.filter(|_| !is_prefixed),
            is_inline: number.is_some_and(|number| number < INLINE.len()),
            is_single: is_in(SINGLE),
            needs_attributes: number.is_some_and(|number| number >= INLINE.len())
                && !is_prefixed
                && is_in(WITH_ATTRIBUTES),
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
        for names in [INLINE, OTHER, WITH_ATTRIBUTES, PREFIXES, BARE_ATTRIBUTES, SINGLE, OPEN_ENDED] {
            assert!(names.is_sorted(), "{names:?}");
        }
        assert!([INLINE, OTHER].iter().all(|names| names.iter().all(|name| name.len() <= NAME_BYTES_MAX)));
        assert!(WITH_ATTRIBUTES.iter().chain(OPEN_ENDED).all(|name| OTHER.contains(name)));
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
        for tag in ["<br>", "<BR/>", "<p/>", "<div class=x>", "<jats:p>", "</mml:mi>", "<![CDATA[x]]>"] {
            assert_eq!(tag_start(tag, None).unwrap().proof, Proof::Form, "{tag}");
        }
        for tag in ["<b>", "</b>", "<p>", "<script>", "<select>", "<col>", "</br>", "</object>"] {
            assert_eq!(tag_start(tag, None).unwrap().proof, Proof::Context, "{tag}");
        }
        for tag in ["<!DOCTYPE html>", "<?xml version='1.0'?>"] {
            assert_eq!(tag_start(tag, None).unwrap().proof, Proof::Beginning, "{tag}");
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

    #[test]
    fn ends_are_found_however_they_are_written() {
        let name = |number: usize| INLINE.get(number).unwrap_or_else(|| &OTHER[number - INLINE.len()]);
        for (text, want) in [
            ("</p>", Some("p")),
            ("</Script foo>", Some("script")),
            ("</EM", Some("em")),
            ("</scripture>", None),
            ("</p-q>", None),
            ("<p>", None),
            ("</", None),
        ] {
            assert_eq!(element_ended(text).map(name).copied(), want, "{text}");
        }
    }
}
