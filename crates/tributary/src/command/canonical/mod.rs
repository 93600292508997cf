//! The commands about decisions on versions: what is decided and whether it can be computed again, and elections that
//! nobody decided.

mod cleanup;
mod diag;
mod report;

pub use cleanup::Cleanup;
pub use diag::Diag;
