//! Imports a dump into a new SQLite file or a new PostgreSQL schema, which replaces the old one at the end.

use super::error::{DumpError, of_sqlx};
use super::requeue_orphaned_runs::requeue_orphaned_runs;
use super::table::{ColumnKind, DumpRow, DumpTable, from_base64, known_tables, quoted};
use super::target::Target;
use crate::db::bad_address;
use crate::error::migration_failure;
use crate::json_block::{JsonCompressor, is_compressed, keys_in};
use crate::migrations;
use domain::instant::Instant;
use domain::secret::Secret;
use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::{SqliteAutoVacuum, SqliteConnectOptions, SqliteJournalMode};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection, SqliteConnection};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The schema in which a dump is imported before it replaces the old one.
const NEW_SCHEMA: &str = "tributary_restore";
/// A worker seen within this many seconds may still run.
const HEARD_S: f64 = 30.0;

/// The current state of an import's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TargetState {
    /// Schema version of the existing records.
    pub schema: Option<i64>,
    /// A worker was seen a moment ago.
    pub is_in_use: bool,
}

/// Inspects the target of an import without changing it.
pub async fn target_state(url: &Secret) -> Result<TargetState, DumpError> {
    match url.expose().split_once(':') {
        Some(("sqlite", _)) => {
            let options = SqliteConnectOptions::from_str(url.expose()).map_err(|_| bad_address())?;
            if !options.get_filename().exists() {
                return Ok(TargetState::default());
            }
            let mut file = options.create_if_missing(false).connect().await.map_err(of_sqlx)?;
            let there: Option<i64> = sqlx::query_scalar(
                "SELECT count(*) FROM sqlite_master WHERE name = '_sqlx_migrations' HAVING count(*) > 0",
            )
            .fetch_optional(&mut file)
            .await
            .map_err(of_sqlx)?;
            let newest: Option<i64> = match there {
                None => None,
                Some(_) => sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
                    .fetch_one(&mut file)
                    .await
                    .map_err(of_sqlx)?,
            };
            file.close().await.map_err(of_sqlx)?;
            Ok(TargetState { schema: newest, is_in_use: false })
        }
        Some(("postgres" | "postgresql", _)) => postgres_state(url).await,
        _ => Err(bad_address().into()),
    }
}

async fn postgres_state(url: &Secret) -> Result<TargetState, DumpError> {
    let mut connection = PgConnection::connect(url.expose()).await.map_err(of_sqlx)?;
    let is_there = |name: &'static str| {
        sqlx::query_scalar::<_, bool>(
            "SELECT EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema() AND tablename = $1)",
        )
        .bind(name)
    };
    let mut state = TargetState::default();
    if is_there("_sqlx_migrations").fetch_one(&mut connection).await.map_err(of_sqlx)? {
        state.schema = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
            .fetch_one(&mut connection)
            .await
            .map_err(of_sqlx)?;
    }
    if is_there("workers").fetch_one(&mut connection).await.map_err(of_sqlx)? {
        state.is_in_use = sqlx::query_scalar(
            "SELECT EXISTS (SELECT 1 FROM workers WHERE last_seen > now() - make_interval(secs => $1))",
        )
        .bind(HEARD_S)
        .fetch_one(&mut connection)
        .await
        .map_err(of_sqlx)?;
    }
    connection.close().await.map_err(of_sqlx)?;
    Ok(state)
}

/// An import in progress. Dropped before [`Importer::finish`], it changes nothing.
pub struct Importer {
    target: Target,
    /// The insert statement of the current table, the kinds of its columns, and which of them SQLite compresses.
    insert: String,
    kinds: Vec<ColumnKind>,
    compressed: Vec<bool>,
    compressor: JsonCompressor,
}

