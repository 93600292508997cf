//! Why the corpus could not be searched.

use domain::ports::{CorpusError, CorpusErrorKind, EmbeddingError, StoreError, VectorError};
use tokio::task::JoinError;

pub fn interrupted(error: JoinError) -> CorpusError {
    let message = "the words of the documents could not be compared";
    CorpusError::new(CorpusErrorKind::Unavailable, message).caused_by(error)
}

pub fn unreadable(error: StoreError) -> CorpusError {
    let message = format!("the cache cannot be read: {error}");
    CorpusError::new(CorpusErrorKind::Unavailable, message).caused_by(error)
}

pub fn unread(error: EmbeddingError) -> CorpusError {
    CorpusError::from_cause(CorpusErrorKind::Unavailable, error)
}

pub fn unsearchable(error: VectorError) -> CorpusError {
    let kind = match error {
        VectorError::MissingSparse | VectorError::Dimension { .. } => CorpusErrorKind::Outdated,
        VectorError::Unreachable { .. }
        | VectorError::Refused { .. }
        | VectorError::Foreign { .. }
        | VectorError::ForeignTable { .. }
        | VectorError::Disabled => CorpusErrorKind::Unavailable,
    };
    CorpusError::from_cause(kind, error)
}
