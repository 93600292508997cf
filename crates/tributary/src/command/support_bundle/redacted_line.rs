//! Finds and masks the private values of one line: queries and user names.

use super::redaction::without_word;
use domain::secret::MASK;
use std::ops::Range;

/// Last component of private field names, such as `search.query`.
const PRIVATE: [&str; 9] =
    ["email", "prompt", "q", "qs", "query", "query_string", "query_to_provider", "user", "username"];
/// Fields that may follow an unquoted private value. Any other `name=` is part of the value.
const FOLLOWING: [&str; 26] = [
    "ai_provider.id",
    "attempt",
    "attempts",
    "client.address",
    "code",
    "duration_ms",
    "duration_s",
    "error",
    "http.method",
    "http.status",
    "id",
    "outbound.place",
    "outcome",
    "provider",
    "provider.id",
    "queue",
    "request.id",
    "run.id",
    "scan.id",
    "search.id",
    "search.status",
    "signal.id",
    "task.id",
    "task.name",
    "user.id",
    "way",
];

/// Whether a field contains a query or a user name.
pub fn is_private_field(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    PRIVATE.contains(&last.as_str())
}

struct PrivateValue {
    range: Range<usize>,
    /// Whether to mask all other occurrences in the line.
    is_repeated: bool,
}

/// The positions of the private values in a line.
pub struct LineFields(Vec<PrivateValue>);

impl LineFields {
    pub fn read(line: &str) -> Self {
        let mut found = parameters(line);
        let of_addresses = found.len();
        let mut start = 0;
        while let Some(at) = line[start..].find(['=', ':']) {
            let separator = start + at;
            start = separator + 1;
            let of_address = |one: &&PrivateValue| (one.range.start..=one.range.end).contains(&start);
            if let Some(parameter) = found[..of_addresses].iter().find(of_address) {
                start = parameter.range.end;
            } else if let Some(range) = field_value(line, separator) {
                start = range.end;
                found.push(PrivateValue { range, is_repeated: true });
            }
        }
        found.sort_by_key(|one| one.range.start);
        Self(found)
    }

    /// The line with all occurrences of these values masked.
    pub fn masked(&self, line: &str) -> String {
        let mut shown = String::with_capacity(line.len());
        let (mut end, mut values) = (0, Vec::new());
        for PrivateValue { range, is_repeated } in &self.0 {
            let value = line[range.clone()].trim_matches(['"', '\\']);
            if matches!(value, "" | "-") || range.end <= end {
                continue;
            }
            if *is_repeated {
                values.extend([value.to_owned(), value.replace("\\\"", "\""), decoded(value)]);
            }
            shown.push_str(&line[end..range.start.max(end)]);
            shown.push_str(MASK);
            end = range.end;
        }
        shown.push_str(&line[end..]);
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        values.dedup();
        values
            .into_iter()
            .filter(|value| !value.is_empty())
            .fold(shown, |text, one| without_word(&text, &one))
    }
}

/// The value of the private field whose name ends at this separator: `name=value` or `"name": "value"`.
fn field_value(line: &str, separator: usize) -> Option<Range<usize>> {
    let mut before = line[..separator].trim_end_matches(' ');
    let is_json = line[separator..].starts_with(':');
    if is_json {
        before = before.strip_suffix('"')?.trim_end_matches('\\');
    }
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
    let name = before.rsplit(|c| !is_of_name(c)).next().unwrap_or_default();
    if !is_private_field(name) {
        return None;
    }
    let rest = &line[separator + 1..];
    let value = rest.trim_start_matches(' ');
    let start = line.len() - value.len();
    let length = match quoted_length(value) {
        Some(length) => length,
        None if is_json && !value.starts_with(['[', '{']) => return None,
        None if is_json => value.len(),
        None => bare_length(value, value.len() < rest.len()),
    };
    Some(start..start + length)
}

/// The length of a quoted value. Inside a quoted text, its quotes are preceded by a backslash.
fn quoted_length(value: &str) -> Option<usize> {
    let quote = if value.starts_with("\\\"") { "\\\"" } else { "\"" };
    let inner = value.strip_prefix(quote)?;
    let is_end = |at: &usize| {
        let backslashes = inner[..*at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        backslashes.is_multiple_of(2 * quote.len())
    };
    let end = inner.match_indices(quote).map(|(at, _)| at).find(is_end);
    Some(end.map_or(value.len(), |end| end + 2 * quote.len()))
}

/// The length of an unquoted value: it ends at a known following field, or with its span.
fn bare_length(value: &str, has_space_before: bool) -> usize {
    let next_field = value.match_indices('=').find_map(|(at, _)| {
        let name = value[..at].rsplit([' ', '{']).next().unwrap_or_default();
        let is_known = FOLLOWING.contains(&name) || is_private_field(name);
        match at - name.len() {
            0 => (is_known && has_space_before).then_some(0),
            start => is_known.then_some(start - 1),
        }
    });
    let end_of_span = value.find("}:");
    next_field.into_iter().chain(end_of_span).min().unwrap_or(value.len())
}

/// The values of all URL parameters, because the name of the query parameter depends on the source.
fn parameters(line: &str) -> Vec<PrivateValue> {
    let ends = |c: char| "\"<>".contains(c) || c.is_whitespace();
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(at) = line[start..].find('?') {
        let path = line[..start + at].rsplit(ends).next().unwrap_or_default();
        start += at + 1;
        let end = line[start..].find(ends).map_or(line.len(), |length| start + length);
        for piece in line[start..end].split(['&', '#', '?']) {
            let named = piece.split_once('=');
            let (name, value) = named.unwrap_or(if path.contains('/') { ("", piece) } else { (piece, "") });
            let from = start + piece.len() - value.len();
            start = (start + piece.len() + 1).min(end);
            let value = value.trim_end_matches(|c| ")]}'.,;:".contains(c));
            let range = from..from + value.len();
            found.push(PrivateValue { range, is_repeated: is_private_field(name) });
        }
        start = end;
    }
    found
}

/// Decodes a URL-encoded value.
fn decoded(value: &str) -> String {
    let pair = format!("v={value}");
    url::form_urlencoded::parse(pair.as_bytes()).next().map(|(_, text)| text.into_owned()).unwrap_or_default()
}
