//! Queue in the database. Within one process, a push wakes a worker, so nothing waits for a poll.

use crate::local_start::CurrentOffer;
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::ids::{TaskId, UserId};
use domain::instant::Instant;
use domain::ports::{
    ClaimedTask, Clock, Heartbeat, NewTask, QueueError, QueueName, ReservedSlot, SlotOffer, TaskQueue,
    TaskStore, WorkerSlots,
};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::Notify;

pub struct SqlQueue {
    store: Arc<dyn TaskStore>,
    clock: Arc<dyn Clock>,
    states: BTreeMap<QueueName, QueueState>,
}

/// State of one queue in this process.
#[derive(Default)]
struct QueueState {
    /// Wakes a worker.
    notify: Notify,
    /// The last claim left due tasks behind because of fair share. They may be claimed when a task ends.
    is_held_back: AtomicBool,
    /// A task that ends now is not yet known to the claim that runs.
    is_claiming: AtomicBool,
    /// The slots of the worker that serves it in this process.
    offer: CurrentOffer,
}

impl SqlQueue {
    pub fn new(store: Arc<dyn TaskStore>, clock: Arc<dyn Clock>) -> Self {
        let states = QueueName::ALL.into_iter().map(|queue| (queue, QueueState::default())).collect();
        Self { store, clock, states }
    }

    fn after(&self, delay: Duration) -> Instant {
        self.clock.now() + TimeDelta::from_std(delay).unwrap_or(TimeDelta::MAX)
    }

    /// A slot is free: tasks that were held back may be claimed.
    fn slot_is_free(&self, queue: QueueName) {
        let QueueState { is_held_back, is_claiming, .. } = &self.states[&queue];
        if is_held_back.load(Ordering::SeqCst) || is_claiming.load(Ordering::SeqCst) {
            self.notify(queue);
        }
    }
}

#[async_trait]
impl TaskQueue for SqlQueue {
    async fn push(&self, task: NewTask) -> Result<TaskId, QueueError> {
        let queue = task.queue;
        let id = self.store.push_task(task, self.clock.now()).await?;
        self.notify(queue);
        Ok(id)
    }

    fn notify(&self, queue: QueueName) {
        self.states[&queue].notify.notify_one();
    }

    fn offer_slots(&self, queue: QueueName, offer: &Arc<dyn SlotOffer>) {
        self.states[&queue].offer.set(offer);
    }

    fn reserve(&self, queue: QueueName, owner: Option<UserId>) -> Option<Box<dyn ReservedSlot>> {
        let state = &self.states[&queue];
        // Tasks that were held back come first.
        if state.is_held_back.load(Ordering::SeqCst) {
            return None;
        }
        state.offer.reserve(owner)
    }

    async fn claim_many(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        let QueueState { is_held_back, is_claiming, .. } = &self.states[&queue];
        let now = self.clock.now();
        is_claiming.store(true, Ordering::SeqCst);
        let claimed = async {
            let tasks = self.store.claim_tasks(queue, slots, worker, lease, now).await?;
            let leaves_some = tasks.is_empty() && self.store.has_due_task(queue, now).await?;
            is_held_back.store(leaves_some, Ordering::SeqCst);
            Ok(tasks)
        }
        .await;
        is_claiming.store(false, Ordering::SeqCst);
        claimed
    }

    async fn wait(&self, queue: QueueName, at_most: Duration) {
        // There is no notification for tasks that become due or whose lease expires, so wake up then.
        let now = self.clock.now();
        let until_due = match self.store.next_due(queue, now).await {
            Ok(Some(due)) => (due - now).to_std().unwrap_or(Duration::from_millis(1)),
            _ => at_most,
        };
        let notified = self.states[&queue].notify.notified();
        let _notified_or_late = tokio::time::timeout(until_due.min(at_most), notified).await;
    }

    async fn renew(&self, task: &ClaimedTask, lease: Duration) -> Result<bool, QueueError> {
        Ok(self.store.renew_task(task, lease, self.clock.now()).await?)
    }

    async fn finish(&self, task: &ClaimedTask) -> Result<(), QueueError> {
        self.store.finish_task(task).await?;
        self.slot_is_free(task.queue);
        Ok(())
    }

    async fn retry(&self, task: &ClaimedTask, after: Duration, reason: &str) -> Result<(), QueueError> {
        self.store.retry_task(task, self.after(after), reason).await?;
        if after.is_zero() {
            self.notify(task.queue);
        } else {
            self.slot_is_free(task.queue);
        }
        Ok(())
    }

    async fn release(&self, task: &ClaimedTask) -> Result<(), QueueError> {
        self.store.release_task(task).await?;
        self.notify(task.queue);
        Ok(())
    }

    async fn depth(&self, queue: QueueName) -> Result<u64, QueueError> {
        Ok(self.store.task_depth(queue, self.clock.now()).await?)
    }

    async fn record_heartbeat(&self, heartbeat: Heartbeat) -> Result<(), QueueError> {
        Ok(self.store.record_heartbeat(heartbeat).await?)
    }

    async fn workers(&self, queue: QueueName, within: Duration) -> Result<Vec<Heartbeat>, QueueError> {
        let since = self.clock.now() - TimeDelta::from_std(within).unwrap_or(TimeDelta::zero());
        Ok(self.store.workers(queue, since).await?)
    }
}
