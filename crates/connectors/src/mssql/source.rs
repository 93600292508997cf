//! MSSQL connector: the driver for Microsoft SQL Server and Azure SQL.

use crate::shared::connection_pool::ConnectionPool;
use crate::shared::database::{self, ANSWER_BYTES_MAX, DatabaseTarget, Rows, SqlQuery, too_late};
use crate::shared::dialect::Dialect;
use crate::shared::driver::{Database, Driver};
use crate::shared::dsn::DsnForm;
use crate::shared::tds::connection::{BytesLeft, TOO_LARGE, TdsStream};
use crate::shared::tds::rows;
use async_trait::async_trait;
use domain::ports::{
    AddressResolver, Connector, ConnectorError, ConnectorErrorKind, Origin, PluginContext, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use futures_util::TryStreamExt;
use serde_json::Value;
use std::sync::atomic::Ordering;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tiberius::error::{Error, TokenError};
use tiberius::{AuthMethod, Client, Config, ToSql};
use tokio_util::compat::{Compat, TokioAsyncWriteCompatExt};

const FORM: DsnForm = DsnForm { schemes: &["mssql", "sqlserver"], port: 1433 };
/// Most bytes read for one query: text takes two bytes per character, and rows have overhead.
const WIRE_BYTES_MAX: usize = 2 * ANSWER_BYTES_MAX + 1024 * 1024;
/// Most redirects to other servers.
const ROUTES_MAX: usize = 2;

struct MsSqlConnection {
    client: Client<Compat<TdsStream>>,
    bytes_left: BytesLeft,
}

struct MsSql {
    target: DatabaseTarget,
    resolver: Arc<dyn AddressResolver>,
}

pub fn check(provider: &SearchProvider) -> FieldErrors {
    database::check(provider, FORM, Dialect::MsSql)
}

pub fn build(
    provider: &SearchProvider,
    context: &PluginContext,
) -> Result<Box<dyn Connector>, ConnectorError> {
    let driver =
        MsSql { target: DatabaseTarget::of(provider, FORM)?, resolver: Arc::clone(&context.resolver) };
    Ok(Database { sql_query: SqlQuery::of(provider, Dialect::MsSql)?, driver }.boxed())
}

#[async_trait]
impl Driver for MsSql {
    type Connection = MsSqlConnection;

    fn target(&self) -> &DatabaseTarget {
        &self.target
    }

    fn pool() -> &'static ConnectionPool<MsSqlConnection> {
        static POOL: LazyLock<ConnectionPool<MsSqlConnection>> = LazyLock::new(ConnectionPool::new);
        &POOL
    }

    /// A server may redirect to another one, which is not trusted.
    async fn open(&self) -> Result<MsSqlConnection, ConnectorError> {
        let mut origin = self.target.dsn.origin("mssql");
        for _ in 0..=ROUTES_MAX {
            let addresses = self.resolver.admit(&origin).await?;
            let bytes_left = BytesLeft::default();
            bytes_left.store(WIRE_BYTES_MAX, Ordering::Relaxed);
            let stream =
                TdsStream::open(&addresses, &origin.host, &self.target.tls, Arc::clone(&bytes_left)).await?;
            match Client::connect(self.config(&origin), stream.compat_write()).await {
                Ok(client) => return Ok(MsSqlConnection { client, bytes_left }),
                Err(Error::Routing { host, port }) => {
                    origin = Origin { host, port, is_trusted: false, ..origin };
                }
                Err(error) => return Err(self.failed(error)),
            }
        }
        let message = format!("{} redirects too many times to other servers", self.target.dsn.host);
        Err(ConnectorError::new(ConnectorErrorKind::Unavailable, message))
    }

    /// Starts a transaction that is always rolled back, with a lock timeout.
    async fn begin(&self, opened: &mut MsSqlConnection, time_max: Duration) -> Result<(), ConnectorError> {
        opened.bytes_left.store(WIRE_BYTES_MAX, Ordering::Relaxed);
        let millis = time_max.as_millis().clamp(1, 600_000);
        let begun = run(opened, &format!("set lock_timeout {millis}; begin transaction")).await;
        begun.map_err(|error| self.failed(error))
    }

    async fn read(
        &self,
        opened: &mut MsSqlConnection,
        text: &str,
        values: &[String],
        rows_max: u32,
    ) -> Result<Vec<Value>, ConnectorError> {
        let failed = |error: Error| self.failed(error);
        let values = bound(values);
        let mut stream = opened.client.query(text, &values).await.map_err(failed)?.into_row_stream();
        let mut read = Rows::default();
        let mut is_more = false;
        while let Some(row) = stream.try_next().await.map_err(failed)? {
            if read.rows.len() >= rows_max as usize {
                is_more = true;
                break;
            }
            read.push(rows::to_object(&row).map_err(failed)?)?;
        }
        drop(stream);
        if is_more {
            opened.client.cancel_query().await.map_err(failed)?;
        }
        Ok(read.rows)
    }

    async fn count(
        &self,
        opened: &mut MsSqlConnection,
        text: &str,
        values: &[String],
    ) -> Result<u64, ConnectorError> {
        let failed = |error: Error| self.failed(error);
        let values = bound(values);
        let row = opened.client.query(text, &values).await.map_err(failed)?.into_row().await;
        Ok(row.map_err(failed)?.map_or(0, |row| rows::count(&row)))
    }

    async fn end(&self, opened: &mut MsSqlConnection) -> bool {
        run(opened, "if @@trancount > 0 rollback transaction").await.is_ok()
    }
}

