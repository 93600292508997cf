//! The stored tasks as the outbox of a broker. Tasks sent to the broker are leased to it, as to a worker.

use super::claim::{Claim, Claimable};
use super::outbox_heads;
use super::task_columns::{AHEAD_MAX, broker, end_of, from_owner_column, to_owner_column};
use crate::SqlStore;
use crate::db::{Tx, first_row, on_db, on_tx, rows_affected};
use crate::json::{JsonText, plain, to_column};
use crate::row::row;
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::fair_share::Running;
use domain::ids::TaskId;
use domain::instant::{Instant, to_micros};
use domain::ports::{
    ClaimedTask, DeliveredTask, NewTask, OutboxHead, OutboxStore, OutboxTask, QueueName, SentTask,
    StoreError, TaskKey, WorkerSlots,
};
use serde_json::Value;
use sqlx::QueryBuilder;
use sqlx::types::Json;
use std::time::Duration;

/// Leased to a broker, not to a worker.
macro_rules! is_sent {
    () => {
        concat!("state = 'waiting' AND worker = '", broker!(), "'")
    };
}

/// The tasks that a message may refer to: free ones, or those leased for this message. Parts of one condition; the
/// time goes between them, and the message and two parentheses follow.
const IS_FREE: &str = "state = 'waiting' AND (lease_until IS NULL OR (lease_until <= ";
const OR_HELD_FOR: &str =
    concat!(" AND worker <> '", broker!(), "') OR (worker = '", broker!(), "' AND lease = ");

/// Tasks per statement.
const KEYS_MAX: usize = 200;

row! {
    struct OutboxRow {
        id: i64,
        queue: String,
        name: String,
        payload: Json<Value>,
        attempts: i64,
        attempts_max: i64,
        due: Instant,
        date_created: Instant,
        owner: i64,
    }
}

row! {
    struct SentRow {
        id: i64,
        lease: String,
        due: Instant,
        date_created: Instant,
    }
}

#[async_trait]
impl OutboxStore for SqlStore {
    async fn outbox_heads(&self, per_owner: u32, now: Instant) -> Result<Vec<OutboxHead>, StoreError> {
        outbox_heads::load(&self.db, per_owner, now).await
    }

    async fn held_tasks(&self, queue: QueueName, now: Instant) -> Result<Running, StoreError> {
        const TEXT: &str = concat!(
            "SELECT owner, COUNT(*) FROM tasks WHERE queue = $1 AND lease_until > $2 AND worker <> '",
            broker!(),
            "' GROUP BY owner"
        );
        let rows: Vec<(i64, i64)> = on_db!(self.db, read, db =>
            sqlx::query_as(TEXT).bind(queue.as_str()).bind(to_micros(now)).fetch_all(db))?;
        let count =
            |(owner, held): (i64, i64)| (from_owner_column(owner), u32::try_from(held).unwrap_or(u32::MAX));
        Ok(rows.into_iter().map(count).collect())
    }

    async fn limit_leases(&self, queue: QueueName, lease: Duration, now: Instant) -> Result<(), StoreError> {
        self.bring_back_leases(queue, end_of(lease, now)).await
    }

