//! Connectors: one implementation per kind of source.

use super::{FetchError, HttpRequest, HttpResponse, PluginContext};
use crate::corpus::Topic;
use crate::ids::UserId;
use crate::provider::SearchProvider;
use crate::search::Sort;
use crate::validation::FieldErrors;
use async_trait::async_trait;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Debug;
use std::time::Duration;

/// A connector to one kind of source. Built once per provider and search; federation calls the steps in this order.
#[async_trait]
pub trait Connector: Send + Sync + Debug {
    /// Capabilities of the source for this provider.
    fn capability(&self) -> Capability;
    /// The embedding model that must turn the query into a vector first: its name, empty for the built-in one.
    fn reader_model(&self) -> Option<&str> {
        None
    }
    /// Number of pages that `results_wanted` results take.
    fn pages(&self, _results_wanted: u32) -> u32 {
        1
    }
    /// Builds the source's own query from url, query_template, query_mappings and credentials. No I/O.
    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SourceQuery, ConnectorError>;
    /// Returns an error if the query must not be sent. No I/O.
    fn validate(&self, _built: &SourceQuery) -> Result<(), ConnectorError> {
        Ok(())
    }
    /// Sends the query for one page. The only step with I/O.
    async fn execute(&self, built: &SourceQuery) -> Result<SourceResponse, ConnectorError>;
    /// Parses the response into found, retrieved and items. No I/O.
    fn normalize(&self, response: SourceResponse) -> Result<NormalizedPage, ConnectorError>;
    /// Remarks on how it queried the source, for the messages of the search.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Builds a connector for one provider.
pub type BuildConnector = fn(&SearchProvider, &PluginContext) -> Result<Box<dyn Connector>, ConnectorError>;

/// An entry of the connector registry: the name on the wire, a one-line summary, and how to build it.
#[derive(Debug, Clone, Copy)]
pub struct ConnectorKind {
    pub name: &'static str,
    /// The module of the crate `connectors` that implements it.
    pub module: &'static str,
    pub summary: &'static str,
    /// Capabilities at best; a provider's mappings decide which of them apply.
    pub capability: Capability,
    /// The fields of a provider that it reads, apart from common ones such as `name`.
    pub settings: &'static [&'static str],
    /// The default authenticator of a source that needs the user's own token, if the provider names none.
    pub authenticator: Option<&'static str>,
    pub origin: ResultOrigin,
    pub test_target: TestTarget,
    /// Checks the provider's fields when it is saved, so that mistakes do not surface as missing results.
    pub check: fn(&SearchProvider) -> FieldErrors,
    pub build: BuildConnector,
}

/// Where the results of a connector come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultOrigin {
    /// A source outside of the service.
    Live,
    /// Documents of the corpus, whose access list is checked on every read.
    Corpus,
    /// Text that a model generates, which is no evidence for a summary.
    Generated,
}

/// What the tests of a connector run against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestTarget {
    /// The actual product.
    Product(&'static str),
    /// A fake that is written from the vendor's public description and rejects what the description does not contain.
    Fake,
}

/// Capabilities of a source; shown in the API, and checked before they are used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, utoipa::ToSchema)]
pub struct Capability {
    /// More than one page of results.
    pub page: bool,
    pub date_sort: bool,
    /// Supports negated terms.
    pub not: bool,
}

/// A query to one provider.
#[derive(Debug, Clone, Copy)]
pub struct ProviderQuery<'a> {
    /// The words after all query processors.
    pub text: &'a str,
    pub sort: Sort,
    /// From 0.
    pub page: u32,
    pub results_wanted: u32,
    /// The embedding of the words, if the connector names an embedding model.
    pub vector: Option<&'a [f32]>,
    /// The user who searches.
    pub asker: UserId,
    /// The topic of the search before any processor; pins and elections are found by it.
    pub topic: Topic<'a>,
    /// Remaining time for this request.
    pub time_max: Duration,
}

/// A query in the source's own language.
#[derive(Debug, Clone)]
pub enum SourceQuery {
    Http(Box<HttpRequest>),
    /// A statement with bound values, never interpolated ones.
    Statement {
        text: String,
        /// A statement with the same values that counts all matches.
        count_text: Option<String>,
        values: Vec<String>,
        rows_max: u32,
        time_max: Duration,
    },
    /// A query in JSON, for a source that is queried neither over HTTP nor by a statement.
    Command {
        /// Destination for display.
        place: String,
        body: Value,
        rows_max: u32,
        time_max: Duration,
    },
}

impl SourceQuery {
    /// The query for display, without secrets.
    pub fn shown(&self) -> String {
        match self {
            Self::Http(request) => request.shown_url(),
            Self::Statement { text, .. } => text.clone(),
            Self::Command { body, .. } => brief(body).to_string(),
        }
    }
}

/// Longer lists of numbers are vectors, which are not worth displaying.
const NUMBERS_SHOWN_MAX: usize = 16;

/// Replaces each vector by the number of its components.
fn brief(value: &Value) -> Value {
    match value {
        Value::Array(list) if list.len() > NUMBERS_SHOWN_MAX && list.iter().all(Value::is_number) => {
            Value::String(format!("{} numbers", list.len()))
        }
        Value::Array(list) => list.iter().map(brief).collect(),
        Value::Object(object) => object.iter().map(|(key, value)| (key.clone(), brief(value))).collect(),
        other => other.clone(),
    }
}

/// Unparsed response of a source.
#[derive(Debug, Clone)]
pub enum SourceResponse {
    Http(HttpResponse),
    Rows { found: u64, rows: Vec<Value> },
}

/// A page of items before mapping.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NormalizedPage {
    /// Total number of matches, if the source reports it.
    pub found: Option<u64>,
    /// Number of items on this page, if the source reports it.
    pub retrieved: Option<u64>,
    pub items: Vec<Value>,
}

