//! The cache status of documents, for the results that show them.

use crate::{CacheParts, permissions, versions};
use domain::corpus::{AclToken, Badge, CacheStatus, Signal, Topic, Visibility};
use domain::ids::{SignalId, UserId};
use domain::ports::{CorpusError, CorpusErrorKind, StoreError};
use std::collections::BTreeMap;

/// Documents per lookup.
const BATCH: usize = 500;

/// The statuses of the documents that the person may see now; empty while the license does not include the cache. The
/// document pinned for the topic has the badge `Pinned`.
pub async fn statuses(
    parts: &CacheParts,
    asker: UserId,
    topic: Option<Topic<'_>>,
    signals: &[SignalId],
) -> Result<BTreeMap<SignalId, CacheStatus>, CorpusError> {
    if signals.is_empty() || !parts.license.opens_cache() {
        return Ok(BTreeMap::new());
    }
    let read = async {
        let tokens = permissions::tokens_of(parts, asker).await?;
        let mut statuses = visible(parts, &tokens, signals).await?;
        if let Some(topic) = topic
            && let Some((pin, _)) = versions::pinned(parts, &tokens, topic).await?
            && let Some(status) = statuses.get_mut(&pin.signal_id)
        {
            (status.badge, status.run_id) = (Badge::Pinned, pin.run_id);
        }
        Ok(statuses)
    };
    read.await.map_err(|error: StoreError| {
        let message = format!("the cache cannot be read: {error}");
        CorpusError::new(CorpusErrorKind::Unavailable, message).caused_by(error)
    })
}

/// The statuses of loaded documents, outside of any search.
pub async fn statuses_of<'a>(
    parts: &CacheParts,
    signals: impl Iterator<Item = &'a Signal>,
) -> Result<Vec<CacheStatus>, StoreError> {
    let (now, recheck) = (parts.clock.now(), parts.settings.cache_liveness_recheck_seconds.0);
    let mut statuses: Vec<CacheStatus> =
        signals.map(|signal| CacheStatus::of(signal, now, recheck)).collect();
    let ids: Vec<SignalId> = statuses.iter().map(|status| status.signal_id).collect();
    for batch in ids.chunks(BATCH) {
        let shared = parts.store.shared_externally(batch).await?;
        let sent = statuses.iter_mut().filter(|status| shared.contains(&status.signal_id));
        sent.for_each(|status| status.shared_externally = true);
    }
    Ok(statuses)
}

async fn visible(
    parts: &CacheParts,
    tokens: &[AclToken],
    signals: &[SignalId],
) -> Result<BTreeMap<SignalId, CacheStatus>, StoreError> {
    let mut statuses = BTreeMap::new();
    for batch in signals.chunks(BATCH) {
        let seen = parts.store.signals(batch, Visibility::To(tokens)).await?;
        let found = statuses_of(parts, seen.iter()).await?;
        statuses.extend(found.into_iter().map(|status| (status.signal_id, status)));
    }
    Ok(statuses)
}
