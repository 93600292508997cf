//! Runs one query against a relational database over a pooled connection: begin, read, count, end.

use super::connection_pool::ConnectionPool;
use super::database::{DatabaseTarget, SqlQuery, SqlRequest, in_time};
use super::found_rows::FoundRows;
use async_trait::async_trait;
use domain::ports::{Capability, ConnectorError, NormalizedPage, ProviderQuery, TypedConnector};
use serde_json::Value;
use std::fmt;
use std::time::Duration;

/// The driver of one kind of database.
#[async_trait]
pub trait Driver: Send + Sync + 'static {
    type Connection: Send + 'static;
    fn target(&self) -> &DatabaseTarget;
    /// The pool of this kind of database. It outlives the search that filled it.
    fn pool() -> &'static ConnectionPool<Self::Connection>;
    /// Opens a connection to an address that the guarded client allows.
    async fn open(&self) -> Result<Self::Connection, ConnectorError>;
    /// Begins a transaction that leaves no changes, with a time limit enforced by the server.
    async fn begin(&self, on: &mut Self::Connection, time_max: Duration) -> Result<(), ConnectorError>;
    async fn read(
        &self,
        on: &mut Self::Connection,
        text: &str,
        values: &[String],
        rows_max: u32,
    ) -> Result<Vec<Value>, ConnectorError>;
    async fn count(
        &self,
        on: &mut Self::Connection,
        text: &str,
        values: &[String],
    ) -> Result<u64, ConnectorError>;
    /// Ends the transaction. Returns false if the connection cannot be reused.
    async fn end(&self, on: &mut Self::Connection) -> bool;
}

/// Runs a statement, and its count if there may be more rows than requested. On a timeout the connection is dropped,
/// which makes the server end the statement.
pub async fn execute<D: Driver>(driver: &D, request: &SqlRequest) -> Result<FoundRows, ConnectorError> {
    let SqlRequest { text, count_text, values, rows_max, time_max } = request;
    in_time(*time_max, async {
        let mut connection = begin(driver, *time_max).await?;
        let rows = driver.read(&mut connection, text, values, *rows_max).await;
        let answer = match (rows, count_text) {
            (Ok(rows), Some(text)) if rows.len() >= *rows_max as usize => {
                let counted = driver.count(&mut connection, text, values).await;
                counted.map(|found| (found.max(rows.len() as u64), rows))
            }
            (rows, _) => rows.map(|rows| (rows.len() as u64, rows)),
        };
        if driver.end(&mut connection).await {
            D::pool().idle(driver.target()).put(connection);
        }
        answer.map(|(found, rows)| FoundRows { found, rows, missing: None })
    })
    .await
}

/// A connection with an open transaction. If the pooled connection is broken, a new one is opened.
async fn begin<D: Driver>(driver: &D, time_max: Duration) -> Result<D::Connection, ConnectorError> {
    if let Some(mut idle) = D::pool().idle(driver.target()).take()
        && driver.begin(&mut idle, time_max).await.is_ok()
    {
        return Ok(idle);
    }
    let mut opened = driver.open().await?;
    driver.begin(&mut opened, time_max).await?;
    Ok(opened)
}

/// A database that is queried with the provider's statement.
pub struct Database<D> {
    pub sql_query: SqlQuery,
    pub driver: D,
}

impl<D: Driver> fmt::Debug for Database<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("target", &self.driver.target().dsn).finish_non_exhaustive()
    }
}

impl<D: Driver> TypedConnector for Database<D> {
    type Request = SqlRequest;
    type Response = FoundRows;

    fn capability(&self) -> Capability {
        self.sql_query.capability()
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SqlRequest, ConnectorError> {
        self.sql_query.construct(query)
    }

    async fn execute(&self, request: &SqlRequest) -> Result<FoundRows, ConnectorError> {
        execute(&self.driver, request).await
    }

    fn normalize(&self, response: FoundRows) -> Result<NormalizedPage, ConnectorError> {
        Ok(response.into_page())
    }
}
