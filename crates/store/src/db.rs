//! One interface to both databases: connections, transactions and the macros that compile a query for both.

use crate::checkpoints::{Checkpoints, NO_CHECKPOINTS_IN_COMMITS};
use crate::error::failure;
use crate::json_column::JsonWriter;
use crate::open_batch::OpenBatch;
use crate::postgres_connections::PostgresConnections;
use crate::sqlite_connections::SqliteConnections;
use domain::ports::{PoolUse, StoreError};
use domain::secret::Secret;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgQueryResult};
use sqlx::sqlite::{
    SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteQueryResult,
    SqliteSynchronous,
};
use sqlx::{Connection, Pool, Postgres, Sqlite, SqlitePool, Transaction};
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Parallel readers of an SQLite file; each is a thread.
const SQLITE_READERS_MAX: u32 = 4;
/// How long SQLite waits for another process that holds the file.
const SQLITE_BUSY: Duration = Duration::from_secs(5);
/// Pause before the next attempt to open a file that other processes open for the first time.
const OPEN_RETRY: Duration = Duration::from_millis(20);
/// How long a caller waits for an SQLite connection: writers share one.
const SQLITE_TURN: Duration = Duration::from_secs(30);
/// Page cache of the SQLite connection that writes; negative means KiB. What is not in it comes from the file cache of
/// the system.
const SQLITE_CACHE: &str = "-8000";
/// Page cache of each connection that reads.
const SQLITE_READ_CACHE: &str = "-4000";
const POSTGRES_TURN: Duration = Duration::from_secs(5);
/// PostgreSQL counts the milliseconds of a statement in 32 bits.
const POSTGRES_STATEMENT_MS_MAX: u128 = i32::MAX as u128;
/// Session settings, so that a hung or disconnected process holds locks for seconds only: lock timeout and
/// idle-in-transaction timeout in milliseconds, and TCP keepalive (idle time, interval, count, user timeout).
const POSTGRES_SESSION: [(&str, u32); 6] = [
    ("lock_timeout", 10_000),
    ("idle_in_transaction_session_timeout", 10_000),
    ("tcp_keepalives_idle", 10),
    ("tcp_keepalives_interval", 5),
    ("tcp_keepalives_count", 3),
    ("tcp_user_timeout", 20_000),
];
/// An expression for a single statement of PostgreSQL: its commit does not wait until it is on the disk. A crash of the
/// database server, or of its machine, may lose the last moments of such statements, at most three times
/// `wal_writer_delay`; they are lost from the end, so that each is kept if a later commit is.
pub(crate) const NO_FLUSH: &str = "set_config('synchronous_commit', 'off', TRUE)";
/// Large values are compressed with LZ4 if the server has it and nobody has set another method: results are stored in a
/// third of the time and take a sixth more space.
const POSTGRES_COMPRESSION: &str = "SELECT set_config('default_toast_compression', 'lz4', FALSE) FROM pg_settings \
     WHERE name = 'default_toast_compression' AND source = 'default' AND 'lz4' = ANY (enumvals)";
/// A connection that was idle for longer is tested before use.
const POSTGRES_REST: Duration = Duration::from_secs(5);
/// How long metrics wait for their connection, and how long a connection with an abandoned query may take to recover
/// before it is replaced.
const MONITOR_TURN: Duration = Duration::from_millis(500);

/// Awaits a query on one of these connections, which is then kept for the next one, and converts its error. The log
/// names the place in the code of a query that failed.
macro_rules! on_connection {
    ($connections:expr, $connection:ident => $future:expr) => {{
        let outcome = match $connections.acquire().await {
            Ok(mut used) => {
                let outcome = {
                    let $connection = &mut *used;
                    $future.await
                };
                used.keep_after(&outcome);
                outcome
            }
            Err(error) => Err(error),
        };
        outcome.map_err($crate::error::failure_during(concat!(module_path!(), ":", line!())))
    }};
}

