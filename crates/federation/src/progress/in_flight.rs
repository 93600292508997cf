//! In-flight runs of this process, with the providers that have finished, for late listeners.

use domain::ids::{RunNumber, SearchId};
use domain::result::ResultSet;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub(crate) struct InFlightRuns(Mutex<BTreeMap<Run, Vec<Arc<ResultSet>>>>);

type Run = (SearchId, RunNumber);

fn all_of(search: SearchId) -> RangeInclusive<Run> {
    (search, RunNumber(i64::MIN))..=(search, RunNumber(i64::MAX))
}

/// A registered run; dropping the guard removes it.
pub(crate) struct RunGuard<'a> {
    in_flight: &'a InFlightRuns,
    run: Run,
}

impl Drop for RunGuard<'_> {
    fn drop(&mut self) {
        self.in_flight.lock().remove(&self.run);
    }
}

impl InFlightRuns {
    pub(crate) fn open(&self, search: SearchId, run: RunNumber) -> RunGuard<'_> {
        self.lock().entry((search, run)).or_default();
        RunGuard { in_flight: self, run: (search, run) }
    }

    /// Adds the result set of a finished provider, if the run is registered.
    pub(crate) fn add(&self, run: RunNumber, set: &Arc<ResultSet>) {
        if let Some(sets) = self.lock().get_mut(&(set.search, run)) {
            sets.push(Arc::clone(set));
        }
    }

    /// True while a run of this search is registered.
    pub(crate) fn contains(&self, search: SearchId) -> bool {
        self.lock().range(all_of(search)).next().is_some()
    }

    /// The result sets of the finished providers, for every run of the search.
    pub(crate) fn result_sets(&self, search: SearchId) -> Vec<(RunNumber, Arc<ResultSet>)> {
        let runs = self.lock();
        let runs = runs.range(all_of(search));
        runs.flat_map(|((_, run), sets)| sets.iter().map(|set| (*run, Arc::clone(set)))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Run, Vec<Arc<ResultSet>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
