//! The queue and its background tasks.

use super::address::NatsError;
use super::broker_store::BrokerStore;
use super::config::NatsConfig;
use super::connection::{Connection, Subjects};
use super::fallback::Fallback;
use super::leases::{Delivery, Leases};
use super::message_bus::NatsMessageBus;
use super::outbox_relay::OutboxRelay;
use super::sent_tasks::SentTasks;
use crate::local_start::CurrentOffer;
use crate::worker_gauges::WorkerGauges;
use async_nats::jetstream::AckKind;
use chrono::TimeDelta;
use domain::ids::TaskId;
use domain::instant::Instant as Moment;
use domain::ports::{ClaimedTask, Clock, QueueError, QueueName, chain};
use futures_util::StreamExt;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;

/// Maximum sleep of a worker: there is no notification for tasks that become due or whose lease expires.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// How long a push waits until its task is in the stream; after that the relay sends it.
const PUSH_WAIT: Duration = Duration::from_secs(2);
/// Attempts to acknowledge the end of a task.
const ACK_ATTEMPTS: u32 = 3;

pub struct NatsQueue {
    pub(super) store: Arc<dyn BrokerStore>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) connection: Arc<Connection>,
    pub(super) outbox_relay: Arc<OutboxRelay>,
    pub(super) sent: Arc<SentTasks>,
    pub(super) fallback: Fallback,
    pub(super) leases: Leases,
    pub(super) queues: Arc<QueueStates>,
    /// Lifetime of a lease without a heartbeat.
    pub(super) lease: Duration,
    /// Background tasks; they end with the queue.
    _background: JoinSet<()>,
}

type QueueStates = BTreeMap<QueueName, QueueState>;

/// State of one queue in this process.
#[derive(Default)]
pub(super) struct QueueState {
    pub(super) notify: Notify,
    /// Number of waiting messages at the last count.
    pub(super) waiting: AtomicU64,
    /// Which subjects the next claim tries first.
    owners_next: AtomicBool,
    /// The slots of the worker that serves it in this process.
    pub(super) offer: CurrentOffer,
}

impl QueueState {
    /// Alternates the order, so that neither starves the other.
    pub(super) fn subjects_in_turn(&self) -> [Subjects; 2] {
        if self.owners_next.fetch_xor(true, Ordering::Relaxed) {
            [Subjects::Owners, Subjects::Service]
        } else {
            [Subjects::Service, Subjects::Owners]
        }
    }
}

