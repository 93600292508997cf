//! PostgreSQL driver: each query runs in a read-only transaction with a statement timeout.

use super::connection_pool::ConnectionPool;
use super::database::{DatabaseTarget, Rows, too_late};
use super::driver::Driver;
use super::dsn::{DsnForm, Tls};
use super::own_data::OwnPostgres;
use async_trait::async_trait;
use domain::bounded_json::parse_answer;
use domain::ports::{AddressResolver, ConnectorError, ConnectorErrorKind, PluginContext};
use futures_util::TryStreamExt;
use serde_json::Value;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgSslMode};
use sqlx::{AssertSqlSafe, ConnectOptions, PgConnection, Row};
use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

const OWN_DATABASE: &str = "This database belongs to this service and cannot be searched.";

pub const FORM: DsnForm = DsnForm { schemes: &["postgres", "postgresql"], port: 5432 };

pub struct Postgres {
    target: DatabaseTarget,
    resolver: Arc<dyn AddressResolver>,
    own: Option<OwnPostgres>,
}

impl Postgres {
    /// Rejects the database of the service itself.
    pub fn new(target: DatabaseTarget, context: &PluginContext) -> Result<Self, ConnectorError> {
        let own = OwnPostgres::of(&context.own_database);
        if own.as_ref().is_some_and(|own| own.is(&target.dsn)) {
            return Err(ConnectorError::in_field("url", OWN_DATABASE));
        }
        Ok(Self { target, resolver: Arc::clone(&context.resolver), own })
    }
}

impl fmt::Debug for Postgres {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Postgres").field("target", &self.target.dsn).finish_non_exhaustive()
    }
}

#[async_trait]
impl Driver for Postgres {
    type Connection = PgConnection;

    fn target(&self) -> &DatabaseTarget {
        &self.target
    }

    fn pool() -> &'static ConnectionPool<PgConnection> {
        static POOL: LazyLock<ConnectionPool<PgConnection>> = LazyLock::new(ConnectionPool::new);
        &POOL
    }

    async fn open(&self) -> Result<PgConnection, ConnectorError> {
        self.resolver.admit(&self.target.dsn.origin("postgres")).await?;
        if let Some(own) = &self.own
            && own.is_behind(&self.target.dsn).await
        {
            return Err(ConnectorError::new(ConnectorErrorKind::ConfigInvalid, OWN_DATABASE));
        }
        options(&self.target).connect().await.map_err(|error| self.failed(error))
    }

    async fn begin(&self, connection: &mut PgConnection, time_max: Duration) -> Result<(), ConnectorError> {
        begin(connection, time_max).await.map_err(|error| self.failed(error))
    }

    async fn read(
        &self,
        connection: &mut PgConnection,
        text: &str,
        values: &[String],
        rows_max: u32,
    ) -> Result<Vec<Value>, ConnectorError> {
        // PostgreSQL converts the rows to JSON, so that all column types are supported.
        let text = format!("select row_to_json(answer)::text from ({text}) answer");
        let mut stream = statement(&text, values).fetch(connection);
        let mut read = Rows::default();
        while let Some(row) = stream.try_next().await.map_err(|error| self.failed(error))? {
            let row: String = row.try_get(0).map_err(|error| self.failed(error))?;
            read.push(parse_answer(row.as_bytes()).unwrap_or(Value::Null))?;
            if read.rows.len() >= rows_max as usize {
                break;
            }
        }
        Ok(read.rows)
    }

    async fn count(
        &self,
        connection: &mut PgConnection,
        text: &str,
        values: &[String],
    ) -> Result<u64, ConnectorError> {
        let text = format!("select coalesce(sum(number), 0)::bigint from ({text}) counted(number)");
        let row = statement(&text, values).fetch_one(connection).await.map_err(|error| self.failed(error))?;
        let number: i64 = row.try_get(0).map_err(|error| self.failed(error))?;
        Ok(u64::try_from(number).unwrap_or(0))
    }

    async fn end(&self, connection: &mut PgConnection) -> bool {
        sqlx::raw_sql("rollback").execute(connection).await.is_ok()
    }
}

impl Postgres {
    fn failed(&self, error: sqlx::Error) -> ConnectorError {
        self.explained(&error).caused_by(error)
    }

    fn explained(&self, error: &sqlx::Error) -> ConnectorError {
        let host = &self.target.dsn.host;
        let new = |kind, message: String| ConnectorError::new(kind, message);
        match error {
            sqlx::Error::Database(cause) => {
                let message_text = cause.message().lines().next().unwrap_or_default();
                let (kind, message) = match cause.code().as_deref() {
                    Some("57014") => return too_late(),
                    Some("28P01" | "28000") => (
                        ConnectorErrorKind::Denied,
                        format!("{host} refused the user '{}' or the password", self.target.user),
                    ),
                    Some("3D000" | "42P01" | "3F000") => {
                        (ConnectorErrorKind::PlaceUnknown, message_text.to_owned())
                    }
                    Some("42501") => (ConnectorErrorKind::Denied, message_text.to_owned()),
                    Some(code) if code.starts_with("53") || code.starts_with("57P") => {
                        (ConnectorErrorKind::Unavailable, message_text.to_owned())
                    }
                    _ => (
                        ConnectorErrorKind::ConfigInvalid,
                        format!("the database refused the statement: {message_text}"),
                    ),
                };
                new(kind, message)
            }
            sqlx::Error::Tls(cause) => new(
                ConnectorErrorKind::Untrusted,
                format!("no secure connection to {host}: {}", first_line(&cause.to_string())),
            ),
            sqlx::Error::Io(cause) => {
                new(ConnectorErrorKind::Unavailable, format!("no connection to {host}: {cause}"))
            }
            other => new(
                ConnectorErrorKind::Unavailable,
                format!("the database at {host} failed: {}", first_line(&other.to_string())),
            ),
        }
    }
}

fn options(target: &DatabaseTarget) -> PgConnectOptions {
    let dsn = &target.dsn;
    let options = PgConnectOptions::new_without_pgpass()
        .host(&dsn.host)
        .port(dsn.port)
        .database(&dsn.database)
        .username(&target.user)
        .password(target.password.expose())
        .application_name(domain::SERVICE_NAME);
    let options = match &target.tls {
        Tls::Off => options.ssl_mode(PgSslMode::Disable),
        Tls::Offered => options.ssl_mode(PgSslMode::Prefer),
        Tls::Required(trust) => {
            let mode = if trust.verify { PgSslMode::VerifyFull } else { PgSslMode::Require };
            let options = options.ssl_mode(mode);
            match &trust.ca_file {
                Some(file) => options.ssl_root_cert(file),
                None => options,
            }
        }
    };
    options.disable_statement_logging()
}

/// Starts a read-only transaction with a statement timeout.
async fn begin(connection: &mut PgConnection, time_max: Duration) -> Result<(), sqlx::Error> {
    let text =
        format!("begin read only; set local statement_timeout = {}", time_max.as_millis().clamp(1, 600_000));
    sqlx::raw_sql(AssertSqlSafe(text)).execute(connection).await.map(drop)
}

/// The text comes from the administrator's template with checked names; the query is only in the values.
fn statement<'q>(text: &str, values: &'q [String]) -> sqlx::query::Query<'q, sqlx::Postgres, PgArguments> {
    let query = sqlx::query(AssertSqlSafe(text.to_owned())).persistent(false);
    values.iter().fold(query, |query, value| query.bind(value.as_str()))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
