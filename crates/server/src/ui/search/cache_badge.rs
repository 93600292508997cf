//! Badge of a cached result: status of the copy, and when it was last checked at its source.

use super::time_text::time_text;
use super::versions::Versions;
use super::view_context::ViewContext;
use chrono::{DateTime, Utc};
use domain::corpus::{Badge, CacheStatus, Liveness, QUERY_CHARS_MAX};
use domain::ids::{RunId, SignalId};
use domain::instant::Instant;
use serde::Serialize;
use serde_json::{Map, Value};

const MINUTE_S: i64 = 60;
const HOUR_S: i64 = 60 * MINUTE_S;
const DAY_S: i64 = 24 * HOUR_S;

#[derive(Debug, Serialize)]
pub struct CacheBadge {
    pub signal: SignalId,
    badge: Badge,
    /// The source of the document; may be empty.
    source: String,
    pub liveness: Liveness,
    /// Whether the last check is older than the recheck interval.
    is_stale: bool,
    pub is_shared_externally: bool,
    matters: Vec<String>,
    /// When it was last checked; empty if it never was.
    checked: String,
    age: Option<Age>,
    /// Query and scope of a pin.
    query: String,
    scope: String,
    /// The election that chose it.
    run: Option<RunId>,
    pub versions: Option<Versions>,
    /// The winner of the election, if it is another version.
    #[serde(skip)]
    pub winner: Option<SignalId>,
}

/// An age in its largest unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Age {
    unit: &'static str,
    n: i64,
}

impl CacheBadge {
    pub fn of(mark: &CacheStatus, payload: &Map<String, Value>, view_context: &ViewContext<'_>) -> Self {
        let source = payload.get("source_provider").and_then(Value::as_str).unwrap_or_default();
        Self {
            signal: mark.signal_id,
            badge: mark.badge,
            source: source.to_owned(),
            liveness: mark.liveness,
            is_stale: mark.stale,
            is_shared_externally: mark.shared_externally,
            matters: mark.matter_tags.clone(),
            checked: mark
                .last_verified
                .and_then(|time| time_text(&time.to_rfc3339(), view_context.language))
                .unwrap_or_default(),
            age: mark.last_verified.map(|time| Age::of(time, view_context.now)),
            query: view_context.topic.query.chars().take(QUERY_CHARS_MAX).collect(),
            scope: view_context.topic.scope().to_string(),
            run: mark.run_id,
            versions: Versions::of(mark, view_context),
            winner: mark
                .cluster
                .as_ref()
                .filter(|_| mark.is_alternate())
                .and_then(|cluster| cluster.winner_signal_id),
        }
    }
}

impl Age {
    fn of(time: DateTime<Utc>, now: Instant) -> Self {
        let seconds = (now - time).num_seconds().max(0);
        let in_unit = |unit, length: i64| Self { unit, n: seconds / length };
        match seconds {
            ..MINUTE_S => Self { unit: "now", n: 0 },
            MINUTE_S..HOUR_S => in_unit("minute", MINUTE_S),
            HOUR_S..DAY_S => in_unit("hour", HOUR_S),
            DAY_S.. => in_unit("day", DAY_S),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_use_the_largest_unit() {
        let now: Instant = "2026-11-15T12:00:00Z".parse().expect("a time");
        let table = [
            ("2026-11-15T12:00:09Z", "now", 0),
            ("2026-11-15T11:59:01Z", "now", 0),
            ("2026-11-15T11:59:00Z", "minute", 1),
            ("2026-11-15T11:00:01Z", "minute", 59),
            ("2026-11-15T10:01:00Z", "hour", 1),
            ("2026-11-14T12:00:01Z", "hour", 23),
            ("2026-11-14T12:00:00Z", "day", 1),
            ("2025-11-15T12:00:00Z", "day", 365),
        ];
        for (time, unit, n) in table {
            assert_eq!(Age::of(time.parse().expect("a time"), now), Age { unit, n }, "{time}");
        }
    }
}
