//! Message bus over plain NATS messages: one subject for all processes, and one for each.

use super::connection::Connection;
use async_nats::Subscriber;
use async_trait::async_trait;
use domain::ports::{MESSAGE_BYTES_MAX, MessageBus, MessageBusError, MessageBusErrorKind};
use futures_util::StreamExt;
use futures_util::stream::{Select, select};
use std::sync::Arc;
use tokio::sync::Mutex;

/// Not a process name: those have 32 digits.
const ALL: &str = "all";

pub struct NatsMessageBus {
    connection: Arc<Connection>,
    node_id: String,
    subscriber: Mutex<Option<Select<Subscriber, Subscriber>>>,
}

impl NatsMessageBus {
    pub(super) fn new(connection: Arc<Connection>) -> Self {
        Self { connection, node_id: format!("{:032x}", rand::random::<u128>()), subscriber: Mutex::default() }
    }

    /// The client renews subscriptions when it reconnects.
    async fn listen(&self) -> Result<Select<Subscriber, Subscriber>, MessageBusError> {
        let to_all =
            self.connection.client.subscribe(self.connection.message_subject(ALL)).await.map_err(failed)?;
        let to_node = self
            .connection
            .client
            .subscribe(self.connection.message_subject(&self.node_id))
            .await
            .map_err(failed)?;
        Ok(select(to_all, to_node))
    }
}

#[async_trait]
impl MessageBus for NatsMessageBus {
    fn node_id(&self) -> &str {
        &self.node_id
    }

    fn message_bytes_max(&self) -> usize {
        self.connection.client.server_info().max_payload.min(MESSAGE_BYTES_MAX)
    }

    async fn send(&self, to: Option<&str>, message: &str) -> Result<(), MessageBusError> {
        // The client would buffer the message, which is useless later.
        if !self.connection.is_up() {
            return Err(unreachable("no server of NATS answers"));
        }
        let subject = self.connection.message_subject(to.unwrap_or(ALL));
        self.connection.client.publish(subject, message.to_owned().into()).await.map_err(failed)
    }

    async fn recv(&self) -> Result<String, MessageBusError> {
        let mut subscriber = self.subscriber.lock().await;
        let messages = match &mut *subscriber {
            Some(messages) => messages,
            None => subscriber.insert(self.listen().await?),
        };
        match messages.next().await {
            Some(message) => String::from_utf8(message.payload.into())
                .map_err(|error| MessageBusError::from_cause(MessageBusErrorKind::Unreadable, error)),
            None => {
                *subscriber = None;
                Err(unreachable("the client of NATS has ended"))
            }
        }
    }
}

fn unreachable(message: &str) -> MessageBusError {
    MessageBusError::new(MessageBusErrorKind::Unreachable, message)
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> MessageBusError {
    MessageBusError::from_cause(MessageBusErrorKind::Unreachable, error)
}
