//! Durable task queue with at-least-once delivery.

use super::{Cause, PortError, StoreError};
use crate::ids::{TaskId, UserId};
use crate::instant::Instant;
use crate::request_context::current_request;
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// The six queues.
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

/// The key of a payload with the id of the request that caused the task. A task may have none: the service itself or an
/// older version queued it.
pub const REQUEST_ID: &str = "request";

/// A task to be queued. It is small: the data it works on is in the store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTask {
    pub queue: QueueName,
    /// Name of the handler that runs it.
    pub name: String,
    pub payload: Value,
    /// Maximum number of attempts.
    pub attempts_max: u32,
    /// The user for whom it runs; None for the service itself. Owners take turns (see [`crate::fair_share`]).
    pub owner: Option<UserId>,
}

impl NewTask {
    /// The same task, caused by the current request, if there is one.
    #[must_use]
    pub fn of_current_request(mut self) -> Self {
        if let (Some(request), Value::Object(payload)) = (current_request(), &mut self.payload) {
            payload.insert(REQUEST_ID.to_owned(), Value::from(&*request));
        }
        self
    }
}

/// A task that a worker holds until its lease ends.
#[derive(Debug, Clone, PartialEq)]
pub struct ClaimedTask {
    pub id: TaskId,
    pub queue: QueueName,
    pub name: String,
    pub payload: Value,
    /// 1 for the first attempt.
    pub attempt: u32,
    pub attempts_max: u32,
    pub owner: Option<UserId>,
    /// Proof of the claim: a worker that has lost its lease to another one changes nothing.
    pub lease: String,
}

/// The lease with which a task is stored that starts in the same process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewLease {
    pub worker: String,
    pub duration: Duration,
}

/// The slots that a worker offers to tasks of its own process. Such a task is stored with its lease and starts without
/// a claim.
pub trait SlotOffer: Send + Sync {
    /// A slot for a task of this owner. None if the owner has to wait for its turn or the worker is stopping.
    fn reserve(&self, owner: Option<UserId>) -> Option<Box<dyn ReservedSlot>>;
}

/// A slot that is kept for one task. Dropping it frees the slot.
pub trait ReservedSlot: Send + Sync {
    fn lease(&self) -> NewLease;
    /// Starts the task, which was stored with this lease.
    fn start(self: Box<Self>, task: ClaimedTask);
}

/// Slots of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerSlots {
    /// Number of tasks that may be claimed now.
    pub free: u32,
    /// Number of tasks that the worker runs concurrently; one owner's share is a part of them.
    pub total: u32,
}

impl WorkerSlots {
    /// This many free slots without a total limit, for example for a command or a test.
    pub const fn any(free: u32) -> Self {
        Self { free, total: u32::MAX }
    }
}

/// Heartbeat of a worker.
#[derive(Debug, Clone, PartialEq)]
pub struct Heartbeat {
    pub worker: String,
    pub queue: QueueName,
    /// Number of tasks it may run concurrently; 0 if it is stopping.
    pub concurrency: u32,
    pub active: u32,
    pub last_seen: Instant,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum QueueError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the task queue is not reachable: {message}")]
    Unreachable { message: String, source: Option<Cause> },
}

impl QueueError {
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self::Unreachable { message: message.into(), source: None }
    }

    /// Keeps the error behind it; an error of the store has its own.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Cause>) -> Self {
        if let Self::Unreachable { source, .. } = &mut self {
            *source = Some(cause.into());
        }
        self
    }
}

/// At-least-once delivery with leases. Every backend passes the same test suite.
#[async_trait]
pub trait TaskQueue: Send + Sync {
    /// Adds a task and notifies a worker.
    async fn push(&self, task: NewTask) -> Result<TaskId, QueueError>;
    /// Notifies a worker of a task that was stored in another transaction.
    fn notify(&self, queue: QueueName);
    /// Keeps the offer of a worker of this process as long as the worker does. A queue whose workers may not run every
    /// task ignores it.
    fn offer_slots(&self, _queue: QueueName, _offer: &Arc<dyn SlotOffer>) {}
    /// A slot in this process for a task that is about to be stored. None if it has to be claimed.
    fn reserve(&self, _queue: QueueName, _owner: Option<UserId>) -> Option<Box<dyn ReservedSlot>> {
        None
    }
    /// Claims due and free tasks, at most as many as `slots` has free, for `worker` and the duration of `lease`. Owners
    /// take turns: the one with the fewest running tasks goes first, then the oldest task, within the owner's share of
    /// the slots (see [`crate::fair_share`]). Does not wait for more if there is one.
    async fn claim_many(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
    ) -> Result<Vec<ClaimedTask>, QueueError>;
    /// Claims one task.
    async fn claim(
        &self,
        queue: QueueName,
        worker: &str,
        lease: Duration,
    ) -> Result<Option<ClaimedTask>, QueueError> {
        Ok(self.claim_many(queue, WorkerSlots::any(1), worker, lease).await?.pop())
    }
    /// Waits until there may be a task to claim: a push, a notification, or `at_most`.
    async fn wait(&self, queue: QueueName, at_most: Duration);
    /// Extends the lease. False if it was lost.
    async fn renew(&self, task: &ClaimedTask, lease: Duration) -> Result<bool, QueueError>;
    /// Removes a completed task.
    async fn finish(&self, task: &ClaimedTask) -> Result<(), QueueError>;
    /// Returns the task to the queue, due `after` this time; it has failed if no attempts are left.
    async fn retry(&self, task: &ClaimedTask, after: Duration, reason: &str) -> Result<(), QueueError>;
    /// Returns the task to the queue, due immediately, as if it had not been claimed: a worker that must stop has not
    /// failed.
    async fn release(&self, task: &ClaimedTask) -> Result<(), QueueError>;
    /// Waiting tasks, due or not; running tasks are not counted.
    async fn depth(&self, queue: QueueName) -> Result<u64, QueueError>;
    /// Whether tasks are delivered at this moment; the error names the obstacle. A queue in the database is always
    /// reachable.
    async fn reachable(&self) -> Result<(), QueueError> {
        Ok(())
    }
    /// Whether the broker responds at this moment, with a short time limit; None for a queue without a broker.
    async fn broker_answers(&self) -> Option<bool> {
        None
    }
    /// Records a heartbeat for health checks and metrics.
    async fn record_heartbeat(&self, heartbeat: Heartbeat) -> Result<(), QueueError>;
    /// The last heartbeats of the workers of this queue that are not older than `within`.
    async fn workers(&self, queue: QueueName, within: Duration) -> Result<Vec<Heartbeat>, QueueError>;
}

