//! Who may decide, and which documents they may see.

use super::error::CanonicalError;
use crate::{CacheParts, permissions};
use domain::corpus::{AclToken, Signal, Visibility};
use domain::ids::SignalId;
use domain::ports::StoreError;
use domain::user::Principal;

/// Checks that the person may decide now.
pub(super) fn may_decide(parts: &CacheParts, person: &Principal) -> Result<(), CanonicalError> {
    is_open(parts)?;
    is_curator(person)
}

pub(super) fn is_open(parts: &CacheParts) -> Result<(), CanonicalError> {
    if parts.license.opens_cache() { Ok(()) } else { Err(CanonicalError::Unlicensed) }
}

pub(super) fn is_curator(person: &Principal) -> Result<(), CanonicalError> {
    if person.may_curate() { Ok(()) } else { Err(CanonicalError::Forbidden) }
}

/// The document, if the holder of these tokens may see it.
pub(super) async fn visible(
    parts: &CacheParts,
    tokens: &[AclToken],
    id: SignalId,
) -> Result<Option<Signal>, StoreError> {
    Ok(parts.store.signals(&[id], Visibility::To(tokens)).await?.pop())
}

pub(super) async fn tokens_of(parts: &CacheParts, person: &Principal) -> Result<Vec<AclToken>, StoreError> {
    permissions::tokens_of(parts, person.user).await
}