impl Importer {
    /// Prepares an empty database with the dump's schema version next to the existing one.
    pub async fn begin(url: &Secret, schema: i64) -> Result<Self, DumpError> {
        if schema > migrations::newest() {
            return Err(DumpError::Newer(schema));
        }
        let target = match url.expose().split_once(':') {
            Some(("sqlite", _)) => begin_sqlite(url, schema).await?,
            Some(("postgres" | "postgresql", _)) => begin_postgres(url, schema).await?,
            _ => return Err(bad_address().into()),
        };
        let compressor = JsonCompressor::new()?;
        Ok(Self { target, insert: String::new(), kinds: Vec::new(), compressed: Vec::new(), compressor })
    }

    /// Starts a table. Rows that migrations wrote into it are removed.
    pub async fn table(&mut self, table: &DumpTable) -> Result<(), DumpError> {
        if !known_tables().contains(&table.name.as_str()) {
            return Err(DumpError::Unfit(format!("there is no table '{}'", table.name)));
        }
        let kinds = self.kinds_of(&table.name).await?;
        let kind = |name: &str| {
            let missing = || DumpError::Unfit(format!("table '{}' has no column '{name}'", table.name));
            kinds.get(name).copied().ok_or_else(missing)
        };
        self.kinds = table.columns.iter().map(|column| kind(&column.name)).collect::<Result<_, _>>()?;
        self.compressed =
            table.columns.iter().map(|column| is_compressed(&table.name, &column.name)).collect();
        let names: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
        let (into, columns) = (quoted(&table.name), names.join(", "));
        let delete = AssertSqlSafe(format!("DELETE FROM {into}"));
        match &mut self.target {
            Target::Sqlite { connection, .. } => {
                connection.execute(delete).await.map_err(of_sqlx)?;
                let marks: Vec<String> = (1..=names.len()).map(|number| format!("${number}")).collect();
                self.insert = format!("INSERT INTO {into} ({columns}) VALUES ({})", marks.join(", "));
            }
            Target::Postgres(connection) => {
                connection.execute(delete).await.map_err(of_sqlx)?;
                let count = names.len();
                let values: Vec<String> = (0..count)
                    .map(|index| self.kinds[index].postgres_value(&format!("given.c{index}")))
                    .collect();
                let arrays: Vec<String> =
                    (1..=count).map(|number| format!("CAST(${number} AS TEXT[])")).collect();
                let aliases: Vec<String> = (0..count).map(|index| format!("c{index}")).collect();
                self.insert = format!(
                    "INSERT INTO {into} ({columns}) SELECT {} FROM UNNEST({}) AS given({})",
                    values.join(", "),
                    arrays.join(", "),
                    aliases.join(", ")
                );
            }
        }
        self.set_last_id(table).await
    }

    /// Writes rows of the current table.
    pub async fn rows(&mut self, rows: &[DumpRow]) -> Result<(), DumpError> {
        if let Some(wrong) = rows.iter().find(|row| row.len() != self.kinds.len()) {
            let (found, wanted) = (wrong.len(), self.kinds.len());
            return Err(DumpError::Unfit(format!("a row has {found} values instead of {wanted}")));
        }
        match &mut self.target {
            Target::Sqlite { connection, .. } => {
                for row in rows {
                    let blocks = blocks_of(row, &self.compressed, &mut self.compressor)?;
                    insert_sqlite(connection, &self.insert, &self.kinds, row, blocks).await?;
                }
            }
            Target::Postgres(connection) => {
                let mut query = sqlx::query(AssertSqlSafe(self.insert.clone()));
                for index in 0..self.kinds.len() {
                    let column: Vec<Option<&str>> = rows.iter().map(|row| row[index].as_deref()).collect();
                    query = query.bind(column);
                }
                query.execute(connection).await.map_err(of_sqlx)?;
            }
        }
        Ok(())
    }

