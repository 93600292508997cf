//! How documents stand now, for the results that show them.

use crate::{CacheParts, permissions, versions};
use domain::contracts::{CorpusError, StoreError};
use domain::corpus::{AclToken, Badge, CacheMark, Signal, Topic};
use domain::ids::{SignalId, UserId};
use std::collections::BTreeMap;

/// Documents that are looked up at once.
const BATCH: usize = 500;

/// Those of them that the person may see now; none while the license does not open the cache. The one that is pinned for
/// the topic has the badge of it.
pub async fn marks(
    parts: &CacheParts,
    asker: UserId,
    topic: Option<Topic<'_>>,
    signals: &[SignalId],
) -> Result<BTreeMap<SignalId, CacheMark>, CorpusError> {
    if signals.is_empty() || !parts.license.opens_cache() {
        return Ok(BTreeMap::new());
    }
    let read = async {
        let tokens = permissions::tokens_of(parts, asker).await?;
        let mut marks = visible(parts, &tokens, signals).await?;
        if let Some(topic) = topic
            && let Some((pin, _)) = versions::pinned(parts, &tokens, topic).await?
            && let Some(mark) = marks.get_mut(&pin.signal_id)
        {
            (mark.badge, mark.run_id) = (Badge::Pinned, pin.run_id);
        }
        Ok(marks)
    };
    read.await.map_err(|error: StoreError| CorpusError(format!("the cache cannot be read: {error}")))
}

/// The marks of documents that are read already, outside of any search.
pub async fn marks_of<'a>(
    parts: &CacheParts,
    signals: impl Iterator<Item = &'a Signal>,
) -> Result<Vec<CacheMark>, StoreError> {
    let (now, recheck) = (parts.clock.now(), parts.settings.cache_liveness_recheck_seconds.0);
    let mut marks: Vec<CacheMark> = signals.map(|signal| CacheMark::of(signal, now, recheck)).collect();
    let ids: Vec<SignalId> = marks.iter().map(|mark| mark.signal_id).collect();
    for batch in ids.chunks(BATCH) {
        let shared = parts.store.shared_externally(batch).await?;
        let sent = marks.iter_mut().filter(|mark| shared.contains(&mark.signal_id));
        sent.for_each(|mark| mark.shared_externally = true);
    }
    Ok(marks)
}

async fn visible(
    parts: &CacheParts,
    tokens: &[AclToken],
    signals: &[SignalId],
) -> Result<BTreeMap<SignalId, CacheMark>, StoreError> {
    let mut marks = BTreeMap::new();
    for batch in signals.chunks(BATCH) {
        let seen = parts.store.signals(batch, Some(tokens)).await?;
        let found = marks_of(parts, seen.iter()).await?;
        marks.extend(found.into_iter().map(|mark| (mark.signal_id, mark)));
    }
    Ok(marks)
}
