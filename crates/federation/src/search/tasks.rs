//! Background tasks: running searches, expiring them, updating subscribed ones.

use crate::error::FederationError;
use crate::federation::Federation;
use crate::notice_now::notice_now;
use crate::search::admission::delete_searches;
use crate::search::alerts::queue_alerts;
use crate::search::lifecycle::SearchLifecycle;
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::idempotency::KEYS_PER_USER_MAX;
use domain::ids::SearchId;
use domain::notice::{Notice, NoticeKind};
use domain::ports::{ClaimedTask, NoSlot, RunningSlot, StoreError, TaskError, TaskHandler, chain};
use domain::search::Search;
use domain::search_task::{RUN_ATTEMPTS_MAX, RUN_SEARCH, RunSearchPayload};
use domain::status::SearchStatus;
use std::sync::Arc;
use tracing::Instrument;

/// After this many attempts that failed with an error, the search ends with a message.
const FAILURES_MAX: u32 = 5;
/// Most steps in which the database releases free space after deletions; the rest waits for the next time.
const RELEASES_MAX: u32 = 100;
/// How long a failed task remains visible.
const FAILED_KEPT: TimeDelta = TimeDelta::days(30);
/// Searches that are read at once.
const BATCH: u64 = 500;

/// Runs a search.
pub struct RunSearch(pub Arc<Federation>);

#[async_trait]
impl TaskHandler for RunSearch {
    fn name(&self) -> &'static str {
        RUN_SEARCH
    }

    async fn run(&self, task: &ClaimedTask) -> Result<(), TaskError> {
        self.run_in(task, &NoSlot).await
    }

    async fn run_in(&self, task: &ClaimedTask, slot: &dyn RunningSlot) -> Result<(), TaskError> {
        let payload: RunSearchPayload = task.read_payload()?;
        // The search as a whole has its own log, apart from that of its providers.
        let span = tracing::info_span!("search", queue = "search_orchestrator", search.id = payload.search.0);
        self.run_or_give_up((&payload, task.attempt), slot).instrument(span).await
    }
}

impl RunSearch {
    async fn run_or_give_up(
        &self,
        (payload, attempt): (&RunSearchPayload, u32),
        slot: &dyn RunningSlot,
    ) -> Result<(), TaskError> {
        let Err(error) = self.0.runner.run(payload.search, payload.run, payload.kind(), slot).await else {
            if payload.update {
                queue_alerts(&self.0, payload.search, payload.run).await?;
            }
            return Ok(());
        };
        if should_retry(&error, attempt) {
            return Err(error.into());
        }
        tracing::error!("search {} failed permanently: {}", payload.search, chain(&error));
        Ok(self.give_up(payload.search).await?)
    }

    pub(crate) async fn give_up(&self, id: SearchId) -> Result<(), FederationError> {
        let runner = &self.0.runner;
        let search = match runner.store.search(id).await {
            Err(StoreError::NotFound) => return Ok(()),
            other => other?,
        };
        let notice = notice_now(&runner.context, NoticeKind::RunFailed);
        runner.finish_without_run(&search, SearchStatus::ErrRunFailed, vec![notice]).await
    }
}

/// A transient failure, such as an unreachable database, says nothing about the search and does not count.
fn should_retry(error: &FederationError, attempt: u32) -> bool {
    attempt < if error.is_transient() { RUN_ATTEMPTS_MAX } else { FAILURES_MAX }
}

/// Deletes expired searches, old idempotency keys and old failed tasks, and releases their space.
pub struct ExpireSearches(pub Arc<Federation>);

impl ExpireSearches {
    /// The name of the task, and of its schedule.
    pub const NAME: &str = "expire";
}

#[async_trait]
impl TaskHandler for ExpireSearches {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn run(&self, _task: &ClaimedTask) -> Result<(), TaskError> {
        Ok(self.clean_up().await?)
    }
}

impl ExpireSearches {
    async fn clean_up(&self) -> Result<(), StoreError> {
        let SearchLifecycle { store, context, .. } = &self.0.searches;
        self.expire().await?;
        store.expire_keys(context.clock.now(), KEYS_PER_USER_MAX).await?;
        store.forget_failed_tasks(context.clock.now() - FAILED_KEPT).await?;
        for _ in 0..RELEASES_MAX {
            if !store.release_space().await? {
                break;
            }
        }
        store.sample_size(context.clock.now()).await
    }

    async fn expire(&self) -> Result<(), StoreError> {
        let SearchLifecycle { store, context, .. } = &self.0.searches;
        let mut deleted = 0;
        loop {
            let expired = store.expired_searches(context.clock.now(), BATCH).await?;
            if expired.is_empty() {
                break;
            }
            deleted += delete_searches(&**store, expired).await?;
        }
        if deleted > 0 {
            tracing::info!(deleted, "deleted {deleted} expired searches");
        }
        Ok(())
    }
}

/// Updates the subscribed searches.
pub struct RunSubscriptions(pub Arc<Federation>);

impl RunSubscriptions {
    /// The name of the task, and of its schedule.
    pub const NAME: &str = "subscribe";
}

#[async_trait]
impl TaskHandler for RunSubscriptions {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn run(&self, _task: &ClaimedTask) -> Result<(), TaskError> {
        Ok(self.update_all().await?)
    }
}

impl RunSubscriptions {
    async fn update_all(&self) -> Result<(), FederationError> {
        let mut after = SearchId(0);
        loop {
            let page = self.0.searches.store.subscribed_searches(after, BATCH).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.id;
            // A search that still runs is skipped.
            for search in page.iter().filter(|search| search.status.is_final()) {
                match self.update_one(search).await {
                    Err(FederationError::Store(StoreError::NotFound)) => {} // deleted meanwhile
                    other => other?,
                }
            }
        }
    }

    async fn update_one(&self, search: &Search) -> Result<(), FederationError> {
        let SearchLifecycle { store, context, .. } = &self.0.searches;
        let reason = match store.user(search.owner).await {
            Ok(_) if search.status.is_error() => NoticeKind::SubscriptionFailed { status: search.status },
            Ok(_) => {
                self.0.searches.update_unlimited(search).await?;
                return Ok(());
            }
            Err(StoreError::NotFound) => NoticeKind::SubscriptionWithoutOwner,
            Err(error) => return Err(error.into()),
        };
        tracing::warn!(search.id = search.id.0, "search {}: {reason}", search.id);
        let now = context.clock.now();
        Ok(store.end_subscription(search.id, Notice::new(now, reason), now).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::QueueError;

    #[test]
    fn a_transient_storage_error_does_not_end_a_search() {
        let store = |error: StoreError| FederationError::Store(error);
        let cases = [
            (store(StoreError::failed(String::new())), FAILURES_MAX),
            (FederationError::Contended, FAILURES_MAX),
            (store(StoreError::full(String::new())), RUN_ATTEMPTS_MAX),
            (store(StoreError::unreachable(String::new())), RUN_ATTEMPTS_MAX),
            (QueueError::unreachable(String::new()).into(), RUN_ATTEMPTS_MAX),
            (QueueError::Store(StoreError::full(String::new())).into(), RUN_ATTEMPTS_MAX),
        ];
        for (error, last) in cases {
            assert!(should_retry(&error, last - 1), "{error:?}");
            assert!(!should_retry(&error, last), "{error:?}");
        }
    }
}
