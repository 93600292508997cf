//! The text of an answer without anything that a reader's program could open, load or run.
//!
//! Each line is read until nothing changes any more, because taking one thing out may put another together. What would
//! still be left after that is broken by force, so the promise holds whatever was written.

use super::addresses::{Book, without_addresses};
use super::marks;
use crate::prompt::is_invisible;
use domain::notation::markup::decode_entities;
use regex::{Captures, Regex};
use std::borrow::Cow;
use std::sync::LazyLock;

/// Most times that a line is read.
const ROUNDS_MAX: usize = 8;
/// Most empty lines in a row.
const EMPTY_LINES_MAX: usize = 1;

/// What was taken out of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Removed {
    pub addresses: bool,
    pub images: bool,
    pub citations: bool,
}

impl Removed {
    pub fn warnings(self) -> Vec<String> {
        let told = [
            (self.addresses, "Addresses that are not those of the sources were taken out of this answer."),
            (self.images, "Images were taken out of this answer."),
            (self.citations, "Citations of sources that do not exist were taken out of this answer."),
        ];
        told.iter().filter(|(is_so, _)| *is_so).map(|(_, text)| (*text).to_owned()).collect()
    }
}

/// The text as it may be shown.
pub(super) fn text(written: &str, book: &Book) -> (String, Removed) {
    let mut removed = Removed::default();
    let mut lines: Vec<String> = Vec::new();
    let (mut is_code, mut empty) = (false, 0);
    for written in
        written.replace("\r\n", "\n").split(['\n', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}', '\r'])
    {
        let is_fence = is_fence(written);
        let line = line(written, book, is_code || is_fence, &mut removed);
        is_code ^= is_fence;
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty <= EMPTY_LINES_MAX {
            lines.push(line);
        }
    }
    (lines.join("\n").trim().to_owned(), removed)
}

/// The line is a fence of code.
pub(super) fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn line(written: &str, book: &Book, is_code: bool, removed: &mut Removed) -> String {
    let mut line: String = written
        .chars()
        .filter(|c| !is_invisible(*c))
        .map(|c| if c.is_whitespace() { ' ' } else { c })
        .collect();
    for _ in 0..ROUNDS_MAX {
        let next = round(&line, book, is_code, removed);
        if next == line {
            break;
        }
        line = next;
    }
    let broken = by_force(&line);
    broken.trim_end().to_owned()
}

fn round(line: &str, book: &Book, is_code: bool, removed: &mut Removed) -> String {
    // Marks of no width may have been written as entities.
    let line = SIGN.replace_all(line, |found: &Captures<'_>| sign(&found[0], &found[1]));
    let line: String = decode_entities(&line).chars().filter(|c| !is_invisible(*c) && *c != '\n').collect();
    let line = ESCAPED.replace_all(&line, "$1");
    let line = AUTOLINK.replace_all(&line, "$1");
    let line = TAG.replace_all(&line, |found: &Captures<'_>| tag(&found[0], &found[1]));
    let line = REMARK.replace_all(&line, "");
    let line = DEFINITION.replace(&line, "");
    let line = LINK.replace_all(&line, |found: &Captures<'_>| link(found, book, removed));
    let line = REFERENCE.replace_all(&line, |found: &Captures<'_>| reference(found, removed));
    let line = IMAGE.replace_all(&line, |found: &Captures<'_>| {
        removed.images = true;
        found[1].to_owned()
    });
    let (line, has_address) = without_addresses(&line, book);
    removed.addresses |= has_address;
    if is_code {
        return line;
    }
    let (line, has_unknown) = marks::normalized(&line, book);
    removed.citations |= has_unknown;
    line
}

#[expect(clippy::expect_used, reason = "the pattern is part of the program, and every test reads it")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern")
}

/// A backslash before a sign that would mean something without it.
static ESCAPED: LazyLock<Regex> = LazyLock::new(|| pattern(r"\\([:/.&<>\[\]()!@?#`])"));
static AUTOLINK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"<([A-Za-z][A-Za-z0-9+.\-]*:[^<>]*|[^\s<>@]+@[^\s<>]+)>"));
static TAG: LazyLock<Regex> = LazyLock::new(|| pattern(r"</?([A-Za-z][A-Za-z0-9]*)(?:[\s/][^<>]*)?>"));
/// Comments, declarations and instructions of markup.
static REMARK: LazyLock<Regex> = LazyLock::new(|| pattern(r"<[!?][^<>]*>"));
/// `[name]: address`.
static DEFINITION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[\s>*+\-]*(?:\d+[.)]\s*)?\[[^\[\]]+\]:\s*(?:<|/|#|\.{1,2}/|\?|(?i:[a-z][a-z0-9+.\-]*:\S|www\.)).*$",
    )
});
/// `[text](address)`, with brackets in the address one deep.
static LINK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(!?)\[([^\[\]]*)\]\(([^()]*(?:\([^()]*\)[^()]*)*)\)"));
/// `[text][name]`.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"(!?)\[([^\[\]]+)\]\[([^\[\]]*)\]"));
static IMAGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"!\[([^\[\]]*)\]"));

