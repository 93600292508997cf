//! News between processes by LISTEN and NOTIFY of PostgreSQL. A letter is cut into pieces, because a notification is
//! small.

mod pieces;

use crate::error::failure;
use async_trait::async_trait;
use domain::contracts::{LETTER_BYTES_MAX, NewsRelay, RelayError};
use pieces::{Letter, cut};
use sqlx::postgres::{PgListener, PgPoolOptions};
use sqlx::{Pool, Postgres};
use std::time::Duration;
use tokio::sync::Mutex;

/// No process has this name: names are 32 digits.
const ALL: &str = "all";
/// How long the listening connection may take to be made.
const CONNECT_MAX: Duration = Duration::from_secs(5);

pub struct PostgresRelay {
    here: String,
    /// By these letters are sent.
    pool: Pool<Postgres>,
    /// The one connection that listens, apart from the others, because it is never free.
    line: Pool<Postgres>,
    ear: Mutex<Option<Ear>>,
}

struct Ear {
    listener: PgListener,
    letter: Letter,
}

impl PostgresRelay {
    /// Connects when it first listens.
    pub(crate) fn new(pool: &Pool<Postgres>) -> Self {
        let line = PgPoolOptions::new()
            .max_connections(1)
            .max_lifetime(None)
            .idle_timeout(None)
            .acquire_timeout(CONNECT_MAX)
            .connect_lazy_with((*pool.connect_options()).clone());
        let here = format!("{:032x}", rand::random::<u128>());
        Self { here, pool: pool.clone(), line, ear: Mutex::default() }
    }

    async fn listen(&self) -> Result<Ear, RelayError> {
        let mut listener = PgListener::connect_with(&self.line).await.map_err(failed)?;
        let channels = [channel(ALL), channel(&self.here)];
        listener.listen_all(channels.iter().map(String::as_str)).await.map_err(failed)?;
        Ok(Ear { listener, letter: Letter::default() })
    }
}

#[async_trait]
impl NewsRelay for PostgresRelay {
    fn here(&self) -> &str {
        &self.here
    }

    fn letter_bytes_max(&self) -> usize {
        LETTER_BYTES_MAX
    }

    /// One statement is one transaction: its pieces arrive together, in order, and no others between them.
    async fn send(&self, to: Option<&str>, letter: &str) -> Result<(), RelayError> {
        const TEXT: &str = "SELECT count(pg_notify($1, piece)) FROM unnest($2::text[]) AS piece";
        let pieces = cut(letter, rand::random());
        let sent = sqlx::query_scalar::<_, i64>(TEXT)
            .bind(channel(to.unwrap_or(ALL)))
            .bind(&pieces)
            .fetch_one(&self.pool);
        sent.await.map(|_| ()).map_err(failed)
    }

    async fn hear(&self) -> Result<String, RelayError> {
        let mut ear = self.ear.lock().await;
        loop {
            let here = match &mut *ear {
                Some(here) => here,
                None => ear.insert(self.listen().await?),
            };
            match here.listener.recv().await {
                Ok(piece) => {
                    if let Some(letter) = here.letter.add(piece.payload()) {
                        return Ok(letter);
                    }
                }
                Err(error) => {
                    *ear = None;
                    return Err(failed(error));
                }
            }
        }
    }
}

fn channel(name: &str) -> String {
    format!("tributary_news_{name}")
}

fn failed(error: sqlx::Error) -> RelayError {
    RelayError(failure(error).to_string())
}
