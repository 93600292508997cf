//! The figures of the semantic cache at this moment. Its stores are asked only while the license opens it.

use super::limits::COLLECT_TIME_MAX;
use crate::AppState;
use crate::metrics::CacheFigures;
use corpus::Backing;
use domain::contracts::{Corpus, StoreError};

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

/// Whether a store of the cache answers in time.
async fn answers(store: impl Future<Output = Backing>) -> bool {
    tokio::time::timeout(COLLECT_TIME_MAX, store).await.is_ok_and(|backing| backing.ok)
}

async fn within_time<T>(counts: impl Future<Output = Result<T, StoreError>>) -> Option<T> {
    match tokio::time::timeout(COLLECT_TIME_MAX, counts).await {
        Ok(Ok(counts)) => Some(counts),
        Ok(Err(error)) => {
            tracing::warn!("the figures of the cache cannot be read: {error}");
            None
        }
        Err(_) => {
            tracing::warn!("the figures of the cache take too long");
            None
        }
    }
}