impl MsSql {
    fn config(&self, origin: &Origin) -> Config {
        let mut config = Config::new();
        config.host(&origin.host);
        config.port(origin.port);
        config.database(&self.target.dsn.database);
        config.authentication(AuthMethod::sql_server(&self.target.user, self.target.password.expose()));
        config.application_name(domain::SERVICE_NAME);
        config.readonly(true);
        // The whole query has its own deadline.
        config.handshake_timeout(None);
        config.command_timeout(None);
        config.lossy_utf16_decoding(true);
        config
    }

    fn failed(&self, error: Error) -> ConnectorError {
        let host = &self.target.dsn.host;
        let failure = match &error {
            Error::Server(cause) => self.refused(cause),
            Error::Io { kind: TOO_LARGE, .. } => {
                let message = format!("the answer of {host} is larger than {WIRE_BYTES_MAX} bytes");
                ConnectorError::new(ConnectorErrorKind::Unreadable, message)
            }
            Error::Io { message, .. } => {
                let message = format!("the connection to {host} was closed: {message}");
                ConnectorError::new(ConnectorErrorKind::Unavailable, message)
            }
            other => {
                let message =
                    format!("the answer of {host} cannot be read: {}", first_line(&other.to_string()));
                ConnectorError::new(ConnectorErrorKind::Unreadable, message)
            }
        };
        failure.caused_by(error)
    }

    fn refused(&self, cause: &TokenError) -> ConnectorError {
        let message_text = first_line(cause.message()).to_owned();
        let (kind, message) = match cause.code() {
            // Lock timeout.
            1222 => return too_late(),
            // Login failed; the account is disabled or locked; the password has expired.
            18452 | 18456 | 18470 | 18486 | 18487 | 18488 => (
                ConnectorErrorKind::Denied,
                format!("{} refused the user '{}' or the password", self.target.dsn.host, self.target.user),
            ),
            // No permission for an object, a column, a statement, a database.
            229 | 230 | 262 | 297 | 300 | 916 => (ConnectorErrorKind::Denied, message_text),
            // Invalid object name; unknown or closed database.
            208 | 911 | 4060 => (ConnectorErrorKind::PlaceUnknown, message_text),
            // Deadlock victim; busy, throttled or moving.
            1205 | 10928 | 10929 | 17142 | 40197 | 40501 | 40613 | 49918..=49920 => {
                (ConnectorErrorKind::Unavailable, message_text)
            }
            _ => (
                ConnectorErrorKind::ConfigInvalid,
                format!("the database refused the statement: {message_text}"),
            ),
        };
        ConnectorError::new(kind, message)
    }
}

async fn run(opened: &mut MsSqlConnection, text: &str) -> Result<(), Error> {
    opened.client.simple_query(text).await?.into_results().await.map(drop)
}

/// The text comes from the administrator's template with checked names; the query is only in the values.
fn bound(values: &[String]) -> Vec<&dyn ToSql> {
    values.iter().map(|value| value as &dyn ToSql).collect()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
