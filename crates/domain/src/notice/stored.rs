//! Notices in a record: lines, which earlier versions read, and facts.

use super::json::facts_from_json;
use super::{Notice, NoticeKind};
use crate::instant::Instant;
use chrono::NaiveDateTime;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

/// The notices of a record, without the lines that are stored beside them. Empty if a later version wrote a kind that
/// is unknown here.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct StoredNotices(Vec<Notice>);

impl StoredNotices {
    pub fn of(notices: Vec<Notice>) -> Self {
        Self(notices)
    }

    /// The notices of a record with these lines. An earlier version writes only lines: then the facts are outdated.
    pub fn restore(self, lines: Vec<String>) -> Vec<Notice> {
        let is_current =
            self.0.len() == lines.len() && self.0.last().map(ToString::to_string).as_ref() == lines.last();
        if is_current { self.0 } else { lines.into_iter().map(parse_line).collect() }
    }
}

impl<'de> Deserialize<'de> for StoredNotices {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Parsed apart from the rest of the record, which an unknown kind then does not make unreadable.
        let facts = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self(facts_from_json(&facts)))
    }
}

/// A line without facts: a banner, or a text, with its time if it has one.
fn parse_line(line: String) -> Notice {
    if let Some(version) = parse_banner(&line) {
        let kind = NoticeKind::Banner { version: version.to_owned() };
        return Notice { at: Instant::UNIX_EPOCH, kind };
    }
    match parse_time(&line) {
        Some((at, text)) => Notice { at, kind: NoticeKind::Line { line: text.to_owned() } },
        None => Notice { at: Instant::UNIX_EPOCH, kind: NoticeKind::Line { line } },
    }
}

/// The version in a banner.
fn parse_banner(line: &str) -> Option<&str> {
    let version = line.strip_prefix(crate::SERVICE_NAME)?.strip_prefix(' ')?;
    let is_version =
        version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains(char::is_whitespace);
    is_version.then_some(version)
}

/// The time in the brackets, and the text after it.
fn parse_time(line: &str) -> Option<(Instant, &str)> {
    let (time, text) = line.strip_prefix('[')?.split_once("] ")?;
    let at = NaiveDateTime::parse_from_str(time, crate::instant::DISPLAY_FORMAT).ok()?;
    Some((at.and_utc(), text))
}
