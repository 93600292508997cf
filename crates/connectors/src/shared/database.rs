//! What all relational connectors share: the statement of a provider, the database target, and row limits.

use super::check::{add_error, read_notations, require_notations};
use super::dialect::Dialect;
use super::dsn::{self, Dsn, DsnForm, Tls};
use super::rows::text_bytes;
use super::statement::{Statement, Template};
use domain::ports::{
    Capability, ConnectorError, ConnectorErrorKind, ProviderQuery, RequestDescription, SourceRequest,
};
use domain::provider::SearchProvider;
use domain::secret::Secret;
use domain::validation::FieldErrors;
use serde_json::Value;
use std::future::Future;
use std::time::Duration;

/// Most bytes of text in one response.
pub const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;

/// The provider fields that a relational connector reads.
pub const SETTINGS: &[&str] =
    &["url", "credentials", "query_template", "query_mappings", "result_mappings", "results_per_query"];

/// The statement of one provider.
#[derive(Debug)]
pub struct SqlQuery {
    template: Template,
    knows_not: bool,
}

/// A statement with its values and limits.
#[derive(Debug, Clone)]
pub struct SqlRequest {
    pub text: String,
    /// A statement with the same values that counts all matches.
    pub count_text: Option<String>,
    pub values: Vec<String>,
    pub rows_max: u32,
    pub time_max: Duration,
}

impl SourceRequest for SqlRequest {
    fn description(&self) -> RequestDescription<'_> {
        RequestDescription::Statement { text: &self.text, values: &self.values, rows_max: self.rows_max }
    }
}

/// The address of a database and its login.
#[derive(Debug, Clone)]
pub struct DatabaseTarget {
    pub dsn: Dsn,
    pub tls: Tls,
    pub user: String,
    pub password: Secret,
}

/// Collects rows within the size limit of a response.
#[derive(Debug, Default)]
pub struct Rows {
    pub rows: Vec<Value>,
    bytes: usize,
}

pub fn check(provider: &SearchProvider, form: DsnForm, dialect: Dialect) -> FieldErrors {
    let mut errors = FieldErrors::default();
    let notations = read_notations(provider, &mut errors);
    dsn::check(provider, form, &mut errors);
    let mappings = &notations.query_mappings;
    if let Err(error) = Template::parse(&provider.spec.query_template, mappings, dialect) {
        add_error(&mut errors, error);
    }
    errors
}

impl DatabaseTarget {
    pub fn of(provider: &SearchProvider, form: DsnForm) -> Result<Self, ConnectorError> {
        let wrong = |error| ConnectorError::of_syntax("url", error);
        let dsn = Dsn::parse(&provider.spec.url, form).map_err(wrong)?;
        let tls = dsn.tls().map_err(wrong)?;
        let notations = require_notations(provider)?;
        let (user, password) = dsn::login(&notations.credentials)
            .ok_or_else(|| ConnectorError::in_field("credentials", "Credentials are user:password."))?;
        Ok(Self { dsn, tls, user, password })
    }
}

impl SqlQuery {
    pub fn of(provider: &SearchProvider, dialect: Dialect) -> Result<Self, ConnectorError> {
        let notations = require_notations(provider)?;
        let mappings = &notations.query_mappings;
        let template = Template::parse(&provider.spec.query_template, mappings, dialect)?;
        Ok(Self { template, knows_not: mappings.not() || mappings.not_char().is_some() })
    }

    pub fn capability(&self) -> Capability {
        Capability { page: false, date_sort: self.template.sorts_by_date(), not: self.knows_not }
    }

    pub fn construct(&self, query: &ProviderQuery<'_>) -> Result<SqlRequest, ConnectorError> {
        let bound = self.bound(query)?;
        Ok(SqlRequest {
            text: bound.text,
            count_text: Some(bound.count_text),
            values: bound.values,
            rows_max: query.results_wanted,
            time_max: query.time_max,
        })
    }

    pub fn bound(&self, query: &ProviderQuery<'_>) -> Result<Statement, ConnectorError> {
        self.template.bind(query.text, query.sort, query.results_wanted).ok_or_else(|| {
            ConnectorError::new(ConnectorErrorKind::QueryInvalid, "the query contains no word to search for")
        })
    }
}

impl Rows {
    pub fn push(&mut self, row: Value) -> Result<(), ConnectorError> {
        self.bytes += text_bytes(&row);
        if self.bytes > ANSWER_BYTES_MAX {
            let message = format!("the database's answer is larger than {ANSWER_BYTES_MAX} bytes");
            return Err(ConnectorError::new(ConnectorErrorKind::Unreadable, message));
        }
        self.rows.push(row);
        Ok(())
    }
}

/// Runs `work` with a timeout.
pub async fn in_time<T>(
    time_max: Duration,
    work: impl Future<Output = Result<T, ConnectorError>>,
) -> Result<T, ConnectorError> {
    if time_max.is_zero() {
        return Err(too_late());
    }
    tokio::time::timeout(time_max, work).await.unwrap_or_else(|_| Err(too_late()))
}

pub fn too_late() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Timeout, "the database did not answer in time")
}
