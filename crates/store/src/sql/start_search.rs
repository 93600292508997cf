//! Creates a search and its claimed task in SQLite with one batch, because nearly every search begins here.

use super::search_rows::{NewSearchTexts, push_insert};
use super::task_columns::to_owner_column;
use super::tasks::{TaskLease, claimed_columns};
use crate::db::Pools;
use crate::json::JsonText;
use crate::sqlite_batch::SqliteBatch;
use domain::ids::SearchId;
use domain::instant::Instant;
use domain::ports::{ClaimedTask, NewTask, StoreError};
use domain::search::Search;
use sqlx::Sqlite;

/// Stores the search, which gets its id, and returns the task.
pub(super) async fn start_search(
    pools: &Pools<Sqlite>,
    search: &mut Search,
    request: Option<&str>,
    lease: TaskLease,
    now: Instant,
) -> Result<ClaimedTask, StoreError> {
    let task = search.run_task(request);
    let mut batch = SqliteBatch::new();
    push_insert(batch.statement(""), search, NewSearchTexts::of(search)?);
    push_task(&mut batch, &task, &lease, now)?;
    let ids: Vec<(i64,)> = batch.run(pools).await?;
    let [(search_id,), (task_id,)] = ids[..] else {
        return Err(StoreError::failed("a search was stored without its task"));
    };
    search.id = SearchId(search_id);
    Ok(lease.of_task(task_id, search.run_task(request)))
}

fn push_task(
    batch: &mut SqliteBatch,
    task: &NewTask,
    lease: &TaskLease,
    now: Instant,
) -> Result<(), StoreError> {
    let payload = JsonText::of(&task.payload)?;
    let query = batch.statement(concat!("INSERT INTO tasks (", claimed_columns!(), ") VALUES ("));
    query.push_bind(task.queue.as_str()).push(", ").push_bind(task.name.clone());
    // The id of the search is known only here.
    query.push(", json_set(").push_bind(payload).push(", '$.search', last_insert_rowid()), 'waiting', ");
    query
        .push_bind(now)
        .push(", 1, ")
        .push_bind(i64::from(task.attempts_max))
        .push(", ")
        .push_bind(now)
        .push(", ")
        .push_bind(to_owner_column(task.owner))
        .push(", ")
        .push_bind(lease.proof.clone())
        .push(", ")
        .push_bind(lease.until)
        .push(", ")
        .push_bind(lease.worker.clone())
        .push(") RETURNING id");
    Ok(())
}
