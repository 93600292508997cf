//! Which documents a query may return.

use super::AclToken;

/// Whose view of the documents a query returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility<'a> {
    /// All, for work that shows nothing to users.
    Unrestricted,
    /// Those that are visible with one of these tokens. Without a token, nothing is.
    To(&'a [AclToken]),
}

/// [`Visibility`] as part of a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnedVisibility {
    Unrestricted,
    To(Vec<AclToken>),
}

impl OwnedVisibility {
    pub fn borrowed(&self) -> Visibility<'_> {
        match self {
            Self::Unrestricted => Visibility::Unrestricted,
            Self::To(tokens) => Visibility::To(tokens),
        }
    }
}
