//! Dumps: all records as plain text, exported from one database and imported into another of either kind.
//!
//! Both databases give the same text for the same record, so that a dump of one fits the other.

mod error;
mod export;
mod import;
mod requeue_orphaned_runs;
mod table;
mod target;

pub use error::DumpError;
pub use export::{DumpSink, export};
pub use import::{Importer, TargetState, target_state};
pub(crate) use table::quoted;
pub use table::{ColumnKind, DumpColumn, DumpRow, DumpTable};

/// The number of the newest migration of this version.
pub fn schema_version() -> i64 {
    crate::migrations::newest()
}
