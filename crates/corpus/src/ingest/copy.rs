//! The text of a document that is in the cache, for who may see it.

use super::records;
use crate::{CacheParts, permissions};
use domain::contracts::{PageText, PageWanted, StoreError};
use domain::corpus::{DocumentAddress, Liveness, Signal};
use domain::ids::{SignalId, UserId};
use domain::instant::Instant;

/// Of a result from the cache: whatever is kept. Of any other: only what was verified lately and came from the source.
pub async fn text(parts: &CacheParts, wanted: &PageWanted<'_>) -> Option<PageText> {
    if !parts.license.opens_cache() {
        return None;
    }
    match find(parts, wanted).await {
        Ok(Some(signal)) => read(parts, &signal).await,
        Ok(None) => None,
        Err(error) => {
            tracing::warn!("the cache was not asked for a text: {error}");
            None
        }
    }
}

/// A document that this person may see, with the text that is kept of it.
pub async fn kept(
    parts: &CacheParts,
    id: SignalId,
    user: UserId,
) -> Result<Option<(Signal, Option<PageText>)>, StoreError> {
    if !parts.license.opens_cache() {
        return Ok(None);
    }
    let Some(signal) = visible(parts, id, user).await? else { return Ok(None) };
    let text = read(parts, &signal).await;
    Ok(Some((signal, text)))
}

/// The document as this person sees it now: the record and the right to it are read as one, because another text may take
/// its place at any moment.
pub async fn visible(parts: &CacheParts, id: SignalId, user: UserId) -> Result<Option<Signal>, StoreError> {
    let tokens = permissions::tokens_of(parts, user).await?;
    Ok(parts.store.signals(&[id], Some(&tokens)).await?.into_iter().next())
}

/// The source itself gave it or confirmed it a short time ago.
pub fn is_verified(parts: &CacheParts, signal: &Signal) -> bool {
    let recheck = parts.settings.cache_liveness_recheck_seconds.0;
    let is_lately =
        |verified: Instant| (parts.clock.now() - verified).to_std().unwrap_or_default() <= recheck;
    !signal.is_supplied
        && signal.liveness == Liveness::Alive
        && signal.body_key.is_some()
        && signal.last_verified.is_some_and(is_lately)
}

async fn find(parts: &CacheParts, wanted: &PageWanted<'_>) -> Result<Option<Signal>, StoreError> {
    if let Some(id) = wanted.cached {
        return visible(parts, id, wanted.user).await;
    }
    let Some(address) = DocumentAddress::of(wanted.target.address()) else { return Ok(None) };
    let seen = records::visible_as(parts, &address, &wanted.target, wanted.user).await?;
    Ok(seen.filter(|signal| is_verified(parts, signal)))
}

async fn read(parts: &CacheParts, signal: &Signal) -> Option<PageText> {
    let body = match parts.bodies.get(signal.body_key.as_ref()?).await {
        Ok(body) => body?,
        Err(error) => {
            tracing::warn!(signal.id = signal.signal_id.0, "a kept text cannot be read: {error}");
            return None;
        }
    };
    let text = String::from_utf8(body.into()).ok()?;
    Some(PageText {
        title: signal.title.clone(),
        text,
        media_type: signal.mime.clone(),
        author: signal.author.clone(),
        version: signal.external_version.clone(),
        file_bytes: signal.file_bytes,
        is_copy: true,
        ..PageText::default()
    })
}
