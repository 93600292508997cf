//! Unfinished work, and the tasks that should finish it.

use super::status::is_open;
use super::task_columns::{broker, from_owner_column};
use super::unfinished_search_row::UnfinishedSearchRow;
use crate::SqlStore;
use crate::db::{on_db, rows_affected};
use crate::json::to_column;
use crate::row::row;
use async_trait::async_trait;
use domain::ids::{TaskId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{ReconcileStore, StoreError, TaskState, UnfinishedSearch, UnfinishedTask};
use serde_json::Value;
use sqlx::types::Json;
use std::sync::LazyLock;

row! {
    struct UnfinishedRow {
        id: i64,
        queue: String,
        name: String,
        payload: Json<Value>,
        state: String,
        attempts: i64,
        lease_until: Option<Instant>,
        worker: Option<String>,
        last_error: Option<String>,
        date_created: Instant,
        owner: i64,
    }
}

#[async_trait]
impl ReconcileStore for SqlStore {
    async fn unfinished_tasks(
        &self,
        name: Option<&str>,
        limit: u64,
        now: Instant,
    ) -> Result<Vec<UnfinishedTask>, StoreError> {
        const TEXT: &str = "SELECT id, queue, name, payload, state, attempts, lease_until, worker, last_error, \
             date_created, owner FROM tasks WHERE CAST($1 AS TEXT) IS NULL OR name = $1 ORDER BY id LIMIT $2";
        let rows = on_db!(self.db, read, db =>
            sqlx::query_as::<_, UnfinishedRow>(TEXT).bind(name).bind(to_column(limit)).fetch_all(db))?;
        let now = to_micros(now);
        Ok(rows.into_iter().map(|row| row.task(now)).collect())
    }

    async fn unfinished_tasks_of(
        &self,
        name: &str,
        owner: UserId,
        limit: u64,
        now: Instant,
    ) -> Result<Vec<UnfinishedTask>, StoreError> {
        const TEXT: &str = "SELECT id, queue, name, payload, state, attempts, lease_until, worker, last_error, \
             date_created, owner FROM tasks WHERE name = $1 AND owner = $2 ORDER BY id DESC LIMIT $3";
        let rows = on_db!(self.db, read, db =>
            sqlx::query_as::<_, UnfinishedRow>(TEXT)
                .bind(name)
                .bind(owner.0)
                .bind(to_column(limit))
                .fetch_all(db))?;
        let now = to_micros(now);
        Ok(rows.into_iter().map(|row| row.task(now)).collect())
    }

    async fn retry_failed(&self, id: TaskId, now: Instant) -> Result<bool, StoreError> {
        const TEXT: &str = "UPDATE tasks SET state = 'waiting', attempts = 0, due = $2, lease = NULL, \
             lease_until = NULL, worker = NULL WHERE id = $1 AND state = 'failed'";
        let rows = on_db!(self.db, write, db =>
            rows_affected(sqlx::query(TEXT).bind(id.0).bind(to_micros(now)).execute(db)))?;
        Ok(rows > 0)
    }

    async fn unfinished_searches(&self, before: Instant) -> Result<Vec<UnfinishedSearch>, StoreError> {
        static TEXT: LazyLock<String> = LazyLock::new(|| {
            format!(
                "SELECT id, owner, run, status, date_updated, \
                 EXISTS (SELECT 1 FROM result_sets WHERE search_id = searches.id) AS has_results \
                 FROM searches WHERE date_updated < $1 AND {} ORDER BY id",
                is_open("status")
            )
        });
        let rows = on_db!(self.db, read, db =>
            sqlx::query_as::<_, UnfinishedSearchRow>(TEXT.as_str()).bind(to_micros(before)).fetch_all(db))?;
        Ok(rows.into_iter().map(UnfinishedSearchRow::search).collect())
    }
}

impl UnfinishedRow {
    fn task(self, now: Instant) -> UnfinishedTask {
        let state = match (self.state.as_str(), self.worker.as_deref()) {
            ("failed", _) => TaskState::Failed,
            (_, Some(broker!())) => TaskState::Sent,
            _ if self.lease_until.is_some_and(|until| until > now) => TaskState::Running,
            _ => TaskState::Waiting,
        };
        UnfinishedTask {
            id: TaskId(self.id),
            queue: self.queue,
            name: self.name,
            payload: self.payload.0,
            state,
            attempts: u32::try_from(self.attempts).unwrap_or(u32::MAX),
            owner: from_owner_column(self.owner),
            date_created: self.date_created,
            last_error: self.last_error.unwrap_or_default(),
        }
    }
}
