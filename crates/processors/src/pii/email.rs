//! Email addresses: `name@host.domain`. An address without a domain, such as `user@localhost`, cannot be distinguished
//! from other uses of `@`.

use super::Kind;
use std::ops::Range;

pub const KIND: Kind = Kind { word: "EMAIL_ADDRESS", find };

const LOCAL_BYTES_MAX: usize = 64;
const HOST_BYTES_MAX: usize = 253;
const TOP_LEVEL_CHARS_MIN: usize = 2;
/// File extensions, which look like domains in `icon@2x.png`.
const FILE_ENDS: &[&str] = &["png", "jpg", "jpeg", "gif", "svg", "webp", "js", "css", "html", "json"];

fn find(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('@') {
        let floor = found.last().map_or(0, |last| last.end);
        if let Some(range) = address_around(text, at, floor) {
            found.push(range);
        }
    }
    found
}

fn address_around(text: &str, at: usize, floor: usize) -> Option<Range<usize>> {
    let local = suffix(&text[floor..at], LOCAL_BYTES_MAX, |c| is_name(c) || "._%+'’".contains(c));
    let local = local.trim_start_matches(['.', '\'', '’', '-', '%', '+']);
    if local.is_empty() || local.ends_with('.') {
        return None;
    }
    let rest = &text[at + 1..];
    let length = rest.find(|c| !is_name(c) && c != '.').unwrap_or(rest.len());
    let host = rest[..length].trim_end_matches(['.', '-', '_']);
    let (before, top) = host.rsplit_once('.')?;
    let is_top = top.chars().count() >= TOP_LEVEL_CHARS_MIN
        && top.chars().all(char::is_alphabetic)
        && !FILE_ENDS.iter().any(|end| top.eq_ignore_ascii_case(end));
    let is_host = host.len() <= HOST_BYTES_MAX && before.split('.').all(|label| !label.is_empty());
    (is_top && is_host).then(|| at - local.len()..at + 1 + host.len())
}

/// The longest suffix of such characters, within a limit.
fn suffix(text: &str, bytes_max: usize, is_part: impl Fn(char) -> bool) -> &str {
    let mut start = text.len();
    for (place, c) in text.char_indices().rev() {
        if !is_part(c) || text.len() - place > bytes_max {
            break;
        }
        start = place;
    }
    &text[start..]
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '-' || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        find(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn finds_addresses() {
        let table: &[(&str, &[&str])] = &[
            ("mail ada@byron.example.", &["ada@byron.example"]),
            ("<Ada.B+x_1@sub.byron-x.co.uk>,bob@b.io", &["Ada.B+x_1@sub.byron-x.co.uk", "bob@b.io"]),
            ("mailto:o'neil@x.org?subject=y", &["o'neil@x.org"]),
            ("jürgen@müller.de", &["jürgen@müller.de"]),
            ("'ada@x.org'", &["ada@x.org"]),
            ("https://me:secret@host.example/", &["secret@host.example"]),
            ("a@b.example@c.example", &["a@b.example"]),
        ];
        for (text, want) in table {
            assert_eq!(found(text), *want, "{text}");
        }
    }

    #[test]
    fn leaves_the_rest() {
        let too_long = format!("a@{}org", "x.".repeat(HOST_BYTES_MAX / 2));
        for text in [
            "@", "a@", "@b.org", "a@b", "a@b.c", "a@.org", "a@b..org", "a.@b.org", "x@1.2", "i@2x.png",
            &too_long,
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
        let long = format!("{}@x.org", "a".repeat(LOCAL_BYTES_MAX + 1));
        assert_eq!(found(&long), [&long[1..]], "the name is bounded");
    }
}
