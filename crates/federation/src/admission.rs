//! Admission: how many searches may wait, of one user and of all, and how many are kept.

use crate::backlog::Backlog;
use crate::{Federation, FederationError};
use domain::contracts::QueueName;
use domain::ids::UserId;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Searches that are removed together when as many are kept as may be, so that the next ones pay nothing for it.
const REMOVED_AT_ONCE: u64 = 100;
/// Never more than this part of what may be kept.
const REMOVED_PART: u64 = 10;

/// The searches of each user that are being stored by this process. They count as if they were stored, so that requests
/// at the same moment do not pass together; several processes may exceed a limit by what they store at that moment.
#[derive(Default)]
pub(crate) struct Admission {
    starting: Mutex<HashMap<UserId, u64>>,
    /// Old searches are removed by one request at a time: those that wait for it find space.
    removal: tokio::sync::Mutex<()>,
    pub(crate) backlog: Backlog,
}

/// One search that is being stored.
pub(crate) struct Admitted<'a> {
    admission: &'a Admission,
    owner: UserId,
}

impl Admission {
    /// Counts one more; how many there are with it.
    fn begin(&self, owner: UserId) -> (Admitted<'_>, u64) {
        let mut starting = self.lock();
        let count = starting.entry(owner).or_default();
        *count += 1;
        (Admitted { admission: self, owner }, *count)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<UserId, u64>> {
        self.starting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Admitted<'_> {
    fn drop(&mut self) {
        let mut starting = self.admission.lock();
        if let Some(count) = starting.get_mut(&self.owner) {
            *count -= 1;
            if *count == 0 {
                starting.remove(&self.owner);
            }
        }
    }
}

impl Federation {
    /// Whether the user may have a new search. Keep what is returned until the search is stored.
    pub(crate) async fn admit_new(&self, owner: UserId) -> Result<Admitted<'_>, FederationError> {
        let (admitted, starting) = self.admission.begin(owner);
        tokio::try_join!(
            self.check_backlog(),
            self.check_waiting(owner, starting),
            self.check_kept(owner, starting)
        )?;
        Ok(admitted)
    }

    /// Whether the user may run a search again. Keep what is returned until the run is stored.
    pub(crate) async fn admit_again(&self, owner: UserId) -> Result<Admitted<'_>, FederationError> {
        let (admitted, starting) = self.admission.begin(owner);
        tokio::try_join!(self.check_backlog(), self.check_waiting(owner, starting))?;
        Ok(admitted)
    }

    async fn check_waiting(&self, owner: UserId, starting: u64) -> Result<(), FederationError> {
        let max = u64::from(self.context.settings.searches_waiting_max);
        match max > 0 && self.store.waiting_tasks_of(QueueName::Search, owner).await? + starting > max {
            true => Err(FederationError::TooManyWaiting { max }),
            false => Ok(()),
        }
    }

    /// Makes space for a new search where as many are kept as may be: the oldest go that are neither saved nor
    /// subscribed.
    async fn check_kept(&self, owner: UserId, starting: u64) -> Result<(), FederationError> {
        let max = u64::from(self.context.settings.searches_kept_max);
        if max == 0 || self.count_above(owner, starting, max).await? == 0 {
            return Ok(());
        }
        let _turn = self.admission.removal.lock().await;
        let above = self.count_above(owner, starting, max).await?;
        if above == 0 {
            return Ok(());
        }
        let wanted = above.max((max / REMOVED_PART).min(REMOVED_AT_ONCE));
        let removable = self.store.removable_searches(owner, wanted).await?;
        if (removable.len() as u64) < above {
            return Err(FederationError::TooManyKept { max });
        }
        let removed = self.delete_searches(removable).await?;
        tracing::info!(
            user.id = owner.0,
            removed,
            "{removed} old searches were removed: {max} are kept for one user"
        );
        Ok(())
    }

    /// How many searches there would be above the limit.
    async fn count_above(&self, owner: UserId, starting: u64, max: u64) -> Result<u64, FederationError> {
        Ok((self.store.count_searches(owner, max).await? + starting).saturating_sub(max))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_being_stored_counts_until_it_is_stored() {
        let admission = Admission::default();
        let (first, one) = admission.begin(UserId(1));
        let (second, two) = admission.begin(UserId(1));
        let (_other, of_another) = admission.begin(UserId(2));
        assert_eq!((one, two, of_another), (1, 2, 1));
        drop(first);
        assert_eq!(admission.begin(UserId(1)).1, 2);
        drop(second);
        assert_eq!(admission.lock().len(), 1, "nothing is kept of who stores nothing");
    }
}
