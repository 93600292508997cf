//! Prepares the backends before the first document: the vector collection and the body storage.

use super::embedding_model::reader;
use super::error::MaintenanceError;
use crate::SemanticCache;
use domain::ports::{BodyError, VectorState};

impl SemanticCache {
    /// Creates the vector collection if it is missing. Sparse vectors are added by the upgrade only.
    pub async fn prepare_vectors(&self) -> Result<VectorState, MaintenanceError> {
        let vectors = &self.parts.vectors;
        let (_, dimension) = reader(&self.parts).await?;
        vectors.prepare(dimension).await?;
        Ok(vectors.state().await?)
    }

    /// Creates the folder or the bucket of texts if it is missing.
    pub async fn prepare_bodies(&self) -> Result<(), BodyError> {
        self.parts.bodies.prepare().await
    }
}
