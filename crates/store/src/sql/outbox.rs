//! The stored tasks as the outbox of a broker.

use crate::SqlStore;
use crate::db::{changed, on_db};
use async_trait::async_trait;
use domain::contracts::{NewTask, OutboxStore, OutboxTask, QueueName, StoreError};
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
    attempts_max: i64,
    date_created: Instant,
}

#[async_trait]
impl OutboxStore for SqlStore {
    async fn outbox(&self, after: TaskId, count: u32, now: Instant) -> Result<Vec<OutboxTask>, StoreError> {
        const TEXT: &str = "SELECT id, queue, name, payload, attempts_max, date_created FROM tasks \
             WHERE id > $1 AND state = 'waiting' AND due <= $2 AND (lease_until IS NULL OR lease_until <= $2) \
             ORDER BY id LIMIT $3";
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, OutboxRow>(TEXT)
            .bind(after.0)
            .bind(to_micros(now))
            .bind(i64::from(count))
            .fetch_all(db))?;
        Ok(rows.into_iter().filter_map(OutboxRow::task).collect())
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
        };
        Some(OutboxTask { id: TaskId(self.id), task, date_created: self.date_created })
    }
}
