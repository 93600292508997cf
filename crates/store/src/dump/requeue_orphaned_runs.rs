//! Requeues searches of a dump that were unfinished and have no task, because a broker held it.

use super::error::{DumpError, of_sqlx};
use super::target::Target;
use crate::db::rows_affected;
use crate::json::JsonText;
use crate::sql::{UnfinishedSearchRow, is_open, to_owner_column};
use domain::instant::{Instant, to_micros};
use domain::ports::NewTask;
use domain::search_task::{RUN_SEARCH, RunSearchPayload};
use serde_json::Value;
use sqlx::types::Json;
use sqlx::{AssertSqlSafe, Executor};
use std::collections::HashSet;

const PUSH: &str = "INSERT INTO tasks \
     (queue, name, payload, state, due, attempts, attempts_max, date_created, owner) \
     VALUES ($1, $2, $3, 'waiting', $4, 0, $5, $4, $6)";

/// The holders of tasks, workers or brokers, are not part of the dump.
const RELEASE: &str =
    "UPDATE tasks SET lease = NULL, lease_until = NULL, worker = NULL WHERE lease IS NOT NULL";

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
pub(super) async fn requeue_orphaned_runs(target: &mut Target, now: Instant) -> Result<usize, DumpError> {
    let unfinished = unfinished();
    let unfinished: Vec<UnfinishedSearchRow> = on_target!(&mut *target, connection =>
        sqlx::query_as(AssertSqlSafe(unfinished.clone())).fetch_all(&mut *connection))?;
    let waiting: Vec<Json<Value>> = on_target!(&mut *target, connection =>
        sqlx::query_scalar("SELECT payload FROM tasks WHERE state = 'waiting' AND name = $1")
            .bind(RUN_SEARCH).fetch_all(&mut *connection))?;
    let orphaned = orphaned(unfinished, waiting);
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
        "SELECT id, owner, run, status, date_updated, EXISTS (SELECT 1 FROM result_sets WHERE search_id = searches.id) AS has_results \
         FROM searches WHERE {} ORDER BY id",
        is_open("status")
    )
}

/// Tasks for the searches without one.
fn orphaned(unfinished: Vec<UnfinishedSearchRow>, waiting: Vec<Json<Value>>) -> Vec<NewTask> {
    let runs = waiting.into_iter().filter_map(|payload| serde_json::from_value(payload.0).ok());
    let waiting: HashSet<_> = runs.map(|run: RunSearchPayload| (run.search, run.run)).collect();
    let searches = unfinished.into_iter().map(UnfinishedSearchRow::search);
    searches
        .filter(|search| !waiting.contains(&(search.id, search.run)))
        .map(|search| search.run_task())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::status::SearchStatus;
    use serde_json::json;

    #[test]
    fn a_search_without_a_task_gets_one_of_its_kind() {
        let search = |status: SearchStatus, has_results| UnfinishedSearchRow {
            id: 7,
            owner: 4,
            run: 2,
            status: status.as_str().to_owned(),
            date_updated: Instant::UNIX_EPOCH,
            has_results,
        };
        let waits = |run: i64, update: bool| {
            vec![Json(json!({"search": 7, "run": run, "update": update, "request": "r-1"}))]
        };
        let of_an_older_version = vec![Json(json!({"search": 7, "run": 2}))];
        let cases = [
            (search(SearchStatus::NewSearch, false), of_an_older_version, None),
            (search(SearchStatus::NewSearch, false), vec![], Some(false)),
            (search(SearchStatus::Federating, false), vec![], Some(false)),
            (search(SearchStatus::UpdateSearch, false), vec![], Some(true)),
            (search(SearchStatus::Federating, true), vec![], Some(true)),
            (search(SearchStatus::NewSearch, false), waits(2, false), None),
            (search(SearchStatus::Federating, true), waits(2, true), None),
            (search(SearchStatus::NewSearch, false), waits(1, false), Some(false)), // of an older run
            (search(SearchStatus::NewSearch, false), vec![Json(json!("?"))], Some(false)),
        ];
        for (search, waiting, expected) in cases {
            let case = format!("{search:?} {waiting:?}");
            let tasks = orphaned(vec![search], waiting);
            let payloads: Vec<Value> = tasks.into_iter().map(|task| task.payload).collect();
            let expected = expected.map(|update| json!({"search": 7, "run": 2, "update": update}));
            assert_eq!(payloads, expected.into_iter().collect::<Vec<_>>(), "{case}");
        }
    }
}
