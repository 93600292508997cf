//! Texts whose time is over, and texts that no document has.

use crate::CacheParts;
use domain::contracts::{BodyError, BodyKey, QueueName, StoreError};
use std::collections::BTreeSet;

/// Documents and bodies that are looked at together.
const BATCH: usize = 500;
/// Most unneeded texts that are remembered from one sweep to the next.
const UNNEEDED_MAX: usize = 10_000;
/// The value under which they are remembered.
const UNNEEDED: &str = "unneeded_bodies";

/// What a sweep did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Texts of documents whose time was over.
    pub expired: u64,
    /// Texts that belonged to no document.
    pub unneeded: u64,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum SweepError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Bodies(#[from] BodyError),
}

/// Removes the texts whose time is over; their pieces stay. Texts without a document go when the sweep before saw them,
/// too: a text lies in the storage before its document is written.
pub(crate) async fn sweep(parts: &CacheParts) -> Result<Swept, SweepError> {
    let expired = sweep_expired(parts).await?;
    let unneeded = sweep_unneeded(parts).await?;
    Ok(Swept { expired, unneeded })
}

/// Removes a text that nobody needs. Somebody may need it again at this very moment: then it is put back.
pub(crate) async fn forget(parts: &CacheParts, body: impl IntoIterator<Item = BodyKey>) {
    for key in body {
        if let Err(error) = remove(parts, &key).await {
            // The next sweep finds it.
            tracing::warn!("a text that nobody needs was not removed: {error}");
        }
    }
}

/// No document is on its way in, as far as is known. Where that cannot be said, one may be.
pub(crate) async fn is_quiet(parts: &CacheParts) -> bool {
    let waiting = parts.queue.depth(QueueName::Corpus).await;
    let workers = parts.queue.workers(QueueName::Corpus, parts.settings.task_lease.0).await;
    matches!(waiting, Ok(0)) && workers.is_ok_and(|workers| workers.iter().all(|worker| worker.active == 0))
}

/// Removes a text that no document has; false: one has it, or had it a moment later.
async fn remove(parts: &CacheParts, key: &BodyKey) -> Result<bool, SweepError> {
    if parts.store.has_body(key).await? {
        return Ok(false);
    }
    // One that is damaged cannot be put back, and is good for nothing.
    let body = parts.bodies.get(key).await.unwrap_or_default();
    parts.bodies.delete(key).await?;
    match body {
        Some(body) if parts.store.has_body(key).await? => {
            parts.bodies.put(key, body).await?;
            Ok(false)
        }
        _ => Ok(true),
    }
}

async fn sweep_expired(parts: &CacheParts) -> Result<u64, SweepError> {
    let mut count = 0;
    loop {
        let expired = parts.store.expired_bodies(parts.clock.now(), BATCH as u64).await?;
        if expired.is_empty() {
            return Ok(count);
        }
        for id in expired {
            match parts.store.drop_body(id).await {
                Ok(body) => forget(parts, body).await,
                Err(StoreError::NotFound) => {} // removed meanwhile
                Err(error) => return Err(error.into()),
            }
            count += 1;
        }
    }
}

async fn sweep_unneeded(parts: &CacheParts) -> Result<u64, SweepError> {
    let before = parts.store.corpus_value(UNNEEDED).await?.unwrap_or_default();
    let before: BTreeSet<String> = serde_json::from_str(&before).unwrap_or_default();
    let mut seen: Vec<BodyKey> = Vec::new();
    let mut count = 0;
    let mut after: Option<BodyKey> = None;
    loop {
        let keys = parts.bodies.keys(after.as_ref(), BATCH).await?;
        let Some(last) = keys.last() else { break };
        after = Some(last.clone());
        for key in keys {
            if parts.store.has_body(&key).await? {
                continue;
            }
            if before.contains(key.as_str()) {
                count += u64::from(remove(parts, &key).await?);
            } else if seen.len() < UNNEEDED_MAX {
                seen.push(key);
            }
        }
    }
    parts.store.set_corpus_value(UNNEEDED, &serde_json::json!(seen).to_string()).await?;
    Ok(count)
}
