//! Rechecks the documents on a page of results: some immediately, the others in the background.

use super::due::due;
use super::task;
use crate::{SemanticCache, cache_status};
use domain::corpus::{CacheStatus, SignalState};
use domain::ids::{SignalId, UserId};
use domain::ports::{StoreError, chain};
use std::collections::BTreeMap;

/// Most documents of one page that are checked; the others are checked when a later page shows them.
pub const DOCUMENTS_MAX: usize = 200;

/// Checks due documents: the first ones immediately if configured, the others in the background. Failures do not
/// affect the page.
pub async fn recheck(cache: &SemanticCache, asker: UserId, marks: &mut BTreeMap<SignalId, CacheStatus>) {
    if !cache.parts.license.opens_cache() {
        return;
    }
    if let Err(error) = check_due(cache, asker, marks).await {
        tracing::warn!("cached documents could not be checked: {}", chain(&error));
    }
}

async fn check_due(
    cache: &SemanticCache,
    asker: UserId,
    marks: &mut BTreeMap<SignalId, CacheStatus>,
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

/// Updates the statuses after a check. People who were denied access no longer see the document.
async fn renew(
    cache: &SemanticCache,
    asker: UserId,
    checked: &[SignalId],
    marks: &mut BTreeMap<SignalId, CacheStatus>,
) -> Result<(), StoreError> {
    let renewed = cache_status::statuses(&cache.parts, asker, None, checked).await;
    let renewed = renewed.map_err(|error| StoreError::failed(error.to_string()).caused_by(error))?;
    for id in checked {
        match renewed.get(id) {
            Some(renewed) => {
                if let Some(mark) = marks.get_mut(id) {
                    // Decisions on versions do not depend on the source.
                    let standing = mark.version_status();
                    mark.clone_from(renewed);
                    mark.set_version_status(standing);
                }
            }
            None => drop(marks.remove(id)),
        }
    }
    Ok(())
}