    async fn outbox_tasks(&self, ids: &[TaskId]) -> Result<Vec<OutboxTask>, StoreError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let rows = on_db!(self.db, read, db => async {
            let mut query = QueryBuilder::new(
                "SELECT id, queue, name, payload, attempts, attempts_max, due, date_created, owner FROM tasks WHERE id IN (",
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

    async fn mark_sent(&self, sent: &[SentTask], now: Instant, until: Instant) -> Result<(), StoreError> {
        for page in sent.chunks(KEYS_MAX) {
            on_db!(self.db, write, db => rows_affected(async {
                let mut query = QueryBuilder::new(concat!(
                    "UPDATE tasks SET worker = '", broker!(), "', lease = sent.column3, lease_until = "
                ));
                query.push_bind(to_micros(until)).push(" FROM (");
                query.push_values(page, |mut row, task| {
                    row.push_bind(task.key.id.0).push_bind(to_micros(task.due)).push_bind(task.message.as_str());
                });
                query.push(") AS sent WHERE tasks.id = sent.column1 AND tasks.due = sent.column2 AND ");
                query.push(IS_FREE).push_bind(to_micros(now)).push(OR_HELD_FOR).push("sent.column3))");
                query.build().execute(db).await
            }))?;
        }
        Ok(())
    }

    async fn claim_unsent(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
        now: Instant,
    ) -> Result<Vec<ClaimedTask>, StoreError> {
        let until = end_of(lease, now);
        self.claim(Claim::new(Claimable::Unsent, queue, slots, worker, until, now)).await
    }

    async fn hold_delivered(
        &self,
        delivered: &[DeliveredTask],
        now: Instant,
        until: Instant,
    ) -> Result<Vec<DeliveredTask>, StoreError> {
        let mut held = Vec::with_capacity(delivered.len());
        for page in delivered.chunks(KEYS_MAX) {
            // Read first: usually the relay has marked nearly all of them, and nothing has to be written.
            let (marked, known) = self.find_delivered(page).await?;
            held.extend(marked.into_iter().cloned());
            if !known.is_empty() {
                let free = self.hold_free(&known, to_micros(now), to_micros(until)).await?;
                held.extend(free.into_iter().cloned());
            }
        }
        Ok(held)
    }

    async fn take_over(
        &self,
        task: &ClaimedTask,
        key: TaskKey,
        message: &str,
        worker: &str,
        until: Instant,
    ) -> Result<bool, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE tasks SET worker = $4, lease = $5, lease_until = $6, attempts = $7 \
             WHERE id = $1 AND date_created = $2 AND lease = $3 AND ",
            is_sent!()
        );
        let rows = on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(key.id.0)
            .bind(to_micros(key.date_created))
            .bind(message)
            .bind(worker)
            .bind(task.lease.as_str())
            .bind(to_micros(until))
            .bind(i64::from(task.attempt))
            .execute(db)))?;
        Ok(rows == 1)
    }

    async fn overdue_tasks(&self, limit: u64, now: Instant) -> Result<Vec<SentTask>, StoreError> {
        const TEXT: &str = concat!(
            "SELECT id, lease, due, date_created FROM tasks WHERE ",
            is_sent!(),
            " AND (lease_until <= $1 OR lease_until > $2) ORDER BY lease_until, id LIMIT $3"
        );
        let now = to_micros(now);
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, SentRow>(TEXT)
            .bind(now).bind(now + AHEAD_MAX).bind(to_column(limit)).fetch_all(db))?;
        Ok(rows.into_iter().map(SentRow::task).collect())
    }

    /// Delays `due` by the smallest step: that makes it another message, and the task keeps its position.
    async fn resend(&self, lost: &[SentTask]) -> Result<u64, StoreError> {
        let mut count = 0;
        for page in lost.chunks(KEYS_MAX) {
            count += on_db!(self.db, write, db => rows_affected(async {
                let mut query = QueryBuilder::new(
                    "UPDATE tasks SET due = lost.column3, worker = NULL, lease = NULL, lease_until = NULL FROM (",
                );
                query.push_values(page, |mut row, task| {
                    let due = to_micros(task.due) + TimeDelta::microseconds(1);
                    row.push_bind(task.key.id.0).push_bind(task.message.as_str()).push_bind(due);
                });
                query.push(concat!(
                    ") AS lost WHERE tasks.id = lost.column1 AND tasks.lease = lost.column2 AND ", is_sent!()
                ));
                query.build().execute(db).await
            }))?;
        }
        Ok(count)
    }

    async fn put_back(
        &self,
        task: &ClaimedTask,
        key: Option<TaskKey>,
        attempts: u32,
        due: Instant,
    ) -> Result<TaskId, StoreError> {
        let (attempts, due) = (i64::from(attempts), to_micros(due));
        let mut tx = self.db.begin().await?;
        let kept = match key {
            Some(key) => wait_again(&mut tx, key, attempts, due).await?,
            None => None,
        };
        let id = match kept {
            Some(id) => id,
            None => insert_again(&mut tx, task, attempts, due).await?,
        };
        tx.commit().await?;
        Ok(TaskId(id))
    }

    async fn take_out(&self, ended: &[TaskKey]) -> Result<(), StoreError> {
        for page in ended.chunks(KEYS_MAX) {
            on_db!(self.db, write, db => rows_affected(async {
                let mut query = QueryBuilder::new("DELETE FROM tasks WHERE FALSE");
                for key in page {
                    query.push(" OR (id = ").push_bind(key.id.0);
                    query.push(" AND date_created = ").push_bind(to_micros(key.date_created)).push(")");
                }
                query.build().execute(db).await
            }))?;
        }
        Ok(())
    }

    async fn give_up_sent(&self, key: TaskKey, reason: &str) -> Result<(), StoreError> {
        const TEXT: &str = "UPDATE tasks SET state = 'failed', last_error = $3, attempts = attempts_max, \
             lease = NULL, lease_until = NULL, worker = NULL WHERE id = $1 AND date_created = $2";
        on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(key.id.0).bind(to_micros(key.date_created)).bind(plain(reason)).execute(db)))?;
        Ok(())
    }
}

