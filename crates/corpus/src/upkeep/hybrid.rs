//! Words for a collection that has none: once, before `SVC_CORPUS_HYBRID` is set.

use super::walk::{Walk, count};
use super::{Progress, UpkeepError};
use crate::SemanticCache;
use crate::ingest::put_vectors;

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Upgrade {
    /// The collection had words before.
    pub was_hybrid: bool,
    pub documents: u64,
    pub pieces: u64,
}

impl SemanticCache {
    /// Gives every piece its words. Running it again is fine, also after it was interrupted.
    pub async fn upgrade_to_hybrid(&self, progress: Progress<'_>) -> Result<Upgrade, UpkeepError> {
        let parts = &self.parts;
        let state = parts.vectors.state().await?;
        if state.dimension.is_none() {
            self.prepare_vectors().await?;
        }
        let was_hybrid = state.is_hybrid;
        parts.vectors.make_hybrid().await?;
        let total = count(&*parts.store).await?;
        let mut done = Upgrade { was_hybrid, ..Upgrade::default() };
        let (mut seen, mut walk) = (0, Walk::over(&*parts.store));
        loop {
            let some = walk.next().await?;
            if some.is_empty() {
                return Ok(done);
            }
            for signal in some {
                seen += 1;
                if signal.chunk_count > 0 {
                    put_vectors(parts, signal.signal_id).await?;
                    done.documents += 1;
                    done.pieces += u64::from(signal.chunk_count);
                }
                progress(seen, total.max(seen));
            }
        }
    }
}
