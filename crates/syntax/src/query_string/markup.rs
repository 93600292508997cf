//! HTML in a query. Complete elements, as in `<b>copper</b>`, were copied from a page and lose their tags. Any other tag
//! was typed by a person who asks about it, as in `what does <script> do`, and stays.

use crate::html_tags::tag_start;
use crate::strip_html::decode_entities;
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

/// Most `<` of a query that may begin a tag; the others are text.
const TAGS_MAX: usize = 256;
/// Elements whose content is no text.
const UNREAD: [&str; 2] = ["script", "style"];

/// The query without the tags of complete elements, and with entities decoded.
pub fn without_markup(query: &str) -> Cow<'_, str> {
    let markup = if query.contains("</") { markup(query) } else { Vec::new() };
    if markup.is_empty() {
        return with_entities_decoded(query);
    }
    let mut text = String::with_capacity(query.len());
    let mut at = 0;
    for place in markup {
        // Tags inside of a script are part of it.
        if place.start >= at {
            text.push_str(&query[at..place.start]);
            text.push(' ');
        }
        at = at.max(place.end);
    }
    text.push_str(&query[at..]);
    with_entities_decoded(&text).into_owned().into()
}

/// Entities without a semicolon are text: `a&not`.
fn with_entities_decoded(query: &str) -> Cow<'_, str> {
    if !query.contains('&') || !query.contains(';') {
        return query.into();
    }
    let mut text = String::with_capacity(query.len());
    let mut rest = query;
    while let Some(start) = rest.find('&') {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let name = rest[1..]
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '#')
            .map_or(rest.len(), |end| end + 1);
        let (entity, after) = match rest[name..].strip_prefix(';') {
            Some(after) => (decode_entities(&rest[..=name]), after),
            None => (rest[..name].to_owned(), &rest[name..]),
        };
        text.push_str(&entity);
        rest = after;
    }
    text.push_str(rest);
    text.into()
}

struct Tag<'a> {
    name: &'a str,
    is_end: bool,
    place: Range<usize>,
}

/// The tags of complete elements, in order; of a script or style, the whole element.
fn markup(query: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: HashMap<String, Vec<Range<usize>>> = HashMap::new();
    for tag in tags(query) {
        let of_name = open.entry(tag.name.to_ascii_lowercase()).or_default();
        if !tag.is_end {
            of_name.push(tag.place);
            continue;
        }
        let Some(start) = of_name.pop() else { continue };
        if !has_content(&query[start.end..tag.place.start]) {
            continue;
        }
        if UNREAD.iter().any(|name| tag.name.eq_ignore_ascii_case(name)) {
            found.push(start.start..tag.place.end);
        } else {
            found.extend([start, tag.place]);
        }
    }
    found.sort_unstable_by_key(|range| range.start);
    found
}

/// Whether a text stands between the tags without space, and not as in `<b> and </b>`.
fn has_content(between: &str) -> bool {
    !between.is_empty()
        && !between.starts_with(char::is_whitespace)
        && !between.ends_with(char::is_whitespace)
}

/// The tags of known elements.
fn tags(query: &str) -> Vec<Tag<'_>> {
    let mut found: Vec<Tag<'_>> = Vec::new();
    for (start, _) in query.match_indices('<').take(TAGS_MAX) {
        let is_inside = found.last().is_some_and(|tag| start < tag.place.end);
        found.extend(if is_inside { None } else { tag_at(query, start) });
    }
    found
}

fn tag_at(query: &str, start: usize) -> Option<Tag<'_>> {
    let rest = &query[start..];
    let before = start.checked_sub(1).and_then(|at| query.as_bytes().get(at).copied());
    let length = match tag_start(rest, before)?.length {
        Some(length) => length,
        None => length_with_attributes(rest)?,
    };
    let inside = rest.strip_prefix('<')?;
    let (is_end, inside) = match inside.strip_prefix('/') {
        Some(inside) => (true, inside),
        None => (false, inside),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-');
    let name = &inside[..inside.find(|c| !is_name(c)).unwrap_or(inside.len())];
    (!name.is_empty()).then_some(Tag { name, is_end, place: start..start + length })
}

/// The length of a tag up to the first `>` outside of quotation marks.
fn length_with_attributes(rest: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in rest.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_complete_elements_are_markup() {
        let words = |query: &str| without_markup(query).split_whitespace().collect::<Vec<_>>().join(" ");
        for (query, expected) in [
            ("<b>copper</b> wire", "copper wire"),
            ("<B CLASS=\"x>y\">copper</B>", "copper"),
            ("<div><p>copper</p><p>tin</p></div>", "copper tin"),
            ("un<b>bold</b>ed AT&amp;T", "un bold ed AT&T"),
            ("a<script>b < c</script>d<style>e</style>", "a d"),
            ("<script><b>x</b></script>y", "y"),
            // What was typed by a person who asks about it.
            ("what does <script> do", "what does <script> do"),
            ("difference between <b> and <strong>", "difference between <b> and <strong>"),
            ("difference between <b> and </b>", "difference between <b> and </b>"),
            ("how to use <br> or <br/>", "how to use <br> or <br/>"),
            ("<b></b>", "<b></b>"),
            ("<b>x</i>", "<b>x</i>"),
            ("html <!-- comment", "html <!-- comment"),
            ("<dependency>junit</dependency>", "<dependency>junit</dependency>"),
            ("</b>x<b>", "</b>x<b>"),
            ("<a href=x", "<a href=x"),
            ("a < b", "a < b"),
            ("a&not b", "a&not b"),
            ("a&not b; c &copy= &lt;d&gt;", "a&not b; c &copy= <d>"),
            ("&amp;not; &#x41;&unknown; &", "&not; A&unknown; &"),
        ] {
            assert_eq!(words(query), expected, "{query}");
        }
    }

    #[test]
    fn so_many_tags_are_read_and_no_more() {
        let elements = |count: usize| "<b>x</b>".repeat(count);
        assert!(!without_markup(&elements(TAGS_MAX / 2)).contains('<'));
        assert!(without_markup(&elements(TAGS_MAX / 2 + 1)).ends_with("<b>x</b>"));
        let hostile = "<b a=\"".repeat(100_000) + "</b>";
        assert_eq!(without_markup(&hostile), hostile);
    }
}
