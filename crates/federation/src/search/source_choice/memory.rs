//! The earlier searches of this process, by user. A user's searches are used for that user alone.

use domain::ids::UserId;
use domain::source_choice::PastSearch;
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Searches that are remembered, of all users together.
const SEARCHES_MAX: usize = 5_000;
/// Searches of one user, so that nobody fills the memory alone and a vote stays fast.
const SEARCHES_PER_USER_MAX: usize = 1_000;
/// Users whose stored searches were read. Beyond that, they are read again.
const USERS_MAX: usize = 10_000;

/// Remembers searches, the oldest first.
#[derive(Default)]
pub(super) struct SearchMemory(Mutex<Remembered>);

#[derive(Default)]
struct Remembered {
    searches: VecDeque<(UserId, Arc<PastSearch>)>,
    /// Users whose stored searches were read.
    loaded: HashSet<UserId>,
}

impl SearchMemory {
    /// Remembers a search of this user, unless it had no results. It replaces an earlier one with the same query.
    pub fn remember(&self, owner: UserId, search: PastSearch) {
        if search.shares.is_empty() {
            return;
        }
        let mut remembered = self.lock();
        let searches = &mut remembered.searches;
        let is_same =
            |(user, past): &(UserId, Arc<PastSearch>)| *user == owner && past.embedding == search.embedding;
        if let Some(place) = searches.iter().position(is_same) {
            searches.remove(place);
        }
        let (count, oldest) = count_of(searches, owner);
        if let Some(oldest) = oldest.filter(|_| count >= SEARCHES_PER_USER_MAX) {
            searches.remove(oldest);
        } else if searches.len() >= SEARCHES_MAX {
            searches.pop_front();
        }
        searches.push_back((owner, Arc::new(search)));
    }

    /// The remembered searches of this user.
    pub fn searches_of(&self, owner: UserId) -> Vec<Arc<PastSearch>> {
        let remembered = self.lock();
        let own = remembered.searches.iter().filter(|(user, _)| *user == owner);
        own.map(|(_, search)| Arc::clone(search)).collect()
    }

    /// True once for each user: the caller then reads the stored searches.
    pub fn begin_loading(&self, owner: UserId) -> bool {
        let mut remembered = self.lock();
        if remembered.loaded.len() >= USERS_MAX {
            remembered.loaded.clear();
        }
        remembered.loaded.insert(owner)
    }

    fn lock(&self) -> MutexGuard<'_, Remembered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number of this user's searches, and the place of the oldest.
fn count_of(searches: &VecDeque<(UserId, Arc<PastSearch>)>, owner: UserId) -> (usize, Option<usize>) {
    let mut places =
        searches.iter().enumerate().filter(|(_, (user, _))| *user == owner).map(|(place, _)| place);
    match places.next() {
        Some(oldest) => (1 + places.count(), Some(oldest)),
        None => (0, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::ProviderId;

    const ANN: UserId = UserId(1);

    fn past(number: usize) -> PastSearch {
        PastSearch { embedding: [number as f32].into(), shares: vec![(ProviderId(1), 1.0)] }
    }

    fn numbers(memory: &SearchMemory, owner: UserId) -> Vec<usize> {
        memory.searches_of(owner).iter().map(|search| search.embedding[0] as usize).collect()
    }

    #[test]
    fn a_user_gets_only_own_searches() {
        let memory = SearchMemory::default();
        memory.remember(ANN, past(1));
        memory.remember(UserId(2), past(2));
        assert_eq!(numbers(&memory, ANN), [1]);
        assert_eq!(numbers(&memory, UserId(2)), [2]);
        assert!(numbers(&memory, UserId(3)).is_empty());
    }

    #[test]
    fn a_search_without_results_is_not_remembered() {
        let memory = SearchMemory::default();
        memory.remember(ANN, PastSearch { shares: Vec::new(), ..past(1) });
        assert!(numbers(&memory, ANN).is_empty());
    }

    #[test]
    fn a_repeated_search_replaces_the_earlier_one() {
        let memory = SearchMemory::default();
        [1, 2, 1].into_iter().for_each(|number| memory.remember(ANN, past(number)));
        memory.remember(UserId(2), past(2));
        assert_eq!(numbers(&memory, ANN), [2, 1]);
    }

    #[test]
    fn the_searches_of_a_user_are_bounded() {
        let memory = SearchMemory::default();
        memory.remember(UserId(2), past(0));
        (0..SEARCHES_PER_USER_MAX + 2).for_each(|number| memory.remember(ANN, past(number)));
        let kept = numbers(&memory, ANN);
        assert_eq!((kept.len(), kept[0]), (SEARCHES_PER_USER_MAX, 2), "the oldest are forgotten");
        assert_eq!(numbers(&memory, UserId(2)), [0], "those of others stay");
    }

    #[test]
    fn the_searches_of_all_users_are_bounded() {
        let memory = SearchMemory::default();
        for number in 0..SEARCHES_MAX + 3 {
            memory.remember(UserId(number as i64 / 500), past(number));
        }
        assert_eq!(memory.lock().searches.len(), SEARCHES_MAX);
        assert_eq!(numbers(&memory, UserId(0))[0], 3, "the oldest are forgotten");
    }

    #[test]
    fn the_stored_searches_of_a_user_are_read_once() {
        let memory = SearchMemory::default();
        assert!(memory.begin_loading(ANN) && !memory.begin_loading(ANN));
        (0..=USERS_MAX as i64).for_each(|id| assert!(id == ANN.0 || memory.begin_loading(UserId(id))));
        assert!(memory.lock().loaded.len() <= USERS_MAX);
    }
}
