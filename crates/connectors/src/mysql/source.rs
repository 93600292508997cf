//! MySQL connector: the driver for MySQL and MariaDB.

use crate::shared::connection_pool::ConnectionPool;
use crate::shared::database::{self, DatabaseTarget, Rows, SqlQuery, too_late};
use crate::shared::dialect::Dialect;
use crate::shared::driver::{Database, Driver};
use crate::shared::dsn::{DsnForm, Tls};
use crate::shared::mysql_rows;
use async_trait::async_trait;
use domain::ports::{
    AddressResolver, Connector, ConnectorError, ConnectorErrorKind, PluginContext, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use futures_util::TryStreamExt;
use serde_json::Value;
use sqlx::mysql::{MySqlArguments, MySqlConnectOptions, MySqlSslMode};
use sqlx::{AssertSqlSafe, ConnectOptions, MySqlConnection, Row};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

const FORM: DsnForm = DsnForm { schemes: &["mysql", "mariadb"], port: 3306 };
/// Unknown variable: the server belongs to the other family.
const UNKNOWN_VARIABLE: u16 = 1193;

struct MySql {
    target: DatabaseTarget,
    resolver: Arc<dyn AddressResolver>,
}

pub fn check(provider: &SearchProvider) -> FieldErrors {
    database::check(provider, FORM, Dialect::MySql)
}

pub fn build(
    provider: &SearchProvider,
    context: &PluginContext,
) -> Result<Box<dyn Connector>, ConnectorError> {
    let driver =
        MySql { target: DatabaseTarget::of(provider, FORM)?, resolver: Arc::clone(&context.resolver) };
    Ok(Database { sql_query: SqlQuery::of(provider, Dialect::MySql)?, driver }.boxed())
}

#[async_trait]
impl Driver for MySql {
    type Connection = MySqlConnection;

    fn target(&self) -> &DatabaseTarget {
        &self.target
    }

    fn pool() -> &'static ConnectionPool<MySqlConnection> {
        static POOL: LazyLock<ConnectionPool<MySqlConnection>> = LazyLock::new(ConnectionPool::new);
        &POOL
    }

    async fn open(&self) -> Result<MySqlConnection, ConnectorError> {
        self.resolver.admit(&self.target.dsn.origin("mysql")).await?;
        options(&self.target).connect().await.map_err(|error| self.failed(error))
    }

    async fn begin(
        &self,
        connection: &mut MySqlConnection,
        time_max: Duration,
    ) -> Result<(), ConnectorError> {
        begin(connection, time_max).await.map_err(|error| self.failed(error))
    }

    async fn read(
        &self,
        connection: &mut MySqlConnection,
        text: &str,
        values: &[String],
        rows_max: u32,
    ) -> Result<Vec<Value>, ConnectorError> {
        let mut stream = statement(text, values).fetch(connection);
        let mut read = Rows::default();
        while let Some(row) = stream.try_next().await.map_err(|error| self.failed(error))? {
            read.push(mysql_rows::to_object(&row).map_err(|error| self.failed(error))?)?;
            if read.rows.len() >= rows_max as usize {
                break;
            }
        }
        Ok(read.rows)
    }

    async fn count(
        &self,
        connection: &mut MySqlConnection,
        text: &str,
        values: &[String],
    ) -> Result<u64, ConnectorError> {
        let row = statement(text, values).fetch_optional(connection).await;
        let row = row.map_err(|error| self.failed(error))?;
        let number = row.map(|row| row.try_get_unchecked::<i64, _>(0)).transpose();
        Ok(u64::try_from(number.map_err(|error| self.failed(error))?.unwrap_or(0)).unwrap_or(0))
    }

    async fn end(&self, connection: &mut MySqlConnection) -> bool {
        sqlx::raw_sql("rollback").execute(connection).await.is_ok()
    }
}

