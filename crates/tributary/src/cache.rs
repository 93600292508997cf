//! What a process with the corpus role does for the semantic cache when it starts: it makes what must be there, and brings
//! vectors and texts into agreement with the records.

use crate::wiring::Wired;
use corpus::SemanticCache;
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

async fn agree(cache: &SemanticCache) {
    match cache.agree(true).await {
        Ok(agreement) if agreement.is_repaired => {
            tracing::info!(documents = agreement.documents, "the semantic cache was brought into agreement");
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the semantic cache could not be compared: {error}"),
    }
}
