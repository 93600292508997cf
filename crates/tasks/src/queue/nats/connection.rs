//! Connection to NATS: reconnects automatically, and creates the stream and its consumers if they are missing.

use super::address::{Address, Login, NatsError};
use super::config::NatsConfig;
use super::connect_error::ConnectError;
use super::connection_state::{ConnectionState, note_connect_error, note_event};
use super::message::TaskMessage;
use super::request_error::unreachable;
use super::stream;
use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer};
use async_nats::jetstream::context::{ContextBuilder, GetStreamErrorKind};
use async_nats::jetstream::stream::RawMessageErrorKind;
use async_nats::jetstream::{AckKind, Context, Message};
use async_nats::{Client, ConnectOptions};
use domain::fair_share::Running;
use domain::ids::UserId;
use domain::ports::{Cause, QueueError, QueueName, TaskKey};
use futures_util::{StreamExt, TryStreamExt};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tokio::time::Instant;

/// Time limit of one request.
pub(super) const ASK_MAX: Duration = Duration::from_secs(5);
/// Interval of liveness probes, and their time limit.
const PROBE_INTERVAL: Duration = Duration::from_secs(1);
const PROBE_MAX: Duration = Duration::from_secs(2);
/// Delay before the first reconnect; it doubles up to the maximum.
const RECONNECT_FIRST: Duration = Duration::from_millis(50);
const RECONNECT_MAX: Duration = Duration::from_secs(2);

/// Retry interval for missing replicas of the stream.
const REPLICAS_RETRY: Duration = Duration::from_secs(300);

pub(super) struct Connection {
    pub(super) client: Client,
    pub(super) context: Context,
    pub(super) name: String,
    config: NatsConfig,
    state: watch::Sender<ConnectionState>,
    /// Why servers reject the connection, if known.
    refused: watch::Receiver<Option<ConnectError>>,
    known: Mutex<KnownResources>,
}

/// Resources known to exist on the server.
#[derive(Default)]
struct KnownResources {
    stream: bool,
    /// When missing replicas are retried.
    replicas_retry: Option<Instant>,
    consumers: BTreeMap<(QueueName, Subjects), (PullConsumer, Duration)>,
}

/// The subjects of a queue, each with its own consumer. A subject per owner lets the server count the tasks in flight
/// of each owner.
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

/// Number of tasks in the stream, by queue and owner.
pub(super) type InFlight = BTreeMap<QueueName, Running>;

