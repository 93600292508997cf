//! In-flight runs of this process, with the providers that have finished, for late listeners.

use domain::ids::SearchId;
use domain::result::ResultSet;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub(crate) struct InFlightRuns(Mutex<BTreeMap<Run, Vec<Arc<ResultSet>>>>);

type Run = (SearchId, i64);

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
    pub(crate) fn open(&self, search: SearchId, run: i64) -> RunGuard<'_> {
        self.lock().entry((search, run)).or_default();
        RunGuard { in_flight: self, run: (search, run) }
    }

    /// Adds the result set of a finished provider, if the run is registered.
    pub(crate) fn add(&self, run: i64, set: &Arc<ResultSet>) {
        if let Some(sets) = self.lock().get_mut(&(set.search, run)) {
            sets.push(Arc::clone(set));
        }
    }

    /// True while a run of this search is registered.
    pub(crate) fn contains(&self, search: SearchId) -> bool {
        self.lock().range((search, i64::MIN)..=(search, i64::MAX)).next().is_some()
    }

    /// The result sets of the finished providers, for every run of the search.
    pub(crate) fn result_sets(&self, search: SearchId) -> Vec<(i64, Arc<ResultSet>)> {
        let runs = self.lock();
        let runs = runs.range((search, i64::MIN)..=(search, i64::MAX));
        runs.flat_map(|((_, run), sets)| sets.iter().map(|set| (*run, Arc::clone(set)))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Run, Vec<Arc<ResultSet>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
