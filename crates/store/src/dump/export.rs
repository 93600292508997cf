//! Exports all records as of one moment, while others write.

use super::error::{DumpError, of_sqlx};
use super::table::{
    ColumnKind, DumpColumn, DumpRow, DumpTable, canonical_time, known_tables, quoted, to_base64,
};
use crate::db::bad_address;
use crate::json_block::{is_compressed, json_of};
use crate::migrations;
use domain::secret::Secret;
use futures_util::TryStreamExt;
use sqlx::sqlite::{SqliteConnectOptions, SqliteRow};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection, Row, TypeInfo, ValueRef};
use std::borrow::Cow;
use std::str::FromStr;
use std::time::Duration;

/// How long to wait for a process that holds the SQLite file.
const SQLITE_BUSY: Duration = Duration::from_secs(30);

/// Receives the rows of [`export`].
pub trait DumpSink: Send {
    /// Starts a table.
    fn begin(&mut self, table: &DumpTable) -> std::io::Result<()>;
    fn row(&mut self, row: &DumpRow) -> std::io::Result<()>;
    fn end(&mut self) -> std::io::Result<()>;
}

/// Sends all records to the sink as of one moment; returns their schema version.
pub async fn export(url: &Secret, sink: &mut dyn DumpSink) -> Result<i64, DumpError> {
    match url.expose().split_once(':') {
        Some(("sqlite", _)) => export_sqlite(url, sink).await,
        Some(("postgres" | "postgresql", _)) => export_postgres(url, sink).await,
        _ => Err(bad_address().into()),
    }
}

async fn export_sqlite(url: &Secret, sink: &mut dyn DumpSink) -> Result<i64, DumpError> {
    let options = SqliteConnectOptions::from_str(url.expose()).map_err(|_| bad_address())?;
    let options = options.create_if_missing(false).busy_timeout(SQLITE_BUSY).pragma("query_only", "ON");
    let mut connection = options.connect().await.map_err(of_sqlx)?;
    // The first read of a transaction fixes the snapshot.
    connection.execute("BEGIN").await.map_err(of_sqlx)?;
    let schema = schema(&mut connection).await?;
    for name in known_tables() {
        let columns: Vec<(String, String)> =
            sqlx::query_as("SELECT name, type FROM pragma_table_info($1) ORDER BY cid")
                .bind(name)
                .fetch_all(&mut connection)
                .await
                .map_err(of_sqlx)?;
        if columns.is_empty() {
            continue;
        }
        let last_id: Option<i64> = sqlx::query_scalar("SELECT seq FROM sqlite_sequence WHERE name = $1")
            .bind(name)
            .fetch_optional(&mut connection)
            .await
            .map_err(of_sqlx)?;
        let table = dump_table(name, columns, last_id);
        let list: Vec<String> = table.columns.iter().map(|column| quoted(&column.name)).collect();
        let select = format!("SELECT {} FROM {}{}", list.join(", "), quoted(name), order(&table));
        sink.begin(&table)?;
        let mut rows = sqlx::query(AssertSqlSafe(select)).fetch(&mut connection);
        while let Some(row) = rows.try_next().await.map_err(of_sqlx)? {
            sink.row(&sqlite_texts(&table, &row)?)?;
        }
        drop(rows);
        sink.end()?;
    }
    connection.close().await.map_err(of_sqlx)?;
    Ok(schema)
}

async fn export_postgres(url: &Secret, sink: &mut dyn DumpSink) -> Result<i64, DumpError> {
    let mut connection = PgConnection::connect(url.expose()).await.map_err(of_sqlx)?;
    connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await.map_err(of_sqlx)?;
    // A large table may take long.
    connection.execute("SET LOCAL statement_timeout = 0").await.map_err(of_sqlx)?;
    let schema = schema(&mut connection).await?;
    for name in known_tables() {
        let columns: Vec<(String, String)> = sqlx::query_as(
            "SELECT CAST(column_name AS TEXT), CAST(data_type AS TEXT) FROM information_schema.columns \
             WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position",
        )
        .bind(name)
        .fetch_all(&mut connection)
        .await
        .map_err(of_sqlx)?;
        if columns.is_empty() {
            continue;
        }
        let mut table = dump_table(name, columns, None);
        if table.columns.iter().any(|column| column.name == "id") {
            table.last_id = sqlx::query_scalar(
                "SELECT pg_sequence_last_value(CAST(pg_get_serial_sequence($1, 'id') AS regclass))",
            )
            .bind(name)
            .fetch_one(&mut connection)
            .await
            .map_err(of_sqlx)?;
        }
        let list: Vec<String> =
            table.columns.iter().map(|column| column.kind.postgres_text(&quoted(&column.name))).collect();
        let select = format!("SELECT {} FROM {}{}", list.join(", "), quoted(name), order(&table));
        sink.begin(&table)?;
        let mut rows = sqlx::query(AssertSqlSafe(select)).fetch(&mut connection);
        while let Some(row) = rows.try_next().await.map_err(of_sqlx)? {
            sink.row(&postgres_texts(&table, &row)?)?;
        }
        drop(rows);
        sink.end()?;
    }
    connection.close().await.map_err(of_sqlx)?;
    Ok(schema)
}