    /// Migrates the dump to this version, creates missing tasks, and replaces the old database. Returns
    /// the number of searches that got a task.
    pub async fn finish(mut self, now: Instant) -> Result<usize, DumpError> {
        self.target.migrate().await?;
        self.target.forget_folder().await?;
        let renewed = requeue_orphaned_runs(&mut self.target, now).await?;
        match self.target {
            Target::Sqlite { connection, new, place } => {
                connection.close().await.map_err(of_sqlx)?;
                settle(&place).await;
                std::fs::File::open(&new)?.sync_all()?;
                std::fs::rename(&new, &place)?;
            }
            Target::Postgres(mut connection) => {
                swap_schemas(&mut connection).await?;
                connection.close().await.map_err(of_sqlx)?;
            }
        }
        Ok(renewed)
    }

    async fn kinds_of(&mut self, table: &str) -> Result<BTreeMap<String, ColumnKind>, DumpError> {
        let columns: Vec<(String, String)> = match &mut self.target {
            Target::Sqlite { connection, .. } => {
                sqlx::query_as("SELECT name, type FROM pragma_table_info($1)")
                    .bind(table)
                    .fetch_all(connection)
                    .await
            }
            Target::Postgres(connection) => sqlx::query_as(
                "SELECT CAST(column_name AS TEXT), CAST(data_type AS TEXT) FROM information_schema.columns \
                     WHERE table_schema = current_schema() AND table_name = $1",
            )
            .bind(table)
            .fetch_all(connection)
            .await,
        }
        .map_err(of_sqlx)?;
        Ok(columns.into_iter().map(|(name, kind)| (name, ColumnKind::of_declared(&kind))).collect())
    }

    async fn set_last_id(&mut self, table: &DumpTable) -> Result<(), DumpError> {
        let Some(last_id) = table.last_id else { return Ok(()) };
        match &mut self.target {
            Target::Sqlite { connection, .. } => {
                let gone = sqlx::query("DELETE FROM sqlite_sequence WHERE name = $1").bind(&table.name);
                gone.execute(&mut *connection).await.map_err(of_sqlx)?;
                sqlx::query("INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)")
                    .bind(&table.name)
                    .bind(last_id)
                    .execute(connection)
                    .await
                    .map_err(of_sqlx)?;
            }
            Target::Postgres(connection) => {
                sqlx::query("SELECT setval(CAST(pg_get_serial_sequence($1, 'id') AS regclass), $2)")
                    .bind(&table.name)
                    .bind(last_id)
                    .execute(connection)
                    .await
                    .map_err(of_sqlx)?;
            }
        }
        Ok(())
    }
}

async fn begin_sqlite(url: &Secret, schema: i64) -> Result<Target, DumpError> {
    let options = SqliteConnectOptions::from_str(url.expose()).map_err(|_| bad_address())?;
    let place = options.get_filename().to_owned();
    let new = beside(&place, ".restoring");
    for ending in ["", "-wal", "-shm", "-journal"] {
        let _of_an_earlier_try = std::fs::remove_file(beside(&new, ending));
    }
    // Without a write-ahead log: the file alone is the whole database, and an unfinished one is deleted.
    let options = options
        .filename(&new)
        .create_if_missing(true)
        .auto_vacuum(SqliteAutoVacuum::Incremental)
        .journal_mode(SqliteJournalMode::Memory)
        .foreign_keys(true);
    let mut connection = options.connect().await.map_err(of_sqlx)?;
    let migrator = migrations::migrator_to(migrations::SQLITE, schema);
    migrator.run(&mut connection).await.map_err(migration_failure)?;
    connection.execute("BEGIN IMMEDIATE").await.map_err(of_sqlx)?;
    Ok(Target::Sqlite { connection, new, place })
}

async fn begin_postgres(url: &Secret, schema: i64) -> Result<Target, DumpError> {
    let options = PgConnectOptions::from_str(url.expose()).map_err(|_| bad_address())?;
    let mut connection = options.connect().await.map_err(of_sqlx)?;
    let home: String = sqlx::query_scalar("SELECT CAST(current_schema() AS TEXT)")
        .fetch_one(&mut connection)
        .await
        .map_err(of_sqlx)?;
    let prepare = format!(
        "DROP SCHEMA IF EXISTS {NEW_SCHEMA} CASCADE; CREATE SCHEMA {NEW_SCHEMA}; \
         SET search_path = {NEW_SCHEMA}, {}; SET statement_timeout = 0",
        quoted(&home)
    );
    sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut connection).await.map_err(of_sqlx)?;
    let migrator = migrations::migrator_to(migrations::POSTGRES, schema);
    migrator.run(&mut connection).await.map_err(migration_failure)?;
    connection.execute("BEGIN").await.map_err(of_sqlx)?;
    Ok(Target::Postgres(connection))
}

