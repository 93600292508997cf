//! The background work of federation.

use crate::{Federation, FederationError, origin};
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::contracts::{
    ClaimedTask, NewTask, NoSlot, QueueName, RunningSlot, StoreError, TaskError, TaskHandler,
};
use domain::idempotency::KEYS_PER_USER_MAX;
use domain::ids::{SearchId, UserId};
use domain::message;
use domain::search::Search;
use domain::status::SearchStatus;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tracing::Instrument;

pub(crate) const RUN_SEARCH: &str = "run_search";
/// A search is started again after each crash of its worker; this many crashes are no accident.
const ATTEMPTS_MAX: u32 = 100;
/// After this many tries that failed with an error, the search ends with a message.
const FAILURES_MAX: u32 = 5;
/// Steps in which the database gives free space back after searches were deleted; the next ones wait for the next time.
const RELEASES_MAX: u32 = 100;
/// How long a task that used its tries is shown to whoever asks for it.
const FAILED_KEPT: TimeDelta = TimeDelta::days(30);
/// Searches that are read at once where all are gone through.
const BATCH: u64 = 500;

#[derive(Serialize, Deserialize)]
pub(crate) struct Payload {
    pub(crate) search: SearchId,
    pub(crate) run: i64,
    /// The run keeps what is there. It stands here because the status changes while the run is under way.
    #[serde(default)]
    update: bool,
    /// The request that asked for the run.
    #[serde(default)]
    request: Option<String>,
}

/// The task that runs a search as it now is.
pub(crate) fn run_search(search: &Search) -> NewTask {
    let is_update = search.status == SearchStatus::UpdateSearch;
    task_of_run((search.id, search.owner), search.run, is_update)
}

/// The task of one run of a search and its owner; an update keeps what is there.
pub fn task_of_run((search, owner): (SearchId, UserId), run: i64, is_update: bool) -> NewTask {
    let mut payload = serde_json::json!({ "search": search, "run": run, "update": is_update });
    if let Some(request) = origin::request() {
        payload["request"] = request.into();
    }
    NewTask {
        queue: QueueName::Search,
        name: RUN_SEARCH.to_owned(),
        payload,
        attempts_max: ATTEMPTS_MAX,
        owner: Some(owner),
    }
}

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
        let payload: Payload =
            serde_json::from_value(task.payload.clone()).map_err(|error| TaskError(error.to_string()))?;
        // The search as a whole has a log of its own, apart from the work of its providers.
        let span = tracing::info_span!(
            "search",
            queue = "search_orchestrator",
            search.id = payload.search.0,
            request.id = payload.request.as_deref().map(tracing::field::display),
        );
        self.run_or_give_up((&payload, task.attempt), slot).instrument(span).await
    }
}

impl RunSearch {
    async fn run_or_give_up(
        &self,
        (payload, attempt): (&Payload, u32),
        slot: &dyn RunningSlot,
    ) -> Result<(), TaskError> {
        let Err(error) = self.0.run(payload.search, payload.run, payload.update, slot).await else {
            return Ok(());
        };
        if is_tried_again(&error, attempt) {
            return Err(TaskError(error.to_string()));
        }
        tracing::error!("search {} is given up: {error}", payload.search);
        self.give_up(payload.search).await.map_err(|error| TaskError(error.to_string()))
    }

    pub(crate) async fn give_up(&self, id: SearchId) -> Result<(), FederationError> {
        let search = match self.0.store.search(id).await {
            Err(StoreError::NotFound) => return Ok(()),
            other => other?,
        };
        let line = self.0.stamped(message::run_failed());
        self.0.conclude_without(&search, SearchStatus::ErrRunFailed, vec![line]).await
    }
}

/// A database that is away or full says nothing about the search, so it costs none of its few failures.
fn is_tried_again(error: &FederationError, attempt: u32) -> bool {
    attempt < if error.is_passing() { ATTEMPTS_MAX } else { FAILURES_MAX }
}

