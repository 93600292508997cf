//! Why a command failed.

use crate::ingest::VectorSyncError;
use domain::ports::{BodyError, EmbeddingError, StoreError, VectorError};

#[derive(Debug, Clone, thiserror::Error)]
pub enum MaintenanceError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Vectors(#[from] VectorError),
    #[error(transparent)]
    Bodies(#[from] BodyError),
    #[error(transparent)]
    Reader(#[from] EmbeddingError),
}

impl From<VectorSyncError> for MaintenanceError {
    fn from(error: VectorSyncError) -> Self {
        match error {
            VectorSyncError::Store(error) => Self::Store(error),
            VectorSyncError::Vectors(error) => Self::Vectors(error),
        }
    }
}
