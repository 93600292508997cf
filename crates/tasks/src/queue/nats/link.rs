//! The line to NATS: it comes back by itself, and makes the stream and its consumers where they are missing.

use super::NatsConfig;
use super::address::{Address, Login, NatsError};
use super::letter::Letter;
use super::link_state::{LinkState, note, note_refusal};
use super::refusal::Refusal;
use super::stream;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer};
use async_nats::jetstream::context::{ContextBuilder, GetStreamErrorKind};
use async_nats::jetstream::stream::RawMessageErrorKind;
use async_nats::jetstream::{AckKind, Context, Message};
use async_nats::{Client, ConnectOptions};
use domain::contracts::{QueueError, QueueName, TaskKey};
use domain::fair_share::Running;
use domain::ids::UserId;
use futures_util::{StreamExt, TryStreamExt};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tokio::time::Instant;

/// How long one question to the server may take.
pub(super) const ASK_MAX: Duration = Duration::from_secs(5);
/// How often a connected server is asked whether it answers, and how long it may take before it counts as down.
const PROBE_EVERY: Duration = Duration::from_secs(1);
const PROBE_MAX: Duration = Duration::from_secs(2);
/// The wait before the second try to connect; it doubles up to the longest.
const RECONNECT_FIRST: Duration = Duration::from_millis(50);
const RECONNECT_MAX: Duration = Duration::from_secs(2);

/// A stream that lacks copies is tried again after this time.
const COPIES_AGAIN: Duration = Duration::from_secs(300);

pub(super) struct Link {
    pub(super) client: Client,
    pub(super) context: Context,
    pub(super) name: String,
    config: NatsConfig,
    state: watch::Sender<LinkState>,
    /// Why no server lets us in, if they say so.
    refused: watch::Receiver<Option<Refusal>>,
    made: Mutex<Made>,
}

/// What is known to exist on the server.
#[derive(Default)]
struct Made {
    stream: bool,
    /// When it is tried again to make the copies that the stream lacks.
    copies_again: Option<Instant>,
    consumers: BTreeMap<(QueueName, Subjects), (PullConsumer, Duration)>,
}

/// The subjects of a queue, each with a consumer of its own. A subject for each owner lets the server count the tasks of
/// one owner that are under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subjects {
    /// Tasks of the service itself: `name.tasks.queue`.
    Service,
    /// Tasks of users: `name.tasks.queue.owner`.
    Owners,
}

impl Subjects {
    const ALL: [Self; 2] = [Self::Service, Self::Owners];

    fn consumer(self, queue: QueueName) -> String {
        match self {
            Self::Service => queue.as_str().to_owned(),
            Self::Owners => format!("{}-owners", queue.as_str()),
        }
    }
}

/// Tasks that are in the stream, waiting there or running, by queue and owner.
pub(super) type InFlight = BTreeMap<QueueName, Running>;

impl Link {
    /// Returns at once; the connection is made, and made again, in the background.
    pub(super) async fn open(config: NatsConfig) -> Result<Self, NatsError> {
        let address = Address::parse(config.url.expose())?;
        let state = watch::Sender::new(LinkState::default());
        let noted = state.clone();
        let (refuses, refused) = watch::channel(None);
        let options = match address.login {
            Some(Login::User(name, password)) => {
                ConnectOptions::with_user_and_password(name, password.expose().to_owned())
            }
            Some(Login::Token(token)) => ConnectOptions::with_token(token.expose().to_owned()),
            None => ConnectOptions::new(),
        };
        let client = options
            .name("tributary")
            .retry_on_initial_connect()
            .connection_timeout(ASK_MAX)
            .request_timeout(Some(ASK_MAX))
            .reconnect_delay_callback(reconnect_delay)
            .event_callback(move |event| {
                note(&event, &noted);
                std::future::ready(())
            })
            .reconnect_to_server_callback(move |servers, _| {
                note_refusal(&servers, &refuses);
                // The client's own choice of the next server is right.
                std::future::ready(None)
            })
            .connect(address.servers)
            .await
            .map_err(|error| NatsError::Client(error.to_string()))?;
        let context = ContextBuilder::new().timeout(ASK_MAX).ack_timeout(ASK_MAX).build(client.clone());
        Ok(Self { client, context, name: address.name, config, state, refused, made: Mutex::default() })
    }

    /// Changes when the server comes or goes.
    pub(super) fn watch(&self) -> watch::Receiver<LinkState> {
        self.state.subscribe()
    }

    /// Whether the server is connected and answers.
    pub(super) fn is_up(&self) -> bool {
        self.state.borrow().is_up()
    }

