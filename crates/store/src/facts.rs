//! Facts about a database without the content of records. Read-only, for any schema version.

use crate::db::bad_address;
use crate::dump::quoted;
use crate::error::failure;
use domain::ports::StoreError;
use domain::secret::Secret;
use serde::Serialize;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection, SqliteConnection};
use std::str::FromStr;
use std::time::{Duration, Instant};

/// How long to wait for a process that holds the file.
const BUSY: Duration = Duration::from_secs(5);
/// Larger PostgreSQL tables are not counted; their estimate is used.
const COUNTED_BYTES_MAX: i64 = 64 * 1024 * 1024;

/// One database.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatabaseFacts {
    /// `SQLite` or `PostgreSQL`.
    pub kind: &'static str,
    pub server_version: String,
    /// Number of the newest migration; None for an empty database.
    pub migration: Option<i64>,
    pub bytes: u64,
    /// Of these, free for new records. None if unknown.
    pub free_bytes: Option<u64>,
    pub tables: Vec<TableFacts>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TableFacts {
    pub name: String,
    /// None if there was no time to count.
    pub rows: Option<u64>,
    /// The row count is the database's estimate.
    pub is_estimate: bool,
    /// Including indexes. None if unknown.
    pub bytes: Option<u64>,
}

/// Reads the facts. Rows are counted for at most `count_max`; the remaining tables have no count.
pub async fn database_facts(url: &Secret, count_max: Duration) -> Result<DatabaseFacts, StoreError> {
    match url.expose().split_once(':') {
        Some(("sqlite", _)) => of_sqlite(url, Instant::now() + count_max).await,
        Some(("postgres" | "postgresql", _)) => of_postgres(url, Instant::now() + count_max).await,
        _ => Err(bad_address()),
    }
}

async fn of_sqlite(url: &Secret, until: Instant) -> Result<DatabaseFacts, StoreError> {
    let options = SqliteConnectOptions::from_str(url.expose()).map_err(|_| bad_address())?;
    let options = options.create_if_missing(false).busy_timeout(BUSY).pragma("query_only", "ON");
    let mut file = options.connect().await.map_err(failure)?;
    let server_version =
        sqlx::query_scalar("SELECT sqlite_version()").fetch_one(&mut file).await.map_err(failure)?;
    let (pages, free, page_size): (i64, i64, i64) = sqlx::query_as(
        "SELECT page_count, freelist_count, page_size \
         FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()",
    )
    .fetch_one(&mut file)
    .await
    .map_err(failure)?;
    let names: Vec<String> = sqlx::query_scalar(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .fetch_all(&mut file)
    .await
    .map_err(failure)?;
    let migration = if names.iter().any(|name| name == "_sqlx_migrations") {
        sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
            .fetch_one(&mut file)
            .await
            .map_err(failure)?
    } else {
        None
    };
    let mut tables = Vec::new();
    for name in names {
        let rows = count_in_sqlite(&mut file, &name, until).await?;
        tables.push(TableFacts { name, rows, is_estimate: false, bytes: None });
    }
    // An abandoned count still occupies the connection.
    if Instant::now() < until {
        file.close().await.map_err(failure)?;
    }
    let bytes = |pages: i64| count(pages.saturating_mul(page_size));
    Ok(DatabaseFacts {
        kind: "SQLite",
        server_version,
        migration,
        bytes: bytes(pages),
        free_bytes: Some(bytes(free)),
        tables,
    })
}

async fn count_in_sqlite(
    file: &mut SqliteConnection,
    table: &str,
    until: Instant,
) -> Result<Option<u64>, StoreError> {
    let text = AssertSqlSafe(format!("SELECT count(*) FROM {}", quoted(table)));
    counted(sqlx::query_scalar(text).fetch_one(file), until).await
}

async fn of_postgres(url: &Secret, until: Instant) -> Result<DatabaseFacts, StoreError> {
    let mut server = PgConnection::connect(url.expose()).await.map_err(failure)?;
    // An abandoned count continues on the server for at most this many milliseconds.
    server.execute("SET statement_timeout = 30000").await.map_err(failure)?;
    let server_version =
        sqlx::query_scalar("SHOW server_version").fetch_one(&mut server).await.map_err(failure)?;
    let size: i64 = sqlx::query_scalar("SELECT pg_database_size(current_database())")
        .fetch_one(&mut server)
        .await
        .map_err(failure)?;
    let found: Vec<(String, i64, i64)> = sqlx::query_as(
        "SELECT c.relname::TEXT, c.reltuples::BIGINT, pg_total_relation_size(c.oid) FROM pg_class c \
         JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') ORDER BY 1",
    )
    .fetch_all(&mut server)
    .await
    .map_err(failure)?;
    let migration = if found.iter().any(|(name, ..)| name == "_sqlx_migrations") {
        sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
            .fetch_one(&mut server)
            .await
            .map_err(failure)?
    } else {
        None
    };
    let mut tables = Vec::new();
    for (name, estimate, bytes) in found {
        let is_estimate = bytes > COUNTED_BYTES_MAX;
        let rows = if is_estimate {
            // Negative: never analyzed.
            u64::try_from(estimate).ok()
        } else {
            let text = AssertSqlSafe(format!("SELECT count(*) FROM {}", quoted(&name)));
            counted(sqlx::query_scalar(text).fetch_one(&mut server), until).await?
        };
        tables.push(TableFacts { name, rows, is_estimate, bytes: Some(count(bytes)) });
    }
    Ok(DatabaseFacts {
        kind: "PostgreSQL",
        server_version,
        migration,
        bytes: count(size),
        free_bytes: None,
        tables,
    })
}

/// None if the time is up.
async fn counted(
    rows: impl Future<Output = Result<i64, sqlx::Error>>,
    until: Instant,
) -> Result<Option<u64>, StoreError> {
    if Instant::now() >= until {
        return Ok(None);
    }
    match tokio::time::timeout_at(until.into(), rows).await {
        Ok(rows) => rows.map(|rows| Some(count(rows))).map_err(failure),
        Err(_) => Ok(None),
    }
}

fn count(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}
