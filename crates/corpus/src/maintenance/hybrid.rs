//! Adds sparse vectors to a collection, once. Queries use them from then on.

use super::error::MaintenanceError;
use super::iterate::{DocumentBatches, Progress, count};
use crate::ingest::sync_vectors;
use crate::{SemanticCache, word_language, word_search};

/// Result of the upgrade.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Upgrade {
    /// The collection already had sparse vectors.
    pub was_hybrid: bool,
    pub documents: u64,
    pub pieces: u64,
}

impl SemanticCache {
    /// Writes the sparse vectors of every chunk. It can be repeated, also after an interruption.
    pub async fn upgrade_to_hybrid(&self, progress: Progress<'_>) -> Result<Upgrade, MaintenanceError> {
        let parts = &self.parts;
        let state = parts.vectors.state().await?;
        if state.dimension.is_none() {
            self.prepare_vectors().await?;
        }
        let was_hybrid = state.is_hybrid;
        // Words that are indexed keep their language: until the end, queries meet vectors of earlier documents.
        if !was_hybrid {
            word_language::renew(parts).await?;
        }
        parts.vectors.make_hybrid().await?;
        let total = count(&*parts.store).await?;
        let mut done = Upgrade { was_hybrid, ..Upgrade::default() };
        let (mut seen, mut batches) = (0, DocumentBatches::over(&*parts.store));
        loop {
            let some = batches.next().await?;
            if some.is_empty() {
                word_search::turn_on(parts).await?;
                return Ok(done);
            }
            for signal in some {
                seen += 1;
                if signal.chunk_count > 0 {
                    sync_vectors(parts, signal.signal_id).await?;
                    done.documents += 1;
                    done.pieces += u64::from(signal.chunk_count);
                }
                progress(seen, total.max(seen));
            }
        }
    }
}
