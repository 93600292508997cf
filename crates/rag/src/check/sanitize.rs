//! Sanitizes a generated text so that it contains nothing that a client could open, load or execute.
//!
//! Each line is processed until it no longer changes, because removing something may create something else. Whatever
//! is left after that is broken up, so the guarantee always holds.

use super::citation_syntax;
use super::urls::{AllowedUrls, replace_urls};
use crate::prompt::is_invisible;
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;
use syntax::strip_html::decode_entities;

/// Maximum number of passes over a line.
const PASSES_MAX: usize = 8;
/// Maximum number of consecutive empty lines.
const EMPTY_LINES_MAX: usize = 1;

/// What was removed from a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Removed {
    pub urls: bool,
    pub images: bool,
    pub citations: bool,
}

impl Removed {
    pub fn warnings(self) -> Vec<String> {
        let warnings_if = [
            (self.urls, "Links that do not belong to the sources were removed from this answer."),
            (self.images, "Images were removed from this answer."),
            (self.citations, "Citations of nonexistent sources were removed from this answer."),
        ];
        warnings_if.iter().filter(|(is_so, _)| *is_so).map(|(_, text)| (*text).to_owned()).collect()
    }
}

pub(super) struct Sanitized {
    pub text: String,
    pub removed: Removed,
}

pub(super) fn sanitize(written: &str, allowed: &AllowedUrls) -> Sanitized {
    let mut removed = Removed::default();
    let mut lines: Vec<String> = Vec::new();
    let (mut is_code, mut empty) = (false, 0);
    for written in
        written.replace("\r\n", "\n").split(['\n', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}', '\r'])
    {
        let is_fence = is_fence(written);
        let line = line(written, allowed, is_code || is_fence, &mut removed);
        is_code ^= is_fence;
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty <= EMPTY_LINES_MAX {
            lines.push(line);
        }
    }
    Sanitized { text: lines.join("\n").trim().to_owned(), removed }
}

/// Whether a line is a code fence.
pub(super) fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn line(written: &str, allowed: &AllowedUrls, is_code: bool, removed: &mut Removed) -> String {
    let mut line: String = written
        .chars()
        .filter(|c| !is_invisible(*c))
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect();
    for _ in 0..PASSES_MAX {
        let next = run_pass(&line, allowed, is_code, removed);
        if next == line {
            break;
        }
        line = next;
    }
    let broken = break_remaining(&line);
    broken.trim_end().to_owned()
}

fn run_pass(line: &str, allowed: &AllowedUrls, is_code: bool, removed: &mut Removed) -> String {
    // Invisible characters may be encoded as entities.
    let line =
        NAMED_CHARACTER.replace_all(line, |found: &Captures<'_>| named_character(&found[0], &found[1]));
    let line: String = decode_entities(&line).chars().filter(|c| !is_invisible(*c) && *c != '\n').collect();
    let line = ESCAPED.replace_all(&line, "$1");
    let line = AUTOLINK.replace_all(&line, "$1");
    let line = TAG.replace_all(&line, |found: &Captures<'_>| tag(&found[0], &found[1]));
    let line = MARKUP_DECLARATION.replace_all(&line, "");
    let line = DEFINITION.replace(&line, "");
    let line = LINK.replace_all(&line, |found: &Captures<'_>| link(found, allowed, removed));
    let line = REFERENCE.replace_all(&line, |found: &Captures<'_>| reference(found, removed));
    let line = IMAGE.replace_all(&line, |found: &Captures<'_>| {
        removed.images = true;
        found[1].to_owned()
    });
    let line = replace_urls(&line, allowed);
    removed.urls |= line.has_removed;
    if is_code {
        return line.text;
    }
    let line = citation_syntax::normalized(&line.text, allowed);
    removed.citations |= line.has_removed;
    line.text
}

#[expect(clippy::expect_used, reason = "the pattern is part of the program, and every test reads it")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

/// A backslash before a Markdown character.
static ESCAPED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\\([:/.&<>\[\]()!@?#`])"));
static AUTOLINK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"<([A-Za-z][A-Za-z0-9+.\-]*:[^<>]*|[^\s<>@]+@[^\s<>]+)>"));
static TAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"</?([A-Za-z][A-Za-z0-9]*)(?:[\s/][^<>]*)?>"));
/// Markup comments, declarations and processing instructions.
static MARKUP_DECLARATION: LazyLock<Regex> = LazyLock::new(|| pattern(r"<[!?][^<>]*>"));
/// `[name]: address`.
static DEFINITION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[\s>*+\-]*(?:\d+[.)]\s*)?\[[^\[\]]+\]:\s*(?:<|/|#|\.{1,2}/|\?|(?i:[a-z][a-z0-9+.\-]*:\S|www\.)).*$",
    )
});
/// `[text](url)`, with at most one level of brackets in the URL.
static LINK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(!?)\[([^\[\]]*)\]\(([^()]*(?:\([^()]*\)[^()]*)*)\)"));
/// `[text][name]`.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(!?)\[([^\[\]]+)\]\[([^\[\]]*)\]"));
static IMAGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"!\[([^\[\]]*)\]"));

