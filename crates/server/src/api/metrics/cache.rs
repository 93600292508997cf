//! Current values of the corpus metrics. Its stores are queried only if the license includes it.

use super::limits::COLLECT_TIME_MAX;
use crate::metrics::CacheFigures;
use crate::state::AppState;
use corpus::BackendHealth;
use domain::ports::{Corpus, StoreError, chain};

pub async fn collect(state: &AppState) -> CacheFigures {
    let cache = &state.corpus;
    let licensed = cache.is_open();
    let stores = async {
        if !licensed {
            return Vec::new();
        }
        let (vectors, storage) = tokio::join!(answers(cache.vector_store()), answers(cache.storage()));
        vec![("vectors", vectors), ("storage", storage)]
    };
    let (counts, decisions, stores) =
        tokio::join!(within_time(cache.counts()), within_time(cache.decisions()), stores);
    CacheFigures { counts, decisions, counted: cache.counted(), licensed, stores }
}

/// Whether a store of the cache responds in time.
async fn answers(store: impl Future<Output = BackendHealth>) -> bool {
    tokio::time::timeout(COLLECT_TIME_MAX, store).await.is_ok_and(|backing| backing.ok)
}

async fn within_time<T>(counts: impl Future<Output = Result<T, StoreError>>) -> Option<T> {
    match tokio::time::timeout(COLLECT_TIME_MAX, counts).await {
        Ok(Ok(counts)) => Some(counts),
        Ok(Err(error)) => {
            tracing::warn!("the cache metrics cannot be read: {}", chain(&error));
            None
        }
        Err(_) => {
            tracing::warn!("the cache metrics take too long");
            None
        }
    }
}
