//! Startup work of the corpus role: creates missing storage, compares records, vectors and texts, and rebuilds missing
//! vectors.

use crate::app::App;
use corpus::SemanticCache;
use corpus::maintenance::Repair;
use domain::ports::{Corpus, chain};
use std::sync::Arc;

/// Does nothing without a license for the cache. Failures are logged and do not stop the service: the cache is one
/// source among others.
pub fn run(app: &App) -> impl Future<Output = ()> + use<> {
    let cache = Arc::clone(&app.corpus);
    async move {
        if cache.is_open() && prepare(&cache).await {
            reconcile(&cache).await;
        }
    }
}

async fn prepare(cache: &SemanticCache) -> bool {
    let vectors = cache.prepare_vectors().await;
    if let Err(error) = &vectors {
        tracing::warn!(%error, "the vector store of the semantic cache is not ready: {}", chain(error));
    }
    match cache.outdated_word_language().await {
        Ok(None) => {}
        Ok(Some(language)) => tracing::warn!(
            "the words of the semantic cache are indexed in '{language}', which is not SVC_DEFAULT_QUERY_LANGUAGE; \
             to index them again, run: tributary reindex_corpus"
        ),
        Err(error) => tracing::warn!(%error, "the semantic cache could not be read: {}", chain(&error)),
    }
    let bodies = cache.prepare_bodies().await;
    if let Err(error) = &bodies {
        tracing::warn!(%error, "the text storage of the semantic cache is not ready: {}", chain(error));
    }
    vectors.is_ok() && bodies.is_ok()
}

/// Removes nothing: what looks missing may be on a disk that is not mounted. An operator decides.
async fn reconcile(cache: &SemanticCache) {
    match cache.reconcile(Repair::Vectors).await {
        Ok(found) if found.removals().iter().any(|difference| difference.count > 0) => {
            let [vectors, missing, surplus] = found.removals().map(|difference| difference.count);
            tracing::warn!(
                "the semantic cache is inconsistent: {missing} documents have no text, {surplus} texts and the vectors \
                 of {vectors} documents belong to no document. Nothing was removed; if no disk is missing, run: \
                 tributary doctor --repair"
            );
        }
        Ok(found) if found.vectors_missing.count > 0 => {
            let made = found.vectors_missing.count;
            tracing::info!("rebuilt the vectors of {made} documents of the semantic cache");
        }
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the semantic cache could not be checked: {}", chain(&error)),
    }
}
