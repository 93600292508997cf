//! The relay: what waits in the outbox goes to the stream, and leaves the outbox when the stream has it.
//! Several relays may do the same at once: the stream knows a message again, and handlers may run twice.

use super::letter::{Letter, message_id};
use super::link::{Link, unreachable};
use async_nats::jetstream::context::PublishAckFuture;
use async_nats::jetstream::message::PublishMessage;
use domain::contracts::{ClaimedTask, Clock, OutboxTask, QueueError, QueueName, Store};
use domain::ids::TaskId;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, Notify};

/// How often a process looks for tasks that another one left behind.
const SWEEP_EVERY: Duration = Duration::from_secs(1);
/// Tasks that are read, sent and taken out together.
const PAGE: u32 = 128;
/// The largest message. A task is small, because what it works on is in the Store; servers accept 1 MiB.
const LETTER_MAX: usize = 512 * 1024;

pub(super) struct Relay {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    link: Arc<Link>,
    bell: Notify,
    turn: Mutex<()>,
}

impl Relay {
    pub(super) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>, link: Arc<Link>) -> Self {
        Self { store, clock, link, bell: Notify::new(), turn: Mutex::default() }
    }

    /// Something new is in the outbox.
    pub(super) fn ring(&self) {
        self.bell.notify_one();
    }

    /// Moves what is there, again and again, as long as it is polled.
    pub(super) async fn serve(&self) {
        let mut up = self.link.watch();
        loop {
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

    /// Moves everything that is due now. While the server is away nothing is even read.
    pub(super) async fn pass(&self) -> Result<(), QueueError> {
        if !self.link.is_up() {
            return Ok(());
        }
        let _turn = self.turn.lock().await;
        let mut after = TaskId(0);
        loop {
            let rows = self.store.outbox(after, PAGE, self.clock.now()).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = last.id;
            self.move_page(&rows).await?;
            if rows.len() < PAGE as usize {
                return Ok(());
            }
        }
    }

    async fn move_page(&self, rows: &[OutboxTask]) -> Result<(), QueueError> {
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
            match ack.await {
                Ok(_) => {
                    stored.push(row.id);
                    queues.insert(row.task.queue);
                }
                Err(error) => failure = Some(unreachable(error)),
            }
        }
        // Workers are woken first: if the database fails now, the tasks are in the stream all the same.
        self.wake(&queues).await;
        self.store.take_out(&stored).await?;
        match failure {
            Some(error) => {
                self.link.forget().await;
                Err(error)
            }
            None => Ok(()),
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
        let subject = self.link.subject(row.task.queue);
        self.link.context.send_publish(subject, message).await.map(Some).map_err(unreachable)
    }

    /// A task that was claimed goes in once more. Sent twice for one claim, the stream knows it again.
    pub(super) async fn send_again(&self, task: &ClaimedTask) -> Result<(), QueueError> {
        let letter = serde_json::to_vec(&Letter::again(task)).map_err(unreachable)?;
        let id = format!("again-{}", task.lease);
        let message = PublishMessage::build().message_id(id).payload(letter.into());
        let subject = self.link.subject(task.queue);
        let ack = self.link.context.send_publish(subject, message).await.map_err(unreachable)?;
        ack.await.map(|_| ()).map_err(unreachable)
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
