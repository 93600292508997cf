//! Requeues searches of a dump that were unfinished and have no task, because a broker held it.

use super::error::{DumpError, of_sqlx};
use super::target::Target;
use crate::db::rows_affected;
use crate::json::JsonText;
use crate::row::row;
use crate::sql::{is_open, to_owner_column};
use domain::ids::{SearchId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::NewTask;
use domain::status::SearchStatus;
use serde_json::Value;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, Executor};
use std::collections::HashSet;

/// Creates the task of one run of a search with its owner; the flag marks an update.
pub type TaskOfRun = fn((SearchId, UserId), i64, bool) -> NewTask;

const PUSH: &str = "INSERT INTO tasks \
     (queue, name, payload, state, due, attempts, attempts_max, date_created, owner) \
     VALUES ($1, $2, $3, 'waiting', $4, 0, $5, $4, $6)";

/// The holders of tasks, workers or brokers, are not part of the dump.
const RELEASE: &str =
    "UPDATE tasks SET lease = NULL, lease_until = NULL, worker = NULL WHERE lease IS NOT NULL";

row! {
    /// An unfinished search: its run, its status, and whether it has results.
    #[derive(Debug, Clone)]
    struct UnfinishedSearch {
        id: i64,
        owner: i64,
        run: i64,
        status: String,
        has_results: bool,
    }
}

/// Runs one statement on the target database.
macro_rules! on_target {
    ($target:expr, $connection:ident => $future:expr) => {
        match $target {
            Target::Sqlite { connection: $connection, .. } => $future.await.map_err(of_sqlx),
            Target::Postgres($connection) => $future.await.map_err(of_sqlx),
        }
    };
}

/// Releases the tasks of the dump, and creates a task for every unfinished search without one; returns their number.
pub(super) async fn requeue_orphaned_runs(
    target: &mut Target,
    task: TaskOfRun,
    now: Instant,
) -> Result<usize, DumpError> {
    let unfinished = unfinished();
    let unfinished: Vec<UnfinishedSearch> = on_target!(&mut *target, connection =>
        sqlx::query_as(AssertSqlSafe(unfinished.clone())).fetch_all(&mut *connection))?;
    let waiting: Vec<Json<Value>> = on_target!(&mut *target, connection =>
        sqlx::query_scalar("SELECT payload FROM tasks WHERE state = 'waiting'").fetch_all(&mut *connection))?;
    let orphaned = orphaned(&unfinished, &waiting, task);
    on_target!(&mut *target, connection => rows_affected(connection.execute("BEGIN")))?;
    on_target!(&mut *target, connection => rows_affected(connection.execute(RELEASE)))?;
    for task in &orphaned {
        let payload = JsonText::of(&task.payload)?;
        on_target!(&mut *target, connection => rows_affected(sqlx::query(PUSH)
            .bind(task.queue.as_str())
            .bind(task.name.as_str())
            .bind(payload.clone())
            .bind(to_micros(now))
            .bind(i64::from(task.attempts_max))
            .bind(to_owner_column(task.owner))
            .execute(&mut *connection)))?;
    }
    on_target!(&mut *target, connection => rows_affected(connection.execute("COMMIT")))?;
    Ok(orphaned.len())
}

fn unfinished() -> String {
    format!(
        "SELECT id, owner, run, status, EXISTS (SELECT 1 FROM result_sets WHERE search_id = searches.id) AS has_results \
         FROM searches WHERE {} ORDER BY id",
        is_open("status")
    )
}

/// Tasks for the searches without one. A new run has no results until its end, so a run with results is an update; the
/// status shows that only at its beginning.
fn orphaned(unfinished: &[UnfinishedSearch], waiting: &[Json<Value>], task: TaskOfRun) -> Vec<NewTask> {
    let form = task((SearchId(0), UserId(0)), 0, false).payload;
    let waiting: HashSet<String> = waiting.iter().map(|payload| which_run(&payload.0, &form)).collect();
    let task_of = |search: &UnfinishedSearch| {
        let of = |is_update| task((SearchId(search.id), UserId(search.owner)), search.run, is_update);
        let is_update = search.has_results || search.status == SearchStatus::UpdateSearch.as_str();
        let is_there = [true, false].into_iter().any(|kind| waiting.contains(&of(kind).payload.to_string()));
        (!is_there).then(|| of(is_update))
    };
    unfinished.iter().filter_map(task_of).collect()
}

/// The fields of a payload that are in `form`: they identify the run. A payload may contain more, such as the request
/// id.
fn which_run(payload: &Value, form: &Value) -> String {
    match (payload, form) {
        (Value::Object(said), Value::Object(form)) => {
            let told = said.iter().filter(|(field, _)| form.contains_key(*field));
            told.map(|(field, value)| (field.clone(), value.clone())).collect::<Value>().to_string()
        }
        _ => payload.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::QueueName;
    use serde_json::json;

    const ANNS: (SearchId, UserId) = (SearchId(7), UserId(4));

    fn task((search, owner): (SearchId, UserId), run: i64, is_update: bool) -> NewTask {
        let payload = json!({ "search": search, "run": run, "update": is_update });
        NewTask {
            queue: QueueName::Search,
            name: "run".to_owned(),
            payload,
            attempts_max: 3,
            owner: Some(owner),
        }
    }

    #[test]
    fn a_search_without_a_task_gets_one_of_its_kind() {
        let search = |status: SearchStatus, has_results| UnfinishedSearch {
            id: 7,
            owner: 4,
            run: 2,
            status: status.as_str().to_owned(),
            has_results,
        };
        let waits = |run: i64, update: bool| vec![Json(task(ANNS, run, update).payload)];
        let mut of_a_request = waits(2, false);
        of_a_request[0].0["request"] = json!("r-1");
        let cases = [
            (search(SearchStatus::NewSearch, false), of_a_request, None),
            (search(SearchStatus::NewSearch, false), vec![], Some(false)),
            (search(SearchStatus::Federating, false), vec![], Some(false)),
            (search(SearchStatus::UpdateSearch, false), vec![], Some(true)),
            (search(SearchStatus::Federating, true), vec![], Some(true)),
            (search(SearchStatus::NewSearch, false), waits(2, false), None),
            (search(SearchStatus::Federating, true), waits(2, true), None),
            (search(SearchStatus::NewSearch, false), waits(1, false), Some(false)), // of an older run
        ];
        for (search, waiting, expected) in cases {
            let expected: Vec<NewTask> = expected.map(|update| task(ANNS, 2, update)).into_iter().collect();
            assert_eq!(
                orphaned(std::slice::from_ref(&search), &waiting, task),
                expected,
                "{search:?} {waiting:?}"
            );
        }
    }
}
