//! TaskQueue: durable work with at-least-once delivery.

use super::StoreError;
use crate::ids::{TaskId, UserId};
use crate::instant::Instant;
use async_trait::async_trait;
use serde_json::Value;
use std::time::Duration;

/// The six queues of the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum QueueName {
    HealthCheck,
    Search,
    PageFetch,
    Interactive,
    Maintenance,
    Corpus,
}

impl QueueName {
    pub const ALL: [QueueName; 6] = [
        Self::HealthCheck,
        Self::Search,
        Self::PageFetch,
        Self::Interactive,
        Self::Maintenance,
        Self::Corpus,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::HealthCheck => "health_check",
            Self::Search => "search",
            Self::PageFetch => "page_fetch",
            Self::Interactive => "interactive",
            Self::Maintenance => "maintenance",
            Self::Corpus => "corpus",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|queue| queue.as_str() == text)
    }
}

/// Work to be done: small, because what it works on is in the Store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTask {
    pub queue: QueueName,
    /// Which registered task runs it.
    pub name: String,
    pub payload: Value,
    /// How often it may be started before it is given up.
    pub attempts_max: u32,
    /// The user it is run for; None for the service itself. Owners take turns (see [`crate::fair_share`]).
    pub owner: Option<UserId>,
}

/// A task that this worker holds until its lease ends.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedTask {
    pub id: TaskId,
    pub queue: QueueName,
    pub name: String,
    pub payload: Value,
    /// 1 for the first try.
    pub attempt: u32,
    pub attempts_max: u32,
    pub owner: Option<UserId>,
    /// Proves the claim: a worker whose lease was given to another changes nothing.
    pub lease: String,
}

/// The slots of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerSlots {
    /// Tasks that may be claimed now.
    pub free: u32,
    /// Tasks that the worker has in progress at once; one owner's share is a part of them.
    pub total: u32,
}

impl WorkerSlots {
    /// So many tasks for whoever has no limit of its own, such as a command or a test.
    pub const fn any(free: u32) -> Self {
        Self { free, total: u32::MAX }
    }
}

/// A worker's sign of life.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkerBeat {
    pub worker: String,
    pub queue: QueueName,
    /// Tasks it may have in progress at once; 0 from a worker that is stopping.
    pub concurrency: u32,
    pub active: u32,
    pub last_seen: Instant,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum QueueError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the task queue is not reachable: {0}")]
    Unreachable(String),
}

/// At-least-once delivery with a lease. Every backend passes the same suite.
#[async_trait]
pub trait TaskQueue: Send + Sync {
    /// Adds a task and wakes a worker.
    async fn push(&self, task: NewTask) -> Result<TaskId, QueueError>;
    /// Wakes a worker for a task that was stored in another transaction.
    fn nudge(&self, queue: QueueName);
    /// Tasks that are due and free, no more than `slots` has free, held by `worker` for `lease`. Owners take turns: the
    /// one with the fewest running tasks goes first, then the oldest task, within the owner's share of the slots (see
    /// [`crate::fair_share`]). Does not wait for more when there is one.
    async fn claim_many(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
    ) -> Result<Vec<ClaimedTask>, QueueError>;
    /// The first of them.
    async fn claim(
        &self,
        queue: QueueName,
        worker: &str,
        lease: Duration,
    ) -> Result<Option<ClaimedTask>, QueueError> {
        Ok(self.claim_many(queue, WorkerSlots::any(1), worker, lease).await?.pop())
    }
    /// Waits until there may be something to claim: a push, a nudge, or `at_most`.
    async fn wait(&self, queue: QueueName, at_most: Duration);
    /// Holds the task longer. False when the lease was lost.
    async fn renew(&self, task: &ClaimedTask, lease: Duration) -> Result<bool, QueueError>;
    /// Done: it will not come again.
    async fn finish(&self, task: &ClaimedTask) -> Result<(), QueueError>;
    /// Back into the queue, due `after` some time; given up when its tries are used.
    async fn retry(&self, task: &ClaimedTask, after: Duration, reason: &str) -> Result<(), QueueError>;
    /// Back into the queue, due at once, as if it had not been claimed: a worker that must stop did not fail.
    async fn release(&self, task: &ClaimedTask) -> Result<(), QueueError>;
    /// Tasks waiting (due or not), without those being run.
    async fn depth(&self, queue: QueueName) -> Result<u64, QueueError>;
    /// Whether tasks get through at this moment; the error says what keeps them. There is nothing between a worker and
    /// a queue in the database.
    async fn reachable(&self) -> Result<(), QueueError> {
        Ok(())
    }
    /// Whether the broker answers at this moment, found out quickly; None for a queue that has no broker.
    async fn broker_answers(&self) -> Option<bool> {
        None
    }
    /// A sign of life; health and metrics read it.
    async fn beat(&self, beat: WorkerBeat) -> Result<(), QueueError>;
    /// Who serves this queue and was heard of within `within`.
    async fn workers(&self, queue: QueueName, within: Duration) -> Result<Vec<WorkerBeat>, QueueError>;
}

/// Why a task did not succeed; it is tried again while it has tries left.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub struct TaskError(pub String);

/// What is done with a task of one name. Idempotent, because a task may run twice.
#[async_trait]
pub trait TaskHandler: Send + Sync {
    fn name(&self) -> &'static str;
    async fn run(&self, task: &ClaimedTask) -> Result<(), TaskError>;
    /// The same in a running slot that the task may give up while it waits for others.
    async fn run_in(&self, task: &ClaimedTask, _slot: &dyn RunningSlot) -> Result<(), TaskError> {
        self.run(task).await
    }
}

/// One of the slots in which a worker runs its tasks. A task that waits for others gives it up meanwhile: waiting is
/// not working, and another task runs in its place.
#[async_trait]
pub trait RunningSlot: Send + Sync {
    fn release(&self);
    /// Waits for a free slot; those that waited longer go first.
    async fn acquire(&self);
}

/// For a task that runs outside of a worker.
pub struct NoSlot;

#[async_trait]
impl RunningSlot for NoSlot {
    fn release(&self) {}
    async fn acquire(&self) {}
}
