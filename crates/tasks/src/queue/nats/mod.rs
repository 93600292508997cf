//! The queue on NATS JetStream. The database is its outbox: a task is stored with its search, a relay sends it to the
//! stream, and any worker of any process takes it from there. Its record stays until it ended, for the stream may be lost.
//! While no server answers, workers claim from the database: see `fallback`.

mod address;
mod claim;
mod fallback;
mod leases;
mod letter;
mod link;
mod link_state;
mod news;
mod outage;
mod refusal;
mod relay;
mod sent;
mod stream;

pub use address::NatsError;
pub use news::NatsRelay;
pub use outage::OutageQueue;

use async_nats::jetstream::AckKind;
use async_trait::async_trait;
use chrono::TimeDelta;
use claim::ClaimRequest;
use domain::contracts::{
    ClaimedTask, Clock, NewTask, QueueError, QueueName, Store, TaskQueue, WorkerBeat, WorkerSlots,
};
use domain::ids::TaskId;
use domain::instant::Instant as Moment;
use domain::secret::Secret;
use domain::workload::Workload;
use fallback::Fallback;
use futures_util::StreamExt;
use leases::{Delivery, Leases};
use link::{Link, Subjects};
use relay::Relay;
use sent::SentTasks;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;

/// How long a worker sleeps at most: a task that is due later, or whose lease ran out, rings no bell.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// The same while no server answers, when bells of other processes are not heard.
const LOOK_EVERY_WITHOUT_BELLS: Duration = Duration::from_millis(500);
/// How long a push waits until its task is in the stream; afterwards the relay sees to it.
const PUSH_WAIT: Duration = Duration::from_secs(2);
/// How often the end of a task is told to a server that does not answer.
const TELL_TRIES: u32 = 3;
/// How long the server may take to count what waits, and to say that it is there: a scrape has less than a second.
const COUNT_MAX: Duration = Duration::from_millis(300);

/// Longer than nearly every task takes, for a stream that was lost cannot say which tasks run; short enough that work which
/// was lost goes on within a minute.
const RECHECK_AFTER: Duration = Duration::from_secs(20);
/// Why a task is given up that no worker brought to an end.
const NEVER_ENDED: &str = "it was started as often as it may be and never ended";

#[derive(Debug, Clone)]
pub struct NatsConfig {
    /// `nats://user:password@host:4222/name`; the name of the stream may be left out.
    pub url: Secret,
    /// How long a task is held without a sign of life.
    pub lease: Duration,
    /// Tasks that the stream takes; more wait in the outbox.
    pub messages_max: u32,
    /// Tasks of one queue that may be run at once, over all processes. At this limit a claim waits for a free place
    /// as long as for an answer, and fails.
    pub running_max: u32,
    /// After this time the stream is asked whether it still has a task.
    pub recheck_after: Duration,
}

impl NatsConfig {
    pub fn new(url: Secret, lease: Duration) -> Self {
        let recheck_after = RECHECK_AFTER;
        Self { url, lease, messages_max: 1_000_000, running_max: 20_000, recheck_after }
    }
}

pub struct NatsQueue {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    link: Arc<Link>,
    relay: Arc<Relay>,
    sent: Arc<SentTasks>,
    fallback: Fallback,
    leases: Leases,
    desks: Arc<Desks>,
    /// Ends with the queue.
    _background: JoinSet<()>,
}

type Desks = BTreeMap<QueueName, Desk>;

/// What this process knows of one queue.
#[derive(Default)]
struct Desk {
    bell: Notify,
    /// Messages that waited when the server was last asked.
    waiting: AtomicU64,
    /// Which subjects are asked first at the next claim.
    owners_next: AtomicBool,
}

impl Desk {
    /// Both in turn, so that neither waits for an end of the other.
    fn subjects_in_turn(&self) -> [Subjects; 2] {
        match self.owners_next.fetch_xor(true, Ordering::Relaxed) {
            true => [Subjects::Owners, Subjects::Service],
            false => [Subjects::Service, Subjects::Owners],
        }
    }
}

