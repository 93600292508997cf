//! All records as plain text, read in one moment and written into another database of either kind.
//!
//! Both databases give the same text for the same record, so that a copy of one fits into the other.

mod export;
mod import;
mod lost_runs;
mod table;

pub use export::export;
pub use import::{Importer, TargetState, target_state};
pub use lost_runs::TaskOfRun;
pub(crate) use table::quoted;
pub use table::{ColumnKind, CopiedColumn, CopiedTable};

use domain::contracts::StoreError;

/// One record: the texts of its columns, in their order; none for NULL.
pub type CopiedRow = Vec<Option<String>>;

/// Takes what [`export`] reads.
pub trait CopySink: Send {
    /// The rows that follow belong to this table.
    fn begin(&mut self, table: &CopiedTable) -> std::io::Result<()>;
    fn row(&mut self, row: &CopiedRow) -> std::io::Result<()>;
    fn end(&mut self) -> std::io::Result<()>;
}

#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the copy cannot be written: {0}")]
    Write(#[from] std::io::Error),
    #[error("the copy does not fit: {0}")]
    Unfit(String),
    #[error("the database was used by a newer version of the program (migration {0} is not known here)")]
    Newer(i64),
}

/// The number of the newest migration of this version.
pub fn schema_version() -> i64 {
    crate::migrations::newest()
}

fn of_sqlx(error: sqlx::Error) -> CopyError {
    CopyError::Store(crate::error::failure(error))
}
