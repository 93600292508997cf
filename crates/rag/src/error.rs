//! Errors of summaries and their messages.

use crate::events::SummaryEvent;
use domain::ports::{ModelError, ModelErrorKind, StoreError};
use domain::status::SearchStatus;
use domain::summary::SummaryFault;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SummaryError {
    /// There is no summary; the message explains why.
    #[error("{message}")]
    Fault { fault: SummaryFault, message: String },
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the search has not finished: {}", .0.as_str())]
    NotReady(SearchStatus),
}

impl SummaryError {
    pub(crate) fn of(fault: SummaryFault, message: impl Into<String>) -> Self {
        Self::Fault { fault, message: message.into() }
    }

    pub(crate) fn too_late(time_max: Duration) -> Self {
        let seconds = time_max.as_secs_f64();
        Self::of(SummaryFault::RagTimeout, format!("Timeout: there was no answer within {seconds} s."))
    }

    pub(crate) fn cancelled() -> Self {
        Self::of(SummaryFault::Cancelled, "The summary was canceled, or the search was started again.")
    }

    pub(crate) fn of_model(error: &ModelError) -> Self {
        let fault = match error.kind {
            ModelErrorKind::NoProvider => SummaryFault::NoAiProvider,
            ModelErrorKind::ConfigInvalid
            | ModelErrorKind::AddressRefused
            | ModelErrorKind::Denied
            | ModelErrorKind::RateLimited
            | ModelErrorKind::TooLong
            | ModelErrorKind::Timeout
            | ModelErrorKind::Unavailable
            | ModelErrorKind::Unreadable => SummaryFault::AiProviderError,
        };
        Self::of(fault, model_sentence(error))
    }

    /// A model timeout at the deadline counts as a timeout of the summary.
    pub(crate) fn of_model_at_deadline(error: &ModelError) -> Self {
        if error.kind == ModelErrorKind::Timeout {
            Self::of(SummaryFault::RagTimeout, model_sentence(error))
        } else {
            Self::of_model(error)
        }
    }

    pub(crate) fn fault(&self) -> SummaryFault {
        match self {
            Self::Fault { fault, .. } => *fault,
            Self::NotReady(_) | Self::Store(_) => SummaryFault::Unavailable,
        }
    }

    /// The last event of a failed summary. Internal errors are not revealed.
    pub(crate) fn event(&self) -> SummaryEvent {
        let message = match self {
            Self::Fault { message, .. } => message.clone(),
            Self::NotReady(status) => {
                format!("The search is still running ({}); ask again shortly.", status.as_str())
            }
            Self::Store(_) => "The service cannot answer at the moment; ask again shortly.".to_owned(),
        };
        SummaryEvent::Failed { fault: self.fault(), message }
    }
}

/// The message of a model error, with the wait time that the service asked for.
pub(crate) fn model_sentence(error: &ModelError) -> String {
    let mut message = sentence(&error.message);
    if let Some(wait) = error.retry_after {
        message.push_str(&format!(" It asks to wait {} s.", wait.as_secs().max(1)));
    }
    message
}

/// Turns an error message into a sentence.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.trim().chars();
    let mut made: String = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    made.push_str(chars.as_str());
    if !made.ends_with(['.', '!', '?']) {
        made.push('.');
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ai_provider::Role;

    #[test]
    fn models_fail_in_three_ways() {
        let timeout = ModelError::new(ModelErrorKind::Timeout, "the model was silent");
        for (error, before, at_deadline) in [
            (ModelError::no_provider(Role::Rag), SummaryFault::NoAiProvider, SummaryFault::NoAiProvider),
            (
                ModelError::new(ModelErrorKind::Denied, "401"),
                SummaryFault::AiProviderError,
                SummaryFault::AiProviderError,
            ),
            (timeout, SummaryFault::AiProviderError, SummaryFault::RagTimeout),
        ] {
            assert_eq!(SummaryError::of_model(&error).fault(), before, "{error:?}");
            assert_eq!(SummaryError::of_model_at_deadline(&error).fault(), at_deadline, "{error:?}");
        }
    }

    #[test]
    fn who_is_asked_to_wait_learns_how_long() {
        let mut error = ModelError::new(ModelErrorKind::RateLimited, "'Own' answered with status 429");
        for (wait, expected) in [
            (None, "'Own' answered with status 429."),
            (Some(60_000), "'Own' answered with status 429. It asks to wait 60 s."),
            (Some(10), "'Own' answered with status 429. It asks to wait 1 s."),
        ] {
            error.retry_after = wait.map(Duration::from_millis);
            assert_eq!(SummaryError::of_model(&error).to_string(), expected);
            assert_eq!(crate::chat::ChatError::from(error.clone()).to_string(), expected);
        }
    }

    #[test]
    fn errors_become_sentences() {
        for (text, expected) in [("the key is wrong", "The key is wrong."), ("Übel!", "Übel!"), ("", ".")] {
            assert_eq!(sentence(text), expected);
        }
    }

    #[test]
    fn internals_are_not_revealed() {
        let failed = SummaryError::Store(StoreError::failed("secret table")).event();
        let SummaryEvent::Failed { fault, message } = failed else { panic!("{failed:?}") };
        assert_eq!(fault, SummaryFault::Unavailable);
        assert!(!message.contains("secret"), "{message}");
    }
}
