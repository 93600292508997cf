//! Conversions from the errors of other crates to [`ApiError`].

use super::{ApiError, ErrorCode};
use corpus::ingest::IngestError;
use corpus::{CheckError, EgressError, RemovalError};
use domain::ports::{QueueError, StoreError, chain};
use domain::summary::SummaryFault;
use domain::validation::FieldErrors;
use federation::FederationError;
use rag::SummaryError;
use rag::chat::ChatError;
use std::time::Duration;

/// When a user with too many waiting searches may try again: by then some have started.
const WAITING_RETRY: Duration = Duration::from_secs(10);

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::of(ErrorCode::NotFound),
            StoreError::Taken(field) => {
                let errors = FieldErrors::one(field, format!("This {field} is already taken."));
                Self {
                    errors,
                    detail: Some(format!("This {field} is already taken.")),
                    ..Self::of(ErrorCode::Conflict)
                }
            }
            StoreError::UnknownReference(what) => {
                Self::with_detail(ErrorCode::Invalid, format!("There is no {what}."))
            }
            StoreError::LastAdministrator => Self::with_detail(
                ErrorCode::Conflict,
                "This is the last administrator; at least one is required.",
            ),
            StoreError::TooManyTokens(most) => Self::with_detail(
                ErrorCode::Conflict,
                format!(
                    "You have {most} tokens, the maximum; revoke one that you no longer need at /svc/tokens/."
                ),
            ),
            StoreError::Stale => Self::of(ErrorCode::PreconditionFailed),
            StoreError::Unreachable { .. } => Self::unavailable(&chain(&error)),
            StoreError::Full { .. } => {
                Self { cause: Some(chain(&error)), ..Self::of(ErrorCode::StorageFull) }
            }
            StoreError::Failed { .. } => Self::internal(chain(&error)),
        }
    }
}

impl From<QueueError> for ApiError {
    fn from(error: QueueError) -> Self {
        match error {
            QueueError::Store(error) => error.into(),
            QueueError::Unreachable { .. } => Self::unavailable(&chain(&error)),
        }
    }
}

impl From<IngestError> for ApiError {
    fn from(error: IngestError) -> Self {
        let sentence = format!("{}.", sentence_case(&error.to_string()));
        match error {
            IngestError::Unlicensed => Self::of(ErrorCode::CacheUnlicensed),
            IngestError::NoAddress | IngestError::NoText(_) => {
                Self::with_detail(ErrorCode::Impossible, sentence)
            }
            IngestError::NotAllowed => Self::with_detail(ErrorCode::PermissionDenied, sentence),
            IngestError::TooLarge(_) => Self::with_detail(ErrorCode::TooLarge, sentence),
            IngestError::Store(error) => error.into(),
            IngestError::Queue(error) => error.into(),
            IngestError::Storage(error) => Self::unavailable(&chain(&error)),
        }
    }
}

impl From<CheckError> for ApiError {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Unlicensed => Self::of(ErrorCode::CacheUnlicensed),
            CheckError::NotFound => Self::of(ErrorCode::NotFound),
            CheckError::Store(error) => error.into(),
        }
    }
}

impl From<EgressError> for ApiError {
    fn from(error: EgressError) -> Self {
        match error {
            EgressError::Unlicensed => Self::of(ErrorCode::CacheUnlicensed),
            EgressError::NotFound => Self::of(ErrorCode::NotFound),
            EgressError::Running(_) => Self::of(ErrorCode::ScanRunning),
            EgressError::NotConnected(sentence) => {
                Self::with_detail(ErrorCode::MailboxNotConnected, sentence)
            }
            EgressError::Unavailable(error) => Self::unavailable(&chain(&error)),
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
            RemovalError::NotFound => Self::of(ErrorCode::NotFound),
            RemovalError::NotOwn => Self::with_detail(ErrorCode::PermissionDenied, sentence),
            RemovalError::Pinned => Self::with_detail(ErrorCode::Conflict, sentence),
            RemovalError::Store(error) => error.into(),
        }
    }
}

/// Error messages of other crates begin in lower case, because they are also embedded in sentences.
fn sentence_case(text: &str) -> String {
    let mut chars = text.trim_end_matches('.').chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    first + chars.as_str()
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
                Self::with_detail(ErrorCode::Unavailable, format!("{}.", sentence_case(&error.to_string())))
            }
            FederationError::TooManyKept { .. } => {
                Self::with_detail(ErrorCode::Conflict, format!("{}.", sentence_case(&error.to_string())))
            }
            FederationError::Contended => {
                Self::with_detail(ErrorCode::Conflict, "The search was modified concurrently; try again.")
            }
            FederationError::NotReady(status) => Self::with_detail(
                ErrorCode::NotReady,
                format!("The search is still running ({}); try again shortly.", status.as_str()),
            ),
        }
    }
}

impl From<SummaryError> for ApiError {
    fn from(error: SummaryError) -> Self {
        match error {
            SummaryError::Store(error) => error.into(),
            SummaryError::NotReady(status) => FederationError::NotReady(status).into(),
            SummaryError::Fault { fault, message } => {
                let code = match fault {
                    SummaryFault::NoAiProvider => ErrorCode::NoAiProvider,
                    SummaryFault::NoRelevantResults | SummaryFault::NoSourceText => ErrorCode::Impossible,
                    SummaryFault::AiProviderError => ErrorCode::AiProviderError,
                    SummaryFault::RagTimeout => ErrorCode::RagTimeout,
                    SummaryFault::Cancelled => ErrorCode::Cancelled,
                    SummaryFault::Unavailable => ErrorCode::Unavailable,
                };
                Self::with_detail(code, message)
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
            ChatError::Full | ChatError::Busy => Self::with_detail(ErrorCode::Conflict, sentence),
            ChatError::NoProvider(_) => Self::with_detail(ErrorCode::NoAiProvider, sentence),
            ChatError::Model { .. } => Self::with_detail(ErrorCode::AiProviderError, sentence),
            ChatError::Timeout => Self::with_detail(ErrorCode::RagTimeout, sentence),
            ChatError::Search { .. } => Self::unavailable(&chain(&error)),
        }
    }
}
