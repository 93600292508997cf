//! The records of a URL that belong to a person, and who follows a provider's new texts.

use super::source;
use crate::{CacheParts, permissions};
use domain::corpus::{DocumentAddress, NewSignal, Signal, Visibility};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::ports::{Retrieval, StoreError};
use domain::provenance::PageTarget;
use domain::provider::SearchProvider;
use std::collections::BTreeSet;

/// The text of a URL that this provider returned and that this person may see. Without a provider: one that came from
/// the URL alone.
pub async fn visible_at(
    parts: &CacheParts,
    address: &DocumentAddress,
    provider: Option<ProviderId>,
    user: UserId,
) -> Result<Option<Signal>, StoreError> {
    let all = all_visible_at(parts, address, user).await?;
    Ok(all.into_iter().find(|signal| signal.source_provider_id == provider && !signal.is_supplied))
}

/// The text of a URL that this person may see and that `target` would return: the provider's own text, or an
/// unattributed one that was fetched in the same way.
pub async fn visible_as(
    parts: &CacheParts,
    address: &DocumentAddress,
    target: &PageTarget<'_>,
    user: UserId,
) -> Result<Option<Signal>, StoreError> {
    let PageTarget::Source(_) = target else { return visible_at(parts, address, None, user).await };
    for signal in all_visible_at(parts, address, user).await? {
        if !signal.is_supplied && source::is_fetched_by(parts, &signal, target, user).await? {
            return Ok(Some(signal));
        }
    }
    Ok(None)
}

/// All records of a URL that this person may see, newest text first.
pub async fn all_visible_at(
    parts: &CacheParts,
    address: &DocumentAddress,
    user: UserId,
) -> Result<Vec<Signal>, StoreError> {
    let tokens = permissions::tokens_of(parts, user).await?;
    parts.store.signals_at(&address.hash(), Visibility::To(&tokens)).await
}

/// Stores a person's request for a document, on the record that the person already sees if there is one.
pub async fn note(parts: &CacheParts, seen: NewSignal, by: &Retrieval) -> Result<Signal, StoreError> {
    let known = if seen.is_supplied {
        None
    } else {
        visible_at(parts, &seen.address, seen.source_provider_id, by.user).await?
    };
    let known = known.map(|signal| signal.signal_id);
    let (signal, _) = parts.store.note_signal(NewSignal { known, ..seen }, by, parts.clock.now()).await?;
    Ok(signal)
}

/// The record for a person's request: its own, or the one with the fetched text.
pub async fn requested(parts: &CacheParts, id: SignalId, user: UserId) -> Result<Signal, StoreError> {
    let id = parts.store.led_to(id, user).await?.unwrap_or(id);
    parts.store.signal(id).await
}

/// The record with this text, URL and provider.
pub async fn with_text(
    parts: &CacheParts,
    asked: &Signal,
    provider: Option<ProviderId>,
    content_hash: &str,
) -> Result<Option<Signal>, StoreError> {
    let all = parts.store.signals_at(&asked.url_hash, Visibility::Unrestricted).await?;
    Ok(all.into_iter().find(|signal| {
        signal.source_provider_id == provider && !signal.is_supplied && signal.content_hash == content_hash
    }))
}

/// Whether other people have access to the record's text.
pub async fn is_shared(parts: &CacheParts, signal: &Signal, user: UserId) -> Result<bool, StoreError> {
    let grants = parts.store.grants(signal.signal_id).await?;
    Ok(grants.iter().any(|grant| grant.user_id != user && grant.opens(signal)))
}

/// People who have a text of this URL and provider and may see everything from the provider: they also get a newer
/// text that another person fetched.
pub async fn followers(
    parts: &CacheParts,
    asked: &Signal,
    provider: &SearchProvider,
) -> Result<Vec<UserId>, StoreError> {
    let mut holders: BTreeSet<UserId> = BTreeSet::new();
    for signal in parts.store.signals_at(&asked.url_hash, Visibility::Unrestricted).await? {
        if signal.source_provider_id == Some(provider.id) && !signal.is_supplied {
            let grants = parts.store.grants(signal.signal_id).await?;
            holders.extend(grants.iter().filter(|grant| grant.opens(&signal)).map(|grant| grant.user_id));
        }
    }
    let mut followers = Vec::new();
    for holder in holders {
        if permissions::sees_all_of(parts, provider, holder).await? {
            followers.push(holder);
        }
    }
    Ok(followers)
}
