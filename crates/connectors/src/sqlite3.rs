//! Sqlite3 connector: an SQLite file, queried read-only with bound values.

use crate::shared::check::{add_error, read_notations};
use crate::shared::database::{Rows, SqlQuery, SqlRequest, in_time, too_late};
use crate::shared::dialect::Dialect;
use crate::shared::found_rows::FoundRows;
use crate::shared::rows;
use crate::shared::sqlite_file::{self, Refusal};
use crate::shared::statement::Template;
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, NormalizedPage, OwnDatabase,
    PluginContext, ProviderQuery, ResultOrigin, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::settings::PluginSettings;
use domain::validation::FieldErrors;
use futures_util::TryStreamExt;
use serde_json::Value;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Row};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Sqlite3",
    module: "sqlite3",
    summary: "An SQLite file, queried with an SQL statement.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: &["url", "query_template", "query_mappings", "result_mappings", "results_per_query"],
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Db,
    test_target: TestTarget::Product("SQLite"),
    check,
    build,
};

/// How many virtual machine instructions run between two checks of the deadline.
const STEPS_PER_LOOK: i32 = 10_000;

struct Sqlite3 {
    file: PathBuf,
    sql_query: SqlQuery,
    settings: Arc<PluginSettings>,
    own_database: Arc<OwnDatabase>,
}

impl fmt::Debug for Sqlite3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sqlite3").field("file", &self.file).finish_non_exhaustive()
    }
}

fn check(provider: &SearchProvider) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let notations = read_notations(provider, &mut errors);
    if let Err(sentence) = sqlite_file::plain_path(&provider.spec.url) {
        errors.add("url", sentence);
    }
    let mappings = &notations.query_mappings;
    if let Err(error) = Template::parse(&provider.spec.query_template, mappings, Dialect::Sqlite) {
        add_error(&mut errors, error);
    }
    errors
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let sql_query = SqlQuery::of(provider, Dialect::Sqlite)?;
    let file = sqlite_file::check(&provider.spec.url, &context.settings)
        .map_err(|error| ConnectorError::of_syntax("url", error))?;
    // A file may follow later.
    if let Err(refusal @ (Refusal::Outside | Refusal::OwnData)) =
        sqlite_file::resolve(&file, &context.settings, &context.own_database)
    {
        return Err(ConnectorError { field: Some("url"), ..refused(&file, refusal) });
    }
    let (settings, own_database) = (Arc::clone(&context.settings), Arc::clone(&context.own_database));
    Ok(Sqlite3 { file, sql_query, settings, own_database }.boxed())
}

impl TypedConnector for Sqlite3 {
    type Request = SqlRequest;
    type Response = FoundRows;

    fn capability(&self) -> Capability {
        self.sql_query.capability()
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SqlRequest, ConnectorError> {
        self.sql_query.construct(query)
    }

    async fn execute(&self, request: &SqlRequest) -> Result<FoundRows, ConnectorError> {
        in_time(request.time_max, self.ask(request)).await
    }

    fn normalize(&self, response: FoundRows) -> Result<NormalizedPage, ConnectorError> {
        Ok(response.into_page())
    }
}

impl Sqlite3 {
    /// The file is resolved again for each query, because the target of a path may have changed since it was saved.
    async fn permitted(&self) -> Result<PathBuf, ConnectorError> {
        let (settings, own_database) = (Arc::clone(&self.settings), Arc::clone(&self.own_database));
        let file = self.file.clone();
        let resolved = tokio::task::spawn_blocking(move || {
            sqlite_file::resolve(&file, &settings, &own_database).map_err(|refusal| refused(&file, refusal))
        });
        let failed = ConnectorError::new(ConnectorErrorKind::Unavailable, "the file could not be opened");
        resolved.await.map_err(|error| failed.caused_by(error))?
    }

