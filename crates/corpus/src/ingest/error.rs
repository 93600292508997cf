//! Why an ingest failed, and whether it is retried.

use super::vectors::VectorSyncError;
use domain::ports::{BodyError, Cause, EmbeddingError, StoreError, VectorError};
use std::error::Error;

/// The messages are for users and contain nothing of the document; the causes are for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IngestFailure {
    /// A store is unavailable; retrying will work.
    #[error("{message}")]
    Passing { message: String, source: Option<Cause> },
    /// The source may provide it later.
    #[error("{message}")]
    Again { message: String, source: Option<Cause> },
    /// Retrying would not help.
    #[error("{message}")]
    Final { message: String, source: Option<Cause> },
    /// Nobody wants it any more.
    #[error("it was removed in the meantime")]
    Removed,
}

impl IngestFailure {
    /// A store is unavailable.
    fn passing(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Passing { message: error.to_string(), source: Some(error.into()) }
    }

    /// It may succeed later.
    pub fn again(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Again { message: error.to_string(), source: Some(error.into()) }
    }

    /// Retrying would not help because of this error.
    pub fn finally(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Final { message: error.to_string(), source: Some(error.into()) }
    }

    /// Retrying would not help for this reason.
    pub fn for_good(message: impl Into<String>) -> Self {
        Self::Final { message: message.into(), source: None }
    }
}

impl From<StoreError> for IngestFailure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::Removed,
            other if other.is_transient() => Self::passing(other),
            other => Self::again(other),
        }
    }
}

impl From<BodyError> for IngestFailure {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge(_) => Self::finally(error),
            other => Self::passing(other),
        }
    }
}

impl From<EmbeddingError> for IngestFailure {
    fn from(error: EmbeddingError) -> Self {
        match error {
            EmbeddingError::Unknown { .. } => Self::finally(error),
            EmbeddingError::Failed { .. } => Self::again(error),
        }
    }
}

impl From<VectorSyncError> for IngestFailure {
    fn from(error: VectorSyncError) -> Self {
        match error {
            VectorSyncError::Store(error) => error.into(),
            VectorSyncError::Vectors(
                error @ (VectorError::Dimension { .. }
                | VectorError::Foreign { .. }
                | VectorError::ForeignTable { .. }),
            ) => Self::finally(error),
            VectorSyncError::Vectors(error) => Self::passing(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::chain;
    use std::io;

    #[test]
    fn what_a_store_lacks_is_tried_for_long() {
        let text = String::new;
        let passing = [
            IngestFailure::from(StoreError::full(text())),
            IngestFailure::from(BodyError::refused(text())),
            IngestFailure::from(VectorSyncError::from(VectorError::unreachable(text()))),
        ];
        assert!(
            passing.iter().all(|failure| matches!(failure, IngestFailure::Passing { .. })),
            "{passing:?}"
        );
        let finals = [
            IngestFailure::from(BodyError::TooLarge(50)),
            IngestFailure::from(VectorSyncError::from(VectorError::Dimension { there: 3, ours: 4 })),
            IngestFailure::from(VectorSyncError::from(VectorError::Foreign { collection: text() })),
            IngestFailure::from(VectorSyncError::from(VectorError::ForeignTable { table: text() })),
            IngestFailure::from(EmbeddingError::Unknown { model: text(), hint: text() }),
        ];
        assert!(finals.iter().all(|failure| matches!(failure, IngestFailure::Final { .. })), "{finals:?}");
        assert_eq!(IngestFailure::from(VectorSyncError::from(StoreError::NotFound)), IngestFailure::Removed);
    }

    #[test]
    fn people_see_the_sentence_and_the_log_the_cause() {
        let store = StoreError::failed("no table").caused_by(io::Error::other("code 1"));
        let model = EmbeddingError::failed("no answer").caused_by(io::Error::other("timed out"));
        let table = [
            (store.clone().into(), store.to_string(), chain(&store)),
            (model.clone().into(), model.to_string(), chain(&model)),
            (IngestFailure::for_good("no text"), "no text".to_owned(), "no text".to_owned()),
        ];
        for (failure, text, line) in table {
            assert_eq!((failure.to_string(), chain(&failure)), (text, line));
        }
        assert!(IngestFailure::from(store).source().is_some_and(|cause| cause.is::<StoreError>()));
    }
}
