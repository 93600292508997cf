//! Message bus over PostgreSQL's LISTEN and NOTIFY. Messages are split, because a notification is small.

mod chunking;

use crate::error::failure;
use async_trait::async_trait;
use chunking::{PartialMessage, split};
use domain::ports::{MESSAGE_BYTES_MAX, MessageBus, MessageBusError, MessageBusErrorKind};
use sqlx::postgres::{PgListener, PgPoolOptions};
use sqlx::{Pool, Postgres};
use std::time::Duration;
use tokio::sync::Mutex;

/// Not a node id: those are 32 hexadecimal digits.
const ALL: &str = "all";
/// Time limit of opening the listening connection.
const CONNECT_MAX: Duration = Duration::from_secs(5);

pub struct PostgresMessageBus {
    node_id: String,
    /// For sending.
    pool: Pool<Postgres>,
    /// The listening connection, separate because it is always in use.
    listen_pool: Pool<Postgres>,
    listener: Mutex<Option<Listener>>,
}

struct Listener {
    pg_listener: PgListener,
    message: PartialMessage,
}

impl PostgresMessageBus {
    /// Connects when it first listens.
    pub(crate) fn new(pool: &Pool<Postgres>) -> Self {
        let listen_pool = PgPoolOptions::new()
            .max_connections(1)
            .max_lifetime(None)
            .idle_timeout(None)
            .acquire_timeout(CONNECT_MAX)
            .connect_lazy_with((*pool.connect_options()).clone());
        let node_id = format!("{:032x}", rand::random::<u128>());
        Self { node_id, pool: pool.clone(), listen_pool, listener: Mutex::default() }
    }

    async fn listen(&self) -> Result<Listener, MessageBusError> {
        let mut pg_listener = PgListener::connect_with(&self.listen_pool).await.map_err(failed)?;
        let channels = [channel(ALL), channel(&self.node_id)];
        pg_listener.listen_all(channels.iter().map(String::as_str)).await.map_err(failed)?;
        Ok(Listener { pg_listener, message: PartialMessage::default() })
    }
}

#[async_trait]
impl MessageBus for PostgresMessageBus {
    fn node_id(&self) -> &str {
        &self.node_id
    }

    fn message_bytes_max(&self) -> usize {
        MESSAGE_BYTES_MAX
    }

    /// One statement is one transaction: its chunks arrive together and in order.
    async fn send(&self, to: Option<&str>, message: &str) -> Result<(), MessageBusError> {
        const TEXT: &str = "SELECT count(pg_notify($1, piece)) FROM unnest($2::text[]) AS piece";
        let pieces = split(message, rand::random());
        let sent = sqlx::query_scalar::<_, i64>(TEXT)
            .bind(channel(to.unwrap_or(ALL)))
            .bind(&pieces)
            .fetch_one(&self.pool);
        sent.await.map(|_| ()).map_err(failed)
    }

    async fn recv(&self) -> Result<String, MessageBusError> {
        let mut listener = self.listener.lock().await;
        loop {
            let open = match &mut *listener {
                Some(open) => open,
                None => listener.insert(self.listen().await?),
            };
            match open.pg_listener.recv().await {
                Ok(piece) => {
                    if let Some(message) = open.message.add(piece.payload()) {
                        return Ok(message);
                    }
                }
                Err(error) => {
                    *listener = None;
                    return Err(failed(error));
                }
            }
        }
    }
}

fn channel(name: &str) -> String {
    format!("tributary_news_{name}")
}

fn failed(error: sqlx::Error) -> MessageBusError {
    MessageBusError::from_cause(MessageBusErrorKind::Unreachable, failure(error))
}
