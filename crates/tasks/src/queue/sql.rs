//! The queue in the database. Inside one process the pusher wakes the worker, so nothing waits for a poll.

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::contracts::{ClaimedTask, Clock, NewTask, QueueError, QueueName, Store, TaskQueue, WorkerBeat};
use domain::ids::TaskId;
use domain::instant::Instant;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

pub struct SqlQueue {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    bells: BTreeMap<QueueName, Notify>,
}

impl SqlQueue {
    pub fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        let bells = QueueName::ALL.into_iter().map(|queue| (queue, Notify::new())).collect();
        Self { store, clock, bells }
    }

    fn after(&self, delay: Duration) -> Instant {
        self.clock.now() + TimeDelta::from_std(delay).unwrap_or(TimeDelta::MAX)
    }
}

#[async_trait]
impl TaskQueue for SqlQueue {
    async fn push(&self, task: NewTask) -> Result<TaskId, QueueError> {
        let queue = task.queue;
        let id = self.store.push_task(task, self.clock.now()).await?;
        self.nudge(queue);
        Ok(id)
    }

    fn nudge(&self, queue: QueueName) {
        self.bells[&queue].notify_one();
    }

    async fn claim_many(
        &self,
        queue: QueueName,
        at_most: u32,
        worker: &str,
        lease: Duration,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        Ok(self.store.claim_tasks(queue, at_most, worker, lease, self.clock.now()).await?)
    }

    async fn wait(&self, queue: QueueName, at_most: Duration) {
        // A task that is due later, or whose lease runs out, rings no bell: look again when it may be free.
        let until_due = match self.store.next_due(queue).await {
            Ok(Some(due)) => (due - self.clock.now()).to_std().unwrap_or(Duration::from_millis(1)),
            _ => at_most,
        };
        let _bell_or_time = tokio::time::timeout(until_due.min(at_most), self.bells[&queue].notified()).await;
    }

    async fn renew(&self, task: &ClaimedTask, lease: Duration) -> Result<bool, QueueError> {
        Ok(self.store.renew_task(task, lease, self.clock.now()).await?)
    }

    async fn finish(&self, task: &ClaimedTask) -> Result<(), QueueError> {
        Ok(self.store.finish_task(task).await?)
    }

    async fn retry(&self, task: &ClaimedTask, after: Duration, reason: &str) -> Result<(), QueueError> {
        self.store.retry_task(task, self.after(after), reason).await?;
        if after.is_zero() {
            self.nudge(task.queue);
        }
        Ok(())
    }

    async fn release(&self, task: &ClaimedTask) -> Result<(), QueueError> {
        self.store.release_task(task).await?;
        self.nudge(task.queue);
        Ok(())
    }

    async fn depth(&self, queue: QueueName) -> Result<u64, QueueError> {
        Ok(self.store.task_depth(queue, self.clock.now()).await?)
    }

    async fn beat(&self, beat: WorkerBeat) -> Result<(), QueueError> {
        Ok(self.store.beat(beat).await?)
    }

    async fn workers(&self, queue: QueueName, within: Duration) -> Result<Vec<WorkerBeat>, QueueError> {
        let since = self.clock.now() - TimeDelta::from_std(within).unwrap_or(TimeDelta::zero());
        Ok(self.store.workers(queue, since).await?)
    }
}
