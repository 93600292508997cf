//! Errors that several steps of a provider share, and their causes in the log.

use crate::search::log_text::without_query;
use domain::known_secrets::KnownSecrets;
use domain::ports::{ConnectorError, ConnectorErrorKind};

pub(super) fn unknown_processor(name: &str) -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, format!("the processor '{name}' is not known"))
}

pub(super) fn internal_error() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Unreadable, "the response could not be processed")
}

/// What the causes of an error add to its message, without secrets and without the words of the query.
pub(super) fn loggable_causes(error: &ConnectorError, secrets: &KnownSecrets, query: &str) -> Option<String> {
    error.causes().map(|causes| without_query(&secrets.mask(&causes), query))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    #[test]
    fn a_cause_is_logged_without_secrets_and_query() {
        let secrets = KnownSecrets::of_texts(["canary-key"]);
        let error = ConnectorError::new(ConnectorErrorKind::Unavailable, "the database failed");
        assert_eq!(loggable_causes(&error, &secrets, "medical question"), None);
        let error = error.caused_by(io::Error::other("canary-key is refused near 'medical'\n at line 3"));
        let causes = loggable_causes(&error, &secrets, "medical question");
        assert_eq!(causes.as_deref(), Some("•••• is refused near '…' at line 3"));
        assert_eq!(error.to_string(), "the database failed");
    }
}