/// Kind of an error. Federation decides by the kind, never by the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectorErrorKind {
    /// The provider's configuration is wrong.
    ConfigInvalid,
    /// This query cannot be sent to this source.
    QueryInvalid,
    /// The guarded client rejected the address.
    AddressRefused,
    /// The source rejected the credentials.
    Denied,
    /// The response cannot be parsed.
    SecretsUnreadable,
    /// The user has not connected the source.
    NotConnected,
    /// The source exists, but not the requested table, index, collection or folder.
    PlaceUnknown,
    /// The source's certificate is not trusted, or it does not use TLS.
    Untrusted,
    /// The source asked for fewer requests.
    RateLimited,
    /// The source asked for a pause, failed too often, or its request budget is used up; it was not queried.
    Suspended,
    Timeout,
    /// The source cannot be reached or reports an internal failure.
    Unavailable,
    /// The source's answer cannot be read.
    Unreadable,
}

impl ConnectorErrorKind {
    /// The code in `info.<provider>.error.code`.
    pub fn code(self) -> &'static str {
        match self {
            Self::ConfigInvalid => "config_invalid",
            Self::QueryInvalid => "query_invalid",
            Self::AddressRefused => "address_refused",
            Self::Denied => "denied",
            Self::SecretsUnreadable => "secrets_unreadable",
            Self::NotConnected => "not_connected",
            Self::PlaceUnknown => "place_unknown",
            Self::Untrusted => "untrusted",
            Self::RateLimited => "rate_limited",
            Self::Suspended => "suspended",
            Self::Timeout => "timeout",
            Self::Unavailable => "unavailable",
            Self::Unreadable => "unreadable",
        }
    }

    /// What can be done about it: the second half of a sentence.
    pub fn advice(self) -> &'static str {
        match self {
            Self::ConfigInvalid => "correct the provider's fields",
            Self::QueryInvalid => "change the query, or check query_template and query_mappings",
            Self::AddressRefused => "allow the address in SVC_OUTBOUND_ALLOW if it is meant to be reached",
            Self::Denied => "check the user name, password or key in the provider's credentials",
            Self::SecretsUnreadable => {
                "enter the provider's credentials again in the console, or start with the key they were encrypted with"
            }
            Self::NotConnected => "connect the source in your account, then search again",
            Self::PlaceUnknown => "check the name of the table, index, collection or path in the provider",
            Self::Untrusted => {
                "check that this port uses TLS, or provide the authority's certificate with ca_certs=<file>"
            }
            Self::RateLimited => "wait, or set a rate_limit in config.swirl.connector_use",
            Self::Suspended => "wait for the end of the pause, or reset the source's state",
            Self::Timeout => "try the query at the source itself, and raise SVC_TIMEOUT if it is always slow",
            Self::Unavailable => "check that the source is running, and its host and port in url",
            Self::Unreadable => "test the provider and check that its URL is the right one",
        }
    }

    /// The kind with this code.
    pub fn of_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    const ALL: [Self; 13] = [
        Self::ConfigInvalid,
        Self::QueryInvalid,
        Self::AddressRefused,
        Self::Denied,
        Self::SecretsUnreadable,
        Self::NotConnected,
        Self::PlaceUnknown,
        Self::Untrusted,
        Self::RateLimited,
        Self::Suspended,
        Self::Timeout,
        Self::Unavailable,
        Self::Unreadable,
    ];
}

/// An error of a connector.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ConnectorError {
    pub kind: ConnectorErrorKind,
    /// For the messages of the search; contains no secret and no URL with a key.
    pub message: String,
    /// `Retry-After` of a response with status 429.
    pub retry_after: Option<Duration>,
}

impl ConnectorError {
    pub fn new(kind: ConnectorErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), retry_after: None }
    }
}

impl From<FetchError> for ConnectorError {
    fn from(error: FetchError) -> Self {
        let kind = match &error {
            FetchError::Refused(_) => ConnectorErrorKind::AddressRefused,
            FetchError::Timeout(_) => ConnectorErrorKind::Timeout,
            FetchError::TooLarge { .. } | FetchError::Broken(..) | FetchError::MemoryExceeded { .. } => {
                ConnectorErrorKind::Unreadable
            }
            FetchError::Busy => ConnectorErrorKind::Suspended,
            FetchError::Invalid(_) => ConnectorErrorKind::QueryInvalid,
            FetchError::Tls(..) => ConnectorErrorKind::Untrusted,
            FetchError::UnknownHost(_) | FetchError::Connect(..) | FetchError::Redirects(..) => {
                ConnectorErrorKind::Unavailable
            }
        };
        Self::new(kind, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_vector_is_shown_by_its_length() {
        let shown = |numbers: usize| {
            let body = json!({"data": [vec![0.5; numbers]], "limit": 3});
            SourceQuery::Command { place: String::new(), body, rows_max: 3, time_max: Duration::ZERO }.shown()
        };
        assert_eq!(shown(2), r#"{"data":[[0.5,0.5]],"limit":3}"#);
        assert!(shown(NUMBERS_SHOWN_MAX).contains("0.5"));
        assert_eq!(shown(NUMBERS_SHOWN_MAX + 1), r#"{"data":["17 numbers"],"limit":3}"#);
    }

    #[test]
    fn every_kind_has_its_own_word_and_advice() {
        for kind in ConnectorErrorKind::ALL {
            assert_eq!(ConnectorErrorKind::of_code(kind.code()), Some(kind));
            let advice = kind.advice();
            assert!(advice.starts_with(char::is_lowercase) && !advice.ends_with('.'), "{advice}");
        }
        assert_eq!(ConnectorErrorKind::of_code("other"), None);
    }
}
