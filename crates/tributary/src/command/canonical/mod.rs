//! Commands for canonical versions: diagnosis and cleanup of elections.

mod cleanup;
mod diag;
mod report;

pub use cleanup::Cleanup;
pub use diag::Diag;
