//! A ping through the task queue: pushed here, run by any worker, and answered through the store, whether the worker is
//! in this process or in another.

use crate::auth::random::random_hex;
use async_trait::async_trait;
use domain::ports::{
    ClaimedTask, Clock, NewTask, QueueError, QueueName, StoreError, TaskError, TaskErrorKind, TaskHandler,
    TaskQueue, TaskStore,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// How long a worker may take to respond.
pub const ANSWER_TIME_MAX: Duration = Duration::from_secs(5);
/// Most pings waiting in the queue: without workers, probes must not fill it.
pub const WAITING_MAX: u64 = 8;
/// How often the store is polled for the response.
const LOOK_EVERY: Duration = Duration::from_millis(25);
const TASK: &str = "ping";

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PingError {
    #[error("The task queue does not answer.")]
    Queue(#[from] QueueError),
    #[error("No worker answered the ping within 5 s.")]
    Silence,
    #[error("Earlier pings still wait for a worker.")]
    Backlog,
}

impl From<StoreError> for PingError {
    fn from(error: StoreError) -> Self {
        Self::Queue(error.into())
    }
}

/// Result and time of the last ping.
type LastPing = Option<(Instant, Result<(), PingError>)>;

/// One ping at a time; concurrent callers share its result.
#[derive(Default)]
pub struct Pings {
    last: Mutex<LastPing>,
}

impl Pings {
    pub async fn ping(&self, queue: &dyn TaskQueue, store: &dyn TaskStore) -> Result<(), PingError> {
        let came = Instant::now();
        let mut last = self.last.lock().await;
        if let Some((ended, outcome)) = &*last
            && *ended >= came
        {
            return outcome.clone();
        }
        let answered = tokio::time::timeout(ANSWER_TIME_MAX, answer_of_a_worker(queue, store)).await;
        let outcome = answered.unwrap_or(Err(PingError::Silence));
        *last = Some((Instant::now(), outcome.clone()));
        outcome
    }
}

async fn answer_of_a_worker(queue: &dyn TaskQueue, store: &dyn TaskStore) -> Result<(), PingError> {
    if queue.depth(QueueName::HealthCheck).await? >= WAITING_MAX {
        return Err(PingError::Backlog);
    }
    let ping = random_hex();
    let task = NewTask {
        queue: QueueName::HealthCheck,
        name: TASK.to_owned(),
        payload: json!({ "ping": ping }),
        attempts_max: 1,
        owner: None,
    };
    queue.push(task).await?;
    while !store.take_ping_answer(&ping).await? {
        tokio::time::sleep(LOOK_EVERY).await;
    }
    Ok(())
}

/// Task handler that answers a ping.
pub struct AnswerPing {
    pub store: Arc<dyn TaskStore>,
    pub clock: Arc<dyn Clock>,
}

#[async_trait]
impl TaskHandler for AnswerPing {
    fn name(&self) -> &'static str {
        TASK
    }

    async fn run(&self, task: &ClaimedTask) -> Result<(), TaskError> {
        let ping = task.payload.get("ping").and_then(Value::as_str);
        let ping = ping.ok_or_else(|| TaskError::new(TaskErrorKind::Invalid, "the ping has no name"))?;
        Ok(self.store.answer_ping(ping, self.clock.now()).await?)
    }
}
