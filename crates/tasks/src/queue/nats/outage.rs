//! Queue of a process that only works while no NATS server responds, such as a web process.

use super::queue::NatsQueue;
use async_trait::async_trait;
use domain::ids::TaskId;
use domain::ports::{ClaimedTask, Heartbeat, NewTask, QueueError, QueueName, TaskQueue, WorkerSlots};
use std::sync::Arc;
use std::time::Duration;

/// Claims return nothing while NATS responds. It sends no heartbeats, so its slots are not counted, and it ignores the
/// offer of its worker, so no search starts in its process while NATS responds.
pub struct OutageQueue(Arc<NatsQueue>);

impl OutageQueue {
    pub fn new(queue: Arc<NatsQueue>) -> Self {
        Self(queue)
    }
}

#[async_trait]
impl TaskQueue for OutageQueue {
    async fn push(&self, task: NewTask) -> Result<TaskId, QueueError> {
        self.0.push(task).await
    }

    fn notify(&self, queue: QueueName) {
        self.0.notify(queue);
    }

    async fn claim_many(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        if self.0.connection.is_up() {
            Ok(Vec::new())
        } else {
            self.0.fallback.claim(queue, slots, worker, lease).await
        }
    }

    async fn wait(&self, queue: QueueName, at_most: Duration) {
        self.0.wait(queue, at_most).await;
    }

    async fn renew(&self, task: &ClaimedTask, lease: Duration) -> Result<bool, QueueError> {
        self.0.renew(task, lease).await
    }

    async fn finish(&self, task: &ClaimedTask) -> Result<(), QueueError> {
        self.0.finish(task).await
    }

    async fn retry(&self, task: &ClaimedTask, after: Duration, reason: &str) -> Result<(), QueueError> {
        self.0.retry(task, after, reason).await
    }

    async fn release(&self, task: &ClaimedTask) -> Result<(), QueueError> {
        self.0.release(task).await
    }

    async fn depth(&self, queue: QueueName) -> Result<u64, QueueError> {
        self.0.depth(queue).await
    }

    async fn record_heartbeat(&self, _heartbeat: Heartbeat) -> Result<(), QueueError> {
        Ok(())
    }

    async fn workers(&self, queue: QueueName, within: Duration) -> Result<Vec<Heartbeat>, QueueError> {
        self.0.workers(queue, within).await
    }
}
