//! Opening, monitoring and closing of a store.

use crate::db::{Db, on_db};
use crate::notify::PostgresMessageBus;
use crate::sql_store::{SqlStore, StoreConfig};
use crate::{error, migrations, sql};
use async_trait::async_trait;
use domain::instant::Instant;
use domain::ports::{HealthStore, PoolUse, Store, StoreError, WorkFigures};
use std::sync::Arc;
use std::time::Duration;

/// Default time limit of a PostgreSQL statement.
pub const STATEMENT_MAX: Duration = Duration::from_secs(30);

impl SqlStore {
    /// Connects, and runs the migrations.
    pub async fn open(config: StoreConfig) -> Result<Self, StoreError> {
        Self::open_within(config, STATEMENT_MAX).await
    }

    /// Like [`Self::open`], with a time limit for PostgreSQL statements.
    pub async fn open_within(config: StoreConfig, statement_max: Duration) -> Result<Self, StoreError> {
        let db = Db::open(&config.url, config.pool_max, statement_max).await?;
        migrations::run(&db).await?;
        let store = Self {
            db,
            key: config.key,
            author: None,
            expected: None,
            result_ids: Arc::default(),
            search_ids: Arc::default(),
            encoder_threads: Arc::default(),
        };
        store.withdraw_attributions().await?;
        Ok(store)
    }

    /// The migrations of an open store, oldest first.
    pub fn migrations(&self) -> Vec<&'static str> {
        migrations::names()
    }

    /// Message bus between the processes on this database. None for SQLite, which cannot wake another process.
    pub fn message_bus(&self) -> Option<PostgresMessageBus> {
        match &self.db {
            Db::Postgres(pools) => Some(PostgresMessageBus::new(pools.write.pool())),
            Db::Sqlite(_) => None,
        }
    }

    /// Waits for running queries and closes every connection; later calls are `Unreachable`.
    pub async fn close(&self) {
        self.db.close().await;
    }
}

#[async_trait]
impl HealthStore for SqlStore {
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

impl Store for SqlStore {}
