//! Why a decision was refused or is not shown.

use super::views::VisiblePin;
use domain::corpus::Run;
use domain::ports::StoreError;

/// Why a decision was refused or is not shown.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum CanonicalError {
    #[error("the license does not include the semantic cache")]
    Unlicensed,
    /// It does not exist, or this person may not see it.
    #[error("there is no such document, election or search")]
    NotFound,
    /// The person is neither a curator nor an administrator.
    #[error("only curators and administrators decide which version counts")]
    Forbidden,
    /// The document has no text in the cache.
    #[error("the document is not in the cache yet and cannot be pinned")]
    NotIndexed,
    /// A pin is for a query.
    #[error("a query is needed")]
    NoQuery,
    /// Another document is pinned for the query and scope. `visible`: the person may see that document.
    #[error("another document is pinned for this query")]
    PinExists { pin: Box<VisiblePin>, visible: bool },
    /// It is approved, rejected, superseded or stale.
    #[error("the election is already decided")]
    AlreadyDecided(Box<Run>),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl CanonicalError {
    /// `NotFound` of the store is `NotFound` for everybody.
    pub(super) fn of(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::NotFound,
            other => Self::Store(other),
        }
    }
}
