//! Errors of connectors: kind, field, message and cause.

use super::cause::added_by_causes;
use super::{Cause, FetchError};
use std::error::Error;
use std::fmt;
use std::time::Duration;
use syntax::error::SyntaxError;

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
    /// A response with status 200 says that it failed.
    SourceError,
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
            Self::SourceError => "source_error",
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
            Self::SourceError => "do what the source says: most often its credentials or the query are wrong",
        }
    }

    /// The kind with this code.
    pub fn of_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.code() == code)
    }

    const ALL: [Self; 14] = [
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
        Self::SourceError,
    ];
}

/// An error of a connector. Its `Display` is the text for people; it never contains the cause.
#[derive(Debug, Clone)]
pub struct ConnectorError {
    pub kind: ConnectorErrorKind,
    /// The field of the provider that is wrong, if it is one.
    pub field: Option<&'static str>,
    /// For the messages of the search; contains no secret and no URL with a key.
    pub message: String,
    /// `Retry-After` of a response with status 429.
    pub retry_after: Option<Duration>,
    /// True for a timeout that the source reported itself.
    pub is_reported: bool,
    /// The error behind it, for the log only.
    pub source: Option<Cause>,
}

impl ConnectorError {
    pub fn new(kind: ConnectorErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            field: None,
            message: message.into(),
            retry_after: None,
            is_reported: false,
            source: None,
        }
    }

    /// A field of the provider is wrong.
    pub fn in_field(field: &'static str, sentence: impl Into<String>) -> Self {
        Self { field: Some(field), ..Self::new(ConnectorErrorKind::ConfigInvalid, sentence) }
    }

    /// A field of the provider cannot be parsed.
    pub fn of_syntax(field: &'static str, error: SyntaxError) -> Self {
        Self::in_field(field, error.message()).caused_by(error)
    }

    /// Keeps the error behind this one.
    #[must_use]
    pub fn caused_by(self, cause: impl Into<Cause>) -> Self {
        Self { source: Some(cause.into()), ..self }
    }

    /// What the causes add to the message, in one line and outermost first; None if it is nothing. It may contain what
    /// people must not see.
    pub fn causes(&self) -> Option<String> {
        added_by_causes(&self.message, self.source())
    }
}

/// Causes are for the log, and do not count.
impl PartialEq for ConnectorError {
    fn eq(&self, other: &Self) -> bool {
        let told = |one: &Self| (one.kind, one.field, one.retry_after);
        told(self) == told(other) && self.message == other.message
    }
}

impl fmt::Display for ConnectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field {
            Some(field) => write!(f, "{field}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl Error for ConnectorError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|cause| cause as &(dyn Error + 'static))
    }
}

impl From<FetchError> for ConnectorError {
    fn from(error: FetchError) -> Self {
        let kind = match &error {
            FetchError::Refused { .. } => ConnectorErrorKind::AddressRefused,
            FetchError::Timeout { .. } => ConnectorErrorKind::Timeout,
            FetchError::TooLarge { .. } | FetchError::Broken { .. } | FetchError::MemoryExceeded { .. } => {
                ConnectorErrorKind::Unreadable
            }
            FetchError::Busy => ConnectorErrorKind::Suspended,
            FetchError::Invalid { .. } => ConnectorErrorKind::QueryInvalid,
            FetchError::Tls { .. } => ConnectorErrorKind::Untrusted,
            FetchError::UnknownHost { .. } | FetchError::Connect { .. } | FetchError::Redirects { .. } => {
                ConnectorErrorKind::Unavailable
            }
        };
        Self::new(kind, error.to_string()).caused_by(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_own_word_and_advice() {
        for kind in ConnectorErrorKind::ALL {
            assert_eq!(ConnectorErrorKind::of_code(kind.code()), Some(kind));
            let advice = kind.advice();
            assert!(advice.starts_with(char::is_lowercase) && !advice.ends_with('.'), "{advice}");
        }
        assert_eq!(ConnectorErrorKind::of_code("other"), None);
    }

    #[test]
    fn a_field_is_part_of_the_text_and_a_cause_is_not() {
        let plain = ConnectorError::new(ConnectorErrorKind::Unavailable, "no connection");
        assert_eq!((plain.to_string().as_str(), plain.causes()), ("no connection", None));
        let wrong =
            ConnectorError::in_field("url", "A host is needed.").caused_by(plain.caused_by(fmt::Error));
        assert_eq!(wrong.kind, ConnectorErrorKind::ConfigInvalid);
        assert_eq!(wrong.to_string(), "url: A host is needed.");
        assert_eq!(wrong.causes(), Some(format!("no connection: {}", fmt::Error)));
        let repeated = ConnectorError::from(FetchError::Busy);
        assert!(repeated.source().is_some());
        assert_eq!(repeated.causes(), None);
    }
}