impl NatsQueue {
    /// Opens the queue and starts the relay. An unreachable server is not an error: it may come later.
    pub async fn open(
        config: NatsConfig,
        store: Arc<dyn BrokerStore>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, NatsError> {
        let NatsConfig { recheck_after, lease, .. } = config;
        let connection = Arc::new(Connection::open(config).await?);
        let parts = || (Arc::clone(&store), Arc::clone(&clock), Arc::clone(&connection));
        let (records, time, stream) = parts();
        let sent = Arc::new(SentTasks::new(records, time, stream, recheck_after));
        let (records, time, stream) = parts();
        let outbox_relay = Arc::new(OutboxRelay::new(records, time, stream, Arc::clone(&sent)));
        let queues: Arc<QueueStates> =
            Arc::new(QueueName::ALL.into_iter().map(|queue| (queue, QueueState::default())).collect());
        let mut background = JoinSet::new();
        background.spawn({
            let outbox_relay = Arc::clone(&outbox_relay);
            async move { outbox_relay.serve().await }
        });
        background.spawn(receive_notifications(Arc::clone(&connection), Arc::clone(&queues)));
        background.spawn({
            let connection = Arc::clone(&connection);
            async move { connection.probe().await }
        });
        let fallback = Fallback::new(Arc::clone(&store), Arc::clone(&clock));
        let leases = Leases::default();
        Ok(Self {
            store,
            clock,
            connection,
            outbox_relay,
            sent,
            fallback,
            leases,
            queues,
            lease,
            _background: background,
        })
    }

    /// Counts resent tasks in the metrics of this process.
    pub fn counted_in(self, worker_gauges: &Arc<WorkerGauges>) -> Self {
        self.sent.count_in(worker_gauges);
        self
    }

    /// A message bus on the same connection.
    pub fn message_bus(&self) -> NatsMessageBus {
        NatsMessageBus::new(Arc::clone(&self.connection))
    }

    /// Waits until the server is connected.
    pub async fn connected(&self, at_most: Duration) -> Result<(), QueueError> {
        self.connection.up_within(at_most).await
    }

    /// Acknowledges the end of a task, with retries while the lease lasts. Does nothing if the lease was lost.
    pub(super) async fn acknowledge_end(&self, task: &ClaimedTask, what: AckKind) -> Result<(), QueueError> {
        let mut acknowledged = Ok(());
        for _ in 0..ACK_ATTEMPTS {
            if !self.leases.holds(&task.lease) {
                break;
            }
            acknowledged = self.connection.acknowledge(&task.lease, what).await;
            if acknowledged.is_ok() {
                break;
            }
        }
        if !self.leases.end(&task.lease) && acknowledged.is_ok() {
            tracing::debug!(task.id = task.id.0, "the lease had ended before the task");
        }
        acknowledged
    }

    /// Puts a task back into the outbox until it is due, with `attempts` used. Returns false if the database fails.
    pub(super) async fn wait_in_outbox(
        &self,
        task: &ClaimedTask,
        attempts: u32,
        due: Moment,
    ) -> Result<bool, QueueError> {
        let Some(Delivery { key, .. }) = self.leases.delivery(&task.lease) else {
            return Ok(true); // whoever has it now decides
        };
        let id = match self.store.put_back(task, key, attempts, due).await {
            Ok(id) => id,
            Err(error) => {
                tracing::debug!(task.id = task.id.0, "the task waits in the stream: {}", chain(&error));
                return Ok(false);
            }
        };
        if let Err(error) = self.acknowledge_end(task, AckKind::Ack).await {
            // The message is redelivered, no longer matches the stored task, and is removed then.
            tracing::debug!(
                task.id = id.0,
                "the message of a task that waits again stays: {}",
                chain(&error)
            );
        }
        self.outbox_relay.on_slot_free();
        Ok(true)
    }

    pub(super) fn after(&self, delay: Duration) -> Moment {
        let now = self.clock.now();
        TimeDelta::from_std(delay).ok().and_then(|delay| now.checked_add_signed(delay)).unwrap_or(now)
    }

    /// A task held in the database has ended: another one of its owner may be sent or, without a server, claimed.
    pub(super) fn on_slot_free(&self, queue: QueueName) {
        self.outbox_relay.on_slot_free();
        if !self.connection.is_up() {
            self.queues[&queue].notify.notify_one();
        }
    }

    /// Replaces the lease of a running task by one in the database, because the server is unreachable. Returns whether
    /// it is held; None for a task that the database does not know.
    pub(super) async fn take_over(
        &self,
        task: &ClaimedTask,
        delivery: &Delivery,
        lease: Duration,
    ) -> Result<Option<bool>, QueueError> {
        let Some(key) = delivery.key else { return Ok(None) };
        // After that, another worker may have received the message.
        if !self.leases.holds(&task.lease) {
            return Ok(Some(false));
        }
        let message = delivery.sequence.to_string();
        let is_held =
            self.fallback.take_over(task, key, &message, &delivery.worker, self.after(lease)).await?;
        Ok(Some(self.leases.end(&task.lease) && is_held))
    }

    /// Sends waiting tasks to the stream now; the relay sends the rest later.
    pub(super) async fn send_now(&self, id: TaskId) {
        match tokio::time::timeout(PUSH_WAIT, self.outbox_relay.pass()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(task.id = id.0, "the task waits in the outbox: {}", chain(&error))
            }
            Err(_) => tracing::debug!(task.id = id.0, "the task waits in the outbox"),
        }
    }
}

/// Wakes the workers of this process when any process has added tasks to the stream.
async fn receive_notifications(connection: Arc<Connection>, queues: Arc<QueueStates>) {
    loop {
        match connection.client.subscribe(connection.notification_subject("*")).await {
            Ok(mut notifications) => {
                while let Some(notification) = notifications.next().await {
                    let queue = notification.subject.rsplit('.').next().and_then(QueueName::parse);
                    if let Some(state) = queue.and_then(|queue| queues.get(&queue)) {
                        state.notify.notify_one();
                    }
                }
            }
            Err(error) => tracing::debug!("notifications cannot be received: {error}"),
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
