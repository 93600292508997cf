//! Removal of a collection of earlier versions that is no longer used.

use domain::ports::{VectorError, VectorStore, WriteMode};

/// Its name.
pub const ENTITY_COLLECTION: &str = "swirl_entities";

/// Removes a collection. Returns the number of its chunks; None: there is no such collection, or it is empty.
pub async fn drop_collection(vectors: &dyn VectorStore, mode: WriteMode) -> Result<Option<u64>, VectorError> {
    let state = vectors.state().await?;
    if mode == WriteMode::Apply {
        // Also removes one that is empty or of unknown form.
        vectors.clear().await?;
    }
    Ok((state.dimension.is_some() || state.chunks > 0).then_some(state.chunks))
}
