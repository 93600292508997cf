//! Outbox relay: sends tasks from the outbox to the stream. Several relays may work concurrently, because the stream
//! removes duplicates.
//!
//! Tasks of the service are sent at once. Tasks of users are sent in turn by owner, and only as many as the workers
//! have slots: tasks in the stream are running, tasks in the outbox are waiting. Tasks that a worker holds in the database
//! are neither: they are not sent unless their lease expires, and use slots meanwhile.

use super::broker_store::BrokerStore;
use super::connection::Connection;
use super::message::{TaskMessage, message_id};
use super::request_error::unreachable;
use super::sent_tasks::SentTasks;
use super::tasks_in_transit::TasksInTransit;
use async_nats::jetstream::context::PublishAckFuture;
use async_nats::jetstream::message::PublishMessage;
use chrono::TimeDelta;
use domain::fair_share::{self, FairShare, WaitingTask};
use domain::ids::TaskId;
use domain::ports::{Clock, OutboxHead, OutboxTask, QueueError, QueueName, SentTask, TaskKey, chain};
use futures_util::FutureExt;
use std::collections::{BTreeMap, BTreeSet};
use std::future::IntoFuture;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as SyncMutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Mutex, Notify};
use tokio::time::Instant;

/// Interval at which a process looks for tasks that another one left behind.
const SWEEP_INTERVAL: Duration = Duration::from_secs(1);
/// Number of tasks that are read, sent and marked together.
const PAGE: usize = 128;
/// Number of tasks of one owner that are considered at once.
const PER_OWNER: u32 = 64;
/// Slots of workers without a heartbeat for this long do not count; the interval is 5 seconds.
const HEARTBEAT_MAX_AGE: TimeDelta = TimeDelta::seconds(15);
/// Slots assumed while no worker is known: enough to start, few enough to stay fair.
const SLOTS_UNKNOWN: u32 = 8;
/// Maximum size of a message. Tasks are small, because their data is in the store; servers accept 1 MiB.
const MESSAGE_BYTES_MAX: usize = 512 * 1024;

pub(super) struct OutboxRelay {
    store: Arc<dyn BrokerStore>,
    clock: Arc<dyn Clock>,
    connection: Arc<Connection>,
    sent: Arc<SentTasks>,
    notify: Notify,
    pass_lock: Mutex<()>,
    /// The last pass left tasks behind, which may be sent when a task ends.
    is_held_back: AtomicBool,
    /// Queues that had due tasks in the outbox when it was last read.
    backlog: SyncMutex<BTreeSet<QueueName>>,
    in_transit: TasksInTransit,
}

impl OutboxRelay {
    pub(super) fn new(
        store: Arc<dyn BrokerStore>,
        clock: Arc<dyn Clock>,
        connection: Arc<Connection>,
        sent: Arc<SentTasks>,
    ) -> Self {
        Self {
            store,
            clock,
            connection,
            sent,
            notify: Notify::new(),
            pass_lock: Mutex::default(),
            is_held_back: AtomicBool::new(false),
            backlog: SyncMutex::default(),
            in_transit: TasksInTransit::default(),
        }
    }

    /// Signals new tasks in the outbox.
    pub(super) fn notify(&self) {
        self.notify.notify_one();
    }

    /// A slot is free: tasks that were held back may be sent.
    pub(super) fn on_slot_free(&self) {
        if self.is_held_back.load(Ordering::SeqCst) {
            self.notify();
        }
    }

    /// Whether due tasks of this queue wait in the outbox or are on their way to a worker, as far as is known.
    pub(super) fn has_backlog(&self, queue: QueueName) -> bool {
        self.backlog().contains(&queue) || self.in_transit.has_any(queue)
    }

    /// A worker of this process has received the task.
    pub(super) fn on_claimed(&self, id: TaskId) {
        self.in_transit.remove(id);
    }