/// Compiles one query for both databases and runs it as `on_connection!` does. `read` or `write` selects the
/// connections.
macro_rules! on_db {
    ($db:expr, $side:ident, $connection:ident => $future:expr) => {
        match &$db {
            $crate::db::Db::Sqlite(pools) => {
                $crate::db::on_connection!(pools.$side, $connection => $future)
            }
            $crate::db::Db::Postgres(pools) => {
                $crate::db::on_connection!(pools.$side, $connection => $future)
            }
        }
    };
}

/// `on_db!` inside a transaction.
macro_rules! on_tx {
    ($tx:expr, $connection:ident => $future:expr) => {
        match $tx {
            $crate::db::Tx::Sqlite(tx) => {
                let $connection = &mut **tx;
                $future.await.map_err($crate::error::failure_during(concat!(module_path!(), ":", line!())))
            }
            $crate::db::Tx::Postgres(tx) => {
                let $connection = &mut **tx;
                $future.await.map_err($crate::error::failure_during(concat!(module_path!(), ":", line!())))
            }
        }
    };
}

pub(crate) use {on_connection, on_db, on_tx};

/// Connections to SQLite by purpose. There is ONE writer, so that writers queue here and not at the file.
#[derive(Clone)]
pub(crate) struct SqlitePools {
    pub(crate) read: SqliteConnections,
    pub(crate) write: SqliteConnections,
    /// Only for a file.
    checkpoints: Option<Arc<Checkpoints>>,
    pub(crate) open_batch: OpenBatch,
}

/// Connections to PostgreSQL by purpose. Those that read are the same as those that write.
#[derive(Clone)]
pub(crate) struct PostgresPools {
    pub(crate) read: PostgresConnections,
    pub(crate) write: PostgresConnections,
    /// For metrics: distinguishes an unresponsive database from an exhausted pool.
    pub(crate) monitor: Pool<Postgres>,
}

#[derive(Clone)]
pub(crate) enum Db {
    Sqlite(SqlitePools),
    Postgres(PostgresPools),
}

/// A transaction that may write. Dropped without [`Tx::commit`], it changes nothing.
///
/// While one is open, the [`Db`] itself must not be used: SQLite's only writer is taken.
pub(crate) enum Tx {
    Sqlite(Transaction<'static, Sqlite>),
    Postgres(Transaction<'static, Postgres>),
}

impl Db {
    /// No PostgreSQL statement takes longer than `statement_max`.
    pub(crate) async fn open(
        url: &Secret,
        pool_max: u32,
        statement_max: Duration,
    ) -> Result<Self, StoreError> {
        match url.expose().split_once(':') {
            Some(("sqlite", rest)) => open_sqlite(url, rest.contains(":memory:"), pool_max).await,
            Some(("postgres" | "postgresql", _)) => open_postgres(url, pool_max, statement_max).await,
            _ => Err(bad_address()),
        }
    }

    pub(crate) async fn begin(&self) -> Result<Tx, StoreError> {
        match self {
            // IMMEDIATE: a transaction that reads before it writes would fail if another process wrote in between.
            Self::Sqlite(pools) => pools.write.begin_with("BEGIN IMMEDIATE").await.map(Tx::Sqlite),
            Self::Postgres(pools) => pools.write.begin().await.map(Tx::Postgres),
        }
        .map_err(failure)
    }

    /// For values that are made before a transaction.
    pub(crate) fn new_json_writer(&self) -> fn() -> Result<JsonWriter, StoreError> {
        match self {
            Self::Sqlite(_) => JsonWriter::for_sqlite,
            Self::Postgres(_) => || Ok(JsonWriter::for_postgres()),
        }
    }

    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pools) => {
                if let Some(checkpoints) = &pools.checkpoints {
                    checkpoints.stop().await;
                }
                pools.read.close().await;
                pools.write.close().await;
            }
            Self::Postgres(pools) => {
                pools.monitor.close().await;
                pools.write.close().await;
            }
        }
    }

    /// SQLite has a separate writer; PostgreSQL has one pool for both.
    pub(crate) fn pools(&self) -> Vec<PoolUse> {
        match self {
            Self::Sqlite(pools) => vec![pools.read.pool_use("read"), pools.write.pool_use("write")],
            Self::Postgres(pools) => vec![pools.write.pool_use("all")],
        }
    }
}

