//! The disabled vector store.

use async_trait::async_trait;
use domain::corpus::AclToken;
use domain::ids::SignalId;
use domain::ports::{
    SignalVectors, SparseVector, VectorError, VectorHit, VectorQuery, VectorState, VectorStore,
};

/// `SVC_QDRANT_MODE=disabled`. Writes and searches fail; removals succeed.
pub struct NoVectors;

#[async_trait]
impl VectorStore for NoVectors {
    async fn put(&self, _vectors: SignalVectors) -> Result<(), VectorError> {
        Err(VectorError::Disabled)
    }

    async fn set_acl(&self, _signal: SignalId, _acl: &[AclToken]) -> Result<(), VectorError> {
        Ok(())
    }

    async fn remove(&self, _signals: &[SignalId]) -> Result<(), VectorError> {
        Ok(())
    }

    async fn nearest(&self, _query: VectorQuery<'_>, _dense: &[f32]) -> Result<Vec<VectorHit>, VectorError> {
        Err(VectorError::Disabled)
    }

    async fn nearest_by_words(
        &self,
        _query: VectorQuery<'_>,
        _words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError> {
        Err(VectorError::Disabled)
    }

    async fn chunk_counts(
        &self,
        _after: Option<SignalId>,
        _limit: usize,
    ) -> Result<Vec<(SignalId, u32)>, VectorError> {
        Err(VectorError::Disabled)
    }

    async fn state(&self) -> Result<VectorState, VectorError> {
        Err(VectorError::Disabled)
    }

    async fn prepare(&self, _dimension: usize) -> Result<(), VectorError> {
        Err(VectorError::Disabled)
    }

    async fn make_hybrid(&self) -> Result<(), VectorError> {
        Err(VectorError::Disabled)
    }

    async fn clear(&self) -> Result<(), VectorError> {
        Ok(())
    }
}
