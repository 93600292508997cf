//! Parses log lines, text or JSON, and filters them.

use serde_json::{Map, Value};
use std::borrow::Cow;
use tracing::Level;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// RFC 3339 in UTC, so that strings sort by time. Empty if the line has none.
    pub time: String,
    pub level: Option<Level>,
    /// Everything after time and level, without control characters.
    pub text: String,
    raw: String,
}

/// A filter for lines.
#[derive(Debug, Clone, Default)]
pub struct LineFilter {
    /// Minimum level.
    pub level: Option<Level>,
    pub search: Option<i64>,
    pub request: Option<String>,
    /// Text anywhere in the line, ignoring case. Lower case here.
    pub text: Option<String>,
}

impl Line {
    pub fn parse(raw: &str) -> Self {
        let Parts { time, level, text } = match serde_json::from_str(raw) {
            Ok(Value::Object(fields)) if raw.starts_with('{') => from_json(&fields),
            _ => from_text(raw),
        };
        Self { time, level, text: strip_control(&text), raw: raw.to_owned() }
    }

    /// Whether a field of the line or of one of its spans has this value.
    fn has(&self, field: &str, value: &str) -> bool {
        self.raw.match_indices(field).any(|(at, _)| {
            let before = self.raw[..at].chars().next_back();
            let rest = self.raw[at + field.len()..].trim_start_matches('"');
            let rest = rest.strip_prefix(['=', ':']).map(|rest| rest.trim_start_matches('"'));
            let after = rest.and_then(|rest| rest.strip_prefix(value)).map(|rest| rest.chars().next());
            !before.is_some_and(is_name_char) && after.is_some_and(|next| !next.is_some_and(is_name_char))
        })
    }
}

impl LineFilter {
    pub fn includes(&self, line: &Line) -> bool {
        let Self { level, search, request, text } = self;
        // More severe levels compare as smaller.
        level.is_none_or(|level| line.level.is_some_and(|of_line| of_line <= level))
            && search.is_none_or(|id| line.has("search.id", &id.to_string()))
            && request.as_ref().is_none_or(|id| line.has("request.id", id))
            && text.as_ref().is_none_or(|text| line.text.to_lowercase().contains(text.as_str()))
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || "-_.".contains(c)
}

/// What a line consists of, whatever its format.
struct Parts {
    time: String,
    level: Option<Level>,
    text: String,
}

fn from_text(raw: &str) -> Parts {
    let (time, rest) = raw.split_once(' ').unwrap_or((raw, ""));
    let is_time =
        time.len() >= "2000-01-01T00:00:00Z".len() && time.ends_with('Z') && time[4..].starts_with('-');
    if !is_time {
        return Parts { time: String::new(), level: None, text: raw.to_owned() };
    }
    let rest = rest.trim_start();
    let (word, text) = rest.split_once(' ').unwrap_or((rest, ""));
    match word.parse() {
        Ok(level) => Parts { time: time.to_owned(), level: Some(level), text: text.to_owned() },
        Err(_) => Parts { time: time.to_owned(), level: None, text: rest.to_owned() },
    }
}

/// Formats a JSON line like a text line: spans, target, message, fields.
fn from_json(line: &Map<String, Value>) -> Parts {
    let of = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or_default();
    let mut text = String::new();
    for span in line.get("spans").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
    {
        let name = span.get("name").and_then(Value::as_str).unwrap_or_default();
        text.push_str(&format!("{name}{{{}}}:", pairs(span, "name")));
    }
    if !text.is_empty() {
        text.push(' ');
    }
    let fields = line.get("fields").and_then(Value::as_object);
    let message = fields.and_then(|fields| fields.get("message")).and_then(Value::as_str).unwrap_or_default();
    text.push_str(&format!("{}: {message}", of("target")));
    let more = fields.map(|fields| pairs(fields, "message")).unwrap_or_default();
    if !more.is_empty() {
        text.push(' ');
        text.push_str(&more);
    }
    Parts { time: of("timestamp").to_owned(), level: of("level").parse().ok(), text }
}

fn pairs(fields: &Map<String, Value>, without: &str) -> String {
    let pairs =
        fields.iter().filter(|(name, _)| *name != without).map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join(" ")
}

/// Replaces control characters, which could control the terminal.
fn strip_control(text: &str) -> String {
    let shown: Cow<'_, str> = if text.contains(char::is_control) {
        text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect::<String>().into()
    } else {
        text.into()
    };
    shown.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"2026-11-15T07:24:10.123456Z  WARN request{request.id=ab-1}: server::x: slow search.id=12 user="anna""#;
    const JSON: &str = r#"{"timestamp":"2026-11-15T07:24:10.123456Z","level":"WARN","fields":{"message":"slow","search.id":12,"user":"anna"},"target":"server::x","spans":[{"request.id":"ab-1","name":"request"}]}"#;

    #[test]
    fn text_and_json_read_alike() {
        let (text, json) = (Line::parse(TEXT), Line::parse(JSON));
        assert_eq!(text.time, "2026-11-15T07:24:10.123456Z");
        assert_eq!(text.level, Some(Level::WARN));
        assert_eq!((&json.time, json.level), (&text.time, text.level));
        assert_eq!(text.text, r#"request{request.id=ab-1}: server::x: slow search.id=12 user="anna""#);
        assert_eq!(json.text, r#"request{request.id="ab-1"}: server::x: slow search.id=12 user="anna""#);
        for (raw, shown) in
            [("thread panicked", "thread panicked"), ("", ""), ("{broken", "{broken"), ("é 1", "é 1")]
        {
            let odd = Line::parse(raw);
            assert_eq!((odd.time.as_str(), odd.level, odd.text.as_str()), ("", None, shown));
        }
        assert_eq!(Line::parse("a\u{1b}[31mb").text, "a\u{fffd}[31mb");
    }

    #[test]
    fn filters() {
        let filter = |level: Option<Level>,
                      search: Option<i64>,
                      request: Option<&str>,
                      text: Option<&str>| {
            LineFilter { level, search, request: request.map(str::to_owned), text: text.map(str::to_owned) }
        };
        let table = [
            (filter(None, None, None, None), true),
            (filter(Some(Level::INFO), None, None, None), true),
            (filter(Some(Level::ERROR), None, None, None), false),
            (filter(None, Some(12), None, None), true),
            (filter(None, Some(1), None, None), false),
            (filter(None, Some(2), None, None), false),
            (filter(None, None, Some("ab-1"), None), true),
            (filter(None, None, Some("ab"), None), false),
            (filter(None, None, None, Some("server::x: slow")), true),
            (filter(None, None, None, Some("fast")), false),
            (filter(Some(Level::WARN), Some(12), Some("ab-1"), Some("anna")), true),
        ];
        for (filter, expected) in table {
            for raw in [TEXT, JSON] {
                assert_eq!(filter.includes(&Line::parse(raw)), expected, "{filter:?}");
            }
        }
        assert!(!filter(None, Some(12), None, None).includes(&Line::parse("research.id=12")));
    }
}