    async fn ask(&self, request: &SqlRequest) -> Result<FoundRows, ConnectorError> {
        let SqlRequest { text, count_text, values, rows_max, time_max } = request;
        let mut connection = open(&self.permitted().await?, *time_max).await?;
        let rows = read(&mut connection, text, values, *rows_max).await;
        let answer = match rows {
            Ok(rows) if rows.len() < *rows_max as usize => Ok((rows.len() as u64, rows)),
            Ok(rows) => {
                let counted = match count_text {
                    Some(count_text) => count(&mut connection, count_text, values).await,
                    None => Ok(0),
                };
                counted.map(|found| (found.max(rows.len() as u64), rows))
            }
            Err(error) => Err(error),
        };
        // The rows are already read; a failure to close the file does not change them.
        let _ = connection.close().await;
        answer.map(|(found, rows)| FoundRows { found, rows, missing: None })
    }
}

/// Opens the file read-only. It is not opened as immutable, because other programs may change it meanwhile.
async fn open(file: &Path, time_max: Duration) -> Result<SqliteConnection, ConnectorError> {
    let options = SqliteConnectOptions::new()
        .filename(file)
        .read_only(true)
        .busy_timeout(time_max)
        .pragma("query_only", "ON")
        // Views and triggers of the file may call no function with side effects.
        .pragma("trusted_schema", "OFF");
    let mut connection = options.disable_statement_logging().connect().await.map_err(failed)?;
    // A timeout alone would leave the statement running in its thread.
    let until = Instant::now() + time_max;
    connection
        .lock_handle()
        .await
        .map_err(failed)?
        .set_progress_handler(STEPS_PER_LOOK, move || Instant::now() < until);
    Ok(connection)
}

fn refused(file: &Path, refusal: Refusal) -> ConnectorError {
    let file = file.display();
    let message = match refusal {
        Refusal::Missing => format!("the database file '{file}' does not exist"),
        Refusal::Outside => {
            format!("the database file '{file}' is outside of the folders in SVC_SQLITE_ALLOW")
        }
        Refusal::OwnData => {
            format!("the database file '{file}' belongs to this service and cannot be searched")
        }
    };
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, message)
}

async fn read(
    connection: &mut SqliteConnection,
    text: &str,
    values: &[String],
    rows_max: u32,
) -> Result<Vec<Value>, ConnectorError> {
    let mut stream = statement(text, values).fetch(connection);
    let mut read = Rows::default();
    while let Some(row) = stream.try_next().await.map_err(failed)? {
        read.push(rows::to_object(&row).map_err(failed)?)?;
        if read.rows.len() >= rows_max as usize {
            break;
        }
    }
    Ok(read.rows)
}

async fn count(
    connection: &mut SqliteConnection,
    text: &str,
    values: &[String],
) -> Result<u64, ConnectorError> {
    let row = statement(text, values).fetch_optional(connection).await.map_err(failed)?;
    let number = row.map(|row| row.try_get_unchecked::<i64, _>(0)).transpose().map_err(failed)?;
    Ok(u64::try_from(number.unwrap_or(0)).unwrap_or(0))
}

type BoundStatement<'q> = sqlx::query::Query<'q, sqlx::Sqlite, sqlx::sqlite::SqliteArguments>;

/// The text comes from the administrator's template with checked names; the query is only in the values.
fn statement<'q>(text: &str, values: &'q [String]) -> BoundStatement<'q> {
    let query = sqlx::query(AssertSqlSafe(text.to_owned())).persistent(false);
    values.iter().fold(query, |query, value| query.bind(value.as_str()))
}

fn failed(error: sqlx::Error) -> ConnectorError {
    let sqlx::Error::Database(cause) = &error else {
        let message = format!("the database failed: {error}");
        return ConnectorError::new(ConnectorErrorKind::Unavailable, message).caused_by(error);
    };
    let kind = match cause.code().as_deref() {
        // SQLITE_INTERRUPT: the deadline check stopped it.
        Some("9") => return too_late(),
        // SQLITE_BUSY and SQLITE_LOCKED.
        Some("5" | "6") => ConnectorErrorKind::Unavailable,
        // SQLITE_CORRUPT and SQLITE_NOTADB.
        Some("11" | "26") => ConnectorErrorKind::Unreadable,
        _ if cause.message().contains("no such table") => ConnectorErrorKind::PlaceUnknown,
        _ if cause.message().contains("fts5:") => ConnectorErrorKind::QueryInvalid,
        _ => ConnectorErrorKind::ConfigInvalid,
    };
    let message = format!("the database refused the statement: {}", cause.message());
    ConnectorError::new(kind, message).caused_by(error)
}