/// Character references that links can be built from.
static NAMED_CHARACTER: LazyLock<Regex> = LazyLock::new(|| pattern(r"&([A-Za-z]{3,7});"));

fn named_character(whole: &str, name: &str) -> String {
    const NAMED_CHARACTERS: [(&str, &str); 18] = [
        ("bsol", "\\"),
        ("colon", ":"),
        ("commat", "@"),
        ("excl", "!"),
        ("grave", "`"),
        ("lbrack", "["),
        ("lowbar", "_"),
        ("lpar", "("),
        ("lsqb", "["),
        ("newline", " "),
        ("num", "#"),
        ("period", "."),
        ("quest", "?"),
        ("rbrack", "]"),
        ("rpar", ")"),
        ("rsqb", "]"),
        ("sol", "/"),
        ("tab", " "),
    ];
    let found = NAMED_CHARACTERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map_or(whole, |(_, named_character)| named_character).to_owned()
}

fn tag(whole: &str, name: &str) -> String {
    let name = name.to_ascii_lowercase();
    match HTML.binary_search(&name.as_str()) {
        Ok(_) if name == "br" || name == "p" || name == "li" => " ".to_owned(),
        Ok(_) => String::new(),
        // Text such as `Vec<T>`.
        Err(_) => whole.replacen('<', "‹", 1),
    }
}

/// The text of a link; with a citation if its URL belongs to a source.
fn link(found: &Captures<'_>, allowed: &AllowedUrls, removed: &mut Removed) -> String {
    let (text, address) = (found[2].trim(), found[3].trim());
    let address = address.split_whitespace().next().unwrap_or_default();
    if !found[1].is_empty() {
        removed.images = true;
        return text.to_owned();
    }
    if citation_syntax::numbers(text).is_some() {
        // Code such as `a[0](x)`.
        let is_address = found[3].contains(['/', ':', '.', '#', '?']);
        return if is_address { format!("[{text}]") } else { format!("[{text}] ({})", &found[3]) };
    }
    match allowed.source_with_url(address) {
        Some(n) => format!("{text} [{n}]").trim_start().to_owned(),
        None => {
            removed.urls = true;
            text.to_owned()
        }
    }
}

fn reference(found: &Captures<'_>, removed: &mut Removed) -> String {
    let (text, name) = (&found[2], &found[3]);
    removed.images |= !found[1].is_empty();
    if citation_syntax::numbers(text).is_some() {
        return found[0].trim_start_matches('!').to_owned();
    }
    match citation_syntax::numbers(name) {
        Some(_) if found[1].is_empty() => format!("{text} [{name}]"),
        _ => text.to_owned(),
    }
}

/// Breaks up what the passes left.
fn break_remaining(line: &str) -> Cow<'_, str> {
    static LEFT: LazyLock<[(Regex, &str); 8]> = LazyLock::new(|| {
        [
            (pattern(r"<([A-Za-z/!?])"), "‹$1"),
            (pattern(r"&(#?[A-Za-z0-9]+;)"), "& $1"),
            (pattern(r":\\?/\\?/"), ": "),
            (pattern(r"\]\("), "] ("),
            // A link definition; it may have started on the previous line.
            (pattern(r"^([\s>*+\-\d.)]*\[[^\]]*\]|[^\[]*\]):"), "$1 :"),
            (pattern(r"!\["), "! ["),
            (pattern(r"(?i)(www)\."), "$1 "),
            (pattern(r"(?i)\b(data|javascript|vbscript|mailto):(\S)"), "$1: $2"),
        ]
    });
    let mut line = Cow::Borrowed(line);
    for (what, instead) in LEFT.iter() {
        if what.is_match(&line) {
            line = Cow::Owned(what.replace_all(&line, *instead).into_owned());
        }
    }
    line
}

/// HTML elements, sorted.
const HTML: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "address",
    "applet",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "basefont",
    "bdi",
    "bdo",
    "bgsound",
    "big",
    "blink",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "data",
    "datalist",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "i",
    "iframe",
    "image",
    "img",
    "input",
    "ins",
    "isindex",
    "kbd",
    "keygen",
    "label",
    "layer",
    "legend",
    "li",
    "link",
    "listing",
    "main",
    "map",
    "mark",
    "marquee",
    "math",
    "menu",
    "meta",
    "meter",
    "nav",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "output",
    "p",
    "param",
    "picture",
    "plaintext",
    "portal",
    "pre",
    "progress",
    "q",
    "s",
    "samp",
    "script",
    "section",
    "select",
    "slot",
    "small",
    "source",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "svg",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "track",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
    "xmp",
];
