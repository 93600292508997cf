//! The task that runs a search, as the queue stores it.

use crate::ids::{RunNumber, SearchId, UserId};
use crate::ports::{NewTask, QueueName, REQUEST_ID, UnfinishedSearch};
use crate::search::Search;
use crate::status::{RunKind, SearchStatus};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// Name of the task.
pub const RUN_SEARCH: &str = "run_search";
/// A search is restarted after each crash of its worker, up to this many times.
pub const RUN_ATTEMPTS_MAX: u32 = 100;

/// Payload of the task: one run of a search. Processes of two versions read the same queue: a new field has a default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSearchPayload {
    pub search: SearchId,
    pub run: RunNumber,
    /// The run keeps the results. Stored here because the status changes during the run.
    #[serde(default)]
    pub update: bool,
    /// The id of the request that caused the run.
    #[serde(default)]
    pub request: Option<String>,
}

impl RunSearchPayload {
    pub fn kind(&self) -> RunKind {
        if self.update { RunKind::Update } else { RunKind::New }
    }

    fn task(self, owner: UserId) -> NewTask {
        let mut payload = json!({ "search": self.search, "run": self.run, "update": self.update });
        if let Some(request) = self.request {
            payload[REQUEST_ID] = request.into();
        }
        NewTask {
            queue: QueueName::Search,
            name: RUN_SEARCH.to_owned(),
            payload,
            attempts_max: RUN_ATTEMPTS_MAX,
            owner: Some(owner),
        }
    }
}

impl Search {
    /// The task of the newest run, caused by this request.
    pub fn run_task(&self, request: Option<&str>) -> NewTask {
        let payload = RunSearchPayload {
            search: self.id,
            run: self.run,
            update: self.status == SearchStatus::UpdateSearch,
            request: request.map(str::to_owned),
        };
        payload.task(self.owner)
    }
}

impl UnfinishedSearch {
    /// A task in place of the one that was lost.
    pub fn run_task(&self) -> NewTask {
        let payload =
            RunSearchPayload { search: self.id, run: self.run, update: self.is_update, request: None };
        payload.task(self.owner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::instant::Instant;
    use crate::search::SearchSpec;

    fn search(status: SearchStatus) -> Search {
        let spec = SearchSpec::of_query("river");
        let search = Search::created(SearchId(7), UserId(4), spec, Vec::new(), Instant::UNIX_EPOCH);
        Search { status, ..search }
    }

    #[test]
    fn a_task_names_its_run_and_its_request() {
        let task = search(SearchStatus::NewSearch).run_task(Some("r-1"));
        assert_eq!(
            (task.queue, task.name.as_str(), task.owner),
            (QueueName::Search, "run_search", Some(UserId(4)))
        );
        assert_eq!(task.payload, json!({"search": 7, "run": 1, "update": false, "request": "r-1"}));
        let update = search(SearchStatus::UpdateSearch).run_task(None);
        assert_eq!(update.payload, json!({"search": 7, "run": 1, "update": true}), "no request");
    }

    #[test]
    fn a_payload_is_read_as_it_was_written_by_any_version() {
        let read = |payload| serde_json::from_value::<RunSearchPayload>(payload).expect("a payload");
        let request = Some("r-1".to_owned());
        let expected =
            RunSearchPayload { search: SearchId(7), run: RunNumber::FIRST, update: false, request };
        assert_eq!(read(search(SearchStatus::NewSearch).run_task(Some("r-1")).payload), expected);
        assert_eq!(read(json!({"search": 7, "run": 1})), RunSearchPayload { request: None, ..expected });
    }
}
