//! Searches that are not final and have no live task.

use crate::search::tasks::RunSearch;
use async_trait::async_trait;
use domain::ids::{RunNumber, SearchId};
use domain::instant::Instant;
use domain::ports::{AcceptedWork, OrphanedWork, StoreError, TaskError, UnfinishedSearch, UnfinishedTask};
use domain::search_task::{RUN_SEARCH, RunSearchPayload};
use std::collections::HashSet;

#[async_trait]
impl AcceptedWork for RunSearch {
    async fn orphans(&self, before: Instant) -> Result<Vec<OrphanedWork>, TaskError> {
        Ok(self.find_orphans(before).await?)
    }

    async fn fail(&self, id: i64) -> Result<(), TaskError> {
        Ok(self.give_up(SearchId(id)).await?)
    }
}

impl RunSearch {
    async fn find_orphans(&self, before: Instant) -> Result<Vec<OrphanedWork>, StoreError> {
        let (store, clock) = (&self.0.runner.store, &self.0.runner.context.clock);
        // Usually there are none; then no tasks are read.
        if store.unfinished_searches(before).await?.is_empty() {
            return Ok(Vec::new());
        }
        // Tasks are read before searches: a search that ends in between is no longer found, and none that begins in
        // between was changed before `before`.
        let tasks = store.unfinished_tasks(Some(RUN_SEARCH), u64::MAX, clock.now()).await?;
        Ok(without_task(store.unfinished_searches(before).await?, &tasks))
    }
}

fn without_task(searches: Vec<UnfinishedSearch>, tasks: &[UnfinishedTask]) -> Vec<OrphanedWork> {
    let runs = |is_live: bool| -> HashSet<(SearchId, RunNumber)> {
        let wanted = tasks.iter().filter(|task| task.state.is_live() == is_live);
        wanted.filter_map(task_run).collect()
    };
    let (live, given_up) = (runs(true), runs(false));
    let orphaned = |search: UnfinishedSearch| {
        let run = (search.id, search.run);
        (!live.contains(&run)).then(|| OrphanedWork {
            kind: "search",
            id: search.id.0,
            owner: search.owner,
            since: search.date_updated,
            is_given_up: given_up.contains(&run),
            task: search.run_task(),
        })
    };
    searches.into_iter().filter_map(orphaned).collect()
}

fn task_run(task: &UnfinishedTask) -> Option<(SearchId, RunNumber)> {
    let payload: RunSearchPayload = serde_json::from_value(task.payload.clone()).ok()?;
    Some((payload.search, payload.run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::{TaskId, UserId};
    use domain::ports::{QueueName, TaskState};
    use serde_json::json;

    fn search(id: i64, run: i64) -> UnfinishedSearch {
        let date_updated = Instant::UNIX_EPOCH;
        UnfinishedSearch {
            id: SearchId(id),
            owner: UserId(4),
            run: RunNumber(run),
            is_update: run > 1,
            date_updated,
        }
    }

    fn task(payload: serde_json::Value, state: TaskState) -> UnfinishedTask {
        UnfinishedTask {
            id: TaskId(1),
            queue: QueueName::Search.as_str().to_owned(),
            name: RUN_SEARCH.to_owned(),
            payload,
            state,
            attempts: 0,
            owner: Some(UserId(4)),
            date_created: Instant::UNIX_EPOCH,
            last_error: String::new(),
        }
    }

    #[test]
    fn a_search_is_an_orphan_only_without_a_live_task_of_its_run() {
        let payload = |run: i64| json!({"search": 7, "run": run, "update": false, "request": "r-1"});
        for state in [TaskState::Waiting, TaskState::Running, TaskState::Sent] {
            assert_eq!(without_task(vec![search(7, 2)], &[task(payload(2), state)]), [], "{state:?}");
        }
        let found = |tasks: &[UnfinishedTask]| {
            let found = without_task(vec![search(7, 2)], tasks);
            (found.len() == 1).then(|| (found[0].is_given_up, found[0].task.payload["update"].clone()))
        };
        assert_eq!(found(&[]), Some((false, json!(true))));
        assert_eq!(
            found(&[task(payload(1), TaskState::Waiting)]),
            Some((false, json!(true))),
            "an older run"
        );
        assert_eq!(found(&[task(json!("?"), TaskState::Waiting)]), Some((false, json!(true))));
        assert_eq!(found(&[task(payload(2), TaskState::Failed)]), Some((true, json!(true))));
        let again = [task(payload(2), TaskState::Failed), task(payload(2), TaskState::Sent)];
        assert_eq!(found(&again), None, "it is being retried");
    }
}
