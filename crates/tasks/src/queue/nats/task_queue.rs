//! The port `TaskQueue` on the stream, and on the database while no server responds.

use super::claim::ClaimRequest;
use super::connection::ASK_MAX;
use super::queue::{NatsQueue, POLL_INTERVAL};
use async_nats::jetstream::AckKind;
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::ids::{TaskId, UserId};
use domain::ports::{
    ClaimedTask, Heartbeat, NewTask, QueueError, QueueName, ReservedSlot, SlotOffer, TaskQueue, WorkerSlots,
};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::Instant;

/// Maximum sleep while no server responds, because notifications of other processes are missing.
const POLL_INTERVAL_WITHOUT_SERVER: Duration = Duration::from_millis(500);
/// Time limit for counts and liveness checks; a metrics scrape has less than a second.
const COUNT_MAX: Duration = Duration::from_millis(300);

#[async_trait]
impl TaskQueue for NatsQueue {
    async fn push(&self, task: NewTask) -> Result<TaskId, QueueError> {
        let queue = task.queue;
        let id = self.store.push_task(task, self.clock.now()).await?;
        self.send_now(id).await;
        self.notify(queue);
        Ok(id)
    }

    fn notify(&self, queue: QueueName) {
        self.outbox_relay.notify();
        self.queues[&queue].notify.notify_one();
    }

    fn offer_slots(&self, queue: QueueName, offer: &Arc<dyn SlotOffer>) {
        self.queues[&queue].offer.set(offer);
    }

    /// A task that starts here is held in the database and not sent: see `fallback`.
    fn reserve(&self, queue: QueueName, owner: Option<UserId>) -> Option<Box<dyn ReservedSlot>> {
        // Tasks that wait come first, and those that were sent take slots soon. Without a server, it is unknown which
        // tasks were sent.
        if !self.connection.is_up() || self.outbox_relay.has_backlog(queue) {
            return None;
        }
        self.queues[&queue].offer.reserve(owner)
    }

    async fn claim_many(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        if self.connection.is_up() {
            let request = ClaimRequest { queue, at_most: slots.free, worker, lease };
            let claimed = self.claim_delivered(request).await;
            if claimed.is_ok() || self.connection.is_up() {
                return claimed;
            }
        }
        self.fallback.claim(queue, slots, worker, lease).await
    }

    async fn wait(&self, queue: QueueName, at_most: Duration) {
        let poll_interval =
            if self.connection.is_up() { POLL_INTERVAL } else { POLL_INTERVAL_WITHOUT_SERVER };
        let _notified_or_late =
            tokio::time::timeout(at_most.min(poll_interval), self.queues[&queue].notify.notified()).await;
    }

    async fn renew(&self, task: &ClaimedTask, lease: Duration) -> Result<bool, QueueError> {
        if self.fallback.holds(task) {
            return Ok(self.fallback.renew(task, lease).await?);
        }
        let Some(delivery) = self.leases.delivery(&task.lease) else { return Ok(false) };
        let asked = Instant::now();
        match self.connection.acknowledge(&task.lease, AckKind::Progress).await {
            Ok(()) => Ok(self.leases.extend(&task.lease, asked, lease)),
            Err(error) if self.connection.is_up() => Err(error),
            Err(error) => self.take_over(task, &delivery, lease).await?.ok_or(error),
        }
    }

    async fn finish(&self, task: &ClaimedTask) -> Result<(), QueueError> {
        if self.fallback.holds(task) {
            self.fallback.finish(task).await?;
            self.on_slot_free(task.queue);
            return Ok(());
        }
        let delivery = self.leases.delivery(&task.lease);
        let acknowledged = self.acknowledge_end(task, AckKind::Ack).await;
        // The work is done, whether the server was informed or not.
        if let Some(key) = delivery.and_then(|delivery| delivery.key) {
            self.sent.end(key).await?;
        }
        acknowledged?;
        self.outbox_relay.on_slot_free();
        Ok(())
    }

    async fn retry(&self, task: &ClaimedTask, after: Duration, reason: &str) -> Result<(), QueueError> {
        if self.fallback.holds(task) {
            self.fallback.retry(task, self.after(after), reason).await?;
            self.on_slot_free(task.queue);
            return Ok(());
        }
        if task.attempt >= task.attempts_max {
            if let Some(delivery) = self.leases.delivery(&task.lease) {
                tracing::error!(task.id = task.id.0, task.name, "the task is given up: {reason}");
                if let Some(key) = delivery.key {
                    self.store.give_up_sent(key, reason).await?;
                }
            }
            self.acknowledge_end(task, AckKind::Term).await?;
            self.outbox_relay.on_slot_free();
            return Ok(());
        }
        // In the stream it would count as running and use a slot of its owner.
        if task.owner.is_some()
            && !after.is_zero()
            && self.wait_in_outbox(task, task.attempt, self.after(after)).await?
        {
            return Ok(());
        }
        self.acknowledge_end(task, AckKind::Nak((!after.is_zero()).then_some(after))).await?;
        if after.is_zero() {
            self.queues[&task.queue].notify.notify_one();
        }
        Ok(())
    }

    /// The stream counts every delivery, so the task is sent again as a new message. If the database fails, the old
    /// message is redelivered, and this attempt counts.
    async fn release(&self, task: &ClaimedTask) -> Result<(), QueueError> {
        if self.fallback.holds(task) {
            self.fallback.release(task).await?;
            self.send_now(task.id).await; // this process may be about to end
            self.notify(task.queue);
            return Ok(());
        }
        let attempts = task.attempt.saturating_sub(1);
        if self.wait_in_outbox(task, attempts, self.clock.now()).await? {
            self.send_now(task.id).await;
            return Ok(());
        }
        self.acknowledge_end(task, AckKind::Nak(None)).await?;
        self.outbox_relay.notify_workers(&[task.queue].into()).await;
        Ok(())
    }

    /// While the server is unreachable: the tasks in the outbox, and the last known number in the stream.
    async fn depth(&self, queue: QueueName) -> Result<u64, QueueError> {
        let last = &self.queues[&queue].waiting;
        if self.connection.is_up()
            && let Ok(waiting) = tokio::time::timeout(COUNT_MAX, self.connection.waiting(queue)).await
        {
            last.store(waiting?, Ordering::Relaxed);
        }
        let outbox = self.store.task_depth(queue, self.clock.now()).await?;
        Ok(last.load(Ordering::Relaxed) + outbox)
    }

    async fn reachable(&self) -> Result<(), QueueError> {
        self.connection.up_within(ASK_MAX).await
    }

    async fn broker_answers(&self) -> Option<bool> {
        let answers =
            async || tokio::time::timeout(COUNT_MAX, self.connection.answers()).await.unwrap_or(false);
        Some(self.connection.is_up() && answers().await)
    }

    async fn record_heartbeat(&self, heartbeat: Heartbeat) -> Result<(), QueueError> {
        let queue = heartbeat.queue;
        self.store.record_heartbeat(heartbeat).await?;
        // Claims do it as well, but a server that responds leaves none to the database.
        self.store.limit_leases(queue, self.lease, self.clock.now()).await?;
        self.outbox_relay.on_slot_free();
        Ok(())
    }

    async fn workers(&self, queue: QueueName, within: Duration) -> Result<Vec<Heartbeat>, QueueError> {
        let since = self.clock.now() - TimeDelta::from_std(within).unwrap_or(TimeDelta::zero());
        Ok(self.store.workers(queue, since).await?)
    }
}
