//! What a result from the semantic cache says of its copy: how it stands, and when it was last held against its source.

use super::result::Showing;
use super::versions::Versions;
use chrono::{DateTime, Utc};
use domain::corpus::{Badge, CacheMark, Liveness, QUERY_CHARS_MAX};
use domain::ids::{RunId, SignalId};
use domain::instant::Instant;
use serde::Serialize;
use serde_json::{Map, Value};

const MINUTE_S: i64 = 60;
const HOUR_S: i64 = 60 * MINUTE_S;
const DAY_S: i64 = 24 * HOUR_S;

#[derive(Debug, Serialize)]
pub struct Kept {
    pub signal: SignalId,
    badge: Badge,
    /// The source of the document; empty when it has none.
    source: String,
    pub liveness: Liveness,
    /// That was longer ago than the source should be left unasked.
    is_stale: bool,
    pub is_shared_externally: bool,
    matters: Vec<String>,
    /// For machines; empty when it was never held against its source.
    checked: String,
    age: Option<Age>,
    /// What a pin would be for: the query, and where it holds.
    query: String,
    scope: String,
    /// The election behind it.
    run: Option<RunId>,
    pub versions: Option<Versions>,
    /// The version that counts in its place.
    #[serde(skip)]
    pub winner: Option<SignalId>,
}

/// How long ago something was, in the unit that people would say it in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
struct Age {
    unit: &'static str,
    n: i64,
}

impl Kept {
    pub fn of(mark: &CacheMark, payload: &Map<String, Value>, showing: &Showing<'_>) -> Self {
        let source = payload.get("source_provider").and_then(Value::as_str).unwrap_or_default();
        Self {
            signal: mark.signal_id,
            badge: mark.badge,
            source: source.to_owned(),
            liveness: mark.liveness,
            is_stale: mark.stale,
            is_shared_externally: mark.shared_externally,
            matters: mark.matter_tags.clone(),
            checked: mark.last_verified.map(|time| time.to_rfc3339()).unwrap_or_default(),
            age: mark.last_verified.map(|time| Age::of(time, showing.now)),
            query: showing.topic.query.chars().take(QUERY_CHARS_MAX).collect(),
            scope: showing.topic.scope().to_string(),
            run: mark.run_id,
            versions: Versions::of(mark, showing),
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
    fn an_age_is_said_in_its_unit() {
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
