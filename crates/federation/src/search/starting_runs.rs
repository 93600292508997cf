//! Hands a new search to its run in this process, so that it need not read again what was just stored or read.

use domain::ids::{RunNumber, SearchId};
use domain::ports::SearchRecords;
use domain::search::Search;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Most searches that are kept; a further one is read from the store.
const STARTING_MAX: usize = 256;

/// How long a stored search and its records are used without reading them again: later, they may have been edited or
/// deleted, and rights may have been withdrawn.
const FRESH: Duration = Duration::from_millis(250);

/// New searches whose runs have not begun.
#[derive(Default)]
pub(crate) struct StartingRuns(Mutex<HashMap<SearchId, NewSearch>>);

/// A search that was just stored.
pub(crate) struct NewSearch {
    pub search: Search,
    /// Read before the search was stored. None if they could not be read.
    pub records: Option<SearchRecords>,
    /// When reading the records began.
    pub read_at: Instant,
}

impl StartingRuns {
    pub fn put(&self, new: NewSearch) {
        let mut starting = self.lock();
        // Records are large: those that were never taken are not kept.
        starting.retain(|_, one| one.is_fresh());
        if starting.len() < STARTING_MAX {
            starting.insert(new.search.id, new);
        }
    }

    /// The search of this run, if it was stored a moment ago.
    pub fn take(&self, id: SearchId, run: RunNumber) -> Option<NewSearch> {
        let found = self.lock().remove(&id)?;
        (found.is_fresh() && found.search.run == run).then_some(found)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SearchId, NewSearch>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NewSearch {
    fn is_fresh(&self) -> bool {
        self.read_at.elapsed() < FRESH
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::tests::search;

    fn new(id: i64) -> NewSearch {
        NewSearch { search: search(id), records: None, read_at: Instant::now() }
    }

    fn take(starting: &StartingRuns, id: i64, run: RunNumber) -> Option<Search> {
        starting.take(SearchId(id), run).map(|new| new.search)
    }

    #[tokio::test(start_paused = true)]
    async fn a_search_is_read_again_after_a_while() {
        let (starting, run) = (StartingRuns::default(), search(1).run);
        (0..STARTING_MAX).for_each(|id| starting.put(new(id as i64)));
        tokio::time::advance(FRESH).await;
        assert_eq!(take(&starting, 1, run), None);
        starting.put(new(-1));
        assert_eq!(starting.lock().len(), 1, "those that were never taken are removed");
        starting.put(new(-2));
        assert_eq!(starting.lock().len(), 2);
        assert_eq!(take(&starting, -1, run), Some(search(-1)));
    }

    #[tokio::test(start_paused = true)]
    async fn records_that_were_read_long_before_are_read_again() {
        let (starting, new) = (StartingRuns::default(), new(1));
        let run = new.search.run;
        tokio::time::advance(FRESH).await; // removing old searches took long
        starting.put(new);
        assert_eq!(take(&starting, 1, run), None);
    }

    #[test]
    fn a_search_is_taken_once_by_its_own_run() {
        let starting = StartingRuns::default();
        starting.put(new(1));
        starting.put(new(2));
        let run = search(1).run;
        assert_eq!(take(&starting, 1, run), Some(search(1)));
        assert_eq!(take(&starting, 1, run), None);
        assert_eq!(take(&starting, 2, RunNumber(run.0 + 1)), None, "it belongs to another run");
    }

    #[test]
    fn a_bounded_number_is_kept() {
        let starting = StartingRuns::default();
        (0..=STARTING_MAX).for_each(|id| starting.put(new(id as i64)));
        assert_eq!(starting.lock().len(), STARTING_MAX);
    }
}
