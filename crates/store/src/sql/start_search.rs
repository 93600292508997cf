//! Creates a search and its claimed task with one call of the database, because nearly every search begins here.

use super::search_rows::{NewSearchTexts, push_insert};
use super::task_columns::to_owner_column;
use super::tasks::{TaskLease, claimed_columns};
use crate::db::{Db, NO_FLUSH, PostgresPools, SqlitePools, on_connection};
use crate::json::JsonText;
use crate::sqlite_batch::SqliteBatch;
use domain::ids::SearchId;
use domain::instant::Instant;
use domain::ports::{ClaimedTask, NewTask, StoreError};
use domain::search::Search;
use sqlx::{Database, Encode, Postgres, QueryBuilder, Type};

/// When a commit of PostgreSQL is written to the disk. SQLite, with `synchronous` NORMAL, writes it later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flush {
    /// Before the caller goes on.
    Before,
    Later,
}

/// Stores the search, which gets its id, and returns the task.
pub(super) async fn start_search(
    db: &Db,
    search: &mut Search,
    request: Option<&str>,
    lease: TaskLease,
    flush: Flush,
) -> Result<ClaimedTask, StoreError> {
    let task = search.run_task(request);
    let new = NewRecords { search: &*search, texts: NewSearchTexts::of(search)?, task, lease: &lease };
    let ids = match db {
        Db::Sqlite(pools) => start_in_sqlite(pools, new).await?,
        Db::Postgres(pools) => start_in_postgres(pools, new, flush).await?,
    };
    search.id = SearchId(ids.search);
    Ok(lease.of_task(ids.task, search.run_task(request)))
}

/// What is stored.
struct NewRecords<'a> {
    search: &'a Search,
    texts: NewSearchTexts,
    task: NewTask,
    lease: &'a TaskLease,
}

struct NewIds {
    search: i64,
    task: i64,
}

async fn start_in_sqlite(pools: &SqlitePools, new: NewRecords<'_>) -> Result<NewIds, StoreError> {
    // The id of the search is known only here.
    const PAYLOAD: (&str, &str) = ("json_set(", ", '$.search', last_insert_rowid())");
    let NewRecords { search, texts, task, lease } = new;
    let payload = JsonText::of(&task.payload)?;
    let mut batch = SqliteBatch::new();
    push_insert(batch.statement(""), search, texts);
    let query = batch.statement("");
    push_task(query, &task, (PAYLOAD, payload), lease, search.date_created);
    query.push(" RETURNING id");
    let ids: Vec<(i64,)> = batch.run(pools).await?;
    match ids[..] {
        [(search,), (task,)] => Ok(NewIds { search, task }),
        _ => Err(StoreError::failed("a search was stored without its task")),
    }
}

async fn start_in_postgres(
    pools: &PostgresPools,
    new: NewRecords<'_>,
    flush: Flush,
) -> Result<NewIds, StoreError> {
    // The id of the search is known only here. It is written into the text: JSONB would reject NUL.
    const PAYLOAD: (&str, &str) =
        ("CAST('{\"search\":' || new.id || ',' || substr(CAST(", " AS TEXT), 2) AS JSON)");
    let NewRecords { search, texts, mut task, lease } = new;
    if let Some(fields) = task.payload.as_object_mut() {
        fields.shift_remove("search");
    }
    let payload = JsonText::of(&task.payload)?;
    let mut query = QueryBuilder::<Postgres>::new("WITH new AS (");
    push_insert(&mut query, search, texts);
    query.push("), task AS (");
    push_task(&mut query, &task, (PAYLOAD, payload), lease, search.date_created);
    query.push(" FROM new RETURNING id) SELECT new.id, task.id");
    if flush == Flush::Later {
        query.push(", ").push(NO_FLUSH);
    }
    query.push(" FROM new, task");
    let (search, task) = on_connection!(pools.write, connection =>
        query.build_query_as::<(i64, i64)>().fetch_one(connection))?;
    Ok(NewIds { search, task })
}

/// Pushes the statement that inserts the task. Its payload is between two parts of an expression that adds the search.
fn push_task<D: Database>(
    query: &mut QueryBuilder<D>,
    task: &NewTask,
    ((before, after), payload): ((&str, &str), JsonText),
    lease: &TaskLease,
    now: Instant,
) where
    for<'a> i64: Encode<'a, D> + Type<D>,
    for<'a> String: Encode<'a, D> + Type<D>,
    for<'a> Instant: Encode<'a, D> + Type<D>,
    for<'a> JsonText: Encode<'a, D> + Type<D>,
{
    query.push(concat!("INSERT INTO tasks (", claimed_columns!(), ") SELECT "));
    let mut values = query.separated(", ");
    values.push_bind(task.queue.as_str().to_owned());
    values.push_bind(task.name.clone());
    values.push(before).push_bind_unseparated(payload).push_unseparated(after);
    values.push("'waiting'");
    values.push_bind(now);
    values.push("1");
    values.push_bind(i64::from(task.attempts_max));
    values.push_bind(now);
    values.push_bind(to_owner_column(task.owner));
    values.push_bind(lease.proof.clone());
    values.push_bind(lease.until);
    values.push_bind(lease.worker.clone());
}
