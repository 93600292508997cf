//! What this process has counted of the cache since it started, and since midnight. No query, no person, no document.

use chrono::NaiveDate;
use domain::corpus::{DecidedBy, Liveness, Standing};
use domain::ids::SignalId;
use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How often something happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// Questions to the cache as a source.
    pub searches: u64,
    /// Those of them to which it had something.
    pub hits: u64,
    /// Documents whose text came in.
    pub ingested: u64,
    /// Documents whose text could not be had.
    pub failed: u64,
    /// What sources said when they were asked.
    pub alive: u64,
    pub gone: u64,
    pub unknown: u64,
    /// Groups of versions in whole searches among which an election chose, or a pin.
    pub elections: u64,
    pub pins: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    all: Counted,
    day: NaiveDate,
    today: Counted,
}

impl Tally {
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

    /// How the documents of a search stand; each group of versions counts once.
    pub fn decided<'a>(&self, day: NaiveDate, standings: impl Iterator<Item = &'a Standing>) {
        let clusters = standings.filter_map(|one| one.cluster.as_ref());
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
    pub fn all(&self) -> Counted {
        self.counts().all
    }

    /// Since midnight UTC.
    pub fn today(&self, day: NaiveDate) -> Counted {
        let counts = self.counts();
        if counts.day == day { counts.today } else { Counted::default() }
    }

    fn count(&self, day: NaiveDate, one_more: impl Fn(&mut Counted)) {
        let mut counts = self.counts();
        if counts.day != day {
            (counts.day, counts.today) = (day, Counted::default());
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
        let tally = Tally::default();
        tally.searched(monday, true);
        tally.searched(monday, false);
        tally.ingested(monday, false);
        assert_eq!(
            (tally.today(monday).searches, tally.today(monday).hits, tally.today(monday).failed),
            (2, 1, 1)
        );
        assert_eq!(tally.today(tuesday), Counted::default());
        tally.ingested(tuesday, true);
        tally.probed(tuesday, Liveness::Gone);
        let expected = Counted { ingested: 1, gone: 1, ..Counted::default() };
        assert_eq!(tally.today(tuesday), expected);
        assert_eq!(tally.all(), Counted { searches: 2, hits: 1, failed: 1, ..expected });
    }

    #[test]
    fn a_group_of_versions_counts_once() {
        let standing = |key: i64, decided_by: Option<DecidedBy>| Standing {
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
        let alone = Standing { cluster: None, ..standing(9, None) };
        let (pin, election) = (Some(DecidedBy::Pin), Some(DecidedBy::Election));
        let all = [
            standing(1, pin),
            standing(1, pin),
            standing(2, election),
            standing(2, election),
            standing(3, election),
            standing(4, None),
            alone,
        ];
        let (tally, day) = (Tally::default(), NaiveDate::default());
        tally.decided(day, all.iter());
        assert_eq!((tally.today(day).pins, tally.today(day).elections), (1, 2));
    }
}
