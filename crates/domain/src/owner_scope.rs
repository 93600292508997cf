//! Whose records a list contains.

use crate::ids::UserId;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerScope {
    /// The records of all users.
    Everyone,
    /// The records of this user.
    Only(UserId),
}
