//! The stored tasks as the outbox of a broker.

use super::claim::is_untouched;
use super::tasks::{from_owner_column, to_owner_column};
use crate::SqlStore;
use crate::db::{Db, changed, on_db, on_tx};
use crate::error::failure;
use crate::json::JsonText;
use async_trait::async_trait;
use domain::contracts::{ClaimedTask, NewTask, OutboxHead, OutboxStore, OutboxTask, QueueName, StoreError};
use domain::fair_share::WaitingTask;
use domain::ids::TaskId;
use domain::instant::{Instant, to_micros};
use serde_json::Value;
use sqlx::QueryBuilder;
use sqlx::types::Json;

#[derive(sqlx::FromRow)]
struct OutboxRow {
    id: i64,
    queue: String,
    name: String,
    payload: Json<Value>,
    attempts: i64,
    attempts_max: i64,
    date_created: Instant,
    owner: i64,
}

#[derive(sqlx::FromRow)]
struct HeadRow {
    id: i64,
    queue: String,
    owner: i64,
    due: Instant,
}

/// The first owner of a queue after `owners`, by the index `tasks_by_owner`.
macro_rules! next_owner {
    ($columns:literal) => {
        concat!(
            "(SELECT ",
            $columns,
            " FROM tasks later WHERE (later.queue, later.owner) > (owners.queue, owners.owner) AND ",
            is_untouched!("later"),
            " ORDER BY later.queue, later.owner LIMIT 1)"
        )
    };
}

/// The oldest tasks of one of `owners`.
macro_rules! oldest_tasks {
    ($columns:literal) => {
        concat!(
            "(SELECT ",
            $columns,
            " FROM tasks old WHERE old.queue = owners.queue AND old.owner = owners.owner AND ",
            is_untouched!("old"),
            " AND old.due <= $1 ORDER BY old.due, old.id LIMIT $2)"
        )
    };
}

/// Goes from owner to owner of every queue, and takes the oldest tasks of each and what a lease left behind.
/// The databases join with a part of a table in different words. Parameters: 1 now, 2 tasks of one owner.
macro_rules! heads {
    ($next_owner:expr, $oldest_tasks:expr) => {
        concat!(
            "WITH RECURSIVE owners(queue, owner) AS (\
               SELECT * FROM (SELECT one.queue, one.owner FROM tasks one WHERE ",
            is_untouched!("one"),
            " ORDER BY one.queue, one.owner LIMIT 1) AS first_owner \
               UNION ALL SELECT more.queue, more.owner FROM owners ",
            $next_owner,
            ") SELECT oldest.id, oldest.queue, oldest.owner, oldest.due FROM owners ",
            $oldest_tasks,
            " UNION ALL SELECT id, queue, owner, due FROM tasks \
               WHERE state = 'waiting' AND due <= $1 AND lease_until <= $1"
        )
    };
}

const HEADS_SQLITE: &str = heads!(
    concat!("CROSS JOIN tasks more WHERE more.id = ", next_owner!("later.id")),
    concat!("CROSS JOIN tasks oldest WHERE oldest.id IN ", oldest_tasks!("old.id"))
);
const HEADS_POSTGRES: &str = heads!(
    concat!("CROSS JOIN LATERAL ", next_owner!("later.queue, later.owner"), " more"),
    concat!("CROSS JOIN LATERAL ", oldest_tasks!("old.id, old.queue, old.owner, old.due"), " oldest")
);

#[async_trait]
impl OutboxStore for SqlStore {
    async fn outbox_heads(&self, per_owner: u32, now: Instant) -> Result<Vec<OutboxHead>, StoreError> {
        let (now, per_owner) = (to_micros(now), i64::from(per_owner));
        let rows = match &self.db {
            Db::Sqlite(pools) => {
                sqlx::query_as::<_, HeadRow>(HEADS_SQLITE)
                    .bind(now)
                    .bind(per_owner)
                    .fetch_all(&pools.read)
                    .await
            }
            Db::Postgres(pools) => {
                sqlx::query_as::<_, HeadRow>(HEADS_POSTGRES)
                    .bind(now)
                    .bind(per_owner)
                    .fetch_all(&pools.read)
                    .await
            }
        };
        Ok(rows.map_err(failure)?.into_iter().filter_map(HeadRow::head).collect())
    }

    async fn outbox_tasks(&self, ids: &[TaskId]) -> Result<Vec<OutboxTask>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let rows = on_db!(self.db, read, db => async {
            let mut query = QueryBuilder::new(
                "SELECT id, queue, name, payload, attempts, attempts_max, date_created, owner FROM tasks WHERE id IN (",
            );
            let mut list = query.separated(", ");
            for id in ids {
                list.push_bind(id.0);
            }
            query.push(") ORDER BY id");
            query.build_query_as::<OutboxRow>().fetch_all(db).await
        })?;
        Ok(rows.into_iter().filter_map(OutboxRow::task).collect())
    }

    /// It gets a new id: after a restore from a backup the old one may be that of another task.
    async fn put_back(&self, task: &ClaimedTask, due: Instant, now: Instant) -> Result<TaskId, StoreError> {
        const TEXT: &str = "INSERT INTO tasks \
             (queue, name, payload, state, due, attempts, attempts_max, date_created, owner) \
             VALUES ($1, $2, $3, 'waiting', $4, $5, $6, $7, $8) RETURNING id";
        let payload = JsonText::of(&task.payload)?;
        let mut tx = self.db.begin().await?;
        let id = on_tx!(&mut tx, db => sqlx::query_scalar(TEXT)
            .bind(task.queue.as_str())
            .bind(task.name.as_str())
            .bind(payload.clone())
            .bind(to_micros(due))
            .bind(i64::from(task.attempt))
            .bind(i64::from(task.attempts_max))
            .bind(to_micros(now))
            .bind(to_owner_column(task.owner))
            .fetch_one(db))?;
        tx.commit().await?;
        Ok(TaskId(id))
    }

    async fn take_out(&self, ids: &[TaskId]) -> Result<(), StoreError> {
        if ids.is_empty() {
            return Ok(());
        }
        on_db!(self.db, write, db => changed(async {
            let mut query = QueryBuilder::new("DELETE FROM tasks WHERE id IN (");
            let mut list = query.separated(", ");
            for id in ids {
                list.push_bind(id.0);
            }
            query.push(")");
            query.build().execute(db).await
        }))?;
        Ok(())
    }
}

impl OutboxRow {
    /// Nothing for a queue that only another version of the program knows; its task stays for that one.
    fn task(self) -> Option<OutboxTask> {
        let task = NewTask {
            queue: QueueName::parse(&self.queue)?,
            name: self.name,
            payload: self.payload.0,
            attempts_max: u32::try_from(self.attempts_max).unwrap_or(u32::MAX),
            owner: from_owner_column(self.owner),
        };
        let attempts = u32::try_from(self.attempts).unwrap_or(u32::MAX);
        Some(OutboxTask { id: TaskId(self.id), task, attempts, date_created: self.date_created })
    }
}

impl HeadRow {
    /// Nothing for a queue that only another version of the program knows.
    fn head(self) -> Option<OutboxHead> {
        let waiting =
            WaitingTask { id: TaskId(self.id), owner: from_owner_column(self.owner), due: self.due };
        Some(OutboxHead { queue: QueueName::parse(&self.queue)?, waiting })
    }
}