/// Why a task failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskErrorKind {
    /// What it depends on cannot be reached at the moment.
    Unavailable,
    /// This version of the program cannot run it: its handler is not known, or its payload cannot be read.
    Invalid,
    Failed,
}

/// The task is retried while attempts are left.
pub type TaskError = PortError<TaskErrorKind>;

impl From<StoreError> for TaskError {
    fn from(error: StoreError) -> Self {
        let kind = if error.is_transient() { TaskErrorKind::Unavailable } else { TaskErrorKind::Failed };
        Self::from_cause(kind, error)
    }
}

impl ClaimedTask {
    /// The id of the request that caused it, for the log.
    pub fn request_id(&self) -> Option<&str> {
        self.payload.get(REQUEST_ID).and_then(Value::as_str)
    }

    /// The payload as its handler needs it.
    pub fn read_payload<T: DeserializeOwned>(&self) -> Result<T, TaskError> {
        T::deserialize(&self.payload).map_err(|error| TaskError::from_cause(TaskErrorKind::Invalid, error))
    }
}

/// Runs the tasks of one name. Idempotent, because a task may run twice.
#[async_trait]
pub trait TaskHandler: Send + Sync {
    fn name(&self) -> &'static str;
    async fn run(&self, task: &ClaimedTask) -> Result<(), TaskError>;
    /// Runs the task in a slot that it may give up while it waits for others.
    async fn run_in(&self, task: &ClaimedTask, _slot: &dyn RunningSlot) -> Result<(), TaskError> {
        self.run(task).await
    }
}

/// A slot in which a worker runs a task. A task that waits for others releases it meanwhile, so that another task can
/// run.
#[async_trait]
pub trait RunningSlot: Send + Sync {
    fn release(&self);
    /// Waits for a free slot, first come, first served.
    async fn acquire(&self);
}

/// For tasks that run outside of a worker.
pub struct NoSlot;

#[async_trait]
impl RunningSlot for NoSlot {
    fn release(&self) {}
    async fn acquire(&self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::chain;
    use crate::request_context::step_within_request;
    use serde_json::json;
    use std::error::Error;
    use std::io;

    #[test]
    fn people_see_the_sentence_and_the_log_the_cause() {
        let error = QueueError::unreachable("no answer").caused_by(io::Error::other("timed out"));
        assert_eq!(error.to_string(), "the task queue is not reachable: no answer");
        assert!(error.source().is_some_and(|cause| cause.is::<io::Error>()));
        assert_eq!(chain(&error), format!("{error}: timed out"));
        let store = StoreError::failed("no table").caused_by(io::Error::other("code 1"));
        let of_store = QueueError::from(store.clone()).caused_by(io::Error::other("another"));
        assert_eq!((of_store.to_string(), chain(&of_store)), (store.to_string(), chain(&store)));
    }

    #[test]
    fn a_task_names_the_request_that_causes_it() {
        let task = |payload: Value| NewTask {
            queue: QueueName::Corpus,
            name: "ingest_document".to_owned(),
            payload,
            attempts_max: 1,
            owner: None,
        };
        let payload = json!({ "signal": 7 });
        assert_eq!(task(payload.clone()).of_current_request().payload, payload, "no request");
        step_within_request(&"r-1".into(), || {
            let of_request = task(payload.clone()).of_current_request().payload;
            assert_eq!(of_request, json!({ "signal": 7, "request": "r-1" }));
            assert_eq!(task(Value::Null).of_current_request().payload, Value::Null, "no place for an id");
        });
    }
}
