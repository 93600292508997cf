//! Transactional outbox: stored tasks to be delivered by a broker.

use super::{ClaimedTask, NewTask, QueueName, StoreError, WorkerSlots};
use crate::fair_share::{Running, WaitingTask};
use crate::ids::TaskId;
use crate::instant::Instant;
use async_trait::async_trait;
use std::time::Duration;

/// A stored task to be sent to a broker.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxTask {
    pub id: TaskId,
    pub task: NewTask,
    /// Earlier attempts.
    pub attempts: u32,
    pub due: Instant,
    pub date_created: Instant,
}

/// A stored task that was sent to a broker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentTask {
    pub key: TaskKey,
    pub due: Instant,
    /// The broker's id of the message.
    pub message: String,
}

/// A stored task that a broker delivers to a worker, as described by its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveredTask {
    pub key: TaskKey,
    /// When the task was due, and the number of its attempts, at the time the message was sent.
    pub due: Instant,
    pub attempts: u32,
    /// The broker's id of the message.
    pub message: String,
}

/// Permanent identity of a task. The id alone is not enough: a database that was restored from a backup assigns the ids
/// of lost tasks again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskKey {
    pub id: TaskId,
    pub date_created: Instant,
}

/// A stored task that waits for its turn to be sent to a broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxHead {
    pub queue: QueueName,
    pub waiting: WaitingTask,
}

/// The stored tasks as an outbox. A sent task stays stored, held for the broker, until it has finished, because a
/// broker may lose its messages.
#[async_trait]
pub trait OutboxStore: Send + Sync {
    /// Due tasks that nobody holds: the oldest of each owner in each queue, at most `per_owner`.
    async fn outbox_heads(&self, per_owner: u32, now: Instant) -> Result<Vec<OutboxHead>, StoreError>;
    /// The number of tasks that workers hold in the database, by owner, without those held for the broker. They use
    /// slots that the broker does not know of.
    async fn held_tasks(&self, queue: QueueName, now: Instant) -> Result<Running, StoreError>;
    /// Leases from before the clock was set back end one lease from now, as after `claim_tasks`.
    async fn limit_leases(&self, queue: QueueName, lease: Duration, now: Instant) -> Result<(), StoreError>;
    /// These tasks by id, unchanged; missing ones are skipped.
    async fn outbox_tasks(&self, ids: &[TaskId]) -> Result<Vec<OutboxTask>, StoreError>;
    /// Marks tasks as sent and holds them for the broker until `until`. Skips tasks that have finished, wait again, are
    /// held by a worker, or belong to another message of the broker.
    async fn mark_sent(&self, sent: &[SentTask], now: Instant, until: Instant) -> Result<(), StoreError>;
    /// Claims due tasks that were not sent to a broker, like `claim_tasks`. For workers whose broker is unreachable.
    async fn claim_unsent(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
        now: Instant,
    ) -> Result<Vec<ClaimedTask>, StoreError>;
    /// Returns which of the delivered tasks are to be run, and holds them for the broker until `until`: tasks that are
    /// held for this message, and tasks that nobody holds and that have not changed since they were sent. All others
    /// have finished, are run by a worker that claimed them here, or were sent again. Of two messages of one task, only
    /// one is held.
    async fn hold_delivered(
        &self,
        delivered: &[DeliveredTask],
        now: Instant,
        until: Instant,
    ) -> Result<Vec<DeliveredTask>, StoreError>;
    /// Sent tasks whose hold has expired, oldest first; the broker must be asked whether it still has them.
    async fn overdue_tasks(&self, limit: u64, now: Instant) -> Result<Vec<SentTask>, StoreError>;
    /// Transfers the hold on a delivered task from the broker to the worker that runs it, under `task.lease`, because
    /// the broker is unreachable. False if the task is no longer held for this message.
    async fn take_over(
        &self,
        task: &ClaimedTask,
        key: TaskKey,
        message: &str,
        worker: &str,
        until: Instant,
    ) -> Result<bool, StoreError>;
    /// Makes tasks that the broker has lost wait again, in their old position; returns their number. Skips tasks that
    /// another process has handled.
    async fn resend(&self, lost: &[SentTask]) -> Result<u64, StoreError>;
    /// Puts a delivered task back: it waits until it is due, with `attempts` of its attempts used. It gets a new id if
    /// its key is not known.
    async fn put_back(
        &self,
        task: &ClaimedTask,
        key: Option<TaskKey>,
        attempts: u32,
        due: Instant,
    ) -> Result<TaskId, StoreError>;
    /// Removes finished tasks. Missing ones are skipped.
    async fn take_out(&self, ended: &[TaskKey]) -> Result<(), StoreError>;
    /// Marks a sent task as failed after its last attempt.
    async fn give_up_sent(&self, key: TaskKey, reason: &str) -> Result<(), StoreError>;
}
