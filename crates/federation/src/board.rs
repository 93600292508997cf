//! The board: which providers have ended in the runs of this process, for those who come late.

use domain::ids::SearchId;
use domain::result::ResultSet;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub(crate) struct Board(Mutex<BTreeMap<Run, Vec<Arc<ResultSet>>>>);

type Run = (SearchId, i64);

/// A run on the board; it is taken down when this is dropped, however the run ends.
pub(crate) struct Pinned<'a> {
    board: &'a Board,
    run: Run,
}

impl Drop for Pinned<'_> {
    fn drop(&mut self) {
        self.board.lock().remove(&self.run);
    }
}

impl Board {
    pub(crate) fn open(&self, search: SearchId, run: i64) -> Pinned<'_> {
        self.lock().entry((search, run)).or_default();
        Pinned { board: self, run: (search, run) }
    }

    /// Adds the end of a provider to its run, if that is on the board.
    pub(crate) fn add(&self, run: i64, set: &Arc<ResultSet>) {
        if let Some(sets) = self.lock().get_mut(&(set.search, run)) {
            sets.push(Arc::clone(set));
        }
    }

    /// True while a run of this search is on the board.
    pub(crate) fn has(&self, search: SearchId) -> bool {
        self.lock().range((search, i64::MIN)..=(search, i64::MAX)).next().is_some()
    }

    /// Every run of a search with the providers that have ended in it.
    pub(crate) fn of(&self, search: SearchId) -> Vec<(i64, Arc<ResultSet>)> {
        let runs = self.lock();
        let runs = runs.range((search, i64::MIN)..=(search, i64::MAX));
        runs.flat_map(|((_, run), sets)| sets.iter().map(|set| (*run, Arc::clone(set)))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Run, Vec<Arc<ResultSet>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
