//! Hands a new search to its run in this process, so that it need not read what was just stored.

use domain::ids::{RunNumber, SearchId};
use domain::search::Search;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most searches that are kept; a further one is read from the store.
const STARTING_MAX: usize = 256;

/// New searches whose runs have not begun.
#[derive(Default)]
pub(crate) struct StartingRuns(Mutex<HashMap<SearchId, Search>>);

impl StartingRuns {
    pub fn put(&self, search: Search) {
        let mut starting = self.lock();
        if starting.len() < STARTING_MAX {
            starting.insert(search.id, search);
        }
    }

    /// The search of this run as it was stored. A change since then is a later run, which makes this one obsolete.
    pub fn take(&self, id: SearchId, run: RunNumber) -> Option<Search> {
        self.lock().remove(&id).filter(|search| search.run == run)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SearchId, Search>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::progress::tests::search;

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
