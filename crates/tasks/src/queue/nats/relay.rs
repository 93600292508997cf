//! The relay: what waits in the outbox goes to the stream.
//! Several relays may do the same at once: the stream knows a message again.
//!
//! Tasks of the service go at once. Tasks of users go in turn by owner, and only as many as the workers have slots for:
//! what is in the stream runs, what waits for its turn is in the outbox.

use super::letter::{Letter, message_id};
use super::link::{Link, unreachable};
use super::sent::SentTasks;
use async_nats::jetstream::context::PublishAckFuture;
use async_nats::jetstream::message::PublishMessage;
use chrono::TimeDelta;
use domain::contracts::{Clock, OutboxHead, OutboxTask, QueueError, QueueName, SentTask, Store, TaskKey};
use domain::fair_share::{self, FairShare, WaitingTask};
use domain::ids::TaskId;
use futures_util::FutureExt;
use std::collections::{BTreeMap, BTreeSet};
use std::future::IntoFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Mutex, Notify};
use tokio::time::Instant;

/// How often a process looks for tasks that another one left behind.
const SWEEP_EVERY: Duration = Duration::from_secs(1);
/// Tasks that are read, sent and noted together.
const PAGE: usize = 128;
/// Tasks of one owner that are looked at together.
const PER_OWNER: u32 = 64;
/// A worker that was silent for so long has no slots; it gives a sign of life every 5 seconds.
const HEARD_WITHIN: TimeDelta = TimeDelta::seconds(15);
/// Slots that are assumed while no worker was heard of: enough to begin with, few enough to keep the turns.
const SLOTS_UNKNOWN: u32 = 8;
/// The largest message. A task is small, because what it works on is in the Store; servers accept 1 MiB.
const LETTER_MAX: usize = 512 * 1024;

pub(super) struct Relay {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    link: Arc<Link>,
    sent: Arc<SentTasks>,
    bell: Notify,
    turn: Mutex<()>,
    /// The last pass left tasks behind. The end of a task may let them go.
    is_held_back: AtomicBool,
}

impl Relay {
    pub(super) fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        link: Arc<Link>,
        sent: Arc<SentTasks>,
    ) -> Self {
        Self {
            store,
            clock,
            link,
            sent,
            bell: Notify::new(),
            turn: Mutex::default(),
            is_held_back: AtomicBool::new(false),
        }
    }

    /// Something new is in the outbox.
    pub(super) fn ring(&self) {
        self.bell.notify_one();
    }

    /// A slot is free, here or in a new worker: tasks that were held back may go.
    pub(super) fn slot_is_free(&self) {
        if self.is_held_back.load(Ordering::SeqCst) {
            self.ring();
        }
    }

    /// Moves what is there, and looks for what the stream has lost, again and again, as long as it is polled.
    pub(super) async fn serve(&self) {
        let mut up = self.link.watch();
        let mut recheck_at = Instant::now();
        loop {
            if self.link.is_up() && recheck_at <= Instant::now() {
                recheck_at = Instant::now() + SWEEP_EVERY;
                if let Err(error) = self.sent.recheck().await {
                    tracing::warn!("NATS does not say which tasks it has: {error}");
                }
            }
            if let Err(error) = self.pass().await {
                tracing::warn!("tasks wait in the outbox: {error}");
            }
            tokio::select! {
                () = self.bell.notified() => {}
                () = tokio::time::sleep(SWEEP_EVERY) => {}
                changed = up.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Moves everything that is due and has its turn. While the server is away nothing is even read.
    pub(super) async fn pass(&self) -> Result<(), QueueError> {
        if !self.link.is_up() {
            return Ok(());
        }
        let _turn = self.turn.lock().await;
        // Set before the pass looks: a task that ends meanwhile must not go unnoticed.
        self.is_held_back.store(true, Ordering::SeqCst);
        loop {
            // The outbox is read before the stream is counted. What another relay has moved since is then either still in
            // the outbox, and known again by the stream, or counted: relays do not add up to more than there are slots.
            let heads = self.store.outbox_heads(PER_OWNER, self.clock.now()).await?;
            if heads.is_empty() {
                self.is_held_back.store(false, Ordering::SeqCst);
                return Ok(());
            }
            let mut chosen = self.choose(&heads).await?;
            chosen.truncate(PAGE);
            let rows = self.store.outbox_tasks(&chosen).await?;
            if self.move_page(&rows).await? == 0 {
                return Ok(());
            }
        }
    }

    /// The tasks that go to the stream now.
    async fn choose(&self, heads: &[OutboxHead]) -> Result<Vec<TaskId>, QueueError> {
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
        let in_flight = self.link.in_flight().await?;
        for (queue, waiting) in owned {
            let share = FairShare::of(self.slots(queue).await?);
            let running = in_flight.get(&queue).cloned().unwrap_or_default();
            let busy = running.values().fold(0_u32, |sum, count| sum.saturating_add(*count));
            chosen.extend(fair_share::choose(share, &running, &waiting, share.slots.saturating_sub(busy)));
        }
        Ok(chosen)
    }

    /// Tasks of the queue that all workers together run at once.
    async fn slots(&self, queue: QueueName) -> Result<u32, QueueError> {
        let workers = self.store.workers(queue, self.clock.now() - HEARD_WITHIN).await?;
        let slots = workers.iter().fold(0_u32, |sum, worker| sum.saturating_add(worker.concurrency));
        Ok(if slots == 0 { SLOTS_UNKNOWN } else { slots })
    }

    /// How many of these tasks the stream has now.
    async fn move_page(&self, rows: &[OutboxTask]) -> Result<usize, QueueError> {
        if rows.is_empty() {
            return Ok(0);
        }
        self.link.ensure_stream().await?;
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
        let mut stored = Vec::with_capacity(sent.len());
        let mut queues = BTreeSet::new();
        for (row, ack) in sent {
            let ack = match &failure {
                None => ack.await.map_err(unreachable),
                // They were sent together: who has no answer by now gets none.
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
                }
                Err(error) => failure = Some(error),
            }
        }
        // Workers ask the database which tasks are theirs, and have to write there what is not marked yet. If the database
        // fails, the tasks are in the stream all the same.
        let marked = self.sent.mark(&stored).await;
        self.wake(&queues).await;
        marked?;
        match failure {
            Some(error) => {
                self.link.forget().await;
                Err(error)
            }
            None => Ok(stored.len()),
        }
    }

    /// Nothing, when the task is too large for any message; it stays and is complained about.
    async fn send(&self, row: &OutboxTask) -> Result<Option<PublishAckFuture>, QueueError> {
        let letter = serde_json::to_vec(&Letter::of(row)).map_err(unreachable)?;
        if letter.len() > LETTER_MAX {
            tracing::error!(
                task.id = row.id.0,
                task.name = row.task.name,
                "a task of {} bytes is too large for the queue",
                letter.len()
            );
            return Ok(None);
        }
        let message = PublishMessage::build().message_id(message_id(row)).payload(letter.into());
        let subject = self.link.subject(row.task.queue, row.task.owner);
        self.link.context.send_publish(subject, message).await.map(Some).map_err(unreachable)
    }

    /// A bell that is lost costs one look of a worker, not a task.
    pub(super) async fn wake(&self, queues: &BTreeSet<QueueName>) {
        for queue in queues {
            let bell = self.link.bell(queue.as_str());
            if let Err(error) = self.link.client.publish(bell, Default::default()).await {
                tracing::debug!(queue = queue.as_str(), "a bell was not rung: {error}");
            }
        }
    }
}
