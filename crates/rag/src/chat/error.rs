//! Why a message is not accepted or has no reply.

use super::limits::MESSAGE_TIME_MAX;
use crate::error::{model_sentence, sentence};
use domain::chat::MESSAGES_MAX;
use domain::ports::{Cause, ModelError, ModelErrorKind, StoreError};
use domain::validation::FieldErrors;
use federation::FederationError;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ChatError {
    #[error("the message is not valid: {0}")]
    Invalid(FieldErrors),
    #[error("This chat has reached its limit of {MESSAGES_MAX} messages; start a new one.")]
    Full,
    #[error("The message before is still being answered.")]
    Busy,
    /// The message is stored and can be answered once there is a provider.
    #[error("{0}")]
    NoProvider(String),
    #[error("{message}")]
    Model { message: String },
    #[error("There was no answer within {} seconds.", MESSAGE_TIME_MAX.as_secs())]
    Timeout,
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The queue is unavailable or full.
    #[error("the search failed: {message}")]
    Search { message: String, source: Option<Cause> },
}

impl From<ModelError> for ChatError {
    fn from(error: ModelError) -> Self {
        match error.kind {
            ModelErrorKind::NoProvider => Self::NoProvider(sentence(&error.message)),
            ModelErrorKind::Timeout => Self::Timeout,
            _ => Self::Model { message: model_sentence(&error) },
        }
    }
}

impl From<FederationError> for ChatError {
    fn from(error: FederationError) -> Self {
        match error {
            FederationError::Store(error) => Self::Store(error),
            error => Self::Search { message: error.to_string(), source: Some(error.into()) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::{QueueError, chain};
    use std::io;

    #[test]
    fn a_search_that_failed_keeps_its_cause() {
        let queue = QueueError::unreachable("no answer").caused_by(io::Error::other("timed out"));
        let error = ChatError::from(FederationError::Queue(queue));
        let text = "the search failed: the task queue is not reachable: no answer";
        assert_eq!((error.to_string(), chain(&error)), (text.to_owned(), format!("{text}: timed out")));
    }
}