    /// Waits a little for a server that is away.
    pub(super) async fn up_within(&self, at_most: Duration) -> Result<(), QueueError> {
        let mut state = self.watch();
        match tokio::time::timeout(at_most, state.wait_for(|state| state.is_up())).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(QueueError::Unreachable(match *self.refused.borrow() {
                Some(refusal) => refusal.to_string(),
                None => "no server of NATS answers".to_owned(),
            })),
        }
    }

    /// Asks a connected server again and again whether it answers: one that hangs keeps its connections.
    pub(super) async fn probe(&self) {
        loop {
            if self.state.borrow().connected {
                let answers = tokio::time::timeout(PROBE_MAX, self.answers()).await.unwrap_or(false);
                self.state.send_if_modified(|state| state.note_answer(answers));
            }
            tokio::time::sleep(PROBE_EVERY).await;
        }
    }

    pub(super) fn subject(&self, queue: QueueName, owner: Option<UserId>) -> String {
        match owner {
            None => format!("{}.tasks.{}", self.name, queue.as_str()),
            Some(owner) => format!("{}.tasks.{}.{owner}", self.name, queue.as_str()),
        }
    }

    pub(super) fn bell(&self, queue: &str) -> String {
        format!("{}.bell.{queue}", self.name)
    }

    /// News do not go through the stream: who is not there does not hear them.
    pub(super) fn news(&self, to: &str) -> String {
        format!("{}.news.{to}", self.name)
    }

    /// The stream, made when it is missing. One that an operator made stays as it is.
    pub(super) async fn ensure_stream(&self) -> Result<(), QueueError> {
        let mut made = self.made.lock().await;
        self.make_stream(&mut made).await
    }

    /// The next messages that are free, `at_most` so many, now held for `lease`.
    pub(super) async fn fetch(
        &self,
        queue: QueueName,
        subjects: Subjects,
        at_most: u32,
        lease: Duration,
    ) -> Result<Vec<Message>, QueueError> {
        let fetched = match self.consumer(queue, subjects, Some(lease)).await {
            Ok(consumer) => fetch_batch(&consumer, at_most).await,
            Err(error) => Err(error),
        };
        if fetched.is_err() {
            self.forget().await;
        }
        fetched
    }

    /// Whether the server says what it knows of the stream, even if it is that there is none yet.
    pub(super) async fn answers(&self) -> bool {
        match self.context.get_stream(&self.name).await.map_err(|error| error.kind()) {
            Ok(_) => true,
            Err(GetStreamErrorKind::JetStream(error)) => error.error_code() == ErrorCode::STREAM_NOT_FOUND,
            Err(_) => false,
        }
    }

    /// Whether this message of the stream is there and is that of the task. A stream that was made anew counts from 1.
    pub(super) async fn has_message(&self, sequence: u64, key: TaskKey) -> Result<bool, QueueError> {
        let stream = self.context.get_stream_no_info(&self.name).await.map_err(unreachable)?;
        match stream.get_raw_message(sequence).await {
            Ok(message) => {
                let letter = serde_json::from_slice::<Letter>(&message.payload).ok();
                Ok(letter.and_then(|letter| letter.key()) == Some(key))
            }
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(false),
            Err(error) => {
                self.forget().await;
                Err(unreachable(error))
            }
        }
    }

    /// Messages that nobody was given yet.
    pub(super) async fn waiting(&self, queue: QueueName) -> Result<u64, QueueError> {
        let mut waiting = 0;
        for subjects in Subjects::ALL {
            let pending = match self.consumer(queue, subjects, None).await {
                Ok(consumer) => consumer.get_info().await.map(|info| info.num_pending).map_err(unreachable),
                Err(error) => Err(error),
            };
            if pending.is_err() {
                self.forget().await;
            }
            waiting += pending?;
        }
        Ok(waiting)
    }

    /// What is in the stream, counted by the server: a message leaves it when its task has ended.
    pub(super) async fn in_flight(&self) -> Result<InFlight, QueueError> {
        let counted = self.count_subjects().await;
        if counted.is_err() {
            self.forget().await;
        }
        let mut in_flight = InFlight::new();
        for (subject, count) in counted? {
            if let Some((queue, owner)) = self.parse_subject(&subject) {
                let count = u32::try_from(count).unwrap_or(u32::MAX);
                in_flight.entry(queue).or_default().insert(owner, count);
            }
        }
        Ok(in_flight)
    }

    async fn count_subjects(&self) -> Result<Vec<(String, usize)>, QueueError> {
        self.ensure_stream().await?;
        let stream = self.context.get_stream_no_info(&self.name).await.map_err(unreachable)?;
        let subjects =
            stream.info_with_subjects(format!("{}.tasks.>", self.name)).await.map_err(unreachable)?;
        subjects.map_err(unreachable).try_collect().await
    }

    /// The reverse of [`Self::subject`].
    fn parse_subject(&self, subject: &str) -> Option<(QueueName, Option<UserId>)> {
        let rest = subject.strip_prefix(&self.name)?.strip_prefix(".tasks.")?;
        match rest.split_once('.') {
            None => Some((QueueName::parse(rest)?, None)),
            Some((queue, owner)) => Some((QueueName::parse(queue)?, Some(UserId(owner.parse().ok()?)))),
        }
    }

    /// Tells the server about a message, by the address that came with it, and waits until it was heard, or until the server
    /// is known to be down.
    pub(super) async fn tell(&self, lease: &str, what: AckKind) -> Result<(), QueueError> {
        let mut state = self.watch();
        tokio::select! {
            biased; // what is told to a server that is down goes to it when it is back
            told = self.client.request(lease.to_owned(), what.into()) => told.map(|_| ()).map_err(unreachable),
            _ = state.wait_for(|state| !state.is_up()) => Err(unreachable("no server of NATS answers")),
        }
    }

    /// After a failure: looks again whether stream and consumers are there, for the server may have lost them.
    pub(super) async fn forget(&self) {
        *self.made.lock().await = Made::default();
    }

    /// `lease` is what the consumer must wait for a sign of life; nothing, when any will do.
    async fn consumer(
        &self,
        queue: QueueName,
        subjects: Subjects,
        lease: Option<Duration>,
    ) -> Result<PullConsumer, QueueError> {
        let mut made = self.made.lock().await;
        if let Some((consumer, length)) = made.consumers.get(&(queue, subjects))
            && lease.is_none_or(|lease| lease == *length)
        {
            return Ok(consumer.clone());
        }
        self.make_stream(&mut made).await?;
        let lease = lease.unwrap_or(self.config.lease);
        let config = PullConfig {
            durable_name: Some(subjects.consumer(queue)),
            ack_policy: AckPolicy::Explicit,
            ack_wait: lease,
            max_deliver: -1, // tries are counted by the task, not by the queue
            max_ack_pending: i64::from(self.config.running_max),
            filter_subject: match subjects {
                Subjects::Service => self.subject(queue, None),
                Subjects::Owners => format!("{}.*", self.subject(queue, None)),
            },
            ..PullConfig::default()
        };
        let consumer: PullConsumer =
            self.context.create_consumer_on_stream(config, self.name.as_str()).await.map_err(unreachable)?;
        made.consumers.insert((queue, subjects), (consumer.clone(), lease));
        Ok(consumer)
    }

    async fn make_stream(&self, made: &mut Made) -> Result<(), QueueError> {
        if made.stream && made.copies_again.is_none_or(|again| Instant::now() < again) {
            return Ok(());
        }
        let is_cluster = self.client.server_info().cluster.is_some_and(|name| !name.is_empty());
        let is_whole = stream::make(&self.context, &self.name, self.config.messages_max, is_cluster).await?;
        made.copies_again = (!is_whole).then(|| Instant::now() + COPIES_AGAIN);
        made.stream = true;
        Ok(())
    }
}

