//! Why a document did not come in, and whether it is tried again.

use super::vectors::FollowError;
use domain::contracts::{BodyError, ReaderError, StoreError, VectorError};

/// Sentences for people; they hold nothing of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss {
    /// Nothing is wrong with the document: the same works when a store is there again.
    Passing(String),
    /// Its source may give it later.
    Again(String),
    /// It would be the same again.
    Final(String),
    /// It was removed meanwhile; nobody wants it any more.
    Removed,
}

impl From<StoreError> for Miss {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound => Self::Removed,
            other if other.is_passing() => Self::Passing(other.to_string()),
            other => Self::Again(other.to_string()),
        }
    }
}

impl From<BodyError> for Miss {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::TooLarge(_) => Self::Final(error.to_string()),
            other => Self::Passing(other.to_string()),
        }
    }
}

impl From<ReaderError> for Miss {
    fn from(error: ReaderError) -> Self {
        match error {
            ReaderError::Unknown(..) => Self::Final(error.to_string()),
            ReaderError::Failed(_) => Self::Again(error.to_string()),
        }
    }
}

impl From<FollowError> for Miss {
    fn from(error: FollowError) -> Self {
        match error {
            FollowError::Store(error) => error.into(),
            FollowError::Vectors(VectorError::Dimension { .. }) => Self::Final(error.to_string()),
            FollowError::Vectors(error) => Self::Passing(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_store_lacks_is_tried_for_long() {
        let text = String::new;
        let passing = [
            Miss::from(StoreError::Full(text())),
            Miss::from(BodyError::Refused(text())),
            Miss::from(FollowError::from(VectorError::Unreachable(text()))),
        ];
        assert!(passing.iter().all(|miss| matches!(miss, Miss::Passing(_))), "{passing:?}");
        let finals = [
            Miss::from(BodyError::TooLarge(50)),
            Miss::from(FollowError::from(VectorError::Dimension { there: 3, ours: 4 })),
            Miss::from(ReaderError::Unknown(text(), text())),
        ];
        assert!(finals.iter().all(|miss| matches!(miss, Miss::Final(_))), "{finals:?}");
        assert_eq!(Miss::from(FollowError::from(StoreError::NotFound)), Miss::Removed);
    }
}
