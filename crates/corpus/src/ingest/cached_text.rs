//! The text of a cached document, for people who may see it.

use super::records;
use crate::{CacheParts, permissions};
use domain::corpus::{DocumentAddress, Liveness, Signal, Visibility};
use domain::ids::{SignalId, UserId};
use domain::instant::Instant;
use domain::ports::{DocumentRequest, PageText, StoreError, chain};

/// For a result from the cache: whatever is cached. For others: only a recently verified text that came from the
/// source.
pub async fn text(parts: &CacheParts, wanted: &DocumentRequest<'_>) -> Option<PageText> {
    if !parts.license.opens_cache() {
        return None;
    }
    match find(parts, wanted).await {
        Ok(Some(signal)) => read(parts, &signal).await,
        Ok(None) => None,
        Err(error) => {
            tracing::warn!("the cache could not be read: {}", chain(&error));
            None
        }
    }
}

/// A document that this person may see, with its cached text.
pub async fn cached_document(
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

/// The document, if this person may see it now. Record and access are read together, because another text may replace
/// it at any moment.
pub async fn visible(parts: &CacheParts, id: SignalId, user: UserId) -> Result<Option<Signal>, StoreError> {
    let tokens = permissions::tokens_of(parts, user).await?;
    Ok(parts.store.signals(&[id], Visibility::To(&tokens)).await?.into_iter().next())
}

/// Whether the source provided or confirmed it recently.
pub fn is_verified(parts: &CacheParts, signal: &Signal) -> bool {
    let recheck = parts.settings.cache_liveness_recheck_seconds.0;
    let is_lately =
        |verified: Instant| (parts.clock.now() - verified).to_std().unwrap_or_default() <= recheck;
    !signal.is_supplied
        && signal.liveness == Liveness::Alive
        && signal.body_key.is_some()
        && signal.last_verified.is_some_and(is_lately)
}

async fn find(parts: &CacheParts, wanted: &DocumentRequest<'_>) -> Result<Option<Signal>, StoreError> {
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
            tracing::warn!(signal.id = signal.signal_id.0, "a cached text cannot be read: {}", chain(&error));
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
