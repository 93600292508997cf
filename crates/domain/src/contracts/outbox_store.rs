//! The outbox: stored tasks that a broker is to give out.

use super::{ClaimedTask, NewTask, QueueName, StoreError, WorkerSlots};
use crate::fair_share::WaitingTask;
use crate::ids::TaskId;
use crate::instant::Instant;
use async_trait::async_trait;
use std::time::Duration;

/// A stored task on its way to a broker.
#[derive(Debug, Clone, PartialEq)]
pub struct OutboxTask {
    pub id: TaskId,
    pub task: NewTask,
    /// Tries that were made before.
    pub attempts: u32,
    pub due: Instant,
    pub date_created: Instant,
}

/// A stored task that a broker has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentTask {
    pub key: TaskKey,
    pub due: Instant,
    /// How the broker calls the message.
    pub message: String,
}

/// A stored task that a broker gives to a worker, as its message describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveredTask {
    pub key: TaskKey,
    /// When the task was due, and how many of its tries were made, when the message was sent.
    pub due: Instant,
    pub attempts: u32,
    /// How the broker calls the message.
    pub message: String,
}

/// A task for ever: a database that was restored from a backup gives the ids of lost tasks out again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskKey {
    pub id: TaskId,
    pub date_created: Instant,
}

/// A stored task that waits for its turn to go to a broker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutboxHead {
    pub queue: QueueName,
    pub waiting: WaitingTask,
}

/// The stored tasks seen as an outbox. A task that a broker has stays here, held for the broker, until it ended: a broker
/// may lose what it has.
#[async_trait]
pub trait OutboxStore: Send + Sync {
    /// The tasks that are due and held by nobody: of each owner in each queue the oldest, at most `per_owner`.
    async fn outbox_heads(&self, per_owner: u32, now: Instant) -> Result<Vec<OutboxHead>, StoreError>;
    /// These tasks, in the order of their ids. They stay where they are; what is gone already is passed over.
    async fn outbox_tasks(&self, ids: &[TaskId]) -> Result<Vec<OutboxTask>, StoreError>;
    /// The broker has these; they are held for it until `until`. What ended, waits again, is held by a worker or is known to
    /// be another message of the broker is passed over.
    async fn mark_sent(&self, sent: &[SentTask], now: Instant, until: Instant) -> Result<(), StoreError>;
    /// Tasks that are due and that no broker was given, claimed as by `claim_tasks`. For workers whose broker is away.
    async fn claim_unsent(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
        now: Instant,
    ) -> Result<Vec<ClaimedTask>, StoreError>;
    /// Decides which of the tasks that the broker gives out are to be run, and holds them for it until `until`: tasks that are
    /// held for this message, and tasks that are held by nobody and have not changed since they were sent. All others have
    /// ended, are run by a worker that claimed them here, or were sent again. Of two messages of one task, one is held.
    async fn hold_delivered(
        &self,
        delivered: &[DeliveredTask],
        now: Instant,
        until: Instant,
    ) -> Result<Vec<DeliveredTask>, StoreError>;
    /// Tasks that the broker was given and whose time is over, oldest first: it must be asked whether it still has them.
    async fn overdue_tasks(&self, limit: u64, now: Instant) -> Result<Vec<SentTask>, StoreError>;
    /// A worker that runs a task which the broker gave it holds it here from now on, by `task.lease`, because the broker is
    /// away. False when the task is not held for this message any more.
    async fn take_over(
        &self,
        task: &ClaimedTask,
        key: TaskKey,
        message: &str,
        worker: &str,
        until: Instant,
    ) -> Result<bool, StoreError>;
    /// The broker has lost these: they wait again, in their place; how many. What another process has seen to is passed
    /// over.
    async fn resend(&self, lost: &[SentTask]) -> Result<u64, StoreError>;
    /// Puts a task back that the broker has given out: it waits here until it is due, and `attempts` of its tries are
    /// used. It has a new id if it was not known here by its key.
    async fn put_back(
        &self,
        task: &ClaimedTask,
        key: Option<TaskKey>,
        attempts: u32,
        due: Instant,
    ) -> Result<TaskId, StoreError>;
    /// These have ended. What is gone already is passed over.
    async fn take_out(&self, ended: &[TaskKey]) -> Result<(), StoreError>;
    /// This one has used its tries.
    async fn give_up_sent(&self, key: TaskKey, reason: &str) -> Result<(), StoreError>;
}