pub(super) fn unreachable(error: impl std::fmt::Display) -> QueueError {
    QueueError::Unreachable(error.to_string())
}

/// What was given before a failure is ours, and is returned.
async fn fetch_batch(consumer: &PullConsumer, at_most: u32) -> Result<Vec<Message>, QueueError> {
    let wanted = usize::try_from(at_most).unwrap_or(usize::MAX);
    let mut batch = consumer.fetch().max_messages(wanted).messages().await.map_err(unreachable)?;
    let mut messages = Vec::new();
    while messages.len() < wanted {
        let failure = match tokio::time::timeout(ASK_MAX, batch.next()).await {
            Ok(Some(Ok(message))) => {
                messages.push(message);
                continue;
            }
            Ok(None) => break,
            Ok(Some(Err(error))) => unreachable(error),
            Err(_) => unreachable("no answer in time, or as many tasks run as may"),
        };
        if messages.is_empty() {
            return Err(failure);
        }
        break;
    }
    Ok(messages)
}

fn reconnect_delay(attempts: usize) -> Duration {
    let doublings = u32::try_from(attempts.saturating_sub(1)).unwrap_or(u32::MAX).min(10);
    RECONNECT_FIRST.saturating_mul(1 << doublings).min(RECONNECT_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        let waits = [0, 1, 2, 6, 7, usize::MAX].map(|attempts| reconnect_delay(attempts).as_millis());
        assert_eq!(waits, [50, 50, 100, 1600, 2000, 2000]);
    }
}
