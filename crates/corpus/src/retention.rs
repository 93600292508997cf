//! Removal of expired texts and of texts without a document.

use crate::CacheParts;
use domain::ports::{BodyError, BodyKey, QueueName, StoreError, TaskError, TaskErrorKind, chain};
use std::collections::BTreeSet;

/// Documents and bodies per batch.
const BATCH: usize = 500;
/// Most unreferenced texts remembered from one sweep to the next.
const UNNEEDED_MAX: usize = 10_000;
/// Key under which they are stored.
const UNNEEDED: &str = "unneeded_bodies";

/// Result of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Swept {
    /// Expired texts of documents.
    pub expired: u64,
    /// Texts without a document.
    pub unneeded: u64,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum SweepError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Bodies(#[from] BodyError),
}

impl From<SweepError> for TaskError {
    fn from(error: SweepError) -> Self {
        match error {
            SweepError::Store(error) => error.into(),
            SweepError::Bodies(error) => Self::from_cause(TaskErrorKind::Unavailable, error),
        }
    }
}

/// Removes expired texts; their chunks stay. A text without a document is removed only if the previous sweep saw it as
/// well, because a text is stored before its document.
pub(crate) async fn sweep(parts: &CacheParts) -> Result<Swept, SweepError> {
    let expired = sweep_expired(parts).await?;
    let unneeded = sweep_unneeded(parts).await?;
    Ok(Swept { expired, unneeded })
}

/// Removes a text that no document needs. If a document references it in the meantime, it is put back.
pub(crate) async fn forget(parts: &CacheParts, body: impl IntoIterator<Item = BodyKey>) {
    for key in body {
        if let Err(error) = remove(parts, &key).await {
            // The next sweep finds it.
            tracing::warn!("an unreferenced text was not removed: {}", chain(&error));
        }
    }
}

/// Whether no ingest is queued or running. False if that is unknown.
pub(crate) async fn is_idle(parts: &CacheParts) -> bool {
    let waiting = parts.queue.depth(QueueName::Corpus).await;
    let workers = parts.queue.workers(QueueName::Corpus, parts.settings.task_lease.0).await;
    matches!(waiting, Ok(0)) && workers.is_ok_and(|workers| workers.iter().all(|worker| worker.active == 0))
}

/// Removes an unreferenced text; false: a document references it, or did a moment later.
async fn remove(parts: &CacheParts, key: &BodyKey) -> Result<bool, SweepError> {
    if parts.store.has_body(key).await? {
        return Ok(false);
    }
    // A damaged text cannot be put back and is of no use.
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
                Err(StoreError::NotFound) => {} // removed in the meantime
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
