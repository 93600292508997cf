//! What is kept without a wish: pages that were fetched for answers, and the best results of a search. Nobody waits for it,
//! and what goes wrong is a line in the log.

use super::begin::{hold, tags_of_result};
use super::errand::{Errand, HeldText, matters_of_search, retrieval, seen};
use super::reading::prepared;
use super::vectors::put_acl;
use super::{IngestError, WORDS_MIN, copy, records, source};
use crate::CacheParts;
use domain::contracts::{PageText, PageWanted, StoreError};
use domain::corpus::{DocumentAddress, Origin, Signal, SignalState};
use domain::ids::{ProviderId, UserId};
use domain::provenance::{PageTarget, SourcePage};
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use std::collections::BTreeMap;

/// The person got this text with their own credentials. Only documents that their provider gave are kept.
pub async fn keep(parts: &CacheParts, wanted: &PageWanted<'_>, text: &PageText, origin: Origin) {
    let PageTarget::Source(page) = wanted.target else { return };
    if !parts.license.opens_cache() || !source::keeps_by_itself(page.provider()) {
        return;
    }
    let item = ResultItem { swirl_id: wanted.result, ..page.item().to_result() };
    if let Err(error) = try_keep(parts, (page.provider(), &item, wanted.user), text, origin).await {
        tracing::warn!(provider.id = page.provider().id.0, "a page was not kept: {error}");
    }
}

async fn try_keep(
    parts: &CacheParts,
    (provider, item, user): (&SearchProvider, &ResultItem, UserId),
    page: &PageText,
    origin: Origin,
) -> Result<(), IngestError> {
    let Some(address) = DocumentAddress::of(&item.url) else { return Ok(()) };
    let Some(text) = prepared(page.text.clone()).await.filter(|text| text.words >= WORDS_MIN) else {
        return Ok(());
    };
    let (now, document) = (parts.clock.now(), (provider, item));
    let source = source::attributed_to(provider, item, page.origin);
    let by = retrieval(parts, document, source, (user, ""));
    let tags = tags_of_result(parts, item).await;
    let signal = records::note(parts, seen(address, document, source, (origin, tags)), &by).await?;
    if signal.content_hash == text.content_hash && !signal.is_supplied && !wants_renewal(parts, &signal) {
        // Mostly a page is what it was.
        let by = retrieval(parts, document, source, (user, &text.content_hash));
        parts.store.verify_signal(signal.signal_id, &page.version, &by, now).await?;
        if let Err(error) = put_acl(parts, signal.signal_id).await {
            tracing::warn!(signal.id = signal.signal_id.0, "the vector store was not told: {error}");
        }
        return Ok(());
    }
    let mut errand = Errand::of(signal.signal_id, user, provider, item);
    errand.held = Some(HeldText::of_page(page, hold(parts, text).await?));
    errand.push(parts).await?;
    Ok(())
}

/// Its text must be written again: it is not kept any more, or not for long.
pub(super) fn wants_renewal(parts: &CacheParts, signal: &Signal) -> bool {
    let (Some(_), Some(expires)) = (&signal.body_key, signal.body_expires) else { return true };
    let kept = chrono::TimeDelta::days(i64::from(parts.settings.storage_expiration_days));
    signal.state == SignalState::Known || expires - parts.clock.now() < kept / 2
}

/// The best results of a search, best first.
pub async fn promote(
    parts: &CacheParts,
    owner: UserId,
    tags: &[String],
    results: &[(ProviderId, ResultItem)],
) {
    let settings = &parts.settings;
    if !settings.eager_federated_promote_enabled || !parts.license.opens_cache() {
        return;
    }
    let most = settings.eager_federated_promote_max as usize;
    let mut providers: BTreeMap<ProviderId, Option<SearchProvider>> = BTreeMap::new();
    let mut promoted = 0;
    for (id, item) in results {
        if promoted >= most {
            break;
        }
        let provider = match providers.get(id) {
            Some(known) => known.clone(),
            None => {
                let provider = parts.store.provider(*id).await.ok().filter(source::keeps_by_itself);
                providers.insert(*id, provider.clone());
                provider
            }
        };
        let Some(provider) = provider.filter(|_| item.cache.is_none()) else { continue };
        match promote_one(parts, owner, (&provider, item), tags).await {
            Ok(counts) => promoted += usize::from(counts),
            Err(error) => {
                tracing::warn!(provider.id = id.0, "a result was not fetched into the cache: {error}");
                return;
            }
        }
    }
}

/// False: it has no page, so that the next one may have its place.
async fn promote_one(
    parts: &CacheParts,
    owner: UserId,
    (provider, item): (&SearchProvider, &ResultItem),
    tags: &[String],
) -> Result<bool, IngestError> {
    let Some(page) = item.as_given().and_then(|given| SourcePage::of(provider, given)) else {
        return Ok(false);
    };
    let item = &page.item().to_result();
    let Some(address) = DocumentAddress::of(&item.url) else { return Ok(false) };
    if is_seen_already(parts, &address, page, owner).await? {
        return Ok(true);
    }
    let source = source::attributable_to(provider, item);
    let by = retrieval(parts, (provider, item), source, (owner, ""));
    let new = seen(address, (provider, item), source, (Origin::Eager, matters_of_search(tags)));
    let signal = records::note(parts, new, &by).await?;
    Errand::of(signal.signal_id, owner, provider, item).push(parts).await?;
    Ok(true)
}

/// It is in the cache, the person sees it, and it was checked lately.
async fn is_seen_already(
    parts: &CacheParts,
    address: &DocumentAddress,
    page: SourcePage<'_>,
    user: UserId,
) -> Result<bool, StoreError> {
    let seen = records::visible_as(parts, address, &PageTarget::Source(page), user).await?;
    Ok(seen.is_some_and(|signal| copy::is_verified(parts, &signal)))
}