impl NatsQueue {
    /// Starts the relay. A server that is away is no error: it may come later.
    pub async fn open(
        config: NatsConfig,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, NatsError> {
        let recheck_after = config.recheck_after;
        let link = Arc::new(Link::open(config).await?);
        let parts = || (Arc::clone(&store), Arc::clone(&clock), Arc::clone(&link));
        let (records, time, stream) = parts();
        let sent = Arc::new(SentTasks::new(records, time, stream, recheck_after));
        let (records, time, stream) = parts();
        let relay = Arc::new(Relay::new(records, time, stream, Arc::clone(&sent)));
        let desks: Arc<Desks> =
            Arc::new(QueueName::ALL.into_iter().map(|queue| (queue, Desk::default())).collect());
        let mut background = JoinSet::new();
        background.spawn({
            let relay = Arc::clone(&relay);
            async move { relay.serve().await }
        });
        background.spawn(hear_bells(Arc::clone(&link), Arc::clone(&desks)));
        background.spawn({
            let link = Arc::clone(&link);
            async move { link.probe().await }
        });
        let fallback = Fallback::new(Arc::clone(&store), Arc::clone(&clock));
        let leases = Leases::default();
        Ok(Self { store, clock, link, relay, sent, fallback, leases, desks, _background: background })
    }

    /// Tells there what it has sent again, for the metrics of this process.
    pub fn counted_in(self, workload: &Arc<Workload>) -> Self {
        self.sent.count_in(workload);
        self
    }

    /// News by the same connection.
    pub fn relay(&self) -> NatsRelay {
        NatsRelay::new(Arc::clone(&self.link))
    }

    /// Waits until the server is there.
    pub async fn connected(&self, at_most: Duration) -> Result<(), QueueError> {
        self.link.up_within(at_most).await
    }

    /// The last word about a task, said as often as needed while the lease lasts; nothing from who has lost it.
    async fn conclude(&self, task: &ClaimedTask, what: AckKind) -> Result<(), QueueError> {
        let mut told = Ok(());
        for _ in 0..TELL_TRIES {
            if !self.leases.holds(&task.lease) {
                break;
            }
            told = self.link.tell(&task.lease, what).await;
            if told.is_ok() {
                break;
            }
        }
        if !self.leases.end(&task.lease) && told.is_ok() {
            tracing::debug!(task.id = task.id.0, "the lease had ended before the task");
        }
        told
    }

    /// Lets a task wait in the outbox until it is due; `attempts` of its tries are used. False when the database does not
    /// take it.
    async fn wait_in_outbox(
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
                tracing::debug!(task.id = task.id.0, "the task waits in the stream: {error}");
                return Ok(false);
            }
        };
        if let Err(error) = self.conclude(task, AckKind::Ack).await {
            // The message comes again, is not about the task as it waits now, and is removed then.
            tracing::debug!(task.id = id.0, "the message of a task that waits again stays: {error}");
        }
        self.relay.slot_is_free();
        Ok(true)
    }

    fn after(&self, delay: Duration) -> Moment {
        let now = self.clock.now();
        TimeDelta::from_std(delay).ok().and_then(|delay| now.checked_add_signed(delay)).unwrap_or(now)
    }

    /// A task that was claimed from the database has ended: another one of its owner may be claimed or sent.
    fn slot_is_free(&self, queue: QueueName) {
        self.relay.slot_is_free();
        self.desks[&queue].bell.notify_one();
    }

    /// Holds a task that runs by a lease in the database, because the server that gave it to us is away; whether it is held.
    /// None for a task that the database does not know.
    async fn take_over(
        &self,
        task: &ClaimedTask,
        delivery: &Delivery,
        lease: Duration,
    ) -> Result<Option<bool>, QueueError> {
        let Some(key) = delivery.key else { return Ok(None) };
        // Later another worker may have been given the message.
        if !self.leases.holds(&task.lease) {
            return Ok(Some(false));
        }
        let message = delivery.sequence.to_string();
        let is_held =
            self.fallback.take_over(task, key, &message, &delivery.worker, self.after(lease)).await?;
        Ok(Some(self.leases.end(&task.lease) && is_held))
    }

    /// Sends what waits to the stream now; what does not go is sent later by the relay.
    async fn send_now(&self, id: TaskId) {
        match tokio::time::timeout(PUSH_WAIT, self.relay.pass()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(task.id = id.0, "the task waits in the outbox: {error}"),
            Err(_) => tracing::debug!(task.id = id.0, "the task waits in the outbox"),
        }
    }
}

#[async_trait]
impl TaskQueue for NatsQueue {
    async fn push(&self, task: NewTask) -> Result<TaskId, QueueError> {
        let queue = task.queue;
        let id = self.store.push_task(task, self.clock.now()).await?;
        self.send_now(id).await;
        self.nudge(queue);
        Ok(id)
    }

    fn nudge(&self, queue: QueueName) {
        self.relay.ring();
        self.desks[&queue].bell.notify_one();
    }

    async fn claim_many(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        if self.link.is_up() {
            let request = ClaimRequest { queue, at_most: slots.free, worker, lease };
            let claimed = self.claim_delivered(request).await;
            if claimed.is_ok() || self.link.is_up() {
                return claimed;
            }
        }
        self.fallback.claim(queue, slots, worker, lease).await
    }

    async fn wait(&self, queue: QueueName, at_most: Duration) {
        let look_every = if self.link.is_up() { LOOK_EVERY } else { LOOK_EVERY_WITHOUT_BELLS };
        let _bell_or_time =
            tokio::time::timeout(at_most.min(look_every), self.desks[&queue].bell.notified()).await;
    }

