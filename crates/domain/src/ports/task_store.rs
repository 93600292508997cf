//! Storage of tasks.

use super::{ClaimedTask, Heartbeat, NewTask, QueueName, StoreError, WorkerSlots};
use crate::ids::{TaskId, UserId};
use crate::instant::Instant;
use async_trait::async_trait;
use std::time::Duration;

/// Distribution of the waiting tasks of a queue over users.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WaitingOwners {
    /// Users with a waiting task.
    pub owners: u64,
    /// Waiting tasks of the user with the most.
    pub most: u64,
}

/// The records of the task queue; the crate `tasks` adds notification and waiting.
#[async_trait]
pub trait TaskStore: Send + Sync {
    async fn push_task(&self, task: NewTask, now: Instant) -> Result<TaskId, StoreError>;
    /// Claims due tasks that nobody holds, at most as many as `slots` has free, for `worker` until `now + lease`.
    /// Owners take turns within their share of the worker's slots, as specified by [`crate::fair_share::choose`]. A
    /// task without attempts left is marked as failed and skipped.
    async fn claim_tasks(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
        now: Instant,
    ) -> Result<Vec<ClaimedTask>, StoreError>;
    /// Claims one task.
    async fn claim_task(
        &self,
        queue: QueueName,
        worker: &str,
        lease: Duration,
        now: Instant,
    ) -> Result<Option<ClaimedTask>, StoreError> {
        Ok(self.claim_tasks(queue, WorkerSlots::any(1), worker, lease, now).await?.pop())
    }
    /// False if the lease was lost.
    async fn renew_task(&self, task: &ClaimedTask, lease: Duration, now: Instant)
    -> Result<bool, StoreError>;
    async fn finish_task(&self, task: &ClaimedTask) -> Result<(), StoreError>;
    /// Deletes tasks that failed before `before`.
    async fn forget_failed_tasks(&self, before: Instant) -> Result<(), StoreError>;
    async fn retry_task(&self, task: &ClaimedTask, due: Instant, reason: &str) -> Result<(), StoreError>;
    /// Undoes the claim: the task is free, and this attempt is not counted.
    async fn release_task(&self, task: &ClaimedTask) -> Result<(), StoreError>;
    /// Whether there is a due task that nobody holds. If a claim returned nothing, it waits for its owner's turn.
    async fn has_due_task(&self, queue: QueueName, now: Instant) -> Result<bool, StoreError>;
    /// The time after `now` at which the next task becomes due or the next lease ends, if there is one.
    async fn next_due(&self, queue: QueueName, now: Instant) -> Result<Option<Instant>, StoreError>;
    /// This owner's tasks that wait in the queue, due or not; running tasks are not counted.
    async fn waiting_tasks_of(&self, queue: QueueName, owner: UserId) -> Result<u64, StoreError>;
    /// Waiting tasks of all owners together, without names.
    async fn waiting_owners(&self, queue: QueueName) -> Result<WaitingOwners, StoreError>;
    async fn task_depth(&self, queue: QueueName, now: Instant) -> Result<u64, StoreError>;
    /// Releases every task; for the only process on its data, at start after a crash.
    async fn release_all_tasks(&self) -> Result<u64, StoreError>;
    async fn record_heartbeat(&self, heartbeat: Heartbeat) -> Result<(), StoreError>;
    async fn workers(&self, queue: QueueName, since: Instant) -> Result<Vec<Heartbeat>, StoreError>;
    /// Records that a worker has run this ping. Responses that were not fetched are deleted after a minute.
    async fn answer_ping(&self, ping: &str, now: Instant) -> Result<(), StoreError>;
    /// Whether this ping was answered; a response is returned once.
    async fn take_ping_answer(&self, ping: &str) -> Result<bool, StoreError>;
}
