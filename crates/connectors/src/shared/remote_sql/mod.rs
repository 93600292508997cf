//! Databases that are queried over the vendor's HTTP API: rows and a count, within a deadline.

pub mod base_url;
pub mod error;
pub mod http;
pub mod values;

use super::check::{add_error, read_notations};
use super::database::{SqlRequest, in_time, too_late};
use super::dialect::Dialect;
use super::found_rows::{FoundRows, ListedRows};
use super::statement::Template;
use async_trait::async_trait;
use domain::ports::ConnectorError;
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use std::sync::Arc;
use std::time::Duration;
use syntax::credentials::SourceCredentials;
use syntax::query_mappings::QueryMappings;
use tokio::time::{Instant, sleep, timeout};

/// Most responses that are read for one statement.
pub const PAGES_MAX: usize = 100;
/// First and longest wait between two polls of a running statement.
const WAIT_FIRST: Duration = Duration::from_millis(50);
const WAIT_MAX: Duration = Duration::from_secs(1);
/// Most time that is reserved for cancelling a statement.
const RESERVE_MAX: Duration = Duration::from_secs(1);

/// One statement with its bound values.
#[derive(Debug, Clone, Copy)]
pub struct BoundStatement<'a> {
    pub text: &'a str,
    pub values: &'a [String],
    pub rows_max: u32,
    pub deadline: Deadline,
}

/// A database behind an HTTP API.
#[async_trait]
pub trait RemoteDatabase: Send + Sync {
    /// The rows. If a later response fails, those before it are kept, with the failure.
    async fn rows(&self, statement: &BoundStatement<'_>) -> Result<ListedRows, ConnectorError>;
}

/// The deadline of one query.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    ends: Instant,
    reserve: Duration,
}

/// The growing waits between polls of a running statement.
#[derive(Debug)]
pub struct PollBackoff {
    wait: Duration,
    deadline: Deadline,
}

/// Validates what these connectors have in common.
pub fn check(
    provider: &SearchProvider,
    dialect: Dialect,
) -> (Arc<QueryMappings>, SourceCredentials, FieldErrors) {
    let mut errors = FieldErrors::default();
    let notations = read_notations(provider, &mut errors);
    let mappings = notations.query_mappings;
    if let Err(error) = Template::parse(&provider.spec.query_template, &mappings, dialect) {
        add_error(&mut errors, error);
    }
    (mappings, notations.credentials, errors)
}

/// The rows, and the total if there may be more than requested.
pub async fn execute(
    database: &dyn RemoteDatabase,
    request: &SqlRequest,
) -> Result<FoundRows, ConnectorError> {
    let SqlRequest { text, count_text, values, rows_max, time_max } = request;
    let deadline = Deadline::after(*time_max);
    let statement = BoundStatement { text, values, rows_max: *rows_max, deadline };
    let ListedRows { rows, missing } = in_time(*time_max, database.rows(&statement)).await?;
    let found = match count_text {
        Some(text) if rows.len() >= *rows_max as usize => {
            count(database, &BoundStatement { text, ..statement }).await
        }
        _ => None,
    };
    Ok(FoundRows { found: found.unwrap_or_default().max(rows.len() as u64), rows, missing })
}

/// A count that fails or takes too long does not lose the rows.
async fn count(database: &dyn RemoteDatabase, statement: &BoundStatement<'_>) -> Option<u64> {
    let statement = BoundStatement { rows_max: 1, ..*statement };
    let rows = timeout(statement.deadline.remaining(), database.rows(&statement)).await.ok()?.ok()?;
    rows.rows.first()?.as_object()?.values().next()?.as_u64()
}

impl Deadline {
    pub fn after(time_max: Duration) -> Self {
        Self { ends: Instant::now() + time_max, reserve: RESERVE_MAX.min(time_max / 10) }
    }

    /// The time until the deadline.
    pub fn remaining(&self) -> Duration {
        self.ends.saturating_duration_since(Instant::now())
    }

    /// The time for the statement, without the reserve for cancelling it.
    pub fn statement_time(&self) -> Duration {
        self.remaining().saturating_sub(self.reserve)
    }
}

impl PollBackoff {
    pub fn new(deadline: Deadline) -> Self {
        Self { wait: WAIT_FIRST, deadline }
    }

    /// Waits before the next poll; an error when the time for the statement is over.
    pub async fn wait(&mut self) -> Result<(), ConnectorError> {
        if self.deadline.statement_time() <= self.wait {
            sleep(self.deadline.statement_time()).await;
            return Err(too_late());
        }
        sleep(self.wait).await;
        self.wait = WAIT_MAX.min(self.wait * 2);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::ConnectorErrorKind;
    use serde_json::json;

    /// Has endless rows; its count succeeds or fails.
    struct Table {
        counts: bool,
    }

    #[async_trait]
    impl RemoteDatabase for Table {
        async fn rows(&self, statement: &BoundStatement<'_>) -> Result<ListedRows, ConnectorError> {
            let rows = match (statement.text, self.counts) {
                ("count", true) => vec![json!({"count(*)": 900})],
                ("count", false) => return Err(too_late()),
                _ => (0..statement.rows_max).map(|number| json!({"n": number})).collect(),
            };
            Ok(ListedRows { rows, missing: None })
        }
    }

    #[tokio::test]
    async fn a_count_that_fails_takes_nothing_away() {
        for (counts, want) in [(true, 900), (false, 3)] {
            let request = SqlRequest {
                text: "rows".into(),
                count_text: Some("count".into()),
                values: Vec::new(),
                rows_max: 3,
                time_max: Duration::from_secs(5),
            };
            let answered = execute(&Table { counts }, &request).await.expect("an answer");
            assert_eq!((answered.found, answered.rows.len()), (want, 3));
        }
    }

    #[tokio::test]
    async fn patience_ends_before_the_time_does() {
        let deadline = Deadline::after(Duration::from_millis(600));
        let mut backoff = PollBackoff::new(deadline);
        let mut looks = 0;
        let error = loop {
            match backoff.wait().await {
                Ok(()) => looks += 1,
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind, ConnectorErrorKind::Timeout);
        assert!((1..=4).contains(&looks), "{looks} looks, longer apart each time");
        assert!(!deadline.remaining().is_zero(), "time to end the statement is left");
    }
}
