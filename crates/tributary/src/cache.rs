//! What a process with the corpus role does for the semantic cache when it starts: it makes what must be there, compares
//! records, vectors and texts, and makes missing vectors again.

use crate::wiring::Wired;
use corpus::SemanticCache;
use corpus::upkeep::Repair;
use domain::contracts::Corpus;
use std::sync::Arc;

/// Nothing without a license that opens the cache. Whatever fails is said in the log and is no reason to stop: the cache is one source among others.
pub fn tend(wired: &Wired) -> impl Future<Output = ()> + use<> {
    let cache = Arc::clone(&wired.corpus);
    async move {
        if cache.is_open() && make_ready(&cache).await {
            agree(&cache).await;
        }
    }
}

async fn make_ready(cache: &SemanticCache) -> bool {
    let vectors = cache.prepare_vectors().await;
    if let Err(error) = &vectors {
        tracing::warn!(%error, "the vectors of the semantic cache are not ready: {error}");
    }
    let bodies = cache.prepare_bodies().await;
    if let Err(error) = &bodies {
        tracing::warn!(%error, "the texts of the semantic cache are not ready: {error}");
    }
    vectors.is_ok() && bodies.is_ok()
}

/// Nothing is removed here: what does not agree may lie on a disk that is not mounted. An operator decides.
async fn agree(cache: &SemanticCache) {
    match cache.agree(Repair::Vectors).await {
        Ok(found) if found.removals().iter().any(|difference| difference.count > 0) => {
            let [vectors, missing, surplus] = found.removals().map(|difference| difference.count);
            tracing::warn!(
                "the semantic cache does not agree: {missing} documents lack their text, {surplus} texts and the vectors \
                 of {vectors} documents belong to nothing. Nothing was removed; if no disk is missing, run: tributary \
                 doctor --repair"
            );
        }
        Ok(found) if found.vectors_missing.count > 0 => {
            let made = found.vectors_missing.count;
            tracing::info!("vectors of {made} documents of the semantic cache were made again");
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the semantic cache could not be compared: {error}"),
    }
}