    async fn renew(&self, task: &ClaimedTask, lease: Duration) -> Result<bool, QueueError> {
        if self.fallback.holds(task) {
            return Ok(self.fallback.renew(task, lease).await?);
        }
        let Some(delivery) = self.leases.delivery(&task.lease) else { return Ok(false) };
        let asked = Instant::now();
        match self.link.tell(&task.lease, AckKind::Progress).await {
            Ok(()) => Ok(self.leases.extend(&task.lease, asked, lease)),
            Err(error) if self.link.is_up() => Err(error),
            Err(error) => self.take_over(task, &delivery, lease).await?.ok_or(error),
        }
    }

    async fn finish(&self, task: &ClaimedTask) -> Result<(), QueueError> {
        if self.fallback.holds(task) {
            self.fallback.finish(task).await?;
            self.slot_is_free(task.queue);
            return Ok(());
        }
        let delivery = self.leases.delivery(&task.lease);
        let told = self.conclude(task, AckKind::Ack).await;
        // The work is done, whether the server has heard it or not.
        if let Some(key) = delivery.and_then(|delivery| delivery.key) {
            self.sent.end(key).await?;
        }
        told?;
        self.relay.slot_is_free();
        Ok(())
    }

    async fn retry(&self, task: &ClaimedTask, after: Duration, reason: &str) -> Result<(), QueueError> {
        if self.fallback.holds(task) {
            self.fallback.retry(task, self.after(after), reason).await?;
            self.slot_is_free(task.queue);
            return Ok(());
        }
        if task.attempt >= task.attempts_max {
            if let Some(delivery) = self.leases.delivery(&task.lease) {
                tracing::error!(task.id = task.id.0, task.name, "the task is given up: {reason}");
                if let Some(key) = delivery.key {
                    self.store.give_up_sent(key, reason).await?;
                }
            }
            self.conclude(task, AckKind::Term).await?;
            self.relay.slot_is_free();
            return Ok(());
        }
        // In the stream it would count as running, and take a slot of its owner.
        if task.owner.is_some()
            && !after.is_zero()
            && self.wait_in_outbox(task, task.attempt, self.after(after)).await?
        {
            return Ok(());
        }
        self.conclude(task, AckKind::Nak((!after.is_zero()).then_some(after))).await?;
        if after.is_zero() {
            self.desks[&task.queue].bell.notify_one();
        }
        Ok(())
    }

    /// The stream counts every delivery, so the task goes in again as a new message. A database that does not take it: then
    /// the old one comes again, and this try is counted.
    async fn release(&self, task: &ClaimedTask) -> Result<(), QueueError> {
        if self.fallback.holds(task) {
            self.fallback.release(task).await?;
            self.nudge(task.queue);
            return Ok(());
        }
        let attempts = task.attempt.saturating_sub(1);
        if self.wait_in_outbox(task, attempts, self.clock.now()).await? {
            self.send_now(task.id).await;
            return Ok(());
        }
        self.conclude(task, AckKind::Nak(None)).await?;
        self.relay.wake(&[task.queue].into()).await;
        Ok(())
    }

    /// While the server is away or hangs: what waits in the outbox, and what waited in the stream when it was last asked.
    async fn depth(&self, queue: QueueName) -> Result<u64, QueueError> {
        let last = &self.desks[&queue].waiting;
        if self.link.is_up()
            && let Ok(waiting) = tokio::time::timeout(COUNT_MAX, self.link.waiting(queue)).await
        {
            last.store(waiting?, Ordering::Relaxed);
        }
        let outbox = self.store.task_depth(queue, self.clock.now()).await?;
        Ok(last.load(Ordering::Relaxed) + outbox)
    }

    async fn reachable(&self) -> Result<(), QueueError> {
        self.link.up_within(link::ASK_MAX).await
    }

    async fn broker_answers(&self) -> Option<bool> {
        let answers = async || tokio::time::timeout(COUNT_MAX, self.link.answers()).await.unwrap_or(false);
        Some(self.link.is_up() && answers().await)
    }

    async fn beat(&self, beat: WorkerBeat) -> Result<(), QueueError> {
        self.store.beat(beat).await?;
        self.relay.slot_is_free();
        Ok(())
    }

    async fn workers(&self, queue: QueueName, within: Duration) -> Result<Vec<WorkerBeat>, QueueError> {
        let since = self.clock.now() - TimeDelta::from_std(within).unwrap_or(TimeDelta::zero());
        Ok(self.store.workers(queue, since).await?)
    }
}

/// Wakes the workers of this process when any process has put something into the stream.
async fn hear_bells(link: Arc<Link>, desks: Arc<Desks>) {
    loop {
        match link.client.subscribe(link.bell("*")).await {
            Ok(mut bells) => {
                while let Some(bell) = bells.next().await {
                    let queue = bell.subject.rsplit('.').next().and_then(QueueName::parse);
                    if let Some(desk) = queue.and_then(|queue| desks.get(&queue)) {
                        desk.bell.notify_one();
                    }
                }
            }
            Err(error) => tracing::debug!("bells cannot be heard: {error}"),
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}
