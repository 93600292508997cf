//! Decisions on versions: pins, elections, and diffs.
//!
//! Every function takes the person who asks. Only curators and administrators decide, and only on documents that they
//! may
//! see; the role alone gives access to no document.
//!
//! | Module | Contents |
//! |---|---|
//! | `access` | who may decide, and which documents they may see |
//! | `views` | decisions as one person may see them |
//! | `pins` | pin, unpin, list, history |
//! | `runs` | elections: list, detail, approve, reject |
//! | `diff` | diff of two versions |
//! | `text_diff` | diff of two texts |
//! | `expire` | elections that nobody decided become stale |
//! | `diagnose` | operator diagnostics |

mod access;
mod diagnose;
mod diff;
mod error;
mod expire;
mod pins;
mod runs;
mod text_diff;
mod views;

pub use diagnose::{Diagnosis, DiagnosisQuery, Differing};
pub use diff::{DIFF_CHARS_MAX, DIFF_PIECES_MAX, Diff};
pub use error::CanonicalError;
pub use expire::{ExpireRuns, STALE_AFTER_DAYS};
pub use pins::{PinQuery, PinRequest, Pinned};
pub use runs::RunQuery;
pub use text_diff::{DiffOp, DiffPiece};
pub use views::{ElectionDetail, VisibleElection, VisibleMember, VisiblePin, VisiblePinEvent};
