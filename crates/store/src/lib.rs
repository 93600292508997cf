//! Storage of all records, in SQLite or PostgreSQL. All SQL of the service is here.
//!
//! | Module | What lives there |
//! |---|---|
//! | `bodies` | the full texts of cached documents, in a folder or in a bucket |
//! | `chain` | the hashes that bind the entries of the audit log, and their check |
//! | `compact` | the smallest file of an SQLite database |
//! | `copy` | all records as text, for backups: out of one database, into another |
//! | `db` | connections and transactions, and the macros that compile one query for both databases |
//! | `facts` | what a database is and how much it holds, without the content of a record |
//! | `migrations` | the tables, brought to this version at start |
//! | `relay` | news between processes that share a PostgreSQL database |
//! | `sql` | one file for each record: its row, its conversion, its queries |
//! | `secrets` | credentials at rest: sealed and opened there only |
//! | `vectors` | the nearest pieces of cached documents |
//! | `json`, `error` | values and errors, in the form both databases share |

pub mod bodies;
pub mod chain;
mod compact;
pub mod copy;
mod db;
mod error;
mod facts;
mod json;
mod migrations;
mod relay;
mod row;
mod secrets;
mod sql;
pub mod vectors;

pub use compact::{Compacted, compact};
pub use facts::{DatabaseFacts, TableFacts, database_facts};
pub use relay::PostgresRelay;
pub use secrets::{KeySource, SealKey};
pub use sql::Resealed;

use async_trait::async_trait;
use db::{Db, on_db};
use domain::audit::Author;
use domain::contracts::{PoolUse, Store, StoreError, WorkFigures};
use domain::instant::Instant;
use domain::secret::Secret;
use sql::ResultIds;
use std::sync::Arc;
use std::time::Duration;

/// How long one statement of PostgreSQL may take when nothing else is said.
pub const STATEMENT_MAX: Duration = Duration::from_secs(30);

/// Where the records are, and how they are kept.
#[derive(Debug, Clone)]
pub struct StoreConfig {
    /// `sqlite:///folder/file.db`, `sqlite::memory:` (gone when closed) or `postgres://user:password@host/database`.
    pub url: Secret,
    /// Most connections to PostgreSQL; SQLite has one writer and few readers.
    pub pool_max: u32,
    /// Seals the credentials of providers.
    pub key: SealKey,
}

/// Every record in one SQL database.
#[derive(Clone)]
pub struct SqlStore {
    db: Db,
    key: SealKey,
    /// Whose changes are noted in the audit log.
    author: Option<Author>,
    /// The version that a record must have for its edit to be made.
    expected: Option<i64>,
    result_ids: Arc<ResultIds>,
}

impl SqlStore {
    /// Connects, and brings the tables to this version.
    pub async fn open(config: StoreConfig) -> Result<Self, StoreError> {
        Self::open_within(config, STATEMENT_MAX).await
    }

    /// The same, with the time that one statement of PostgreSQL may take.
    pub async fn open_within(config: StoreConfig, statement_max: Duration) -> Result<Self, StoreError> {
        let db = Db::open(&config.url, config.pool_max, statement_max).await?;
        migrations::run(&db).await?;
        let store = Self { db, key: config.key, author: None, expected: None, result_ids: Arc::default() };
        store.withdraw_attributions().await?;
        Ok(store)
    }

    /// The migrations that an open store has behind it, oldest first.
    pub fn migrations(&self) -> Vec<&'static str> {
        migrations::names()
    }

    /// News between the processes on this database. None for SQLite, which cannot wake another process.
    pub fn relay(&self) -> Option<PostgresRelay> {
        match &self.db {
            Db::Postgres(pools) => Some(PostgresRelay::new(&pools.write)),
            Db::Sqlite(_) => None,
        }
    }

    /// Waits for running queries and closes every connection; later calls are `Unreachable`.
    pub async fn close(&self) {
        self.db.close().await;
    }
}

#[async_trait]
impl Store for SqlStore {
    async fn ping(&self) -> Result<(), StoreError> {
        on_db!(self.db, read, db => sqlx::query_scalar::<_, i32>("SELECT 1").fetch_one(db)).map(|_| ())
    }

    fn pools(&self) -> Vec<PoolUse> {
        self.db.pools()
    }

    fn pool_timeouts(&self) -> u64 {
        error::pool_timeouts()
    }

    async fn work_figures(&self, now: Instant) -> Result<WorkFigures, StoreError> {
        sql::work_figures(&self.db, now).await
    }
}
