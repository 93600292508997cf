//! How documents stand now, for the results that show them.

use crate::{CacheParts, permissions};
use domain::contracts::{CorpusError, StoreError};
use domain::corpus::{CacheMark, Topic};
use domain::ids::{SignalId, UserId};
use std::collections::BTreeMap;

/// Documents that are looked up at once.
const BATCH: usize = 500;

/// Those of them that the person may see now; none while the license does not open the cache.
pub async fn marks(
    parts: &CacheParts,
    asker: UserId,
    _topic: Option<Topic<'_>>,
    signals: &[SignalId],
) -> Result<BTreeMap<SignalId, CacheMark>, CorpusError> {
    let mut marks = BTreeMap::new();
    if signals.is_empty() || !parts.license.opens_cache() {
        return Ok(marks);
    }
    let failed = |error: StoreError| CorpusError(format!("the cache cannot be read: {error}"));
    let tokens = permissions::tokens_of(parts, asker).await.map_err(failed)?;
    let (now, recheck) = (parts.clock.now(), parts.settings.cache_liveness_recheck_seconds.0);
    for batch in signals.chunks(BATCH) {
        let seen = parts.signals.signals(batch, Some(&tokens)).await.map_err(failed)?;
        marks.extend(seen.iter().map(|signal| (signal.signal_id, CacheMark::of(signal, now, recheck))));
    }
    Ok(marks)
}