/// The newest migration of the database.
async fn schema<'c, E>(connection: E) -> Result<i64, DumpError>
where
    E: Executor<'c>,
    i64: sqlx::Type<E::Database> + for<'r> sqlx::Decode<'r, E::Database>,
    for<'q> <E::Database as sqlx::Database>::Arguments: sqlx::IntoArguments<E::Database>,
    usize: sqlx::ColumnIndex<<E::Database as sqlx::Database>::Row>,
{
    let newest: Option<i64> = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(connection)
        .await
        .map_err(of_sqlx)?;
    let newest = newest.ok_or_else(|| DumpError::Unfit("the database holds nothing of ours".to_owned()))?;
    if newest > migrations::newest() { Err(DumpError::Newer(newest)) } else { Ok(newest) }
}

fn dump_table(name: &str, columns: Vec<(String, String)>, last_id: Option<i64>) -> DumpTable {
    let column =
        |(name, declared): (String, String)| DumpColumn { name, kind: ColumnKind::of_declared(&declared) };
    DumpTable { name: name.to_owned(), columns: columns.into_iter().map(column).collect(), last_id }
}

/// Records with ids are sorted by id, which verification of the audit log needs. The table is named, because a bare
/// `"id"` would be the text of the select list, where 10 comes before 2.
fn order(table: &DumpTable) -> String {
    if table.columns.iter().any(|column| column.name == "id") {
        format!(" ORDER BY {}.\"id\"", quoted(&table.name))
    } else {
        String::new()
    }
}

fn sqlite_texts(table: &DumpTable, row: &SqliteRow) -> Result<DumpRow, DumpError> {
    let text = |(index, column): (usize, &DumpColumn)| {
        let value = row.try_get_raw(index).map_err(of_sqlx)?;
        if value.is_null() {
            return Ok(None);
        }
        let kind = value.type_info().name().to_owned();
        // Unchecked: a column declared BOOLEAN or TEXT is read as stored.
        let text = match kind.as_str() {
            "INTEGER" | "BOOLEAN" => row.try_get_unchecked::<i64, _>(index).map(|number| number.to_string()),
            "REAL" => row.try_get_unchecked::<f64, _>(index).map(|number| number.to_string()),
            "BLOB" if is_compressed(&table.name, &column.name) => {
                row.try_get_unchecked::<Vec<u8>, _>(index).map(|block| text_of_block(&block))
            }
            "BLOB" => row.try_get_unchecked::<Vec<u8>, _>(index).map(|bytes| to_base64(&bytes)),
            _ => row.try_get_unchecked::<String, _>(index),
        };
        text.map(Some).map_err(of_sqlx)
    };
    table.columns.iter().enumerate().map(text).collect()
}

/// The JSON of a compressed value. A damaged one must not prevent a dump: it becomes a JSON string of its bytes, which is
/// not readable as a list of results either.
fn text_of_block(block: &[u8]) -> String {
    let damaged = |_| serde_json::Value::from(to_base64(block)).to_string();
    json_of(block).map_or_else(damaged, Cow::into_owned)
}

fn postgres_texts(table: &DumpTable, row: &sqlx::postgres::PgRow) -> Result<DumpRow, DumpError> {
    let text = |(index, column): (usize, &DumpColumn)| {
        let text: Option<String> = row.try_get(index).map_err(of_sqlx)?;
        match (column.kind, text) {
            (ColumnKind::Time, Some(text)) => canonical_time(&text).map(Some),
            (_, text) => Ok(text),
        }
    };
    table.columns.iter().enumerate().map(text).collect()
}