impl Connection {
    /// Returns at once; connects and reconnects in the background.
    pub(super) async fn open(config: NatsConfig) -> Result<Self, NatsError> {
        let address = Address::parse(config.url.expose())?;
        let state = watch::Sender::new(ConnectionState::default());
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
                note_event(&event, &noted);
                std::future::ready(())
            })
            .reconnect_to_server_callback(move |servers, _| {
                note_connect_error(&servers, &refuses);
                // Keeps the client's choice of the next server.
                std::future::ready(None)
            })
            .connect(address.servers)
            .await
            .map_err(|error| NatsError::Client(error.to_string()))?;
        let context = ContextBuilder::new().timeout(ASK_MAX).ack_timeout(ASK_MAX).build(client.clone());
        Ok(Self { client, context, name: address.name, config, state, refused, known: Mutex::default() })
    }

    /// Receives changes of the connection state.
    pub(super) fn watch(&self) -> watch::Receiver<ConnectionState> {
        self.state.subscribe()
    }

    /// Whether the server is connected and responds.
    pub(super) fn is_up(&self) -> bool {
        self.state.borrow().is_up()
    }

    /// Waits for an unreachable server.
    pub(super) async fn up_within(&self, at_most: Duration) -> Result<(), QueueError> {
        let mut state = self.watch();
        match tokio::time::timeout(at_most, state.wait_for(|state| state.is_up())).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(match *self.refused.borrow() {
                Some(connect_error) => unreachable(connect_error),
                None => QueueError::unreachable("no server of NATS answers"),
            }),
        }
    }

    /// Probes a connected server, because a hanging server keeps its connections open.
    pub(super) async fn probe(&self) {
        loop {
            if self.state.borrow().connected {
                let answers = tokio::time::timeout(PROBE_MAX, self.answers()).await.unwrap_or(false);
                self.state.send_if_modified(|state| state.note_answer(answers));
            }
            tokio::time::sleep(PROBE_INTERVAL).await;
        }
    }

    pub(super) fn subject(&self, queue: QueueName, owner: Option<UserId>) -> String {
        match owner {
            None => format!("{}.tasks.{}", self.name, queue.as_str()),
            Some(owner) => format!("{}.tasks.{}.{owner}", self.name, queue.as_str()),
        }
    }

    pub(super) fn notification_subject(&self, queue: &str) -> String {
        format!("{}.bell.{queue}", self.name)
    }

    /// Messages of the bus do not go through the stream, so they are not stored.
    pub(super) fn message_subject(&self, to: &str) -> String {
        format!("{}.news.{to}", self.name)
    }

    /// Creates the stream if it is missing. An existing one of an operator is not changed.
    pub(super) async fn ensure_stream(&self) -> Result<(), QueueError> {
        let mut known = self.known.lock().await;
        self.ensure_stream_in(&mut known).await
    }

    /// Fetches up to `at_most` messages and holds them for `lease`.
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
            self.forget_resources().await;
        }
        fetched
    }

    /// Whether the server responds, even if there is no stream yet.
    pub(super) async fn answers(&self) -> bool {
        match self.context.get_stream(&self.name).await.map_err(|error| error.kind()) {
            Ok(_) => true,
            Err(GetStreamErrorKind::JetStream(error)) => error.error_code() == ErrorCode::STREAM_NOT_FOUND,
            Err(_) => false,
        }
    }

    /// Whether the stream has this message and it belongs to the task. A recreated stream counts from 1 again.
    pub(super) async fn has_message(&self, sequence: u64, key: TaskKey) -> Result<bool, QueueError> {
        let stream = self.context.get_stream_no_info(&self.name).await.map_err(unreachable)?;
        match stream.get_raw_message(sequence).await {
            Ok(message) => {
                let message = serde_json::from_slice::<TaskMessage>(&message.payload).ok();
                Ok(message.and_then(|message| message.key()) == Some(key))
            }
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(false),
            Err(error) => {
                self.forget_resources().await;
                Err(unreachable(error))
            }
        }
    }

    /// Number of messages that were not delivered yet.
    pub(super) async fn waiting(&self, queue: QueueName) -> Result<u64, QueueError> {
        let mut waiting = 0;
        for subjects in Subjects::ALL {
            let pending = match self.consumer(queue, subjects, None).await {
                Ok(consumer) => consumer.get_info().await.map(|info| info.num_pending).map_err(unreachable),
                Err(error) => Err(error),
            };
            if pending.is_err() {
                self.forget_resources().await;
            }
            waiting += pending?;
        }
        Ok(waiting)
    }

    /// Tasks in the stream, counted by the server. A message is removed when its task ends.
    pub(super) async fn in_flight(&self) -> Result<InFlight, QueueError> {
        let counted = self.count_subjects().await;
        if counted.is_err() {
            self.forget_resources().await;
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

    /// The inverse of [`Self::subject`].
    fn parse_subject(&self, subject: &str) -> Option<(QueueName, Option<UserId>)> {
        let rest = subject.strip_prefix(&self.name)?.strip_prefix(".tasks.")?;
        match rest.split_once('.') {
            None => Some((QueueName::parse(rest)?, None)),
            Some((queue, owner)) => Some((QueueName::parse(queue)?, Some(UserId(owner.parse().ok()?)))),
        }
    }

    /// Acknowledges a message at its reply subject, and waits for the confirmation or until the server is known to be
    /// down.
    pub(super) async fn acknowledge(&self, lease: &str, what: AckKind) -> Result<(), QueueError> {
        let mut state = self.watch();
        tokio::select! {
            biased; // a message to a server that is down is sent when it is back
            response = self.client.request(lease.to_owned(), what.into()) => response.map(|_| ()).map_err(unreachable),
            _ = state.wait_for(|state| !state.is_up()) => Err(QueueError::unreachable("no server of NATS answers")),
        }
    }

    /// After a failure, forgets what is known, because the server may have lost stream and consumers.
    pub(super) async fn forget_resources(&self) {
        *self.known.lock().await = KnownResources::default();
    }

    /// `lease` is the acknowledgement wait of the consumer; None if any will do.
    async fn consumer(
        &self,
        queue: QueueName,
        subjects: Subjects,
        lease: Option<Duration>,
    ) -> Result<PullConsumer, QueueError> {
        let mut known = self.known.lock().await;
        if let Some((consumer, length)) = known.consumers.get(&(queue, subjects))
            && lease.is_none_or(|lease| lease == *length)
        {
            return Ok(consumer.clone());
        }
        self.ensure_stream_in(&mut known).await?;
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
        known.consumers.insert((queue, subjects), (consumer.clone(), lease));
        Ok(consumer)
    }

    async fn ensure_stream_in(&self, known: &mut KnownResources) -> Result<(), QueueError> {
        if known.stream && known.replicas_retry.is_none_or(|again| Instant::now() < again) {
            return Ok(());
        }
        let is_cluster = self.client.server_info().cluster.is_some_and(|name| !name.is_empty());
        let is_whole = stream::make(&self.context, &self.name, self.config.messages_max, is_cluster).await?;
        known.replicas_retry = (!is_whole).then(|| Instant::now() + REPLICAS_RETRY);
        known.stream = true;
        Ok(())
    }
}

/// Messages received before a failure are returned.
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
            Ok(Some(Err(error))) => {
                QueueError::unreachable(error.to_string()).caused_by(Cause::from_boxed(error))
            }
            Err(late) => {
                QueueError::unreachable("no answer in time, or as many tasks run as may").caused_by(late)
            }
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
