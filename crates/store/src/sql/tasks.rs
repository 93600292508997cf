//! The records of the task queue: leases, attempts, heartbeats.

use super::claim::{Claim, Claimable, new_proof};
use super::task_columns::{AHEAD_MAX, broker, end_of, is_untouched, to_owner_column};
use crate::SqlStore;
use crate::db::{Tx, on_db, on_tx, rows_affected};
use crate::json::{JsonText, plain, to_count};
use crate::row::row;
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::ids::{TaskId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{
    ClaimedTask, Heartbeat, NewLease, NewTask, QueueName, StoreError, TaskStore, WaitingOwners, WorkerSlots,
};
use std::time::Duration;

/// Workers without a heartbeat for this time are deleted.
const WORKER_FORGOTTEN_AFTER: TimeDelta = TimeDelta::days(1);
/// Ping responses that nobody collected are deleted after this time.
const ANSWER_KEPT: TimeDelta = TimeDelta::minutes(1);

row! {
    struct WorkerRow {
        worker: String,
        concurrency: i64,
        active: i64,
        last_seen: Instant,
    }
}

/// Stores a task inside another record's transaction.
pub(super) async fn push(tx: &mut Tx, task: NewTask, now: Instant) -> Result<TaskId, StoreError> {
    const TEXT: &str = "INSERT INTO tasks \
         (queue, name, payload, state, due, attempts, attempts_max, date_created, owner) \
         VALUES ($1, $2, $3, 'waiting', $4, 0, $5, $4, $6) RETURNING id";
    let payload = JsonText::of(&task.payload)?;
    on_tx!(tx, db => sqlx::query_scalar(TEXT)
        .bind(task.queue.as_str())
        .bind(task.name.as_str())
        .bind(payload.clone())
        .bind(to_micros(now))
        .bind(i64::from(task.attempts_max))
        .bind(to_owner_column(task.owner))
        .fetch_one(db))
    .map(TaskId)
}

/// The columns of a task that a worker holds from the beginning.
macro_rules! claimed_columns {
    () => {
        "queue, name, payload, state, due, attempts, attempts_max, date_created, owner, lease, lease_until, worker"
    };
}
pub(super) use claimed_columns;

/// The lease of a task that a worker holds from the beginning.
pub(super) struct TaskLease {
    pub proof: String,
    pub until: Instant,
    pub worker: String,
}

impl TaskLease {
    pub(super) fn new(lease: NewLease, now: Instant) -> Self {
        Self { proof: new_proof(), until: end_of(lease.duration, now), worker: lease.worker }
    }

    /// The task with this lease.
    pub(super) fn of_task(self, id: i64, task: NewTask) -> ClaimedTask {
        let NewTask { queue, name, payload, attempts_max, owner } = task;
        let lease = self.proof;
        ClaimedTask { id: TaskId(id), queue, name, payload, attempt: 1, attempts_max, owner, lease }
    }
}

#[async_trait]
impl TaskStore for SqlStore {
    async fn push_task(&self, task: NewTask, now: Instant) -> Result<TaskId, StoreError> {
        let mut tx = self.db.begin().await?;
        let id = push(&mut tx, task, now).await?;
        tx.commit().await?;
        Ok(id)
    }

    async fn claim_tasks(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
        now: Instant,
    ) -> Result<Vec<ClaimedTask>, StoreError> {
        let until = end_of(lease, now);
        self.claim(Claim::new(Claimable::All, queue, slots, worker, until, now)).await
    }

    async fn renew_task(
        &self,
        task: &ClaimedTask,
        lease: Duration,
        now: Instant,
    ) -> Result<bool, StoreError> {
        const TEXT: &str = "UPDATE tasks SET lease_until = $3 WHERE id = $1 AND lease = $2";
        let rows = on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(task.id.0).bind(task.lease.as_str()).bind(end_of(lease, now)).execute(db)))?;
        Ok(rows == 1)
    }

    async fn finish_task(&self, task: &ClaimedTask) -> Result<(), StoreError> {
        on_db!(self.db, write, db => rows_affected(sqlx::query("DELETE FROM tasks WHERE id = $1 AND lease = $2")
            .bind(task.id.0).bind(task.lease.as_str()).execute(db)))?;
        Ok(())
    }

    async fn forget_failed_tasks(&self, before: Instant) -> Result<(), StoreError> {
        on_db!(self.db, write, db =>
            rows_affected(sqlx::query("DELETE FROM tasks WHERE state = 'failed' AND due < $1")
                .bind(to_micros(before)).execute(db)))?;
        Ok(())
    }

    async fn retry_task(&self, task: &ClaimedTask, due: Instant, reason: &str) -> Result<(), StoreError> {
        const TEXT: &str = "UPDATE tasks SET due = $3, last_error = $4, lease = NULL, lease_until = NULL, \
             worker = NULL, state = CASE WHEN attempts < attempts_max THEN 'waiting' ELSE 'failed' END \
             WHERE id = $1 AND lease = $2";
        on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(task.id.0)
            .bind(task.lease.as_str())
            .bind(to_micros(due))
            .bind(plain(reason))
            .execute(db)))?;
        Ok(())
    }

    async fn release_task(&self, task: &ClaimedTask) -> Result<(), StoreError> {
        const TEXT: &str = "UPDATE tasks SET lease = NULL, lease_until = NULL, worker = NULL, \
             attempts = attempts - 1 WHERE id = $1 AND lease = $2";
        on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(task.id.0).bind(task.lease.as_str()).execute(db)))?;
        Ok(())
    }

    async fn has_due_task(&self, queue: QueueName, now: Instant) -> Result<bool, StoreError> {
        const TEXT: &str = "SELECT COUNT(*) FROM (SELECT 1 FROM tasks WHERE queue = $1 AND state = 'waiting' \
             AND due <= $2 AND (lease_until IS NULL OR lease_until <= $2) LIMIT 1) AS due_tasks";
        let count: i64 = on_db!(self.db, read, db =>
            sqlx::query_scalar(TEXT).bind(queue.as_str()).bind(to_micros(now)).fetch_one(db))?;
        Ok(count > 0)
    }

    async fn next_due(&self, queue: QueueName, now: Instant) -> Result<Option<Instant>, StoreError> {
        // A held task may become free as well: its worker may be dead when the lease ends.
        const TEXT: &str = "SELECT MIN(free_at) FROM (SELECT MIN(due) AS free_at FROM tasks \
             WHERE queue = $1 AND state = 'waiting' AND due > $2 AND lease_until IS NULL \
             UNION ALL SELECT MIN(lease_until) FROM tasks \
             WHERE queue = $1 AND state = 'waiting' AND lease_until > $2) AS moments";
        on_db!(self.db, read, db =>
            sqlx::query_scalar(TEXT).bind(queue.as_str()).bind(to_micros(now)).fetch_one(db))
    }

    async fn waiting_tasks_of(&self, queue: QueueName, owner: UserId) -> Result<u64, StoreError> {
        const TEXT: &str = concat!(
            "SELECT COUNT(*) FROM tasks WHERE queue = $1 AND owner = $2 AND ",
            is_untouched!("tasks")
        );
        let count: i64 = on_db!(self.db, read, db =>
            sqlx::query_scalar(TEXT).bind(queue.as_str()).bind(owner.0).fetch_one(db))?;
        Ok(to_count(count))
    }

    async fn waiting_owners(&self, queue: QueueName) -> Result<WaitingOwners, StoreError> {
        const TEXT: &str = concat!(
            "SELECT COUNT(*), COALESCE(MAX(waiting), 0) FROM (SELECT COUNT(*) AS waiting FROM tasks \
             WHERE queue = $1 AND owner <> 0 AND ",
            is_untouched!("tasks"),
            " GROUP BY owner) AS owners"
        );
        let (owners, most): (i64, i64) = on_db!(self.db, read, db =>
            sqlx::query_as(TEXT).bind(queue.as_str()).fetch_one(db))?;
        Ok(WaitingOwners { owners: to_count(owners), most: to_count(most) })
    }

    async fn task_depth(&self, queue: QueueName, now: Instant) -> Result<u64, StoreError> {
        const TEXT: &str = concat!(
            "SELECT COUNT(*) FROM tasks WHERE queue = $1 AND state = 'waiting' \
             AND (lease_until IS NULL OR (lease_until <= $2 AND worker <> '",
            broker!(),
            "'))"
        );
        let count: i64 = on_db!(self.db, read, db =>
            sqlx::query_scalar(TEXT).bind(queue.as_str()).bind(to_micros(now)).fetch_one(db))?;
        Ok(to_count(count))
    }

    async fn release_all_tasks(&self) -> Result<u64, StoreError> {
        const TEXT: &str = concat!(
            "UPDATE tasks SET lease = NULL, lease_until = NULL, worker = NULL WHERE lease IS NOT NULL \
             AND worker <> '",
            broker!(),
            "'"
        );
        on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT).execute(db)))
    }

    async fn record_heartbeat(&self, heartbeat: Heartbeat) -> Result<(), StoreError> {
        const TEXT: &str = "INSERT INTO workers (worker, queue, concurrency, active, last_seen) \
             VALUES ($1, $2, $3, $4, $5) ON CONFLICT (worker, queue) DO UPDATE SET \
             concurrency = excluded.concurrency, active = excluded.active, last_seen = excluded.last_seen";
        let now = to_micros(heartbeat.last_seen);
        on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(heartbeat.worker.as_str())
            .bind(heartbeat.queue.as_str())
            .bind(i64::from(heartbeat.concurrency))
            .bind(i64::from(heartbeat.active))
            .bind(now)
            .execute(db)))?;
        const SILENT: &str = "DELETE FROM workers WHERE queue = $1 AND (last_seen < $2 OR last_seen > $3)";
        on_db!(self.db, write, db => rows_affected(sqlx::query(SILENT)
            .bind(heartbeat.queue.as_str())
            .bind(now - WORKER_FORGOTTEN_AFTER)
            .bind(now + AHEAD_MAX)
            .execute(db)))?;
        // Done here, because workers send heartbeats however busy they are.
        self.bring_back_due(heartbeat.queue, now).await
    }

    async fn workers(&self, queue: QueueName, since: Instant) -> Result<Vec<Heartbeat>, StoreError> {
        const TEXT: &str = "SELECT worker, concurrency, active, last_seen FROM workers \
             WHERE queue = $1 AND last_seen >= $2";
        let rows = on_db!(self.db, read, db => sqlx::query_as::<_, WorkerRow>(TEXT)
            .bind(queue.as_str()).bind(to_micros(since)).fetch_all(db))?;
        let mut heartbeats: Vec<Heartbeat> = rows.into_iter().map(|row| row.heartbeat(queue)).collect();
        heartbeats.sort_by(|a, b| a.worker.cmp(&b.worker));
        Ok(heartbeats)
    }

    async fn answer_ping(&self, ping: &str, now: Instant) -> Result<(), StoreError> {
        const TEXT: &str = "INSERT INTO pings (ping, answered) VALUES ($1, $2) ON CONFLICT (ping) DO NOTHING";
        let now = to_micros(now);
        on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT).bind(ping).bind(now).execute(db)))?;
        on_db!(self.db, write, db => rows_affected(sqlx::query("DELETE FROM pings WHERE answered < $1")
            .bind(now - ANSWER_KEPT).execute(db)))?;
        Ok(())
    }

    async fn take_ping_answer(&self, ping: &str) -> Result<bool, StoreError> {
        // Read first: waiting callers poll often, and SQLite has one writer.
        let count: i64 = on_db!(self.db, read, db =>
            sqlx::query_scalar("SELECT COUNT(*) FROM pings WHERE ping = $1").bind(ping).fetch_one(db))?;
        if count == 0 {
            return Ok(false);
        }
        let taken = on_db!(self.db, write, db =>
            rows_affected(sqlx::query("DELETE FROM pings WHERE ping = $1").bind(ping).execute(db)))?;
        Ok(taken > 0)
    }
}

impl SqlStore {
    /// Tasks that were due before the clock was set back are due now.
    async fn bring_back_due(&self, queue: QueueName, now: Instant) -> Result<(), StoreError> {
        const TEXT: &str = "UPDATE tasks SET due = $2 WHERE queue = $1 AND state = 'waiting' AND due > $3";
        on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(queue.as_str()).bind(now).bind(now + AHEAD_MAX).execute(db)))?;
        Ok(())
    }
}

impl WorkerRow {
    fn heartbeat(self, queue: QueueName) -> Heartbeat {
        Heartbeat {
            worker: self.worker,
            queue,
            concurrency: u32::try_from(self.concurrency).unwrap_or(u32::MAX),
            active: u32::try_from(self.active).unwrap_or(u32::MAX),
            last_seen: self.last_seen,
        }
    }
}
