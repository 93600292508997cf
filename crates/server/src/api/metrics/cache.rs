//! The figures of the semantic cache at this moment. Its stores are asked only while the license opens it.

use crate::House;
use crate::metrics::CacheFigures;
use domain::contracts::{Corpus, StoreError};
use std::time::Duration;

/// How long the counts may take before we say that they cannot be had.
const COUNT_TIME_MAX: Duration = Duration::from_secs(5);

pub async fn collect(house: &House) -> CacheFigures {
    let cache = &house.corpus;
    let licensed = cache.is_open();
    let stores = async {
        if !licensed {
            return Vec::new();
        }
        let (vectors, storage) = tokio::join!(cache.vector_store(), cache.storage());
        vec![("vectors", vectors), ("storage", storage)]
    };
    let (counts, decisions, stores) =
        tokio::join!(within_time(cache.counts()), within_time(cache.decisions()), stores);
    CacheFigures { counts, decisions, counted: cache.counted(), licensed, stores }
}

async fn within_time<T>(counts: impl Future<Output = Result<T, StoreError>>) -> Option<T> {
    match tokio::time::timeout(COUNT_TIME_MAX, counts).await {
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
