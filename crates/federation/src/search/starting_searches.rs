//! Counts the searches that this process is storing, so that concurrent requests cannot exceed a limit together.

use domain::ids::UserId;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Searches per user that are being stored by this process. They count as stored; several processes together may exceed
/// a limit by what they store at that moment.
#[derive(Default)]
pub(crate) struct StartingSearches(Mutex<HashMap<UserId, u64>>);

/// A search that is being stored.
pub(crate) struct AdmissionPermit<'a> {
    starting: &'a StartingSearches,
    owner: UserId,
}

impl StartingSearches {
    /// Counts one more and returns the number with it.
    pub(super) fn begin(&self, owner: UserId) -> (AdmissionPermit<'_>, u64) {
        let mut starting = self.lock();
        let count = starting.entry(owner).or_default();
        *count += 1;
        (AdmissionPermit { starting: self, owner }, *count)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<UserId, u64>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for AdmissionPermit<'_> {
    fn drop(&mut self) {
        let mut starting = self.starting.lock();
        if let Some(count) = starting.get_mut(&self.owner) {
            *count -= 1;
            if *count == 0 {
                starting.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_counts_while_it_is_stored() {
        let searches = StartingSearches::default();
        let (first, one) = searches.begin(UserId(1));
        let (second, two) = searches.begin(UserId(1));
        let (_other, of_another) = searches.begin(UserId(2));
        assert_eq!((one, two, of_another), (1, 2, 1));
        drop(first);
        assert_eq!(searches.begin(UserId(1)).1, 2);
        drop(second);
        assert_eq!(searches.lock().len(), 1, "a user without searches in progress has no entry");
    }
}
