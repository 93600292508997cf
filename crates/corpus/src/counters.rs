//! Counters of this process since its start and since midnight UTC; they record no query, person or document.

use chrono::NaiveDate;
use domain::corpus::{DecidedBy, Liveness, VersionStatus};
use domain::ids::SignalId;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Event counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CounterValues {
    /// Searches in the cache.
    pub searches: u64,
    /// Searches with at least one hit.
    pub hits: u64,
    /// Documents whose text was ingested.
    pub ingested: u64,
    /// Documents whose text could not be fetched.
    pub failed: u64,
    /// Results of liveness checks.
    pub alive: u64,
    pub gone: u64,
    pub unknown: u64,
    /// Groups of versions in complete searches that were decided by an election, or by a pin.
    pub elections: u64,
    pub pins: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    all: CounterValues,
    day: NaiveDate,
    today: CounterValues,
}

impl Counters {
    pub fn searched(&self, day: NaiveDate, has_hits: bool) {
        self.count(day, |one| {
            one.searches += 1;
            one.hits += u64::from(has_hits);
        });
    }

    pub fn ingested(&self, day: NaiveDate, is_in: bool) {
        self.count(day, |one| {
            one.ingested += u64::from(is_in);
            one.failed += u64::from(!is_in);
        });
    }

    pub fn probed(&self, day: NaiveDate, verdict: Liveness) {
        self.count(day, |one| match verdict {
            Liveness::Alive => one.alive += 1,
            Liveness::Gone => one.gone += 1,
            Liveness::Unknown => one.unknown += 1,
        });
    }

    /// Counts the decisions in one search; each group of versions counts once.
    pub fn decided<'a>(&self, day: NaiveDate, statuses: impl Iterator<Item = &'a VersionStatus>) {
        let clusters = statuses.filter_map(|one| one.cluster.as_ref());
        let decided: BTreeSet<(SignalId, DecidedBy)> =
            clusters.filter_map(|cluster| Some((cluster.key, cluster.decided_by?))).collect();
        let elections = decided.iter().filter(|(_, by)| *by == DecidedBy::Election).count() as u64;
        let pins = decided.len() as u64 - elections;
        self.count(day, |one| {
            one.elections += elections;
            one.pins += pins;
        });
    }

    /// Since the start.
    pub fn all(&self) -> CounterValues {
        self.counts().all
    }

    /// Since midnight UTC.
    pub fn today(&self, day: NaiveDate) -> CounterValues {
        let counts = self.counts();
        if counts.day == day { counts.today } else { CounterValues::default() }
    }

    fn count(&self, day: NaiveDate, one_more: impl Fn(&mut CounterValues)) {
        let mut counts = self.counts();
        if counts.day != day {
            (counts.day, counts.today) = (day, CounterValues::default());
        }
        one_more(&mut counts.all);
        one_more(&mut counts.today);
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::corpus::{Badge, ClusterMark};

    #[test]
    fn a_new_day_begins_with_nothing() {
        let (monday, tuesday) = (NaiveDate::default(), NaiveDate::default() + chrono::Days::new(1));
        let counters = Counters::default();
        counters.searched(monday, true);
        counters.searched(monday, false);
        counters.ingested(monday, false);
        assert_eq!(
            (counters.today(monday).searches, counters.today(monday).hits, counters.today(monday).failed),
            (2, 1, 1)
        );
        assert_eq!(counters.today(tuesday), CounterValues::default());
        counters.ingested(tuesday, true);
        counters.probed(tuesday, Liveness::Gone);
        let expected = CounterValues { ingested: 1, gone: 1, ..CounterValues::default() };
        assert_eq!(counters.today(tuesday), expected);
        assert_eq!(counters.all(), CounterValues { searches: 2, hits: 1, failed: 1, ..expected });
    }

    #[test]
    fn a_group_of_versions_counts_once() {
        let status = |key: i64, decided_by: Option<DecidedBy>| VersionStatus {
            badge: Badge::Cached,
            cluster: Some(ClusterMark {
                key: SignalId(key),
                size: 2,
                role: None,
                winner_signal_id: None,
                decided_by,
                members: Vec::new(),
            }),
            run_id: None,
        };
        let alone = VersionStatus { cluster: None, ..status(9, None) };
        let (pin, election) = (Some(DecidedBy::Pin), Some(DecidedBy::Election));
        let all = [
            status(1, pin),
            status(1, pin),
            status(2, election),
            status(2, election),
            status(3, election),
            status(4, None),
            alone,
        ];
        let (counters, day) = (Counters::default(), NaiveDate::default());
        counters.decided(day, all.iter());
        assert_eq!((counters.today(day).pins, counters.today(day).elections), (1, 2));
    }
}
