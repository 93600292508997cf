//! Prepares the backends before the first document: the vector collection and the body storage.

use super::embedding_model::reader;
use super::error::MaintenanceError;
use crate::{SemanticCache, word_language, word_search};
use domain::ports::{BodyError, StoreError, VectorState};

impl SemanticCache {
    /// Creates the vector collection if it is missing. A cache without documents gets sparse vectors, another one by the
    /// upgrade only.
    pub async fn prepare_vectors(&self) -> Result<VectorState, MaintenanceError> {
        let vectors = &self.parts.vectors;
        let (_, dimension) = reader(&self.parts).await?;
        vectors.prepare(dimension).await?;
        word_search::begin(&self.parts, dimension).await?;
        Ok(vectors.state().await?)
    }

    /// The language in which the words of the documents are indexed, if it is not the configured one and they are
    /// searched by words. Queries are read in it until the next reindex.
    pub async fn outdated_word_language(&self) -> Result<Option<String>, StoreError> {
        if word_search::is_on(&self.parts).await? {
            word_language::outdated(&self.parts).await
        } else {
            Ok(None)
        }
    }

    /// Creates the folder or the bucket of texts if it is missing.
    pub async fn prepare_bodies(&self) -> Result<(), BodyError> {
        self.parts.bodies.prepare().await
    }
}
