//! Limits on searches: how many may wait, of one user and of all, and how many are kept for one user.

use crate::error::FederationError;
use crate::federation_store::FederationStore;
use crate::search::backlog::Backlog;
use crate::search::starting_searches::{AdmissionPermit, StartingSearches};
use domain::ids::{SearchId, UserId};
use domain::ports::{Clock, QueueName, SearchCounts, StoreError};
use domain::settings::Settings;
use std::sync::Arc;

/// Searches that are removed at once at the limit, so that the next requests need not remove any.
const REMOVED_AT_ONCE: u64 = 100;
/// At most this share of the limit is removed (1/10).
const REMOVED_SHARE: u64 = 10;

/// The admission of a new search that is not stored yet.
pub(crate) struct PendingAdmission<'a> {
    permit: AdmissionPermit<'a>,
    owner: UserId,
    /// The user's searches that this process is storing, with this one.
    starting: u64,
}

/// Decides whether a user may start another search.
pub(crate) struct AdmissionControl {
    store: Arc<dyn FederationStore>,
    settings: Arc<Settings>,
    clock: Arc<dyn Clock>,
    starting: StartingSearches,
    backlog: Backlog,
    /// Held while old searches are removed; requests that wait for it find space afterwards.
    removal: tokio::sync::Mutex<()>,
}

impl AdmissionControl {
    pub fn new(store: Arc<dyn FederationStore>, settings: Arc<Settings>, clock: Arc<dyn Clock>) -> Self {
        let (starting, backlog, removal) = Default::default();
        Self { store, settings, clock, starting, backlog, removal }
    }

    /// Checks whether the user may create a search. Keep the permit until the search is stored.
    pub(crate) async fn admit_new(&self, owner: UserId) -> Result<AdmissionPermit<'_>, FederationError> {
        let pending = self.request_new(owner);
        self.check_new(&pending, None).await?;
        Ok(pending.permit)
    }

    /// Counts a new search from now on. Count the stored searches after this call, so that concurrent requests cannot
    /// miss each other. Keep the result until the search is stored.
    pub(crate) fn request_new(&self, owner: UserId) -> PendingAdmission<'_> {
        let (permit, starting) = self.starting.begin(owner);
        PendingAdmission { permit, owner, starting }
    }

    /// Checks whether the user may create the search. `counted`: the user's searches, if the caller has counted them,
    /// at most up to [`Self::stored_max`].
    pub(crate) async fn check_new(
        &self,
        pending: &PendingAdmission<'_>,
        counted: Option<SearchCounts>,
    ) -> Result<(), FederationError> {
        let PendingAdmission { owner, starting, .. } = *pending;
        tokio::try_join!(
            self.check_backlog(),
            self.check_waiting(owner, starting, counted.map(|counted| counted.waiting)),
            self.check_kept(owner, starting, counted.map(|counted| counted.stored))
        )?;
        Ok(())
    }

    /// Whether the search can be stored without removing others.
    pub(crate) fn has_space(&self, pending: &PendingAdmission<'_>, counted: SearchCounts) -> bool {
        let max = self.stored_max();
        max == 0 || counted.stored + pending.starting <= max
    }

    /// The number of stored searches beyond which nothing needs to be counted. 0 if there is no limit.
    pub(crate) fn stored_max(&self) -> u64 {
        u64::from(self.settings.searches_kept_max)
    }

    /// Checks whether the user may run a search again. Keep the permit until the run is stored.
    pub(crate) async fn admit_again(&self, owner: UserId) -> Result<AdmissionPermit<'_>, FederationError> {
        let (permit, starting) = self.starting.begin(owner);
        tokio::try_join!(self.check_backlog(), self.check_waiting(owner, starting, None))?;
        Ok(permit)
    }

    /// Checks the limit of waiting searches of all users.
    async fn check_backlog(&self) -> Result<(), FederationError> {
        let max = u64::from(self.settings.searches_queued_max);
        if max == 0 {
            return Ok(());
        }
        let backlog = &self.backlog;
        if backlog.is_stale(max) {
            let now = self.clock.now();
            backlog.set_count(self.store.task_depth(QueueName::Search, now).await?);
        }
        if backlog.add(max) { Ok(()) } else { Err(FederationError::QueueFull { max }) }
    }

    async fn check_waiting(
        &self,
        owner: UserId,
        starting: u64,
        counted: Option<u64>,
    ) -> Result<(), FederationError> {
        let max = u64::from(self.settings.searches_waiting_max);
        if max == 0 {
            return Ok(());
        }
        let waiting = match counted {
            Some(waiting) => waiting,
            None => self.store.waiting_tasks_of(QueueName::Search, owner).await?,
        };
        if waiting + starting > max { Err(FederationError::TooManyWaiting { max }) } else { Ok(()) }
    }

    /// Makes space for a new search: at the limit, the oldest searches that are neither saved nor subscribed are
    /// removed.
    async fn check_kept(
        &self,
        owner: UserId,
        starting: u64,
        counted: Option<u64>,
    ) -> Result<(), FederationError> {
        let max = self.stored_max();
        if max == 0 {
            return Ok(());
        }
        let stored = match counted {
            Some(stored) => stored,
            None => self.store.count_searches(owner, max).await?,
        };
        if stored + starting <= max {
            return Ok(());
        }
        let _removal_lock = self.removal.lock().await;
        let stored = self.store.count_searches(owner, max).await?;
        let above = (stored + starting).saturating_sub(max);
        if above == 0 {
            return Ok(());
        }
        let wanted = above.max((max / REMOVED_SHARE).min(REMOVED_AT_ONCE));
        let removable = self.store.removable_searches(owner, wanted).await?;
        if (removable.len() as u64) < above {
            return Err(FederationError::TooManyKept { max });
        }
        let removed = delete_searches(&*self.store, removable).await?;
        tracing::info!(
            user.id = owner.0,
            removed,
            "removed {removed} old searches: at most {max} are kept for one user"
        );
        Ok(())
    }
}

/// Deletes searches with everything that belongs to them; returns how many existed.
pub(crate) async fn delete_searches(
    store: &dyn FederationStore,
    ids: Vec<SearchId>,
) -> Result<u64, StoreError> {
    let mut deleted = 0;
    for id in ids {
        match store.delete_search(id).await {
            Ok(()) => deleted += 1,
            Err(StoreError::NotFound) => {} // deleted meanwhile
            Err(error) => return Err(error),
        }
    }
    Ok(deleted)
}