impl SqlStore {
    /// Which of these tasks are leased for their messages, and which exist but are not.
    async fn find_delivered<'a>(
        &self,
        delivered: &'a [DeliveredTask],
    ) -> Result<(Vec<&'a DeliveredTask>, Vec<&'a DeliveredTask>), StoreError> {
        let rows = on_db!(self.db, read, db => async {
            let mut query = QueryBuilder::new(
                "SELECT id, COALESCE(lease, '') AS lease, due, date_created FROM tasks WHERE state = 'waiting' AND id IN (",
            );
            let mut list = query.separated(", ");
            for task in delivered {
                list.push_bind(task.key.id.0);
            }
            query.push(")");
            query.build_query_as::<SentRow>().fetch_all(db).await
        })?;
        let (mut marked, mut known) = (Vec::new(), Vec::new());
        for row in rows.into_iter().map(SentRow::task) {
            for task in delivered.iter().filter(|task| task.key == row.key) {
                // Leases of workers are not message numbers.
                if task.message == row.message { marked.push(task) } else { known.push(task) }
            }
        }
        Ok((marked, known))
    }

    /// Leases free and unchanged tasks for their messages; returns those messages.
    async fn hold_free<'a>(
        &self,
        delivered: &[&'a DeliveredTask],
        now: Instant,
        until: Instant,
    ) -> Result<Vec<&'a DeliveredTask>, StoreError> {
        let held: Vec<(i64, String)> = on_db!(self.db, write, db => async {
            let mut query = QueryBuilder::new(concat!(
                "UPDATE tasks SET worker = '", broker!(), "', lease = delivered.column4, lease_until = "
            ));
            query.push_bind(until).push(" FROM (");
            query.push_values(delivered, |mut row, task| {
                row.push_bind(task.key.id.0)
                    .push_bind(to_micros(task.due))
                    .push_bind(i64::from(task.attempts))
                    .push_bind(task.message.as_str());
            });
            query.push(") AS delivered WHERE tasks.id = delivered.column1 AND tasks.due = delivered.column2 ");
            query.push("AND tasks.attempts = delivered.column3 AND ");
            query.push(IS_FREE).push_bind(now).push(OR_HELD_FOR).push("delivered.column4)) RETURNING tasks.id, tasks.lease");
            query.build_query_as().fetch_all(db).await
        })?;
        let is_held = |task: &DeliveredTask| {
            held.iter().any(|(id, lease)| *id == task.key.id.0 && *lease == task.message)
        };
        Ok(delivered.iter().copied().filter(|task| is_held(task)).collect())
    }
}

/// None if there is no task with this key.
async fn wait_again(
    tx: &mut Tx,
    key: TaskKey,
    attempts: i64,
    due: Instant,
) -> Result<Option<i64>, StoreError> {
    const TEXT: &str = "UPDATE tasks SET state = 'waiting', due = $3, attempts = $4, \
         lease = NULL, lease_until = NULL, worker = NULL WHERE id = $1 AND date_created = $2 RETURNING id";
    on_tx!(tx, db => first_row(sqlx::query_scalar(TEXT)
        .bind(key.id.0)
        .bind(to_micros(key.date_created))
        .bind(due)
        .bind(attempts)
        .fetch_all(db)))
}

async fn insert_again(
    tx: &mut Tx,
    task: &ClaimedTask,
    attempts: i64,
    due: Instant,
) -> Result<i64, StoreError> {
    const TEXT: &str = "INSERT INTO tasks \
         (queue, name, payload, state, due, attempts, attempts_max, date_created, owner) \
         VALUES ($1, $2, $3, 'waiting', $4, $5, $6, $4, $7) RETURNING id";
    let payload = JsonText::of(&task.payload)?;
    on_tx!(tx, db => sqlx::query_scalar(TEXT)
        .bind(task.queue.as_str())
        .bind(task.name.as_str())
        .bind(payload.clone())
        .bind(due)
        .bind(attempts)
        .bind(i64::from(task.attempts_max))
        .bind(to_owner_column(task.owner))
        .fetch_one(db))
}

impl OutboxRow {
    /// None for a queue that only another version knows; its task is left for that version.
    fn task(self) -> Option<OutboxTask> {
        let task = NewTask {
            queue: QueueName::parse(&self.queue)?,
            name: self.name,
            payload: self.payload.0,
            attempts_max: u32::try_from(self.attempts_max).unwrap_or(u32::MAX),
            owner: from_owner_column(self.owner),
        };
        let attempts = u32::try_from(self.attempts).unwrap_or(u32::MAX);
        let Self { id, due, date_created, .. } = self;
        Some(OutboxTask { id: TaskId(id), task, attempts, due, date_created })
    }
}

impl SentRow {
    fn task(self) -> SentTask {
        let key = TaskKey { id: TaskId(self.id), date_created: self.date_created };
        SentTask { key, due: self.due, message: self.lease }
    }
}
