//! What happened during a search: typed facts with their times, rendered to the lines of `messages` here alone.

mod json;
mod kind;
pub mod reason;
mod stored;

pub use json::{push_facts, push_lines, serialize_lines};
pub use kind::NoticeKind;
pub use stored::StoredNotices;

use crate::instant::{self, DisplayTime, Instant};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use syntax::display::is_direction_control;

/// Maximum number of notices of a search.
pub const NOTICES_MAX: usize = 1_000;

/// A fact about a search, and its time. As a text: one line of `messages`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    #[serde(with = "chrono::serde::ts_microseconds")]
    pub at: Instant,
    pub kind: NoticeKind,
}

impl Notice {
    /// A notice whose texts from outside do not change the direction of the text around them.
    pub fn new(at: Instant, mut kind: NoticeKind) -> Self {
        kind.change_texts(|text| {
            if !text.is_ascii() && text.contains(is_direction_control) {
                text.retain(|c| !is_direction_control(c));
            }
        });
        Self { at: instant::to_micros(at), kind }
    }

    pub fn banner() -> Self {
        Self::new(Instant::UNIX_EPOCH, NoticeKind::banner())
    }

    pub fn is_banner(&self) -> bool {
        matches!(self.kind, NoticeKind::Banner { .. })
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            NoticeKind::Banner { .. } => self.kind.fmt(f),
            NoticeKind::Line { .. } if self.at == Instant::UNIX_EPOCH => self.kind.fmt(f),
            kind => {
                f.write_str("[")?;
                DisplayTime(self.at).fmt(f)?;
                f.write_str("] ")?;
                kind.fmt(f)
            }
        }
    }
}

/// The lines of `messages`.
pub fn lines(notices: &[Notice]) -> Vec<String> {
    notices.iter().map(ToString::to_string).collect()
}

/// Parses lines, which have no facts.
pub fn deserialize_lines<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Notice>, D::Error> {
    let lines = Vec::<String>::deserialize(deserializer)?;
    Ok(StoredNotices::default().restore(lines))
}

/// The banner of the version that accepted the search, else of this one; then the rest.
pub fn split_banner(notices: Vec<Notice>) -> (Notice, Vec<Notice>) {
    let (banners, rest): (Vec<_>, Vec<_>) = notices.into_iter().partition(Notice::is_banner);
    (banners.into_iter().next().unwrap_or_else(Notice::banner), rest)
}

/// Drops the oldest notices of a list that is too long, for example after updates. The first one is kept.
pub fn drop_oldest(notices: &mut Vec<Notice>) {
    let too_many = notices.len().saturating_sub(NOTICES_MAX);
    if too_many > 0 {
        notices.drain(1..=too_many);
    }
}

#[cfg(test)]
mod tests;