impl Tx {
    pub(crate) fn json_writer(&self) -> Result<JsonWriter, StoreError> {
        match self {
            Self::Sqlite(_) => JsonWriter::for_sqlite(),
            Self::Postgres(_) => Ok(JsonWriter::for_postgres()),
        }
    }

    pub(crate) async fn commit(self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(tx) => tx.commit().await,
            Self::Postgres(tx) => tx.commit().await,
        }
        .map_err(failure)
    }

    pub(crate) async fn rollback(self) -> Result<(), StoreError> {
        match self {
            Self::Sqlite(tx) => tx.rollback().await,
            Self::Postgres(tx) => tx.rollback().await,
        }
        .map_err(failure)
    }
}

/// Rows that a statement changed, for both databases.
pub(crate) trait RowsAffected {
    fn rows(&self) -> u64;
}

impl RowsAffected for SqliteQueryResult {
    fn rows(&self) -> u64 {
        self.rows_affected()
    }
}

impl RowsAffected for PgQueryResult {
    fn rows(&self) -> u64 {
        self.rows_affected()
    }
}

/// Turns an `execute` into the number of rows it changed.
pub(crate) async fn rows_affected<C: RowsAffected>(
    statement: impl Future<Output = Result<C, sqlx::Error>>,
) -> Result<u64, sqlx::Error> {
    Ok(statement.await?.rows())
}

/// The first row of a single writing statement, which is run to its end. SQLite commits such a statement at its end: a
/// caller that stops after the first row would not notice a failed commit.
pub(crate) async fn first_row<T>(
    rows: impl Future<Output = Result<Vec<T>, sqlx::Error>>,
) -> Result<Option<T>, sqlx::Error> {
    Ok(rows.await?.into_iter().next())
}

async fn open_sqlite(url: &Secret, is_memory: bool, pool_max: u32) -> Result<Db, StoreError> {
    let options = SqliteConnectOptions::from_str(url.expose())
        .map_err(|_| bad_address())?
        .create_if_missing(true)
        .foreign_keys(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(SQLITE_BUSY)
        .pragma("cache_size", SQLITE_CACHE)
        .pragma(NO_CHECKPOINTS_IN_COMMITS.0, NO_CHECKPOINTS_IN_COMMITS.1);
    // An in-memory database lives as long as its connection, so the connection must not be closed.
    let pool = || {
        SqlitePoolOptions::new()
            .acquire_timeout(SQLITE_TURN)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
    };
    let making = options.clone().auto_vacuum(SqliteAutoVacuum::Incremental);
    let open_batch = OpenBatch::default();
    // If the disk is full, SQLite rolls back by itself. The driver does not notice, considers the transaction open,
    // and starts no other: such a connection is replaced.
    let batch = open_batch.clone();
    let writer = pool()
        .max_connections(1)
        .before_acquire(move |connection, _| {
            let is_clean = is_memory || !connection.is_in_transaction();
            Box::pin(async move { Ok(is_clean) })
        })
        .after_release(move |connection, _| {
            let batch = batch.clone();
            Box::pin(async move { Ok(batch.close(connection).await) })
        });
    if is_memory {
        let write = SqliteConnections::new(writer.connect_with(making).await.map_err(failure)?);
        return Ok(Db::Sqlite(SqlitePools { read: write.clone(), write, checkpoints: None, open_batch }));
    }
    let path = options.get_filename().to_owned();
    // An existing file keeps its mode, and setting it again would cost a write at each start.
    let writing = if path.exists() { options.clone() } else { making };
    let write = connect_patiently(writer, writing).await.map_err(|error| open_failure(&path, error))?;
    let write = SqliteConnections::new(write);
    let checkpoints = Some(Arc::new(Checkpoints::start(&path, options.clone())));
    let readers = pool_max.clamp(1, SQLITE_READERS_MAX);
    let read = pool()
        .max_connections(readers)
        .connect_lazy_with(options.pragma("query_only", "ON").pragma("cache_size", SQLITE_READ_CACHE));
    let read = SqliteConnections::new(read);
    Ok(Db::Sqlite(SqlitePools { read, write, checkpoints, open_batch }))
}

/// Processes that start together all try to change a new file to WAL. SQLite refuses all but one at once, without waiting.
async fn connect_patiently(
    pool: SqlitePoolOptions,
    options: SqliteConnectOptions,
) -> Result<SqlitePool, sqlx::Error> {
    let started = Instant::now();
    loop {
        match pool.clone().connect_with(options.clone()).await {
            Err(error) if is_busy(&error) && started.elapsed() < SQLITE_BUSY => {
                tokio::time::sleep(OPEN_RETRY).await;
            }
            other => return other,
        }
    }
}

fn is_busy(error: &sqlx::Error) -> bool {
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == "5")
}

