//! Hands the results of a run to the request that waits for it in this process, so that it need not read and parse what
//! was just stored.

use domain::ids::SearchId;
use domain::ports::StoredRun;
use domain::preferences::Preferences;
use domain::result::ResultSet;
use domain::search::Search;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most searches whose results are expected at once; further requests read theirs from the store.
const EXPECTED_MAX: usize = 256;

/// A search that was awaited.
#[derive(Debug)]
pub struct EndedSearch {
    pub search: Search,
    /// If the run ended in this process; otherwise the results are read from the store.
    pub(crate) handed: Option<HandedResults>,
}

/// The results of a run, as they were stored.
#[derive(Debug)]
pub(crate) struct HandedResults {
    pub sets: Vec<ResultSet>,
    /// The owner's preferences when the run began.
    pub preferences: Preferences,
}

/// A run that ended in this process.
#[derive(Debug, PartialEq)]
pub(crate) struct EndedRun {
    pub run: StoredRun,
    pub preferences: Preferences,
}

/// Runs that ended in this process and are expected by a request.
#[derive(Default)]
pub(crate) struct EndedRuns(Mutex<HashMap<SearchId, Expected>>);

#[derive(Default)]
struct Expected {
    waiters: usize,
    /// Whether a run has begun in this process.
    is_here: bool,
    run: Option<EndedRun>,
}

/// Expects a run until it is dropped.
pub(crate) struct Expectation<'a> {
    runs: &'a EndedRuns,
    search: SearchId,
}

impl EndedRuns {
    /// Call it before the status of the search is read. None if too many are expected.
    pub fn expect(&self, search: SearchId) -> Option<Expectation<'_>> {
        let mut expected = self.lock();
        if expected.len() >= EXPECTED_MAX && !expected.contains_key(&search) {
            return None;
        }
        expected.entry(search).or_default().waiters += 1;
        Some(Expectation { runs: self, search })
    }

    /// Notes that a run begins in this process, so that whoever expects it waits until it is handed over.
    pub fn begin(&self, search: SearchId) {
        if let Some(expected) = self.lock().get_mut(&search) {
            expected.is_here = true;
        }
    }

    /// Keeps the run if a request expects it.
    pub fn put(&self, ended: EndedRun) {
        let replaced = match self.lock().get_mut(&ended.run.search.id) {
            Some(expected) => expected.run.replace(ended),
            None => Some(ended),
        };
        drop(replaced); // outside of the lock
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SearchId, Expected>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Expectation<'_> {
    /// The run, for the first request that asks; the others read it from the store.
    pub fn take(&self) -> Option<EndedRun> {
        self.runs.lock().get_mut(&self.search)?.run.take()
    }

    /// Whether a run has begun in this process.
    pub fn is_here(&self) -> bool {
        self.runs.lock().get(&self.search).is_some_and(|expected| expected.is_here)
    }
}

impl Drop for Expectation<'_> {
    fn drop(&mut self) {
        let mut expected = self.runs.lock();
        let Some(entry) = expected.get_mut(&self.search) else { return };
        entry.waiters -= 1;
        if entry.waiters == 0 {
            expected.remove(&self.search);
        }
    }
}

impl From<EndedRun> for EndedSearch {
    fn from(EndedRun { run: StoredRun { search, mut sets }, preferences }: EndedRun) -> Self {
        sets.sort_by_key(|set| set.provider); // as the store reads them
        Self { search, handed: Some(HandedResults { sets, preferences }) }
    }
}

impl From<Search> for EndedSearch {
    fn from(search: Search) -> Self {
        Self { search, handed: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::tests::search;

    fn run(id: i64) -> EndedRun {
        let run = StoredRun { search: search(id), sets: Vec::new() };
        EndedRun { run, preferences: Preferences::default() }
    }

    #[test]
    fn a_run_is_kept_only_while_it_is_expected() {
        let runs = EndedRuns::default();
        runs.put(run(1));
        let expectation = runs.expect(SearchId(1)).expect("there is space");
        assert_eq!(expectation.take(), None, "it was not expected when it ended");
        runs.put(run(2));
        runs.put(run(1));
        assert_eq!(runs.lock().len(), 1);
        drop(expectation);
        assert_eq!(runs.lock().len(), 0);
    }

    #[test]
    fn a_run_that_begins_here_is_noted_only_if_it_is_expected() {
        let runs = EndedRuns::default();
        runs.begin(SearchId(1));
        assert_eq!(runs.lock().len(), 0);
        let [one, other] = [1, 2].map(|id| runs.expect(SearchId(id)).expect("there is space"));
        runs.begin(SearchId(1));
        assert_eq!((one.is_here(), other.is_here()), (true, false));
    }

    #[test]
    fn the_first_request_takes_it() {
        let runs = EndedRuns::default();
        let [first, second] = [(); 2].map(|()| runs.expect(SearchId(1)).expect("there is space"));
        runs.put(run(1));
        assert_eq!((second.take(), first.take()), (Some(run(1)), None));
        drop(first);
        runs.put(run(1));
        assert!(second.take().is_some(), "it is still expected");
    }

    #[test]
    fn a_bounded_number_is_expected() {
        let runs = EndedRuns::default();
        let held: Vec<_> = (0..EXPECTED_MAX).map(|id| runs.expect(SearchId(id as i64))).collect();
        assert!(held.iter().all(Option::is_some));
        assert!(runs.expect(SearchId(-1)).is_none());
        assert!(runs.expect(SearchId(0)).is_some(), "this one is expected already");
    }
}
