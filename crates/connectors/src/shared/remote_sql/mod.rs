//! Databases that are asked over the HTTP interface of their vendor: a question with its count, within its time.

pub mod access;
pub mod exchange;
pub mod fault;
pub mod signature;
pub mod site;
pub mod values;

use super::check::{config_error, read_notations};
use super::database::{in_time, other_kind, too_late};
use super::dialect::Dialect;
use super::statement::Template;
use async_trait::async_trait;
use domain::contracts::{ConnectorError, SourceQuery, SourceResponse};
use domain::notation::credentials::SourceCredentials;
use domain::notation::query_mappings::QueryMappings;
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde_json::Value;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout};

/// Most answers that are read for one statement.
pub const PAGES_MAX: usize = 100;
/// How long to wait between two looks at a statement that is still running: at first, and at most.
const WAIT_FIRST: Duration = Duration::from_millis(50);
const WAIT_MAX: Duration = Duration::from_secs(1);
/// What is kept of the time for the request that ends a statement, at most.
const RESERVE_MAX: Duration = Duration::from_secs(1);

/// One statement with its bound values.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub text: &'a str,
    pub values: &'a [String],
    pub rows_max: u32,
    pub until: Deadline,
}

/// A database behind HTTP.
#[async_trait]
pub trait RemoteDatabase: Send + Sync {
    async fn rows(&self, asked: &Asked<'_>) -> Result<Vec<Value>, ConnectorError>;
}

/// The end of the time for one question.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    ends: Instant,
    reserve: Duration,
}

/// The pauses between looks at a statement that is still running.
#[derive(Debug)]
pub struct Patience {
    wait: Duration,
    until: Deadline,
}

/// Checks what the three have in common; the rest is the connector's own.
pub fn check(provider: &SearchProvider, dialect: Dialect) -> (QueryMappings, SourceCredentials, FieldErrors) {
    let mut errors = FieldErrors::default();
    let notations = read_notations(provider, &mut errors);
    let mappings = notations.query_mappings;
    if let Err((field, sentence)) = Template::parse(&provider.spec.query_template, &mappings, dialect) {
        errors.add(field, sentence);
    }
    (mappings, notations.credentials, errors)
}

/// A mistake in one field of the provider.
pub fn wrong(field: &str, sentence: impl Into<String>) -> ConnectorError {
    config_error(&FieldErrors::one(field, sentence))
}

/// The rows, and how many there are in all when there may be more than were wanted.
pub async fn answer(
    database: &dyn RemoteDatabase,
    built: &SourceQuery,
) -> Result<SourceResponse, ConnectorError> {
    let SourceQuery::Statement { text, count_text, values, rows_max, time_max } = built else {
        return Err(other_kind());
    };
    let until = Deadline::after(*time_max);
    let asked = Asked { text, values, rows_max: *rows_max, until };
    let rows = in_time(*time_max, database.rows(&asked)).await?;
    let found = match count_text {
        Some(text) if rows.len() >= *rows_max as usize => count(database, &Asked { text, ..asked }).await,
        _ => None,
    };
    Ok(SourceResponse::Rows { found: found.unwrap_or_default().max(rows.len() as u64), rows })
}

/// A count that fails or takes too long takes nothing away from the rows.
async fn count(database: &dyn RemoteDatabase, asked: &Asked<'_>) -> Option<u64> {
    let asked = Asked { rows_max: 1, ..*asked };
    let rows = timeout(asked.until.left(), database.rows(&asked)).await.ok()?.ok()?;
    rows.first()?.as_object()?.values().next()?.as_u64()
}

impl Deadline {
    pub fn after(time_max: Duration) -> Self {
        Self { ends: Instant::now() + time_max, reserve: RESERVE_MAX.min(time_max / 10) }
    }

    /// All that is left.
    pub fn left(&self) -> Duration {
        self.ends.saturating_duration_since(Instant::now())
    }

    /// What is left for the statement; the rest is for ending it.
    pub fn working(&self) -> Duration {
        self.left().saturating_sub(self.reserve)
    }
}

impl Patience {
    pub fn until(until: Deadline) -> Self {
        Self { wait: WAIT_FIRST, until }
    }

    /// Waits before the next look; an error when the time for the statement is over.
    pub async fn wait(&mut self) -> Result<(), ConnectorError> {
        if self.until.working() <= self.wait {
            sleep(self.until.working()).await;
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
    use domain::contracts::ConnectorErrorKind;
    use serde_json::json;

    /// Has rows without end; its count answers or does not.
    struct Table {
        counts: bool,
    }

    #[async_trait]
    impl RemoteDatabase for Table {
        async fn rows(&self, asked: &Asked<'_>) -> Result<Vec<Value>, ConnectorError> {
            match (asked.text, self.counts) {
                ("count", true) => Ok(vec![json!({"count(*)": 900})]),
                ("count", false) => Err(too_late()),
                _ => Ok((0..asked.rows_max).map(|number| json!({"n": number})).collect()),
            }
        }
    }

    #[tokio::test]
    async fn a_count_that_fails_takes_nothing_away() {
        for (counts, want) in [(true, 900), (false, 3)] {
            let built = SourceQuery::Statement {
                text: "rows".into(),
                count_text: Some("count".into()),
                values: Vec::new(),
                rows_max: 3,
                time_max: Duration::from_secs(5),
            };
            let answered = answer(&Table { counts }, &built).await.expect("an answer");
            let SourceResponse::Rows { found, rows } = answered else { panic!("rows were expected") };
            assert_eq!((found, rows.len()), (want, 3));
        }
    }

    #[tokio::test]
    async fn patience_ends_before_the_time_does() {
        let until = Deadline::after(Duration::from_millis(600));
        let mut patience = Patience::until(until);
        let mut looks = 0;
        let error = loop {
            match patience.wait().await {
                Ok(()) => looks += 1,
                Err(error) => break error,
            }
        };
        assert_eq!(error.kind, ConnectorErrorKind::Timeout);
        assert!((1..=4).contains(&looks), "{looks} looks, longer apart each time");
        assert!(!until.left().is_zero(), "time to end the statement is left");
    }
}
