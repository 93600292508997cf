//! The fields of a log line in text form whose values are private: what was searched for, and by whom.

use super::redaction::without_word;
use domain::secret::MASK;
use std::ops::Range;

/// The last part of the name of a private field, as in `search.query`.
const PRIVATE: [&str; 9] =
    ["email", "prompt", "q", "qs", "query", "query_string", "query_to_provider", "user", "username"];

/// True for a field that holds a query or the name of a user.
pub fn is_private_field(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    PRIVATE.contains(&last.as_str())
}

/// Where the private values of a line are.
pub struct LineFields(Vec<Range<usize>>);

impl LineFields {
    pub fn read(line: &str) -> Self {
        let mut found = Vec::new();
        let mut start = 0;
        while let Some(at) = line[start..].find('=') {
            let end_of_name = start + at;
            start = end_of_name + 1;
            let is_of_name = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
            let name = line[..end_of_name].rsplit(|c| !is_of_name(c)).next().unwrap_or_default();
            if !is_private_field(name) {
                continue;
            }
            let before = line[..end_of_name - name.len()].chars().next_back();
            let end = end_of_value(line, start, matches!(before, Some('?' | '&')));
            found.push(start..end);
            start = end;
        }
        Self(found)
    }

    /// The line without these values, wherever it repeats them.
    pub fn masked(&self, line: &str) -> String {
        let mut shown = String::with_capacity(line.len());
        let (mut end, mut values) = (0, Vec::new());
        for range in &self.0 {
            let value = line[range.clone()].trim_matches('"');
            if matches!(value, "" | "-") {
                continue;
            }
            values.push(value);
            shown.push_str(&line[end..range.start]);
            shown.push_str(MASK);
            end = range.end;
        }
        shown.push_str(&line[end..]);
        values.into_iter().fold(shown, |text, value| without_word(&text, value))
    }
}

/// A quoted value ends with its quote, one of an address with the parameter, any other before the next field or the end of
/// its span.
fn end_of_value(line: &str, start: usize, is_in_address: bool) -> usize {
    let rest = &line[start..];
    if let Some(quoted) = rest.strip_prefix('"') {
        let mut is_escaped = false;
        let end = quoted.find(|c: char| {
            let ends = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        });
        return end.map_or(line.len(), |end| start + 1 + end + 1);
    }
    if is_in_address {
        let ends = |c: char| "&#\"'<>)".contains(c) || c.is_whitespace();
        return rest.find(ends).map_or(line.len(), |end| start + end);
    }
    let next_field = rest.match_indices('=').find_map(|(at, _)| rest[..at].rfind(' '));
    let end_of_span = rest.find('}');
    let end = next_field.into_iter().chain(end_of_span).min();
    end.map_or(line.len(), |end| start + end)
}
