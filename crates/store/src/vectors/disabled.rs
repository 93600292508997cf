//! No vectors: the cache is switched off, and says so.

use async_trait::async_trait;
use domain::contracts::{
    Asking, SignalVectors, SparseVector, VectorError, VectorHit, VectorState, VectorStore,
};
use domain::corpus::AclToken;
use domain::ids::SignalId;

/// `SVC_QDRANT_MODE=disabled`. Nothing goes in and nothing is found; what asks for nothing to be there is content.
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

    async fn nearest(&self, _asking: Asking<'_>, _dense: &[f32]) -> Result<Vec<VectorHit>, VectorError> {
        Err(VectorError::Disabled)
    }

    async fn nearest_by_words(
        &self,
        _asking: Asking<'_>,
        _words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError> {
        Err(VectorError::Disabled)
    }

    async fn held(
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