impl MySql {
    fn failed(&self, error: sqlx::Error) -> ConnectorError {
        let host = &self.target.dsn.host;
        let (kind, message) = match &error {
            sqlx::Error::Database(cause) => return self.refused(cause.as_ref()).caused_by(error),
            sqlx::Error::Tls(cause) => (
                ConnectorErrorKind::Untrusted,
                format!("no secure connection to {host}: {}", first_line(&cause.to_string())),
            ),
            sqlx::Error::Io(cause) => {
                (ConnectorErrorKind::Unavailable, format!("no connection to {host}: {cause}"))
            }
            other => (
                ConnectorErrorKind::Unavailable,
                format!("the database at {host} failed: {}", first_line(&other.to_string())),
            ),
        };
        ConnectorError::new(kind, message).caused_by(error)
    }

    fn refused(&self, cause: &dyn sqlx::error::DatabaseError) -> ConnectorError {
        let message_text = first_line(cause.message()).to_owned();
        let (kind, message) = match number(cause) {
            // ER_STATEMENT_TIMEOUT, ER_QUERY_TIMEOUT, ER_QUERY_INTERRUPTED.
            1969 | 3024 | 1317 => return too_late(),
            // ER_ACCESS_DENIED_ERROR, ER_DBACCESS_DENIED_ERROR, ER_TABLEACCESS_DENIED_ERROR and the like.
            1045 | 1698 => (
                ConnectorErrorKind::Denied,
                format!("{} refused the user '{}' or the password", self.target.dsn.host, self.target.user),
            ),
            1044 | 1142 | 1143 | 1227 => (ConnectorErrorKind::Denied, message_text),
            // ER_BAD_DB_ERROR, ER_NO_SUCH_TABLE.
            1049 | 1146 => (ConnectorErrorKind::PlaceUnknown, message_text),
            // ER_CON_COUNT_ERROR, ER_SERVER_SHUTDOWN.
            1040 | 1053 => (ConnectorErrorKind::Unavailable, message_text),
            _ => (
                ConnectorErrorKind::ConfigInvalid,
                format!("the database refused the statement: {message_text}"),
            ),
        };
        ConnectorError::new(kind, message)
    }
}

fn number(cause: &dyn sqlx::error::DatabaseError) -> u16 {
    cause.try_downcast_ref::<sqlx::mysql::MySqlDatabaseError>().map_or(0, |cause| cause.number())
}

fn options(target: &DatabaseTarget) -> MySqlConnectOptions {
    let dsn = &target.dsn;
    let options = MySqlConnectOptions::new()
        .host(&dsn.host)
        .port(dsn.port)
        .database(&dsn.database)
        .username(&target.user)
        .password(target.password.expose());
    let options = match &target.tls {
        Tls::Off => options.ssl_mode(MySqlSslMode::Disabled),
        Tls::Offered => options.ssl_mode(MySqlSslMode::Preferred),
        Tls::Required(trust) => {
            let mode = if trust.verify { MySqlSslMode::VerifyIdentity } else { MySqlSslMode::Required };
            let options = options.ssl_mode(mode);
            match &trust.ca_file {
                Some(file) => options.ssl_ca(file),
                None => options,
            }
        }
    };
    options.disable_statement_logging()
}

/// Starts a read-only transaction and sets the statement timeout, whose name differs between MySQL and MariaDB.
async fn begin(connection: &mut MySqlConnection, time_max: Duration) -> Result<(), sqlx::Error> {
    let millis = time_max.as_millis().clamp(1, 600_000);
    let seconds = format!("{}.{:03}", millis / 1000, millis % 1000);
    let set = format!("set session max_statement_time = {seconds}");
    let outcome = sqlx::raw_sql(AssertSqlSafe(set)).execute(&mut *connection).await;
    match outcome {
        Err(sqlx::Error::Database(cause)) if number(cause.as_ref()) == UNKNOWN_VARIABLE => {
            let set = format!("set session max_execution_time = {millis}");
            sqlx::raw_sql(AssertSqlSafe(set)).execute(&mut *connection).await?;
        }
        other => {
            other?;
        }
    }
    sqlx::raw_sql("start transaction read only").execute(connection).await.map(drop)
}

/// The text comes from the administrator's template with checked names; the query is only in the values.
fn statement<'q>(text: &str, values: &'q [String]) -> sqlx::query::Query<'q, sqlx::MySql, MySqlArguments> {
    let query = sqlx::query(AssertSqlSafe(text.to_owned())).persistent(false);
    values.iter().fold(query, |query, value| query.bind(value.as_str()))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
