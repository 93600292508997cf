//! MSSQL: a database of Microsoft SQL Server or Azure SQL, asked in a transaction that is always rolled back, with
//! bound values.

use crate::shared::database::{self, ANSWER_BYTES_MAX, Place, Question, Rows, too_late};
use crate::shared::dialect::Dialect;
use crate::shared::driver::{Database, Driver};
use crate::shared::dsn::DsnForm;
use crate::shared::kept::Kept;
use crate::shared::tds::line::{BytesLeft, Line, TOO_LARGE};
use crate::shared::tds::rows;
use async_trait::async_trait;
use domain::contracts::{Connector, ConnectorError, ConnectorErrorKind, Dial, Origin, PluginContext};
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
/// Most bytes that are read for one question: a text takes two of them for a letter, and rows have a frame.
const WIRE_BYTES_MAX: usize = 2 * ANSWER_BYTES_MAX + 1024 * 1024;
/// Servers that may send us on, one after the other.
const ROUTES_MAX: usize = 2;

struct Opened {
    client: Client<Compat<Line>>,
    bytes_left: BytesLeft,
}

struct MsSql {
    place: Place,
    dial: Arc<dyn Dial>,
}

pub fn check(provider: &SearchProvider) -> FieldErrors {
    database::check(provider, FORM, Dialect::MsSql)
}

pub fn build(
    provider: &SearchProvider,
    context: &PluginContext,
) -> Result<Box<dyn Connector>, ConnectorError> {
    let driver = MsSql { place: Place::of(provider, FORM)?, dial: Arc::clone(&context.dial) };
    Ok(Box::new(Database { question: Question::of(provider, Dialect::MsSql)?, driver }))
}

#[async_trait]
impl Driver for MsSql {
    type Connection = Opened;

    fn place(&self) -> &Place {
        &self.place
    }

    fn kept() -> &'static Kept<Opened> {
        static KEPT: LazyLock<Kept<Opened>> = LazyLock::new(Kept::new);
        &KEPT
    }

    /// A server may send a reader on to another one, which nobody vouched for.
    async fn open(&self) -> Result<Opened, ConnectorError> {
        let mut origin = self.place.dsn.origin("mssql");
        for _ in 0..=ROUTES_MAX {
            let addresses = self.dial.admit(&origin).await?;
            let bytes_left = BytesLeft::default();
            bytes_left.store(WIRE_BYTES_MAX, Ordering::Relaxed);
            let line = Line::open(&addresses, &origin.host, &self.place.tls, Arc::clone(&bytes_left)).await?;
            match Client::connect(self.config(&origin), line.compat_write()).await {
                Ok(client) => return Ok(Opened { client, bytes_left }),
                Err(Error::Routing { host, port }) => {
                    origin = Origin { host, port, is_trusted: false, ..origin };
                }
                Err(error) => return Err(self.failed(&error)),
            }
        }
        let message = format!("{} sends readers on and on to other servers", self.place.dsn.host);
        Err(ConnectorError::new(ConnectorErrorKind::Unavailable, message))
    }

    /// Nothing stays written, since the transaction is always rolled back; and nobody is waited for too long.
    async fn begin(&self, opened: &mut Opened, time_max: Duration) -> Result<(), ConnectorError> {
        opened.bytes_left.store(WIRE_BYTES_MAX, Ordering::Relaxed);
        let millis = time_max.as_millis().clamp(1, 600_000);
        let begun = run(opened, &format!("set lock_timeout {millis}; begin transaction")).await;
        begun.map_err(|error| self.failed(&error))
    }

    async fn read(
        &self,
        opened: &mut Opened,
        text: &str,
        values: &[String],
        rows_max: u32,
    ) -> Result<Vec<Value>, ConnectorError> {
        let failed = |error: Error| self.failed(&error);
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

    async fn count(&self, opened: &mut Opened, text: &str, values: &[String]) -> Result<u64, ConnectorError> {
        let failed = |error: Error| self.failed(&error);
        let values = bound(values);
        let row = opened.client.query(text, &values).await.map_err(failed)?.into_row().await;
        Ok(row.map_err(failed)?.map_or(0, |row| rows::count(&row)))
    }

    async fn end(&self, opened: &mut Opened) -> bool {
        run(opened, "if @@trancount > 0 rollback transaction").await.is_ok()
    }
}

impl MsSql {
    fn config(&self, origin: &Origin) -> Config {
        let mut config = Config::new();
        config.host(&origin.host);
        config.port(origin.port);
        config.database(&self.place.dsn.database);
        config.authentication(AuthMethod::sql_server(&self.place.user, self.place.password.expose()));
        config.application_name(domain::SERVICE_NAME);
        config.readonly(true);
        // The whole question has its own limit of time.
        config.handshake_timeout(None);
        config.command_timeout(None);
        config.lossy_utf16_decoding(true);
        config
    }

    fn failed(&self, error: &Error) -> ConnectorError {
        let host = &self.place.dsn.host;
        match error {
            Error::Server(cause) => self.refused(cause),
            Error::Io { kind: TOO_LARGE, .. } => {
                let message = format!("the answer of {host} is larger than {WIRE_BYTES_MAX} bytes");
                ConnectorError::new(ConnectorErrorKind::Unreadable, message)
            }
            Error::Io { message, .. } => {
                let message = format!("the connection to {host} broke off: {message}");
                ConnectorError::new(ConnectorErrorKind::Unavailable, message)
            }
            other => {
                let message =
                    format!("the answer of {host} cannot be read: {}", first_line(&other.to_string()));
                ConnectorError::new(ConnectorErrorKind::Unreadable, message)
            }
        }
    }

    fn refused(&self, cause: &TokenError) -> ConnectorError {
        let told = first_line(cause.message()).to_owned();
        let (kind, message) = match cause.code() {
            // Time for a lock is over.
            1222 => return too_late(),
            // Login failed; the account is disabled or locked; the password has expired.
            18452 | 18456 | 18470 | 18486 | 18487 | 18488 => (
                ConnectorErrorKind::Denied,
                format!("{} refused the user '{}' or the password", self.place.dsn.host, self.place.user),
            ),
            // No permission for an object, a column, a statement, a database.
            229 | 230 | 262 | 297 | 300 | 916 => (ConnectorErrorKind::Denied, told),
            // Invalid object name; unknown or closed database.
            208 | 911 | 4060 => (ConnectorErrorKind::PlaceUnknown, told),
            // Victim of a deadlock; busy, throttled or moving.
            1205 | 10928 | 10929 | 17142 | 40197 | 40501 | 40613 | 49918..=49920 => {
                (ConnectorErrorKind::Unavailable, told)
            }
            _ => (ConnectorErrorKind::ConfigInvalid, format!("the database refused the statement: {told}")),
        };
        ConnectorError::new(kind, message)
    }
}

async fn run(opened: &mut Opened, text: &str) -> Result<(), Error> {
    opened.client.simple_query(text).await?.into_results().await.map(drop)
}

/// The text comes from the administrator's template with checked names; the query is only in the values.
fn bound(values: &[String]) -> Vec<&dyn ToSql> {
    values.iter().map(|value| value as &dyn ToSql).collect()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