/// Replaces the old tables in one transaction.
async fn swap_schemas(connection: &mut PgConnection) -> Result<(), DumpError> {
    let home: String = sqlx::query_scalar("SELECT CAST((current_schemas(false))[2] AS TEXT)")
        .fetch_one(&mut *connection)
        .await
        .map_err(of_sqlx)?;
    let home = quoted(&home);
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = current_schema()",
    )
    .fetch_all(&mut *connection)
    .await
    .map_err(of_sqlx)?;
    let mut swap = String::from("BEGIN;");
    for table in tables.iter().map(|table| quoted(table)) {
        swap.push_str(&format!(
            " DROP TABLE IF EXISTS {home}.{table} CASCADE; ALTER TABLE {NEW_SCHEMA}.{table} SET SCHEMA {home};"
        ));
    }
    swap.push_str(&format!(" DROP SCHEMA {NEW_SCHEMA} CASCADE; COMMIT"));
    sqlx::raw_sql(AssertSqlSafe(swap)).execute(connection).await.map_err(of_sqlx)?;
    Ok(())
}

/// The values of the row that are stored as blocks.
fn blocks_of(
    row: &DumpRow,
    compressed: &[bool],
    compressor: &mut JsonCompressor,
) -> Result<Vec<Option<Vec<u8>>>, DumpError> {
    let mut blocks = Vec::with_capacity(row.len());
    for (text, is_compressed) in row.iter().zip(compressed) {
        blocks.push(match text {
            Some(text) if *is_compressed => compressor.compress(text.as_bytes(), &keys_in(text))?,
            _ => None,
        });
    }
    Ok(blocks)
}

async fn insert_sqlite(
    connection: &mut SqliteConnection,
    insert: &str,
    kinds: &[ColumnKind],
    row: &DumpRow,
    blocks: Vec<Option<Vec<u8>>>,
) -> Result<(), DumpError> {
    let unfit = |_| DumpError::Unfit("a number is not readable".to_owned());
    let mut query = sqlx::query(AssertSqlSafe(insert.to_owned()));
    for ((kind, text), block) in kinds.iter().zip(row).zip(blocks) {
        query = match (kind, text) {
            _ if block.is_some() => query.bind(block),
            (_, None) => query.bind(None::<String>),
            (ColumnKind::Boolean | ColumnKind::Integer, Some(text)) => query.bind(
                text.parse::<i64>().map_err(|_| DumpError::Unfit("a number is not readable".to_owned()))?,
            ),
            (ColumnKind::Real, Some(text)) => query.bind(text.parse::<f64>().map_err(unfit)?),
            (ColumnKind::Bytes, Some(text)) => query.bind(from_base64(text)?),
            (_, Some(text)) => query.bind(text.as_str()),
        };
    }
    query.execute(connection).await.map_err(of_sqlx)?;
    Ok(())
}

/// Removes the write-ahead log of the old file, merging it if possible: otherwise it would be read as part of the new
/// file.
async fn settle(place: &Path) {
    if place.exists() {
        let options = SqliteConnectOptions::new().filename(place).create_if_missing(false);
        if let Ok(mut old) = options.connect().await {
            let _what_can_be_done = old.execute("PRAGMA wal_checkpoint(TRUNCATE)").await;
            let _closed_anyway = old.close().await;
        }
    }
    for ending in ["-wal", "-shm"] {
        let _gone_already = std::fs::remove_file(beside(place, ending));
    }
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}
