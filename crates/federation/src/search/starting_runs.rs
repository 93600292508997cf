//! Hands a new search to its run in this process, so that it need not read what was just stored.

use domain::ids::{RunNumber, SearchId};
use domain::search::Search;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Most searches that are kept; a further one is read from the store.
const STARTING_MAX: usize = 256;

/// How long a search is as it was stored: later, it may have been edited or deleted.
const FRESH: Duration = Duration::from_millis(250);

/// New searches whose runs have not begun.
#[derive(Default)]
pub(crate) struct StartingRuns(Mutex<HashMap<SearchId, StartingRun>>);

struct StartingRun {
    search: Search,
    stored: Instant,
}

impl StartingRuns {
    pub fn put(&self, search: Search) {
        let mut starting = self.lock();
        if starting.len() >= STARTING_MAX {
            starting.retain(|_, one| one.is_fresh());
        }
        if starting.len() < STARTING_MAX {
            starting.insert(search.id, StartingRun { search, stored: Instant::now() });
        }
    }

    /// The search of this run, if it was stored a moment ago.
    pub fn take(&self, id: SearchId, run: RunNumber) -> Option<Search> {
        let found = self.lock().remove(&id)?;
        (found.is_fresh() && found.search.run == run).then_some(found.search)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SearchId, StartingRun>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StartingRun {
    fn is_fresh(&self) -> bool {
        self.stored.elapsed() < FRESH
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::tests::search;

    #[tokio::test(start_paused = true)]
    async fn a_search_is_read_again_after_a_while() {
        let (starting, run) = (StartingRuns::default(), search(1).run);
        (0..STARTING_MAX).for_each(|id| starting.put(search(id as i64)));
        tokio::time::advance(FRESH).await;
        assert_eq!(starting.take(SearchId(1), run), None);
        starting.put(search(-1));
        starting.put(search(-2));
        assert_eq!(starting.lock().len(), 2, "those that were never taken are removed");
        assert_eq!(starting.take(SearchId(-1), run), Some(search(-1)));
    }

    #[test]
    fn a_search_is_taken_once_by_its_own_run() {
        let starting = StartingRuns::default();
        starting.put(search(1));
        starting.put(search(2));
        let run = search(1).run;
        assert_eq!(starting.take(SearchId(1), run), Some(search(1)));
        assert_eq!(starting.take(SearchId(1), run), None);
        assert_eq!(starting.take(SearchId(2), RunNumber(run.0 + 1)), None, "it belongs to another run");
    }

    #[test]
    fn a_bounded_number_is_kept() {
        let starting = StartingRuns::default();
        (0..=STARTING_MAX).for_each(|id| starting.put(search(id as i64)));
        assert_eq!(starting.lock().len(), STARTING_MAX);
    }
}
