//! Which documents are due for a liveness check.

use crate::SemanticCache;
use domain::corpus::{Signal, Visibility};
use domain::ids::SignalId;
use domain::ports::StoreError;

/// Documents that were not checked lately, with any result: an unavailable source is not asked for every page.
pub async fn due(cache: &SemanticCache, ids: &[SignalId]) -> Result<Vec<Signal>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let (now, recheck) = (cache.parts.clock.now(), cache.parts.settings.cache_liveness_recheck_seconds.0);
    let mut signals = cache.parts.store.signals(ids, Visibility::Unrestricted).await?;
    signals.retain(|signal| {
        let last = signal.liveness_checked.max(signal.last_verified);
        last.is_none_or(|last| (now - last).to_std().unwrap_or_default() > recheck)
    });
    Ok(signals)
}
