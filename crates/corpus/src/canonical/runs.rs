//! Elections: listed and read by curators and by those whose search it was, approved and rejected by curators.

use super::{CanonicalError, RunDetail, RunSeen};
use crate::SemanticCache;
use domain::contracts::Page;
use domain::corpus::{RejectReason, RunStatus};
use domain::ids::RunId;
use domain::user::Principal;

/// Which elections are wanted. Nothing said: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunsAsked {
    /// Any of these; empty: all.
    pub status: Vec<RunStatus>,
    /// In the query.
    pub words: String,
    pub offset: u64,
    pub limit: u64,
}

impl SemanticCache {
    /// Elections whose winner the person may see, newest first: all for curators, those of own searches for others.
    pub async fn runs(&self, person: &Principal, asked: &RunsAsked) -> Result<Page<RunSeen>, CanonicalError> {
        let _ = (person, asked);
        Err(CanonicalError::NotFound)
    }

    /// One election with the members that the person may see.
    pub async fn run(&self, person: &Principal, id: RunId) -> Result<RunDetail, CanonicalError> {
        let _ = (person, id);
        Err(CanonicalError::NotFound)
    }

    /// The winner is right: it is pinned for the query and scope of the election.
    pub async fn approve(
        &self,
        person: &Principal,
        id: RunId,
        comment: &str,
        force: bool,
    ) -> Result<RunDetail, CanonicalError> {
        let _ = (person, id, comment, force);
        Err(CanonicalError::NotFound)
    }

    /// The winner is wrong: it counts for less in later elections.
    pub async fn reject(
        &self,
        person: &Principal,
        id: RunId,
        reason: RejectReason,
        comment: &str,
    ) -> Result<RunDetail, CanonicalError> {
        let _ = (person, id, reason, comment);
        Err(CanonicalError::NotFound)
    }
}