/// Signs of links that may be written by name.
static SIGN: LazyLock<Regex> = LazyLock::new(|| pattern(r"&([A-Za-z]{3,7});"));

fn sign(whole: &str, name: &str) -> String {
    const SIGNS: [(&str, &str); 18] = [
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
    let found = SIGNS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map_or(whole, |(_, sign)| sign).to_owned()
}

fn tag(whole: &str, name: &str) -> String {
    let name = name.to_ascii_lowercase();
    match HTML.binary_search(&name.as_str()) {
        Ok(_) if name == "br" || name == "p" || name == "li" => " ".to_owned(),
        Ok(_) => String::new(),
        // Such as `Vec<T>`: it is text, and looks like it.
        Err(_) => whole.replacen('<', "‹", 1),
    }
}

/// What a link says; with the citation of its address, if that is of a source.
fn link(found: &Captures<'_>, book: &Book, removed: &mut Removed) -> String {
    let (text, address) = (found[2].trim(), found[3].trim());
    let address = address.split_whitespace().next().unwrap_or_default();
    if !found[1].is_empty() {
        removed.images = true;
        return text.to_owned();
    }
    if marks::numbers(text).is_some() {
        // Such as `a[0](x)`, which calls something.
        let is_address = found[3].contains(['/', ':', '.', '#', '?']);
        return if is_address { format!("[{text}]") } else { format!("[{text}] ({})", &found[3]) };
    }
    match book.source_at(address) {
        Some(n) => format!("{text} [{n}]").trim_start().to_owned(),
        None => {
            removed.addresses = true;
            text.to_owned()
        }
    }
}

fn reference(found: &Captures<'_>, removed: &mut Removed) -> String {
    let (text, name) = (&found[2], &found[3]);
    removed.images |= !found[1].is_empty();
    if marks::numbers(text).is_some() {
        return found[0].trim_start_matches('!').to_owned();
    }
    match marks::numbers(name) {
        Some(_) if found[1].is_empty() => format!("{text} [{name}]"),
        _ => text.to_owned(),
    }
}

/// Breaks what the rounds have left.
fn by_force(line: &str) -> Cow<'_, str> {
    static LEFT: LazyLock<[(Regex, &str); 8]> = LazyLock::new(|| {
        [
            (pattern(r"<([A-Za-z/!?])"), "‹$1"),
            (pattern(r"&(#?[A-Za-z0-9]+;)"), "& $1"),
            (pattern(r":\\?/\\?/"), ": "),
            (pattern(r"\]\("), "] ("),
            // A name before an address; it may have begun on the line before.
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

/// The elements of HTML, sorted.
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
