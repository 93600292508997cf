//! Removal of documents. A person gives up their own access, and the document is deleted when nobody else has access;
//! an administrator removes it for everybody. Records are deleted first, so that leftovers in other stores cannot be
//! found.

use crate::{CacheParts, SemanticCache, ingest, permissions, retention};
use domain::corpus::{DocumentAddress, Grant, Signal, SignalState, Visibility};
use domain::ids::{SignalId, UserId};
use domain::ports::{StoreError, chain};
use domain::user::Principal;

/// The document to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovalTarget {
    Id(SignalId),
    /// In any form of its URL.
    Url(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    pub signal_id: SignalId,
    /// False: other people still have access.
    pub is_whole: bool,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum RemovalError {
    /// It does not exist, or this person may not see it.
    #[error("there is no such document in the cache")]
    NotFound,
    /// The person sees it because everybody who uses its provider may.
    #[error("you did not add this document to the cache; only an administrator can remove it")]
    NotOwn,
    #[error("the document is pinned; remove it with force")]
    Pinned,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What happens to a document that is pinned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IfPinned {
    Refuse,
    Remove,
}

impl SemanticCache {
    /// Removes the document from the cache, as far as it belongs to this person.
    pub async fn unindex(
        &self,
        person: &Principal,
        which: &RemovalTarget,
        if_pinned: IfPinned,
    ) -> Result<Removed, RemovalError> {
        let parts = &self.parts;
        let found = find(parts, person, which).await?;
        let mut steps = Vec::new();
        for signal in &found {
            steps.push(step(parts, person, signal, if_pinned).await?);
        }
        let first = found.first().ok_or(RemovalError::NotFound)?;
        let mut removed = Removed { signal_id: first.signal_id, is_whole: true };
        for (signal, step) in found.iter().zip(steps) {
            let id = signal.signal_id;
            match step {
                Step::Remove => remove(parts, id).await?,
                Step::GiveUp => {
                    parts.store.remove_grant(id, person.user, parts.clock.now()).await?;
                    update_vector_acl(parts, id).await;
                    removed.is_whole = false;
                }
            }
        }
        Ok(removed)
    }
}

/// What happens to a record.
enum Step {
    /// Others have access: only the person's own access is removed.
    GiveUp,
    Remove,
}

async fn step(
    parts: &CacheParts,
    person: &Principal,
    signal: &Signal,
    if_pinned: IfPinned,
) -> Result<Step, RemovalError> {
    let id = signal.signal_id;
    let grants = parts.store.grants(id).await?;
    let is_live =
        |user: UserId| grants.iter().any(|grant| grant.user_id == user && grant.revoked_at.is_none());
    if !person.is_admin {
        if !is_live(person.user) {
            let tokens = permissions::tokens_of(parts, person.user).await?;
            let is_seen = !parts.store.signals(&[id], Visibility::To(&tokens)).await?.is_empty();
            return Err(if is_seen { RemovalError::NotOwn } else { RemovalError::NotFound });
        }
        let is_other = |grant: &Grant| grant.user_id != person.user && grant.revoked_at.is_none();
        if grants.iter().any(is_other) {
            return Ok(Step::GiveUp);
        }
    }
    if signal.state == SignalState::Pinned && if_pinned == IfPinned::Refuse {
        return Err(RemovalError::Pinned);
    }
    Ok(Step::Remove)
}

/// Removes the document for everybody.
pub(crate) async fn remove(parts: &CacheParts, id: SignalId) -> Result<(), StoreError> {
    let bodies = parts.store.remove_signal(id).await?;
    if let Err(error) = parts.vectors.remove(&[id]).await {
        tracing::warn!(
            signal.id = %id,
            "the vectors of a removed document are still there: {}",
            chain(&error)
        );
    }
    retention::forget(parts, bodies).await;
    Ok(())
}

/// Updates the document's access list in the vector store. Records are checked again before anything is shown, so an
/// unreachable store exposes nothing.
pub(crate) async fn update_vector_acl(parts: &CacheParts, id: SignalId) {
    let acl = match parts.store.acl_of(&[id]).await {
        Ok(mut found) => found.pop().map(|(_, acl)| acl).unwrap_or_default(),
        Err(error) => {
            tracing::warn!(
                signal.id = %id,
                "the access list of a cached document cannot be read: {}",
                chain(&error)
            );
            return;
        }
    };
    if let Err(error) = parts.vectors.set_acl(id, &acl).await {
        tracing::warn!(
            signal.id = %id,
            "the vector store has an outdated access list of a document: {}",
            chain(&error)
        );
    }
}

/// The records to remove. For a URL: those the person has access to of their own, else those they may see; for an
/// administrator all.
async fn find(
    parts: &CacheParts,
    person: &Principal,
    which: &RemovalTarget,
) -> Result<Vec<Signal>, RemovalError> {
    let address = match which {
        RemovalTarget::Id(id) => {
            let id = parts.store.led_to(*id, person.user).await?.unwrap_or(*id);
            return Ok(parts.store.signals(&[id], Visibility::Unrestricted).await?);
        }
        RemovalTarget::Url(url) => DocumentAddress::of(url).ok_or(RemovalError::NotFound)?,
    };
    let all = parts.store.signals_at(&address.hash(), Visibility::Unrestricted).await?;
    if person.is_admin {
        return Ok(all);
    }
    let mut own = Vec::new();
    for signal in all {
        let grants = parts.store.grants(signal.signal_id).await?;
        if grants.iter().any(|grant| grant.user_id == person.user && grant.revoked_at.is_none()) {
            own.push(signal);
        }
    }
    if own.is_empty() { Ok(ingest::all_visible_at(parts, &address, person.user).await?) } else { Ok(own) }
}
