//! Queue of a process that works only while no server of NATS answers, such as a web process without workers beside it.

use super::NatsQueue;
use async_trait::async_trait;
use domain::contracts::{ClaimedTask, NewTask, QueueError, QueueName, TaskQueue, WorkerBeat, WorkerSlots};
use domain::ids::TaskId;
use std::sync::Arc;
use std::time::Duration;

/// Its claims find nothing while NATS answers. It gives no signs of life, because nobody should count on its slots.
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

    fn nudge(&self, queue: QueueName) {
        self.0.nudge(queue);
    }

    async fn claim_many(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        match self.0.link.is_up() {
            true => Ok(Vec::new()),
            false => self.0.fallback.claim(queue, slots, worker, lease).await,
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

    async fn beat(&self, _beat: WorkerBeat) -> Result<(), QueueError> {
        Ok(())
    }

    async fn workers(&self, queue: QueueName, within: Duration) -> Result<Vec<WorkerBeat>, QueueError> {
        self.0.workers(queue, within).await
    }
}
