//! The documents of a page of results: which of them are due, and when they are checked.

use super::task;
use crate::{SemanticCache, marks};
use domain::contracts::StoreError;
use domain::corpus::{CacheMark, Signal, SignalState};
use domain::ids::{SignalId, UserId};
use std::collections::BTreeMap;

/// Most documents of one page that are looked at; those after it are checked when a later page shows them.
pub const DOCUMENTS_MAX: usize = 200;

/// Checks what is due: the first ones at once when that is set, the others in the background. A page is shown whatever
/// comes of it.
pub async fn recheck(cache: &SemanticCache, asker: UserId, marks: &mut BTreeMap<SignalId, CacheMark>) {
    if !cache.parts.license.opens_cache() {
        return;
    }
    if let Err(error) = check_due(cache, asker, marks).await {
        tracing::warn!("cached documents could not be checked: {error}");
    }
}

async fn check_due(
    cache: &SemanticCache,
    asker: UserId,
    marks: &mut BTreeMap<SignalId, CacheMark>,
) -> Result<(), StoreError> {
    let stale = marks.values().filter(|mark| mark.stale && mark.state != SignalState::Known);
    let stale: Vec<SignalId> = stale.map(|mark| mark.signal_id).take(DOCUMENTS_MAX).collect();
    let mut due = due(cache, &stale).await?;
    if due.is_empty() {
        return Ok(());
    }
    let settings = &cache.parts.settings;
    let at_once = if settings.cache_liveness_sync { settings.cache_liveness_sync_max as usize } else { 0 };
    let later = due.split_off(at_once.min(due.len()));
    if !due.is_empty() {
        let checked: Vec<SignalId> = due.iter().map(|signal| signal.signal_id).collect();
        cache.check_all(due, asker, settings.cache_liveness_sync_timeout.0).await?;
        renew(cache, asker, &checked, marks).await?;
    }
    let later: Vec<SignalId> = later.into_iter().map(|signal| signal.signal_id).collect();
    task::push(cache, asker, &later).await;
    Ok(())
}

/// Those that were not asked about lately, whatever came of it: a source that is down is not asked at every page.
pub async fn due(cache: &SemanticCache, ids: &[SignalId]) -> Result<Vec<Signal>, StoreError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let (now, recheck) = (cache.parts.clock.now(), cache.parts.settings.cache_liveness_recheck_seconds.0);
    let mut signals = cache.parts.store.signals(ids, None).await?;
    signals.retain(|signal| {
        let last = signal.liveness_checked.max(signal.last_verified);
        last.is_none_or(|last| (now - last).to_std().unwrap_or_default() > recheck)
    });
    Ok(signals)
}

/// The marks as they stand after a check. Who was refused by the source does not see the document any more.
async fn renew(
    cache: &SemanticCache,
    asker: UserId,
    checked: &[SignalId],
    marks: &mut BTreeMap<SignalId, CacheMark>,
) -> Result<(), StoreError> {
    let renewed = marks::marks(&cache.parts, asker, None, checked).await;
    let renewed = renewed.map_err(|error| StoreError::Failed(error.to_string()))?;
    for id in checked {
        match renewed.get(id) {
            Some(renewed) => {
                if let Some(mark) = marks.get_mut(id) {
                    // What was decided about versions is not the source's to say.
                    let standing = mark.standing();
                    mark.clone_from(renewed);
                    mark.stand(standing);
                }
            }
            None => drop(marks.remove(id)),
        }
    }
    Ok(())
}
