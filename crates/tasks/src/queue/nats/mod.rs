//! The queue on NATS JetStream. The database is its outbox: a task is stored with its search, a relay sends it to the
//! stream, and any worker of any process takes it from there. Its record stays until it ended, for the stream may be lost.

mod address;
mod leases;
mod letter;
mod link;
mod news;
mod refusal;
mod relay;
mod sent;

pub use address::NatsError;
pub use news::NatsRelay;

use async_nats::jetstream::{AckKind, Message};
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::contracts::{
    ClaimedTask, Clock, NewTask, QueueError, QueueName, SentTask, Store, TaskKey, TaskQueue, WorkerBeat,
    WorkerSlots,
};
use domain::ids::TaskId;
use domain::instant::Instant as Moment;
use domain::secret::Secret;
use domain::workload::Workload;
use futures_util::StreamExt;
use leases::{Delivery, Leases};
use letter::Letter;
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
/// How long a claim waits for a server that is away, before it says so.
const AWAY_WAIT: Duration = Duration::from_secs(2);
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
        let leases = Leases::default();
        Ok(Self { store, clock, link, relay, sent, leases, desks, _background: background })
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

    /// Reads a message that was just given to us. Nothing, when it is not a task or has used its tries: then it is
    /// given up.
    async fn accept(
        &self,
        queue: QueueName,
        message: &Message,
        asked: Instant,
        lease: Duration,
    ) -> Result<Option<ClaimedTask>, QueueError> {
        let Some(proof) = message.reply.as_ref().map(ToString::to_string) else { return Ok(None) };
        let (started, sequence) =
            message.info().map_or((1, 0), |info| (info.delivered, info.stream_sequence));
        let started = u32::try_from(started).unwrap_or(u32::MAX);
        let letter = match serde_json::from_slice::<Letter>(&message.payload) {
            Ok(letter) => letter,
            Err(error) => {
                tracing::error!(queue = queue.as_str(), "a message is not a task and is given up: {error}");
                self.link.tell(&proof, AckKind::Term).await?;
                return Ok(None);
            }
        };
        let attempt = started.saturating_add(letter.tried);
        if attempt > letter.attempts_max {
            tracing::error!(
                task.id = letter.id,
                task.name = letter.name,
                "the task is given up: {NEVER_ENDED}"
            );
            if let Some(key) = letter.key() {
                self.store.give_up_sent(key, NEVER_ENDED).await?;
            }
            self.link.tell(&proof, AckKind::Term).await?;
            return Ok(None);
        }
        self.leases.begin(&proof, Delivery { key: letter.key(), sequence }, asked, lease);
        Ok(Some(ClaimedTask {
            id: letter.task_id(),
            queue,
            name: letter.name,
            payload: letter.payload,
            attempt,
            attempts_max: letter.attempts_max,
            owner: letter.owner,
            lease: proof,
        }))
    }

    /// The next tasks of some subjects of the queue. The relay has let as many into the stream as there are slots.
    async fn claim_from(
        &self,
        queue: QueueName,
        subjects: Subjects,
        at_most: u32,
        lease: Duration,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        loop {
            // The lease counts from before the question, so that it never ends later here than at the server.
            let asked = Instant::now();
            let messages = self.link.fetch(queue, subjects, at_most, lease).await?;
            if messages.is_empty() {
                return Ok(Vec::new());
            }
            let mut tasks = Vec::with_capacity(messages.len());
            for message in &messages {
                match self.accept(queue, message, asked, lease).await {
                    Ok(task) => tasks.extend(task),
                    // The message comes again; the tasks that were accepted are ours and must not be lost.
                    Err(error) => {
                        tracing::warn!(queue = queue.as_str(), "a task was not given up: {error}");
                    }
                }
            }
            // Ends: each round returns tasks or takes messages out of the stream.
            if !tasks.is_empty() {
                return Ok(tasks);
            }
        }
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
        let Some(Delivery { key, sequence }) = self.leases.delivery(&task.lease) else {
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
            // The message comes again by itself, or the stream has lost it.
            let key = TaskKey { id, date_created: key.map_or(due, |key| key.date_created) };
            self.sent.mark(&[SentTask { key, due, message: sequence.to_string() }]).await?;
            return Err(error);
        }
        self.relay.slot_is_free();
        Ok(true)
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
        _worker: &str,
        lease: Duration,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        self.link.up_within(AWAY_WAIT).await?;
        for subjects in self.desks[&queue].subjects_in_turn() {
            let tasks = self.claim_from(queue, subjects, slots.free, lease).await?;
            if !tasks.is_empty() {
                return Ok(tasks);
            }
        }
        Ok(Vec::new())
    }

    async fn wait(&self, queue: QueueName, at_most: Duration) {
        let _bell_or_time =
            tokio::time::timeout(at_most.min(LOOK_EVERY), self.desks[&queue].bell.notified()).await;
    }

    async fn renew(&self, task: &ClaimedTask, lease: Duration) -> Result<bool, QueueError> {
        if !self.leases.holds(&task.lease) {
            return Ok(false);
        }
        let asked = Instant::now();
        self.link.tell(&task.lease, AckKind::Progress).await?;
        Ok(self.leases.extend(&task.lease, asked, lease))
    }

    async fn finish(&self, task: &ClaimedTask) -> Result<(), QueueError> {
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
        if task.owner.is_some() && !after.is_zero() {
            let now = self.clock.now();
            let due = TimeDelta::from_std(after).ok().and_then(|after| now.checked_add_signed(after));
            if self.wait_in_outbox(task, task.attempt, due.unwrap_or(now)).await? {
                return Ok(());
            }
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
