//! Pins: made and taken back by curators, listed for them.

use super::{CanonicalError, PinEventSeen, PinSeen};
use crate::SemanticCache;
use domain::contracts::Page;
use domain::corpus::Scope;
use domain::ids::SignalId;
use domain::user::Principal;

/// Somebody wants a document to be the answer to a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinWish {
    pub signal_id: SignalId,
    pub query: String,
    pub scope: Scope,
    /// It takes the place of another document.
    pub force: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Pinned {
    pub pin: PinSeen,
    /// False: it was pinned already, and nothing changed.
    pub is_new: bool,
}

/// Which pins, or which lines of their history, are wanted. Nothing said: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PinsAsked {
    /// Any form of the query.
    pub query: Option<String>,
    pub scope: Option<Scope>,
    pub signal_id: Option<SignalId>,
    pub offset: u64,
    pub limit: u64,
}

impl SemanticCache {
    /// Pins the document for the query and scope.
    pub async fn pin(&self, person: &Principal, wish: PinWish) -> Result<Pinned, CanonicalError> {
        let _ = (person, wish);
        Err(CanonicalError::NotFound)
    }

    /// Removes pins of the document: those of one query, of one scope, or all. How many were removed.
    pub async fn unpin(
        &self,
        person: &Principal,
        signal: SignalId,
        query: Option<&str>,
        scope: Option<&Scope>,
    ) -> Result<u64, CanonicalError> {
        let _ = (person, signal, query, scope);
        Err(CanonicalError::NotFound)
    }

    /// For curators: pins of documents that they may see, newest first.
    pub async fn pins(&self, person: &Principal, asked: &PinsAsked) -> Result<Page<PinSeen>, CanonicalError> {
        let _ = (person, asked);
        Err(CanonicalError::NotFound)
    }

    /// For curators: what happened to pins of documents that they may see, newest first.
    pub async fn pin_history(
        &self,
        person: &Principal,
        asked: &PinsAsked,
    ) -> Result<Page<PinEventSeen>, CanonicalError> {
        let _ = (person, asked);
        Err(CanonicalError::NotFound)
    }
}