/// SQLite reports only that it cannot open the file.
fn open_failure(path: &Path, error: sqlx::Error) -> StoreError {
    match std::fs::File::options().read(true).write(true).open(path) {
        Err(refused) if refused.kind() == std::io::ErrorKind::PermissionDenied => {
            let path = path.display();
            StoreError::unreachable(format!(
                "permission denied: {path} belongs to another user, or is read-only"
            ))
            .caused_by(refused)
        }
        _ => failure(error),
    }
}

async fn open_postgres(url: &Secret, pool_max: u32, statement_max: Duration) -> Result<Db, StoreError> {
    // 0 would mean no limit.
    let statement_ms = statement_max.as_millis().clamp(1, POSTGRES_STATEMENT_MS_MAX);
    let options = PgConnectOptions::from_str(url.expose())
        .map_err(|_| bad_address())?
        .application_name("tributary")
        .options([("statement_timeout", statement_ms)])
        .options(POSTGRES_SESSION);
    // Testing on every use would double the round trips.
    let pool = PgPoolOptions::new()
        .max_connections(pool_max.max(1))
        .acquire_timeout(POSTGRES_TURN)
        .test_before_acquire(false)
        .after_connect(|connection, _| {
            Box::pin(async move {
                match sqlx::query(POSTGRES_COMPRESSION).execute(connection).await {
                    // If the server refuses, for example because it took too long, its own method is used.
                    Ok(_) | Err(sqlx::Error::Database(_)) => Ok(()),
                    Err(error) => Err(error),
                }
            })
        })
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for > POSTGRES_REST {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .connect_with(options.clone())
        .await
        .map_err(failure)?;
    let write = PostgresConnections::new(pool);
    Ok(Db::Postgres(PostgresPools { read: write.clone(), write, monitor: monitor_pool(options) }))
}

/// One connection, opened on first use. If a hung server holds it, it is replaced.
fn monitor_pool(options: PgConnectOptions) -> Pool<Postgres> {
    PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(MONITOR_TURN)
        .after_release(|connection, _| {
            Box::pin(async move {
                let ping = tokio::time::timeout(MONITOR_TURN, connection.ping()).await;
                ping.unwrap_or(Err(sqlx::Error::PoolTimedOut)).map(|()| true)
            })
        })
        .connect_lazy_with(options)
}

/// Without a cause: the error of the parser may repeat a part of the address, which contains the password.
pub(crate) fn bad_address() -> StoreError {
    StoreError::failed(
        "its address is not valid; use sqlite:///folder/file.db or postgres://user:password@host/database",
    )
}

#[cfg(test)]
#[path = "db_tests.rs"]
mod tests;
