//! Liveness checks: whether a document still exists and the copy is current. The source is asked with the stored
//! credentials
//! of people who have the document; only 404 and 410 mean that it is gone, and nothing is deleted because of that.
//!
//! | Module | Contents |
//! |---|---|
//! | `liveness` | the meaning of a source's response |
//! | `probe` | the check of one document |
//! | `check` | checks of several documents |
//! | `due` | which documents are due for a check |
//! | `recheck` | checks for a page of results: some immediately, the others in the background |
//! | `task` | the background task |

mod check;
mod due;
mod liveness;
mod probe;
mod recheck;
mod task;

pub use check::{CHECKS_MAX, CheckError};
pub use probe::Checked;
pub use task::CheckLiveness;

pub(crate) use probe::denied;
pub(crate) use recheck::recheck;
