//! One question to a relational database over a connection that is kept: begin, read, count, end. A driver says how.

use super::database::{self, Place, Question, in_time, other_kind};
use super::kept::Kept;
use async_trait::async_trait;
use domain::contracts::{
    Capability, Connector, ConnectorError, NormalizedPage, ProviderQuery, SourceQuery, SourceResponse,
};
use serde_json::Value;
use std::fmt;
use std::time::Duration;

/// How one kind of database is talked to.
#[async_trait]
pub trait Driver: Send + Sync + 'static {
    type Connection: Send + 'static;
    fn place(&self) -> &Place;
    /// All connections of this kind that nobody uses now. They outlive the search that opened them.
    fn kept() -> &'static Kept<Self::Connection>;
    /// Opens a connection to an address that the guarded client admits.
    async fn open(&self) -> Result<Self::Connection, ConnectorError>;
    /// Begins a transaction in which nothing can be written to stay, with a limit of time that the server keeps.
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
    /// Ends the transaction. False when the connection cannot be used again.
    async fn end(&self, on: &mut Self::Connection) -> bool;
}

/// Runs a statement, and its count when there may be more than was asked for. At the end of the time the connection
/// is dropped, and with it the server ends the statement.
pub async fn ask<D: Driver>(driver: &D, built: &SourceQuery) -> Result<SourceResponse, ConnectorError> {
    let SourceQuery::Statement { text, count_text, values, rows_max, time_max } = built else {
        return Err(other_kind());
    };
    in_time(*time_max, async {
        let mut connection = begun(driver, *time_max).await?;
        let rows = driver.read(&mut connection, text, values, *rows_max).await;
        let answer = match (rows, count_text) {
            (Ok(rows), Some(text)) if rows.len() >= *rows_max as usize => {
                let counted = driver.count(&mut connection, text, values).await;
                counted.map(|found| (found.max(rows.len() as u64), rows))
            }
            (rows, _) => rows.map(|rows| (rows.len() as u64, rows)),
        };
        if driver.end(&mut connection).await {
            D::kept().at(driver.place()).put(connection);
        }
        answer.map(|(found, rows)| SourceResponse::Rows { found, rows })
    })
    .await
}

/// A connection with its transaction begun. One that was kept may have died; then a new one is opened.
async fn begun<D: Driver>(driver: &D, time_max: Duration) -> Result<D::Connection, ConnectorError> {
    if let Some(mut kept) = D::kept().at(driver.place()).take()
        && driver.begin(&mut kept, time_max).await.is_ok()
    {
        return Ok(kept);
    }
    let mut opened = driver.open().await?;
    driver.begin(&mut opened, time_max).await?;
    Ok(opened)
}

/// A database that is asked with the provider's own statement.
pub struct Database<D> {
    pub question: Question,
    pub driver: D,
}

impl<D: Driver> fmt::Debug for Database<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("place", &self.driver.place().dsn).finish_non_exhaustive()
    }
}

#[async_trait]
impl<D: Driver> Connector for Database<D> {
    fn capability(&self) -> Capability {
        self.question.capability()
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SourceQuery, ConnectorError> {
        self.question.construct(query)
    }

    async fn execute(&self, built: &SourceQuery) -> Result<SourceResponse, ConnectorError> {
        ask(&self.driver, built).await
    }

    fn normalize(&self, response: SourceResponse) -> Result<NormalizedPage, ConnectorError> {
        database::normalize(response)
    }
}
