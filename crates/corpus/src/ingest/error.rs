//! Why an ingest failed, and whether it is retried.

use super::vectors::VectorSyncError;
use domain::ports::{BodyError, EmbeddingError, StoreError, VectorError};

/// The messages are for users and contain nothing of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IngestFailure {
    /// A store is unavailable; retrying will work.
    Passing(String),
    /// The source may provide it later.
    Again(String),
    /// Retrying would not help.
    Final(String),
    /// Removed in the meantime; nobody wants it any more.
    Removed,
}

impl From<StoreError> for IngestFailure {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::Removed,
            other if other.is_transient() => Self::Passing(other.to_string()),
            other => Self::Again(other.to_string()),
        }
    }
}

impl From<BodyError> for IngestFailure {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge(_) => Self::Final(error.to_string()),
            other => Self::Passing(other.to_string()),
        }
    }
}

impl From<EmbeddingError> for IngestFailure {
    fn from(error: EmbeddingError) -> Self {
        match error {
            EmbeddingError::Unknown { .. } => Self::Final(error.to_string()),
            EmbeddingError::Failed { .. } => Self::Again(error.to_string()),
        }
    }
}

impl From<VectorSyncError> for IngestFailure {
    fn from(error: VectorSyncError) -> Self {
        match error {
            VectorSyncError::Store(error) => error.into(),
            VectorSyncError::Vectors(VectorError::Dimension { .. }) => Self::Final(error.to_string()),
            VectorSyncError::Vectors(error) => Self::Passing(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_store_lacks_is_tried_for_long() {
        let text = String::new;
        let passing = [
            IngestFailure::from(StoreError::full(text())),
            IngestFailure::from(BodyError::Refused(text())),
            IngestFailure::from(VectorSyncError::from(VectorError::Unreachable(text()))),
        ];
        assert!(passing.iter().all(|failure| matches!(failure, IngestFailure::Passing(_))), "{passing:?}");
        let finals = [
            IngestFailure::from(BodyError::TooLarge(50)),
            IngestFailure::from(VectorSyncError::from(VectorError::Dimension { there: 3, ours: 4 })),
            IngestFailure::from(EmbeddingError::Unknown { model: text(), hint: text() }),
        ];
        assert!(finals.iter().all(|failure| matches!(failure, IngestFailure::Final(_))), "{finals:?}");
        assert_eq!(IngestFailure::from(VectorSyncError::from(StoreError::NotFound)), IngestFailure::Removed);
    }
}
