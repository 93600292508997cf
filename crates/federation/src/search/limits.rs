//! Limits on searches: how many may wait, of one user and of all, and how many are kept for one user.

use crate::error::FederationError;
use crate::federation::Federation;
use crate::search::admission::AdmissionPermit;
use domain::ids::UserId;
use domain::ports::QueueName;

/// Searches that are removed at once at the limit, so that the next requests need not remove any.
const REMOVED_AT_ONCE: u64 = 100;
/// At most this share of the limit is removed (1/10).
const REMOVED_SHARE: u64 = 10;

impl Federation {
    /// Checks whether the user may create a search. Keep the permit until the search is stored.
    pub(crate) async fn admit_new(&self, owner: UserId) -> Result<AdmissionPermit<'_>, FederationError> {
        let (permit, starting) = self.admission.begin(owner);
        tokio::try_join!(
            self.check_backlog(),
            self.check_waiting(owner, starting),
            self.check_kept(owner, starting)
        )?;
        Ok(permit)
    }

    /// Checks whether the user may run a search again. Keep the permit until the run is stored.
    pub(crate) async fn admit_again(&self, owner: UserId) -> Result<AdmissionPermit<'_>, FederationError> {
        let (permit, starting) = self.admission.begin(owner);
        tokio::try_join!(self.check_backlog(), self.check_waiting(owner, starting))?;
        Ok(permit)
    }

    /// Checks the limit of waiting searches of all users.
    async fn check_backlog(&self) -> Result<(), FederationError> {
        let max = u64::from(self.settings.searches_queued_max);
        if max == 0 {
            return Ok(());
        }
        let backlog = &self.admission.backlog;
        if backlog.is_stale(max) {
            let now = self.context.clock.now();
            backlog.set_count(self.store.task_depth(QueueName::Search, now).await?);
        }
        if backlog.add(max) { Ok(()) } else { Err(FederationError::QueueFull { max }) }
    }

    async fn check_waiting(&self, owner: UserId, starting: u64) -> Result<(), FederationError> {
        let max = u64::from(self.settings.searches_waiting_max);
        if max > 0 && self.store.waiting_tasks_of(QueueName::Search, owner).await? + starting > max {
            Err(FederationError::TooManyWaiting { max })
        } else {
            Ok(())
        }
    }

    /// Makes space for a new search: at the limit, the oldest searches that are neither saved nor subscribed are
    /// removed.
    async fn check_kept(&self, owner: UserId, starting: u64) -> Result<(), FederationError> {
        let max = u64::from(self.settings.searches_kept_max);
        if max == 0 || self.count_above(owner, starting, max).await? == 0 {
            return Ok(());
        }
        let _removal_lock = self.admission.removal.lock().await;
        let above = self.count_above(owner, starting, max).await?;
        if above == 0 {
            return Ok(());
        }
        let wanted = above.max((max / REMOVED_SHARE).min(REMOVED_AT_ONCE));
        let removable = self.store.removable_searches(owner, wanted).await?;
        if (removable.len() as u64) < above {
            return Err(FederationError::TooManyKept { max });
        }
        let removed = self.delete_searches(removable).await?;
        tracing::info!(
            user.id = owner.0,
            removed,
            "removed {removed} old searches: at most {max} are kept for one user"
        );
        Ok(())
    }

    /// The number of searches above the limit.
    async fn count_above(&self, owner: UserId, starting: u64, max: u64) -> Result<u64, FederationError> {
        Ok((self.store.count_searches(owner, max).await? + starting).saturating_sub(max))
    }
}
