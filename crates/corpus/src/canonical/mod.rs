//! Decisions on versions, as people make and read them: pins, elections, and the difference of two texts.
//!
//! Everything here takes who asks. Who decides is a curator or an administrator, and must see the document; being either
//! opens no document.
//!
//! | Module | What lives there |
//! |---|---|
//! | `seen` | decisions as one reader may see them |
//! | `pins` | pin, unpin, the list and its history |
//! | `runs` | elections: list, one, approve, reject |
//! | `diff` | the difference of two versions |
//! | `compare` | the difference of two texts |
//! | `retire` | elections that nobody decided for long |
//! | `diagnose` | for the operator: what is decided, and whether every election comes out the same again |

mod compare;
mod diagnose;
mod diff;
mod pins;
mod retire;
mod runs;
mod seen;

pub use diagnose::{Diagnosis, DiagnosisAsked, Differing};
pub use diff::{DIFF_CHARS_MAX, DIFF_PIECES_MAX, Diff, DiffOp, DiffPiece};
pub use pins::{PinWish, Pinned, PinsAsked};
pub use retire::{RetireRuns, STALE_AFTER_DAYS};
pub use runs::RunsAsked;
pub use seen::{MemberSeen, PinEventSeen, PinSeen, RunDetail, RunSeen};

use crate::{CacheParts, permissions};
use domain::contracts::StoreError;
use domain::corpus::{AclToken, Run, Signal};
use domain::ids::SignalId;
use domain::user::Principal;

/// Why a decision was not made, or is not shown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CanonicalError {
    #[error("the license does not open the semantic cache")]
    Unlicensed,
    /// It is not there, or not for this person.
    #[error("there is no such document, election or search")]
    NotFound,
    /// The person is neither a curator nor an administrator.
    #[error("only curators and administrators decide which version counts")]
    Forbidden,
    /// The document has no text in the cache.
    #[error("the document is not in the cache yet, so that it cannot be pinned")]
    NotIndexed,
    /// A pin is for a query.
    #[error("a query is needed")]
    NoQuery,
    /// Another document is pinned for the query and scope. `visible`: the person may see that document.
    #[error("another document is pinned for this query")]
    PinExists { pin: Box<PinSeen>, visible: bool },
    /// It is approved, rejected, superseded or stale.
    #[error("the election is decided already")]
    AlreadyDecided(Box<Run>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CanonicalError {
    /// What the records did not find is not there for anybody.
    fn of(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::NotFound,
            other => Self::Store(other),
        }
    }
}

/// Who may decide now.
fn may_decide(parts: &CacheParts, person: &Principal) -> Result<(), CanonicalError> {
    is_open(parts)?;
    is_curator(person)
}

fn is_open(parts: &CacheParts) -> Result<(), CanonicalError> {
    if parts.license.opens_cache() { Ok(()) } else { Err(CanonicalError::Unlicensed) }
}

fn is_curator(person: &Principal) -> Result<(), CanonicalError> {
    if person.may_curate() { Ok(()) } else { Err(CanonicalError::Forbidden) }
}

/// The document, when somebody with these tokens may see it.
async fn visible(
    parts: &CacheParts,
    tokens: &[AclToken],
    id: SignalId,
) -> Result<Option<Signal>, StoreError> {
    Ok(parts.store.signals(&[id], Some(tokens)).await?.pop())
}

async fn tokens_of(parts: &CacheParts, person: &Principal) -> Result<Vec<AclToken>, StoreError> {
    permissions::tokens_of(parts, person.user).await
}
