//! Claims tasks from the stream, unless the database says that they run elsewhere.

use super::connection::Subjects;
use super::leases::Delivery;
use super::message::{TaskMessage, parse_due};
use super::queue::NatsQueue;
use async_nats::header::NATS_MESSAGE_ID;
use async_nats::jetstream::{AckKind, Message};
use domain::instant::Instant as Moment;
use domain::ports::{ClaimedTask, DeliveredTask, QueueError, QueueName, chain};
use std::time::Duration;
use tokio::time::Instant;

/// Reason for giving up a task that no worker finished.
const NEVER_ENDED: &str = "it was started as often as it may be and never ended";

/// The claim of a worker.
#[derive(Clone, Copy)]
pub(super) struct ClaimRequest<'a> {
    pub(super) queue: QueueName,
    pub(super) at_most: u32,
    pub(super) worker: &'a str,
    pub(super) lease: Duration,
}

/// A received message.
struct ReceivedTask {
    message: TaskMessage,
    /// The reply subject for acknowledgements.
    proof: String,
    /// Number of deliveries.
    started: u32,
    sequence: u64,
    due: Option<Moment>,
}

impl ReceivedTask {
    /// The query for the database; None for a message of an earlier release, which only one worker has.
    fn delivered(&self) -> Option<DeliveredTask> {
        let (key, due) = (self.message.key()?, self.due?);
        Some(DeliveredTask { key, due, attempts: self.message.tried, message: self.sequence.to_string() })
    }
}

impl NatsQueue {
    /// Claims the next tasks of the queue from the stream.
    pub(super) async fn claim_delivered(
        &self,
        request: ClaimRequest<'_>,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        for subjects in self.queues[&request.queue].subjects_in_turn() {
            let tasks = self.claim_from(subjects, request).await?;
            if !tasks.is_empty() {
                return Ok(tasks);
            }
        }
        Ok(Vec::new())
    }

    /// Claims the next tasks of some subjects. The relay has limited them to the number of slots.
    async fn claim_from(
        &self,
        subjects: Subjects,
        request: ClaimRequest<'_>,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        let ClaimRequest { queue, at_most, lease, .. } = request;
        loop {
            // Counted from before the request, so that the lease never ends later here than on the server.
            let asked = Instant::now();
            let messages = self.connection.fetch(queue, subjects, at_most, lease).await?;
            if messages.is_empty() {
                return Ok(Vec::new());
            }
            let tasks = self.accept(request, &messages, asked).await?;
            // Terminates, because each round returns tasks or removes messages.
            if !tasks.is_empty() {
                return Ok(tasks);
            }
        }
    }

    /// The tasks of these messages to run here. Invalid messages and tasks that are exhausted or run elsewhere are
    /// removed from the stream. If the database fails, the messages are redelivered when their leases end.
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
        let delivered: Vec<DeliveredTask> = received.iter().filter_map(ReceivedTask::delivered).collect();
        let held = self.sent.hold_delivered(&delivered).await?;
        let mut tasks = Vec::with_capacity(received.len());
        for message in received {
            let id = message.message.task_id();
            self.outbox_relay.on_claimed(id);
            if message.delivered().is_some_and(|delivered| !held.contains(&delivered)) {
                tracing::debug!(
                    task.id = id.0,
                    "the task has ended or runs elsewhere; its message is removed"
                );
                self.remove(&message.proof, AckKind::Ack).await;
                self.outbox_relay.on_slot_free();
                continue;
            }
            match self.begin(request, message, asked).await {
                Ok(task) => tasks.extend(task),
                // The message is redelivered; accepted tasks must not be lost.
                Err(error) => {
                    tracing::warn!(queue = queue.as_str(), "a task was not given up: {}", chain(&error))
                }
            }
        }
        Ok(tasks)
    }

    /// Parses a message; an invalid one is terminated.
    async fn read(&self, queue: QueueName, message: &Message) -> Option<ReceivedTask> {
        let proof = message.reply.as_ref()?.to_string();
        let (started, sequence) =
            message.info().map_or((1, 0), |info| (info.delivered, info.stream_sequence));
        let started = u32::try_from(started).unwrap_or(u32::MAX);
        let message_id = message.headers.as_ref().and_then(|headers| headers.get(NATS_MESSAGE_ID));
        let due = message_id.and_then(|id| parse_due(id.as_str()));
        match serde_json::from_slice::<TaskMessage>(&message.payload) {
            Ok(message) => Some(ReceivedTask { message, proof, started, sequence, due }),
            Err(error) => {
                tracing::error!(queue = queue.as_str(), "a message is not a task and is given up: {error}");
                self.remove(&proof, AckKind::Term).await;
                None
            }
        }
    }

    /// Starts the lease of a task. None if its attempts are exhausted, in which case it is given up.
    async fn begin(
        &self,
        request: ClaimRequest<'_>,
        message: ReceivedTask,
        asked: Instant,
    ) -> Result<Option<ClaimedTask>, QueueError> {
        let ReceivedTask { message, proof, started, sequence, .. } = message;
        let attempt = started.saturating_add(message.tried);
        if attempt > message.attempts_max {
            tracing::error!(
                task.id = message.id,
                task.name = message.name,
                "the task is given up: {NEVER_ENDED}"
            );
            if let Some(key) = message.key() {
                self.store.give_up_sent(key, NEVER_ENDED).await?;
            }
            self.connection.acknowledge(&proof, AckKind::Term).await?;
            return Ok(None);
        }
        if asked.elapsed() >= request.lease {
            // The database took longer than the lease, so the message is redelivered.
            tracing::warn!(task.id = message.id, "the lease of a task ended before the task could begin");
            return Ok(None);
        }
        let delivery = Delivery { key: message.key(), sequence, worker: request.worker.to_owned() };
        self.leases.begin(&proof, delivery, asked, request.lease);
        Ok(Some(ClaimedTask {
            id: message.task_id(),
            queue: request.queue,
            name: message.name,
            payload: message.payload,
            attempt,
            attempts_max: message.attempts_max,
            owner: message.owner,
            lease: proof,
        }))
    }

    /// Removes a message from the stream. If that fails, it is redelivered and removed then.
    async fn remove(&self, proof: &str, what: AckKind) {
        if let Err(error) = self.connection.acknowledge(proof, what).await {
            tracing::warn!("a message was not removed from the stream: {}", chain(&error));
        }
    }
}
