//! What the errors of the rooms are answered with.

use super::{ApiError, Refusal};
use answers::AnswerError;
use answers::chat::ChatError;
use corpus::ingest::IngestError;
use corpus::{CheckError, EgressError, RemovalError};
use domain::answer::AnswerFault;
use domain::contracts::{QueueError, StoreError};
use domain::validation::FieldErrors;
use federation::FederationError;
use std::time::Duration;

/// When a user whose searches wait may try again: by then some have started.
const WAITING_RETRY: Duration = Duration::from_secs(10);

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::of(Refusal::NotFound),
            StoreError::Taken(field) => {
                let errors = FieldErrors::one(field, format!("This {field} is already taken."));
                Self {
                    errors,
                    detail: Some(format!("This {field} is already taken.")),
                    ..Self::of(Refusal::Conflict)
                }
            }
            StoreError::UnknownReference(what) => {
                Self::saying(Refusal::Invalid, format!("There is no {what}."))
            }
            StoreError::LastAdministrator => {
                Self::saying(Refusal::Conflict, "This is the last administrator; there must be one.")
            }
            StoreError::TooManyTokens(most) => Self::saying(
                Refusal::Conflict,
                format!(
                    "You have {most} tokens, as many as a user may have; revoke one that you no longer need at /svc/tokens/."
                ),
            ),
            StoreError::Stale => Self::of(Refusal::PreconditionFailed),
            StoreError::Unreachable(cause) => Self::unavailable(&cause),
            StoreError::Full(cause) => Self { cause: Some(cause), ..Self::of(Refusal::StorageFull) },
            StoreError::Failed(cause) => Self::internal(cause),
        }
    }
}

impl From<QueueError> for ApiError {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Store(error) => error.into(),
            QueueError::Unreachable(cause) => Self::unavailable(&cause),
        }
    }
}

impl From<IngestError> for ApiError {
    fn from(error: IngestError) -> Self {
        let sentence = format!("{}.", sentence_case(&error.to_string()));
        match error {
            IngestError::Unlicensed => Self::of(Refusal::CacheUnlicensed),
            IngestError::NoAddress | IngestError::NoText(_) => Self::saying(Refusal::Impossible, sentence),
            IngestError::NotAllowed => Self::saying(Refusal::PermissionDenied, sentence),
            IngestError::TooLarge(_) => Self::saying(Refusal::TooLarge, sentence),
            IngestError::Store(error) => error.into(),
            IngestError::Queue(error) => error.into(),
            IngestError::Storage(error) => Self::unavailable(&error.to_string()),
        }
    }
}

impl From<CheckError> for ApiError {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Unlicensed => Self::of(Refusal::CacheUnlicensed),
            CheckError::NotFound => Self::of(Refusal::NotFound),
            CheckError::Store(error) => error.into(),
        }
    }
}

impl From<EgressError> for ApiError {
    fn from(error: EgressError) -> Self {
        match error {
            EgressError::Unlicensed => Self::of(Refusal::CacheUnlicensed),
            EgressError::NotFound => Self::of(Refusal::NotFound),
            EgressError::Running(_) => Self::of(Refusal::ScanRunning),
            EgressError::NotConnected(sentence) => Self::saying(Refusal::MailboxNotConnected, sentence),
            EgressError::Unavailable(cause) => Self::unavailable(&cause),
            EgressError::Invalid(field, sentence) => Self::invalid_field(field, sentence),
            EgressError::Store(error) => error.into(),
            EgressError::Queue(error) => error.into(),
        }
    }
}

impl From<RemovalError> for ApiError {
    fn from(error: RemovalError) -> Self {
        let sentence = format!("{}.", sentence_case(&error.to_string()));
        match error {
            RemovalError::NotFound => Self::of(Refusal::NotFound),
            RemovalError::NotOwn => Self::saying(Refusal::PermissionDenied, sentence),
            RemovalError::Pinned => Self::saying(Refusal::Conflict, sentence),
            RemovalError::Store(error) => error.into(),
        }
    }
}

/// The reasons of the rooms begin small, because others put them into sentences of their own.
fn sentence_case(text: &str) -> String {
    let mut letters = text.trim_end_matches('.').chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

impl From<FederationError> for ApiError {
    fn from(error: FederationError) -> Self {
        match error {
            FederationError::Store(error) => error.into(),
            FederationError::Queue(error) => error.into(),
            FederationError::Invalid(errors) => Self::invalid(errors),
            FederationError::TooManyWaiting { .. } => {
                tracing::warn!("Throttled: {error}");
                Self::throttled(WAITING_RETRY, &format!("{}.", sentence_case(&error.to_string())))
            }
            FederationError::QueueFull { .. } => {
                tracing::warn!("{error}");
                Self::saying(Refusal::Unavailable, format!("{}.", sentence_case(&error.to_string())))
            }
            FederationError::TooManyKept { .. } => {
                Self::saying(Refusal::Conflict, format!("{}.", sentence_case(&error.to_string())))
            }
            FederationError::Contended => {
                Self::saying(Refusal::Conflict, "Others change this search at the same moment; try again.")
            }
            FederationError::NotReady(status) => Self::saying(
                Refusal::NotReady,
                format!("The search is still running ({}); ask again shortly.", status.as_str()),
            ),
        }
    }
}

impl From<AnswerError> for ApiError {
    fn from(error: AnswerError) -> Self {
        match error {
            AnswerError::Store(error) => error.into(),
            AnswerError::NotReady(status) => FederationError::NotReady(status).into(),
            AnswerError::Fault { fault, message } => {
                let refusal = match fault {
                    AnswerFault::NoAiProvider => Refusal::NoAiProvider,
                    AnswerFault::NoRelevantResults | AnswerFault::NoSourceText => Refusal::Impossible,
                    AnswerFault::AiProviderError => Refusal::AiProviderError,
                    AnswerFault::RagTimeout => Refusal::RagTimeout,
                    AnswerFault::Cancelled => Refusal::Cancelled,
                    AnswerFault::Unavailable => Refusal::Unavailable,
                };
                Self::saying(refusal, message)
            }
        }
    }
}

impl From<ChatError> for ApiError {
    fn from(error: ChatError) -> Self {
        let sentence = error.to_string();
        match error {
            ChatError::Store(error) => error.into(),
            ChatError::Invalid(errors) => Self::invalid(errors),
            ChatError::Full | ChatError::Busy => Self::saying(Refusal::Conflict, sentence),
            ChatError::NoProvider(_) => Self::saying(Refusal::NoAiProvider, sentence),
            ChatError::Model { .. } => Self::saying(Refusal::AiProviderError, sentence),
            ChatError::Timeout => Self::saying(Refusal::RagTimeout, sentence),
            ChatError::Search(cause) => Self::unavailable(&cause),
        }
    }
}
