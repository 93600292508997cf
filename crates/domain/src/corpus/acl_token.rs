//! Access control of cached documents: a user sees a document if both have a token in common.

use crate::ids::{ProviderId, UserId};
use std::fmt;
use std::str::FromStr;

/// A token of an ACL. There is none for everybody: the visibility of a source is checked at every query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AclToken {
    /// This user retrieved exactly this text with their own credentials.
    User(UserId),
    /// The source returns the same to everybody who may search it.
    Provider(ProviderId),
}

impl fmt::Display for AclToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(id) => write!(f, "user:{id}"),
            Self::Provider(id) => write!(f, "provider:{id}"),
        }
    }
}

impl FromStr for AclToken {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (kind, id) = text.split_once(':').ok_or(())?;
        let id = id.parse().map_err(|_| ())?;
        match kind {
            "user" => Ok(Self::User(UserId(id))),
            "provider" => Ok(Self::Provider(ProviderId(id))),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_written_and_read_again() {
        for token in [AclToken::User(UserId(7)), AclToken::Provider(ProviderId(3))] {
            assert_eq!(token.to_string().parse(), Ok(token));
        }
        for bad in ["", "user", "user:", "user:x", "group:1", "public"] {
            assert_eq!(bad.parse::<AclToken>(), Err(()), "{bad}");
        }
    }
}
