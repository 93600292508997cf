//! Errors that several steps of a provider share.

use domain::ports::{ConnectorError, ConnectorErrorKind};

pub(super) fn unknown_processor(name: &str) -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, format!("the processor '{name}' is not known"))
}

pub(super) fn internal_error() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Unreadable, "the response could not be processed")
}
