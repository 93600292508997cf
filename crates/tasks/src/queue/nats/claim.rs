//! Claims from the stream: messages become tasks of this process, unless the database says that they are run elsewhere.

use super::leases::Delivery;
use super::letter::{Letter, parse_due};
use super::link::Subjects;
use super::{NEVER_ENDED, NatsQueue};
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::{AckKind, Message};
use domain::contracts::{ClaimedTask, DeliveredTask, QueueError, QueueName};
use domain::instant::Instant as Moment;
use std::time::Duration;
use tokio::time::Instant;

/// What a worker asks for.
#[derive(Clone, Copy)]
pub(super) struct ClaimRequest<'a> {
    pub(super) queue: QueueName,
    pub(super) at_most: u32,
    pub(super) worker: &'a str,
    pub(super) lease: Duration,
}

/// A message that was just given to us.
struct Received {
    letter: Letter,
    /// The address for all that is said about the message.
    proof: String,
    /// How often the stream has given it out.
    started: u32,
    sequence: u64,
    due: Option<Moment>,
}

impl Received {
    /// What the database is asked. Nothing, when an earlier release wrote the message: then nobody else has the task.
    fn delivered(&self) -> Option<DeliveredTask> {
        let (key, due) = (self.letter.key()?, self.due?);
        Some(DeliveredTask { key, due, attempts: self.letter.tried, message: self.sequence.to_string() })
    }
}

impl NatsQueue {
    /// The next tasks of the queue that the stream has.
    pub(super) async fn claim_delivered(
        &self,
        request: ClaimRequest<'_>,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        for subjects in self.desks[&request.queue].subjects_in_turn() {
            let tasks = self.claim_from(subjects, request).await?;
            if !tasks.is_empty() {
                return Ok(tasks);
            }
        }
        Ok(Vec::new())
    }

    /// The next tasks of some subjects of the queue. The relay has let as many into the stream as there are slots.
    async fn claim_from(
        &self,
        subjects: Subjects,
        request: ClaimRequest<'_>,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        let ClaimRequest { queue, at_most, lease, .. } = request;
        loop {
            // The lease counts from before the question, so that it never ends later here than at the server.
            let asked = Instant::now();
            let messages = self.link.fetch(queue, subjects, at_most, lease).await?;
            if messages.is_empty() {
                return Ok(Vec::new());
            }
            let tasks = self.accept(request, &messages, asked).await?;
            // Ends: each round returns tasks or takes messages out of the stream.
            if !tasks.is_empty() {
                return Ok(tasks);
            }
        }
    }

    /// The tasks of these messages that are to be run here. What is not a task, has used its tries or is run elsewhere is
    /// taken out of the stream. If the database does not answer, the messages come again when their leases end.
    async fn accept(
        &self,
        request: ClaimRequest<'_>,
        messages: &[Message],
        asked: Instant,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        let queue = request.queue;
        let mut received = Vec::with_capacity(messages.len());
        for message in messages {
            received.extend(self.read(queue, message).await);
        }
        let delivered: Vec<DeliveredTask> = received.iter().filter_map(Received::delivered).collect();
        let held = self.sent.hold_delivered(&delivered).await?;
        let mut tasks = Vec::with_capacity(received.len());
        for message in received {
            let id = message.letter.task_id();
            if message.delivered().is_some_and(|delivered| !held.contains(&delivered)) {
                tracing::debug!(
                    task.id = id.0,
                    "the task has ended or runs elsewhere; its message is removed"
                );
                self.remove(&message.proof, AckKind::Ack).await;
                self.relay.slot_is_free();
                continue;
            }
            match self.begin(request, message, asked).await {
                Ok(task) => tasks.extend(task),
                // The message comes again; the tasks that were accepted are ours and must not be lost.
                Err(error) => tracing::warn!(queue = queue.as_str(), "a task was not given up: {error}"),
            }
        }
        Ok(tasks)
    }

    /// Nothing, when the message is not a task: then it is given up.
    async fn read(&self, queue: QueueName, message: &Message) -> Option<Received> {
        let proof = message.reply.as_ref()?.to_string();
        let (started, sequence) =
            message.info().map_or((1, 0), |info| (info.delivered, info.stream_sequence));
        let started = u32::try_from(started).unwrap_or(u32::MAX);
        let message_id = message.headers.as_ref().and_then(|headers| headers.get(NATS_MESSAGE_ID));
        let due = message_id.and_then(|id| parse_due(id.as_str()));
        match serde_json::from_slice::<Letter>(&message.payload) {
            Ok(letter) => Some(Received { letter, proof, started, sequence, due }),
            Err(error) => {
                tracing::error!(queue = queue.as_str(), "a message is not a task and is given up: {error}");
                self.remove(&proof, AckKind::Term).await;
                None
            }
        }
    }

    /// Begins the lease of a task. Nothing, when it has used its tries: then it is given up.
    async fn begin(
        &self,
        request: ClaimRequest<'_>,
        message: Received,
        asked: Instant,
    ) -> Result<Option<ClaimedTask>, QueueError> {
        let Received { letter, proof, started, sequence, .. } = message;
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
        if asked.elapsed() >= request.lease {
            // The database took longer than the stream waits, so the message comes again, here or elsewhere.
            tracing::warn!(task.id = letter.id, "the lease of a task ended before the task could begin");
            return Ok(None);
        }
        let delivery = Delivery { key: letter.key(), sequence, worker: request.worker.to_owned() };
        self.leases.begin(&proof, delivery, asked, request.lease);
        Ok(Some(ClaimedTask {
            id: letter.task_id(),
            queue: request.queue,
            name: letter.name,
            payload: letter.payload,
            attempt,
            attempts_max: letter.attempts_max,
            owner: letter.owner,
            lease: proof,
        }))
    }

    /// Takes a message out of the stream. If that fails, it comes again and is removed then.
    async fn remove(&self, proof: &str, what: AckKind) {
        if let Err(error) = self.link.tell(proof, what).await {
            tracing::warn!("a message was not removed from the stream: {error}");
        }
    }
}
