//! Errors of dumps.

use crate::error::failure;
use domain::ports::StoreError;

#[derive(Debug, thiserror::Error)]
pub enum DumpError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the dump cannot be written: {0}")]
    Write(#[from] std::io::Error),
    #[error("the dump does not fit: {0}")]
    Unfit(String),
    #[error("the database was used by a newer version of the program (migration {0} is not known here)")]
    Newer(i64),
}

pub(super) fn of_sqlx(error: sqlx::Error) -> DumpError {
    DumpError::Store(failure(error))
}
