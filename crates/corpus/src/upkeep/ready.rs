//! What must be there before the first document: the collection of vectors, and the place of texts.

use super::{UpkeepError, reader};
use crate::SemanticCache;
use domain::contracts::{BodyError, VectorState};

impl SemanticCache {
    /// Makes the collection of vectors where it is missing. One that is empty is hybrid at once when that is set: there is
    /// nothing to upgrade.
    pub async fn prepare_vectors(&self) -> Result<VectorState, UpkeepError> {
        let vectors = &self.parts.vectors;
        let (_, dimension) = reader(&self.parts).await?;
        vectors.prepare(dimension).await?;
        let state = vectors.state().await?;
        if self.parts.settings.corpus_hybrid && !state.is_hybrid && state.chunks == 0 {
            vectors.make_hybrid().await?;
            return Ok(vectors.state().await?);
        }
        Ok(state)
    }

    /// Makes the folder or the bucket of texts where it is missing.
    pub async fn prepare_bodies(&self) -> Result<(), BodyError> {
        self.parts.bodies.prepare().await
    }
}
