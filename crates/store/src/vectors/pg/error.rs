//! Errors of PostgreSQL as errors of a vector store.

use crate::error::failure;
use domain::ports::{StoreError, VectorError};

pub(super) fn refused(error: sqlx::Error) -> VectorError {
    match failure(error) {
        StoreError::Unreachable { message, source } => VectorError::Unreachable { message, source },
        other => VectorError::refused(other.to_string()).caused_by(other),
    }
}
