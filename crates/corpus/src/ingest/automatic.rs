//! Automatic caching: pages fetched for summaries, and the best results of a search. Nobody waits for it; errors are
//! logged.

use super::enqueue::{store_text, tags_of_result};
use super::job::{IngestJob, ProviderResult, StoredText, matters_of_search, new_signal, retrieval};
use super::limits::WORDS_MIN;
use super::prepare::prepare;
use super::request::IngestError;
use super::vectors::sync_acl;
use super::{cached_text, records, source};
use crate::CacheParts;
use domain::corpus::{DocumentAddress, Origin, Signal, SignalState};
use domain::ids::{ProviderId, UserId};
use domain::ports::{DocumentRequest, PageText, StoreError, chain};
use domain::provenance::{PageTarget, SourcePage};
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use std::collections::BTreeMap;

/// Caches a text that the person fetched with their own credentials. Only documents that a provider returned are
/// cached.
pub async fn keep(parts: &CacheParts, wanted: &DocumentRequest<'_>, text: &PageText, origin: Origin) {
    let PageTarget::Source(page) = wanted.target else { return };
    if !parts.license.opens_cache() || !source::caches_automatically(page.provider(), &parts.plugins) {
        return;
    }
    let item = ResultItem { swirl_id: wanted.result, ..page.item().to_result() };
    let document = ProviderResult { provider: page.provider(), item: &item };
    if let Err(error) = try_keep(parts, document, wanted.user, text, origin).await {
        tracing::warn!(provider.id = page.provider().id.0, "a page was not cached: {}", chain(&error));
    }
}

async fn try_keep(
    parts: &CacheParts,
    document: ProviderResult<'_>,
    user: UserId,
    page: &PageText,
    origin: Origin,
) -> Result<(), IngestError> {
    let ProviderResult { provider, item } = document;
    let Some(address) = DocumentAddress::of(&item.url) else { return Ok(()) };
    let Some(text) = prepare(page.text.clone()).await.filter(|text| text.words >= WORDS_MIN) else {
        return Ok(());
    };
    let now = parts.clock.now();
    let source = source::attributed_to(provider, item, page.origin);
    let by = retrieval(parts, document, source, user, "");
    let tags = tags_of_result(parts, item).await;
    let signal =
        records::note(parts, new_signal(parts, address, document, source, origin, tags), &by).await?;
    if signal.content_hash == text.content_hash && !signal.is_supplied && !wants_renewal(parts, &signal) {
        // Usually a page has not changed.
        let by = retrieval(parts, document, source, user, &text.content_hash);
        parts.store.verify_signal(signal.signal_id, &page.version, &by, now).await?;
        if let Err(error) = sync_acl(parts, signal.signal_id).await {
            tracing::warn!(
                signal.id = signal.signal_id.0,
                "the vector store could not be updated: {}",
                chain(&error)
            );
        }
        return Ok(());
    }
    let mut job = IngestJob::of(signal.signal_id, user, provider, item);
    job.held = Some(StoredText::of_page(page, store_text(parts, text).await?));
    job.push(parts).await?;
    Ok(())
}

/// Whether the text must be stored again: it has expired, or will soon.
pub(super) fn wants_renewal(parts: &CacheParts, signal: &Signal) -> bool {
    let (Some(_), Some(expires)) = (&signal.body_key, signal.body_expires) else { return true };
    let kept = chrono::TimeDelta::days(i64::from(parts.settings.storage_expiration_days));
    signal.state == SignalState::Known || expires - parts.clock.now() < kept / 2
}

/// Caches the best results of a search, best first.
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
                let caches =
                    |provider: &SearchProvider| source::caches_automatically(provider, &parts.plugins);
                let provider = parts.store.provider(*id).await.ok().filter(caches);
                providers.insert(*id, provider.clone());
                provider
            }
        };
        let Some(provider) = provider.filter(|_| item.cache.is_none()) else { continue };
        match promote_one(parts, owner, ProviderResult { provider: &provider, item }, tags).await {
            Ok(counts) => promoted += usize::from(counts),
            Err(error) => {
                tracing::warn!(
                    provider.id = id.0,
                    "a result was not fetched into the cache: {}",
                    chain(&error)
                );
                return;
            }
        }
    }
}

/// False: it has no page, so the next result is tried.
async fn promote_one(
    parts: &CacheParts,
    owner: UserId,
    found: ProviderResult<'_>,
    tags: &[String],
) -> Result<bool, IngestError> {
    let ProviderResult { provider, item } = found;
    let Some(page) = item.as_given().and_then(|given| SourcePage::of(provider, given)) else {
        return Ok(false);
    };
    let item = &page.item().to_result();
    let Some(address) = DocumentAddress::of(&item.url) else { return Ok(false) };
    if is_seen_already(parts, &address, page, owner).await? {
        return Ok(true);
    }
    let source = source::attributable_to(provider, item);
    let document = ProviderResult { provider, item };
    let by = retrieval(parts, document, source, owner, "");
    let new = new_signal(parts, address, document, source, Origin::Eager, matters_of_search(tags));
    let signal = records::note(parts, new, &by).await?;
    IngestJob::of(signal.signal_id, owner, provider, item).push(parts).await?;
    Ok(true)
}

/// It is cached, the person may see it, and it was checked recently.
async fn is_seen_already(
    parts: &CacheParts,
    address: &DocumentAddress,
    page: SourcePage<'_>,
    user: UserId,
) -> Result<bool, StoreError> {
    let seen = records::visible_as(parts, address, &PageTarget::Source(page), user).await?;
    Ok(seen.is_some_and(|signal| cached_text::is_verified(parts, &signal)))
}
