//! Sources that failed in every recent search of this process: since when, and why.

use super::providers::PROVIDERS_MAX;
use chrono::{DateTime, Utc};
use domain::ids::ProviderId;
use domain::ports::{ConnectorErrorKind, ProviderEnd};
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Instant;

/// Failures in a row from which on a source is reported, if its error may pass by itself.
const FAILURES_MIN: u32 = 3;

/// Failures in a row, by provider.
#[derive(Debug, Default)]
pub struct FailureStreaks(BTreeMap<ProviderId, Streak>);

#[derive(Debug)]
struct Streak {
    first: Instant,
    last: Instant,
    failures: u32,
    kind: ConnectorErrorKind,
}

/// Failures of a source since its last response, in this process.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Failing {
    /// When the first of them was.
    pub since: DateTime<Utc>,
    /// When the last one was.
    pub last: DateTime<Utc>,
    pub failures: u32,
    /// Code of the last error, as in `info` of a search.
    #[schema(example = "denied")]
    pub code: &'static str,
}

impl FailureStreaks {
    pub fn provider_ended(&mut self, now: Instant, end: &ProviderEnd<'_>) {
        let Some(code) = end.error else {
            self.0.remove(&end.provider);
            return;
        };
        let Some(kind) = ConnectorErrorKind::of_code(code).filter(|kind| is_of_source(*kind)) else { return };
        if self.0.len() >= PROVIDERS_MAX && !self.0.contains_key(&end.provider) {
            self.forget_oldest();
        }
        let fresh = || Streak { first: now, last: now, failures: 0, kind };
        let streak = self.0.entry(end.provider).or_insert_with(fresh);
        streak.failures = streak.failures.saturating_add(1);
        streak.last = now;
        streak.kind = kind;
    }

    /// Forgets the source whose last failure is the oldest: it may have been deleted.
    fn forget_oldest(&mut self) {
        let oldest = self.0.iter().min_by_key(|(_, streak)| streak.last).map(|(id, _)| *id);
        if let Some(id) = oldest {
            self.0.remove(&id);
        }
    }

    /// Forgets the failures of a source, whose state was reset.
    pub fn reset(&mut self, provider: ProviderId) {
        self.0.remove(&provider);
    }

    /// The sources that need attention. `now` is given on both clocks.
    pub fn failing(&self, now: Instant, time: DateTime<Utc>) -> BTreeMap<ProviderId, Failing> {
        let at = |moment: Instant| {
            let ago = chrono::Duration::from_std(now.saturating_duration_since(moment)).unwrap_or_default();
            time - ago
        };
        let needs_attention =
            |streak: &&Streak| streak.failures >= FAILURES_MIN || !may_pass_by_itself(streak.kind);
        let view = |streak: &Streak| Failing {
            since: at(streak.first),
            last: at(streak.last),
            failures: streak.failures,
            code: streak.kind.code(),
        };
        let all = self.0.iter().filter(|(_, streak)| needs_attention(streak));
        all.map(|(id, streak)| (*id, view(streak))).collect()
    }
}

/// Whether the source failed: not the query or the user's account, and not because of a pause.
fn is_of_source(kind: ConnectorErrorKind) -> bool {
    use ConnectorErrorKind as Kind;
    !matches!(kind, Kind::QueryInvalid | Kind::NotConnected | Kind::RateLimited | Kind::Suspended)
}

/// Other errors remain until somebody changes the provider, its credentials or the source.
fn may_pass_by_itself(kind: ConnectorErrorKind) -> bool {
    use ConnectorErrorKind as Kind;
    matches!(kind, Kind::Timeout | Kind::Unavailable | Kind::Unreadable | Kind::SourceError)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const LIBRARY: ProviderId = ProviderId(1);

    fn end(provider: ProviderId, error: Option<&'static str>) -> ProviderEnd<'static> {
        ProviderEnd { provider, name: "Library", error, took: Duration::ZERO }
    }

    /// What is reported after these outcomes, one a minute.
    fn after(outcomes: &[Option<&'static str>]) -> Option<Failing> {
        let (start, time) = (Instant::now(), DateTime::from_timestamp(1_700_000_000, 0).expect("a time"));
        let mut streaks = FailureStreaks::default();
        let mut now = start;
        for outcome in outcomes {
            streaks.provider_ended(now, &end(LIBRARY, *outcome));
            now += Duration::from_secs(60);
        }
        streaks.failing(now, time + (now - start)).remove(&LIBRARY)
    }

    #[test]
    fn sources_that_need_attention() {
        let (timeout, denied) = (Some("timeout"), Some("denied"));
        let table = [
            (vec![], None),
            (vec![timeout, timeout], None),
            (vec![timeout, timeout, timeout], Some((0, 3, "timeout"))),
            (vec![timeout, timeout, None, timeout], None),
            (vec![denied], Some((0, 1, "denied"))),
            (vec![None, denied, denied], Some((60, 2, "denied"))),
            (vec![denied, None], None),
            (vec![denied, Some("suspended"), Some("query_invalid")], Some((0, 1, "denied"))),
            (vec![Some("not_connected"); 5], None),
            (vec![Some("something else"); 5], None),
        ];
        for (outcomes, expected) in table {
            let found = after(&outcomes);
            let found =
                found.as_ref().map(|one| (one.since.timestamp() - 1_700_000_000, one.failures, one.code));
            assert_eq!(found, expected, "{outcomes:?}");
        }
    }

    #[test]
    fn the_number_of_sources_is_bounded_and_a_reset_forgets_one() {
        let (now, time) = (Instant::now(), DateTime::from_timestamp(1_700_000_000, 0).expect("a time"));
        let mut streaks = FailureStreaks::default();
        let count = i64::try_from(PROVIDERS_MAX).expect("small") + 5;
        for number in 0..count {
            let moment = now + Duration::from_secs(number.unsigned_abs());
            streaks.provider_ended(moment, &end(ProviderId(number), Some("denied")));
        }
        let failing = streaks.failing(now, time);
        assert_eq!(failing.len(), PROVIDERS_MAX);
        let newest = ProviderId(count - 1);
        assert!(failing.contains_key(&newest) && !failing.contains_key(&ProviderId(0)), "{failing:?}");
        streaks.reset(newest);
        assert!(!streaks.failing(now, time).contains_key(&newest));
    }
}