/// Deletes the searches whose retention has run out, keys of requests and failed tasks that are too old, and gives their
/// space back.
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
        self.clean_up().await.map_err(|error| TaskError(error.to_string()))
    }
}

impl ExpireSearches {
    async fn clean_up(&self) -> Result<(), StoreError> {
        let Federation { store, context, .. } = &*self.0;
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
        let Federation { store, context, .. } = &*self.0;
        let mut deleted = 0;
        loop {
            let expired = store.expired_searches(context.clock.now(), BATCH).await?;
            if expired.is_empty() {
                break;
            }
            deleted += self.0.delete_searches(expired).await?;
        }
        if deleted > 0 {
            tracing::info!(deleted, "{deleted} searches were deleted: their retention has run out");
        }
        Ok(())
    }
}

impl Federation {
    /// Deletes searches with all that belongs to them; how many were there.
    pub(crate) async fn delete_searches(&self, ids: Vec<SearchId>) -> Result<u64, StoreError> {
        let mut deleted = 0;
        for id in ids {
            match self.store.delete_search(id).await {
                Ok(()) => deleted += 1,
                Err(StoreError::NotFound) => {} // somebody else was first
                Err(error) => return Err(error),
            }
        }
        Ok(deleted)
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
        self.update_all().await.map_err(|error| TaskError(error.to_string()))
    }
}

impl RunSubscriptions {
    async fn update_all(&self) -> Result<(), FederationError> {
        let mut after = SearchId(0);
        loop {
            let page = self.0.store.subscribed_searches(after, BATCH).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = last.id;
            // One that still runs is left to its run.
            for search in page.iter().filter(|search| search.status.is_final()) {
                match self.update_one(search).await {
                    Err(FederationError::Store(StoreError::NotFound)) => {} // deleted meanwhile
                    other => other?,
                }
            }
        }
    }

    async fn update_one(&self, search: &Search) -> Result<(), FederationError> {
        let Federation { store, context, .. } = &*self.0;
        let obstacle = match store.user(search.owner).await {
            Ok(_) if search.status.is_error() => message::subscription_failed(search.status),
            Ok(_) => {
                self.0.update_unlimited(search).await?;
                return Ok(());
            }
            Err(StoreError::NotFound) => message::subscription_without_owner().to_owned(),
            Err(error) => return Err(error.into()),
        };
        tracing::warn!(search.id = search.id.0, "search {}: {obstacle}", search.id);
        let now = context.clock.now();
        Ok(store.end_subscription(search.id, message::at(now, &obstacle), now).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::contracts::QueueError;

    #[tokio::test]
    async fn a_run_names_the_request_that_asked_for_it() {
        let read = |task: NewTask| serde_json::from_value::<Payload>(task.payload).unwrap().request;
        let make = async || task_of_run((SearchId(1), UserId(4)), 2, false);
        assert_eq!(read(origin::within_request("r-1".to_owned(), make()).await).as_deref(), Some("r-1"));
        assert_eq!(read(make().await), None, "nobody asked");
        let of_earlier_days = serde_json::json!({ "search": 1, "run": 2 });
        assert_eq!(serde_json::from_value::<Payload>(of_earlier_days).unwrap().request, None);
    }

    #[test]
    fn a_fault_of_the_storage_ends_no_search() {
        let store = |error: StoreError| FederationError::Store(error);
        let cases = [
            (store(StoreError::Failed(String::new())), FAILURES_MAX),
            (FederationError::Contended, FAILURES_MAX),
            (store(StoreError::Full(String::new())), ATTEMPTS_MAX),
            (store(StoreError::Unreachable(String::new())), ATTEMPTS_MAX),
            (QueueError::Unreachable(String::new()).into(), ATTEMPTS_MAX),
            (QueueError::Store(StoreError::Full(String::new())).into(), ATTEMPTS_MAX),
        ];
        for (error, last) in cases {
            assert!(is_tried_again(&error, last - 1), "{error:?}");
            assert!(!is_tried_again(&error, last), "{error:?}");
        }
    }
}
