//! What must be there before the first document: the collection of vectors, and the place of texts.

use super::{UpkeepError, reader};
use crate::SemanticCache;
use domain::contracts::{BodyError, VectorState};

impl SemanticCache {
    /// Makes the collection of vectors where it is missing. Words are not its matter: they come by the upgrade alone.
    pub async fn prepare_vectors(&self) -> Result<VectorState, UpkeepError> {
        let vectors = &self.parts.vectors;
        let (_, dimension) = reader(&self.parts).await?;
        vectors.prepare(dimension).await?;
        Ok(vectors.state().await?)
    }

    /// Makes the folder or the bucket of texts where it is missing.
    pub async fn prepare_bodies(&self) -> Result<(), BodyError> {
        self.parts.bodies.prepare().await
    }
}
