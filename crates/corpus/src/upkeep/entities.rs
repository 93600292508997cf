//! A collection that earlier versions of such a cache made and that nobody reads any more.

use domain::contracts::{VectorError, VectorStore};

/// Its name.
pub const ENTITY_COLLECTION: &str = "swirl_entities";

/// Removes a collection when `apply` says so. How many pieces it holds; None: there is no such collection, or nothing in it.
pub async fn drop_collection(vectors: &dyn VectorStore, apply: bool) -> Result<Option<u64>, VectorError> {
    let state = vectors.state().await?;
    if apply {
        // Also one that is empty and of a form that is not known.
        vectors.clear().await?;
    }
    Ok((state.dimension.is_some() || state.chunks > 0).then_some(state.chunks))
}
