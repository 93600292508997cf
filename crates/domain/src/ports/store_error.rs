//! Errors of the store, and pages of its lists.

/// Why a store operation did not succeed. `NotFound` is a normal answer; the others are failures.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    #[error("there is no such record")]
    NotFound,
    /// A unique value is already in use; contains the field.
    #[error("this {0} is already taken")]
    Taken(&'static str),
    /// Contains the name of what does not exist.
    #[error("there is no {0}")]
    UnknownReference(String),
    /// No administrator would be left.
    #[error("there must be an administrator")]
    LastAdministrator,
    /// The user has the maximum number of tokens; contains that number.
    #[error("a user may have at most {0} tokens")]
    TooManyTokens(u64),
    /// The record does not have the version that the edit was made for; nothing was changed.
    #[error("the record was changed meanwhile")]
    Stale,
    #[error("the database is not reachable: {0}")]
    Unreachable(String),
    /// The database can be read, but has no space for the write. Nothing was written.
    #[error("the database cannot write: {0}")]
    Full(String),
    #[error("the database failed: {0}")]
    Failed(String),
}

impl StoreError {
    /// The request was valid: it may succeed when the database is back or has space.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Full(_))
    }
}

/// A page of a list, in the order of the list. `total` is the length of the whole list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    pub items: Vec<T>,
    pub total: u64,
}