    fn backlog(&self) -> MutexGuard<'_, BTreeSet<QueueName>> {
        self.backlog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends tasks and rechecks sent ones, forever.
    pub(super) async fn serve(&self) {
        let mut up = self.connection.watch();
        let mut recheck_at = Instant::now();
        loop {
            if self.connection.is_up() && recheck_at <= Instant::now() {
                recheck_at = Instant::now() + SWEEP_INTERVAL;
                if let Err(error) = self.sent.recheck().await {
                    tracing::warn!("NATS does not say which tasks it has: {}", chain(&error));
                }
            }
            if let Err(error) = self.pass().await {
                tracing::warn!("tasks wait in the outbox: {}", chain(&error));
            }
            tokio::select! {
                () = self.notify.notified() => {}
                () = tokio::time::sleep(SWEEP_INTERVAL) => {}
                changed = up.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Sends all tasks that are due and have a free slot. Does nothing while the server is unreachable.
    pub(super) async fn pass(&self) -> Result<(), QueueError> {
        if !self.connection.is_up() {
            return Ok(());
        }
        let _pass_guard = self.pass_lock.lock().await;
        // Set before the outbox is read, so that a task that ends meanwhile is noticed.
        self.is_held_back.store(true, Ordering::SeqCst);
        loop {
            // The outbox is read before the stream is counted. A task that another relay sends meanwhile is then
            // either deduplicated by the stream or counted, so that relays never exceed the slots.
            let heads = self.store.outbox_heads(PER_OWNER, self.clock.now()).await?;
            *self.backlog() = heads.iter().map(|head| head.queue).collect();
            if heads.is_empty() {
                self.is_held_back.store(false, Ordering::SeqCst);
                return Ok(());
            }
            let mut chosen = self.select(&heads).await?;
            chosen.truncate(PAGE);
            let rows = self.store.outbox_tasks(&chosen).await?;
            if self.move_page(&rows).await? == 0 {
                return Ok(());
            }
        }
    }

    /// Selects the tasks to send now.
    async fn select(&self, heads: &[OutboxHead]) -> Result<Vec<TaskId>, QueueError> {
        let mut chosen = Vec::new();
        let mut owned: BTreeMap<QueueName, Vec<WaitingTask>> = BTreeMap::new();
        for OutboxHead { queue, waiting } in heads {
            match waiting.owner {
                None => chosen.push(waiting.id),
                Some(_) => owned.entry(*queue).or_default().push(*waiting),
            }
        }
        if owned.is_empty() {
            return Ok(chosen);
        }
        let in_flight = self.connection.in_flight().await?;
        for (queue, waiting) in owned {
            let share = FairShare::of(self.slots(queue).await?);
            let mut running = in_flight.get(&queue).cloned().unwrap_or_default();
            // Tasks that run where they were stored use slots as well.
            for (owner, held) in self.store.held_tasks(queue, self.clock.now()).await? {
                let count = running.entry(owner).or_default();
                *count = count.saturating_add(held);
            }
            let busy = running.values().fold(0_u32, |sum, count| sum.saturating_add(*count));
            chosen.extend(fair_share::choose(share, &running, &waiting, share.slots.saturating_sub(busy)));
        }
        Ok(chosen)
    }

    /// Number of slots of all workers of the queue.
    async fn slots(&self, queue: QueueName) -> Result<u32, QueueError> {
        let workers = self.store.workers(queue, self.clock.now() - HEARTBEAT_MAX_AGE).await?;
        let slots = workers.iter().fold(0_u32, |sum, worker| sum.saturating_add(worker.concurrency));
        Ok(if slots == 0 { SLOTS_UNKNOWN } else { slots })
    }

    /// Sends these tasks and returns how many the stream accepted.
    async fn move_page(&self, rows: &[OutboxTask]) -> Result<usize, QueueError> {
        if rows.is_empty() {
            return Ok(0);
        }
        self.connection.ensure_stream().await?;
        let mut sent = Vec::with_capacity(rows.len());
        let mut failure = None;
        for row in rows {
            match self.send(row).await {
                Ok(Some(ack)) => sent.push((row, ack)),
                Ok(None) => {}
                Err(error) => {
                    failure = Some(error);
                    break;
                }
            }
        }
        self.in_transit.remove_late();
        let mut stored = Vec::with_capacity(sent.len());
        let mut queues = BTreeSet::new();
        for (row, ack) in sent {
            let ack = match &failure {
                None => ack.await.map_err(unreachable),
                // All were sent together, so missing acknowledgements are not awaited.
                Some(error) => ack
                    .into_future()
                    .now_or_never()
                    .map_or_else(|| Err(error.clone()), |ack| ack.map_err(unreachable)),
            };
            match ack {
                Ok(ack) => {
                    let key = TaskKey { id: row.id, date_created: row.date_created };
                    stored.push(SentTask { key, due: row.due, message: ack.sequence.to_string() });
                    queues.insert(row.task.queue);
                    self.in_transit.add(row.id, row.task.queue);
                }
                Err(error) => failure = Some(error),
            }
        }
        // Marked before workers are notified, because workers must write unmarked tasks themselves. If the database
        // fails, the tasks are in the stream anyway.
        let marked = self.sent.mark(&stored).await;
        self.notify_workers(&queues).await;
        marked?;
        match failure {
            Some(error) => {
                self.connection.forget_resources().await;
                Err(error)
            }
            None => Ok(stored.len()),
        }
    }

    /// Sends a task. None if it is too large for a message; it stays in the outbox and is logged.
    async fn send(&self, row: &OutboxTask) -> Result<Option<PublishAckFuture>, QueueError> {
        let message = serde_json::to_vec(&TaskMessage::of(row)).map_err(unreachable)?;
        if message.len() > MESSAGE_BYTES_MAX {
            tracing::error!(
                task.id = row.id.0,
                task.name = row.task.name,
                "a task of {} bytes is too large for the queue",
                message.len()
            );
            return Ok(None);
        }
        let message = PublishMessage::build().message_id(message_id(row)).payload(message.into());
        let subject = self.connection.subject(row.task.queue, row.task.owner);
        self.connection.context.send_publish(subject, message).await.map(Some).map_err(unreachable)
    }

    /// Notifies the workers. A lost notification only delays a task until the next poll.
    pub(super) async fn notify_workers(&self, queues: &BTreeSet<QueueName>) {
        for queue in queues {
            let subject = self.connection.notification_subject(queue.as_str());
            if let Err(error) = self.connection.client.publish(subject, Default::default()).await {
                tracing::debug!(queue = queue.as_str(), "a notification was not sent: {error}");
            }
        }
    }
}
