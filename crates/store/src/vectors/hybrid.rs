//! Whether the collection has sparse vectors, as a value among the records.

use domain::ports::{SignalStore, StoreError, VectorError};

/// Key of the value that is `true` if the collection has sparse vectors.
const HYBRID: &str = "hybrid";

/// Whether sparse vectors are stored. Qdrant knows that of its own collection.
pub(super) async fn is_hybrid(signals: &dyn SignalStore) -> Result<bool, VectorError> {
    let value = signals.corpus_value(HYBRID).await.map_err(unreadable)?;
    Ok(value.as_deref() == Some("true"))
}

pub(super) async fn set_hybrid(signals: &dyn SignalStore) -> Result<(), VectorError> {
    signals.set_corpus_value(HYBRID, "true").await.map_err(unreadable)
}

pub(super) async fn unset_hybrid(signals: &dyn SignalStore) -> Result<(), VectorError> {
    signals.set_corpus_value(HYBRID, "false").await.map_err(unreadable)
}

pub(super) fn unreadable(error: StoreError) -> VectorError {
    VectorError::unreachable(error.to_string()).caused_by(error)
}
