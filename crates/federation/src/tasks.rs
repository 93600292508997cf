//! The background work of federation.

use crate::Federation;
use async_trait::async_trait;
use domain::contracts::{ClaimedTask, NewTask, QueueName, StoreError, TaskError, TaskHandler};
use domain::ids::SearchId;
use domain::message;
use domain::search::Search;
use domain::status::SearchStatus;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

const NAME: &str = "run_search";
/// A search is started again after each crash of its worker; this many crashes are no accident.
const ATTEMPTS_MAX: u32 = 100;
/// After this many tries that failed with an error, the search ends with a message.
const FAILURES_MAX: u32 = 5;

#[derive(Serialize, Deserialize)]
struct Payload {
    search: SearchId,
    run: i64,
}

/// The task that runs a search as it now is.
pub(crate) fn run_search(search: &Search) -> NewTask {
    NewTask {
        queue: QueueName::Search,
        name: NAME.to_owned(),
        payload: serde_json::json!({ "search": search.id, "run": search.run }),
        attempts_max: ATTEMPTS_MAX,
    }
}

/// Runs a search.
pub struct RunSearch(pub Arc<Federation>);

#[async_trait]
impl TaskHandler for RunSearch {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn run(&self, task: &ClaimedTask) -> Result<(), TaskError> {
        let payload: Payload =
            serde_json::from_value(task.payload.clone()).map_err(|error| TaskError(error.to_string()))?;
        let Err(error) = self.0.run(payload.search, payload.run).await else { return Ok(()) };
        if task.attempt < FAILURES_MAX {
            return Err(TaskError(error.to_string()));
        }
        tracing::error!(search.id = payload.search.0, "search {} is given up: {error}", payload.search);
        self.give_up(payload.search).await.map_err(|error| TaskError(error.to_string()))
    }
}

impl RunSearch {
    async fn give_up(&self, id: SearchId) -> Result<(), crate::FederationError> {
        let search = match self.0.store.search(id).await {
            Err(StoreError::NotFound) => return Ok(()),
            other => other?,
        };
        let line = self.0.stamped(message::run_failed());
        self.0.conclude_without(&search, SearchStatus::ErrRunFailed, vec![line]).await
    }
}
