//! Connector: one kind of source.

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

/// One kind of source. Built once per provider and search; federation calls the steps in this order.
#[async_trait]
pub trait Connector: Send + Sync + Debug {
    /// What the source can do for this provider.
    fn capability(&self) -> Capability;
    /// The reader model that must turn the query into a vector first: its name, empty for the built-in one.
    fn reader_model(&self) -> Option<&str> {
        None
    }
    /// How many pages it takes to get `results_wanted` results.
    fn pages(&self, _results_wanted: u32) -> u32 {
        1
    }
    /// Builds the source's own query from url, query_template, query_mappings, credentials. No I/O.
    fn construct(&self, query: &ProviderQuery<'_>) -> Result<SourceQuery, ConnectorError>;
    /// Says why the query must not be sent. No I/O.
    fn validate(&self, _built: &SourceQuery) -> Result<(), ConnectorError> {
        Ok(())
    }
    /// Sends it. The only step that touches the world; one call is one page.
    async fn execute(&self, built: &SourceQuery) -> Result<SourceResponse, ConnectorError>;
    /// Turns the answer into found, retrieved and items. No I/O.
    fn normalize(&self, response: SourceResponse) -> Result<NormalizedPage, ConnectorError>;
    /// What it has to say of how it asked, for the messages of the search.
    fn remarks(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Builds a connector for one provider.
pub type BuildConnector = fn(&SearchProvider, &PluginContext) -> Result<Box<dyn Connector>, ConnectorError>;

/// A row of the catalogue: the plug-in's name on the wire, its one-line summary, and how to build it.
#[derive(Debug, Clone, Copy)]
pub struct ConnectorKind {
    pub name: &'static str,
    pub summary: &'static str,
    /// What a source of this kind can do at best; a provider's mappings decide what it does.
    pub capability: Capability,
    /// The fields of a provider that it reads beside `name` and the like.
    pub settings: &'static [&'static str],
    /// The authenticator that serves when the provider names none, for a source that needs the user's own token.
    pub authenticator: Option<&'static str>,
    pub tried_on: TriedOn,
    /// Checks the provider's fields when it is saved, so that mistakes do not surface as silence.
    pub check: fn(&SearchProvider) -> FieldErrors,
    pub build: BuildConnector,
}

/// What the tests of a connector talk to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriedOn {
    /// The real thing.
    Product(&'static str),
    /// A server of ours, written from the vendor's public description, which refuses what that does not name.
    StandIn,
}

/// What a source can do; shown in the API, and asked before something is demanded of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, utoipa::ToSchema)]
pub struct Capability {
    /// More than one page of results.
    pub page: bool,
    pub date_sort: bool,
    /// Understands a negated term.
    pub not: bool,
}

/// What is asked of one provider.
#[derive(Debug, Clone, Copy)]
pub struct ProviderQuery<'a> {
    /// The words, after all query processors.
    pub text: &'a str,
    pub sort: Sort,
    /// From 0.
    pub page: u32,
    pub results_wanted: u32,
    /// The words as the connector's reader model sees them, when it names one.
    pub vector: Option<&'a [f32]>,
    /// Who asks.
    pub asker: UserId,
    /// What the search is about, before any processor: decisions of people are found by it.
    pub topic: Topic<'a>,
    /// Time left for this request.
    pub time_max: Duration,
}

/// A query in the source's own language.
#[derive(Debug, Clone)]
pub enum SourceQuery {
    Http(Box<HttpRequest>),
    /// A statement whose values are bound, never pasted.
    Statement {
        text: String,
        /// The statement that counts what is there, with the same values.
        count_text: Option<String>,
        values: Vec<String>,
        rows_max: u32,
        time_max: Duration,
    },
    /// A question in JSON, for a source that is asked neither over HTTP nor by a statement.
    Command {
        /// Where it goes, as it may be shown.
        place: String,
        body: Value,
        rows_max: u32,
        time_max: Duration,
    },
}

impl SourceQuery {
    /// As it may be shown: no secret.
    pub fn shown(&self) -> String {
        match self {
            Self::Http(request) => request.shown_url(),
            Self::Statement { text, .. } => text.clone(),
            Self::Command { body, .. } => brief(body).to_string(),
        }
    }
}

/// A longer list of numbers is a vector, which tells a reader nothing.
const NUMBERS_SHOWN_MAX: usize = 16;

/// The same with how many numbers a vector has in its place.
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

/// What the source answered, unread.
#[derive(Debug, Clone)]
pub enum SourceResponse {
    Http(HttpResponse),
    Rows { found: u64, rows: Vec<Value> },
}

/// One page of source items, before mapping.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct NormalizedPage {
    /// Total available, if the source said so.
    pub found: Option<u64>,
    /// Number on this page as the source said, if it did.
    pub retrieved: Option<u64>,
    pub items: Vec<Value>,
}

/// Federation decides on the kind, never on text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectorErrorKind {
    /// The provider's configuration is wrong.
    ConfigInvalid,
    /// This query cannot be sent to this source.
    QueryInvalid,
    /// The guarded client refused the address.
    AddressRefused,
    /// The source refused our credentials.
    Denied,
    /// The provider's secrets are sealed with a key that is not here; it was not asked.
    SecretsUnreadable,
    /// The user has not connected the source.
    NotConnected,
    /// The source is there, but not the table, index, collection or folder that was asked for.
    PlaceUnknown,
    /// The source's certificate cannot be trusted, or it speaks no TLS.
    Untrusted,
    /// The source asked us to slow down.
    RateLimited,
    /// It asked for a rest, failed too often, or its budget of requests is used; it was not asked.
    Suspended,
    Timeout,
    /// The source cannot be reached or reports a failure of its own.
    Unavailable,
    /// The source's answer cannot be read.
    Unreadable,
}

impl ConnectorErrorKind {
    /// The machine word in `info.<provider>.error.code`.
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
            Self::QueryInvalid => "ask with other words, or look at query_template and query_mappings",
            Self::AddressRefused => "allow the address in SVC_OUTBOUND_ALLOW if it is meant to be reached",
            Self::Denied => "check the user name, password or key in the provider's credentials",
            Self::SecretsUnreadable => {
                "enter the provider's credentials again in the console, or start with the key they were sealed with"
            }
            Self::NotConnected => "connect the source in your account, then search again",
            Self::PlaceUnknown => "check the name of the table, index, collection or path in the provider",
            Self::Untrusted => {
                "check that this port speaks TLS, or give the authority's certificate with ca_certs=<file>"
            }
            Self::RateLimited => "wait, or set a rate_limit in config.swirl.connector_use",
            Self::Suspended => "wait for the end of the rest, or reset the source's state",
            Self::Timeout => "try the query at the source itself, and raise SVC_TIMEOUT if it is always slow",
            Self::Unavailable => "check that the source is running, and its host and port in url",
            Self::Unreadable => "look at the answer with a test of the provider: is it the right address?",
        }
    }

    /// The kind of a machine word.
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

/// The one error with structure.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ConnectorError {
    pub kind: ConnectorErrorKind,
    /// For the Search's messages; no secret, no URL with a key.
    pub message: String,
    /// What a source that answers 429 asked for.
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
