//! Embeds all chunks again, after another model or another language of queries was chosen.

use super::embedding_model::reader;
use super::error::MaintenanceError;
use super::iterate::{DocumentBatches, Progress, count};
use crate::chunks::Piece;
use crate::ingest::{embedding, sync_vectors};
use crate::{CacheParts, SemanticCache, word_language, word_search};
use domain::corpus::{Signal, StoredChunk};

/// Result of a reindex.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reindexed {
    pub model: String,
    pub dimension: usize,
    pub documents: u64,
    pub pieces: u64,
    /// Documents that changed or were removed meanwhile; the writer already used the new model.
    pub skipped: u64,
}

impl SemanticCache {
    /// Recreates the collection. Documents that are not yet embedded are not found until it is done.
    pub async fn reindex(&self, progress: Progress<'_>) -> Result<Reindexed, MaintenanceError> {
        let parts = &self.parts;
        // A collection that was lost had words, too.
        let is_hybrid = parts.vectors.state().await?.is_hybrid || word_search::is_on(parts).await?;
        // Check that the model responds before anything is removed.
        let (model, dimension) = reader(parts).await?;
        parts.vectors.clear().await?;
        parts.vectors.prepare(dimension).await?;
        word_language::renew(parts).await?;
        if is_hybrid {
            parts.vectors.make_hybrid().await?;
        }
        let total = count(&*parts.store).await?;
        let mut done = Reindexed { model, dimension, ..Reindexed::default() };
        let (mut seen, mut batches) = (0, DocumentBatches::over(&*parts.store));
        loop {
            let some = batches.next().await?;
            if some.is_empty() {
                return Ok(done);
            }
            for signal in some {
                seen += 1;
                match read_again(parts, &signal, &done.model).await? {
                    None => {}
                    Some(0) => done.skipped += 1,
                    Some(pieces) => {
                        done.documents += 1;
                        done.pieces += pieces;
                    }
                }
                progress(seen, total.max(seen));
            }
        }
    }
}

/// The number of chunks with new vectors: 0 if the document changed in the meantime. None: it has no text.
async fn read_again(
    parts: &CacheParts,
    signal: &Signal,
    model: &str,
) -> Result<Option<u64>, MaintenanceError> {
    if signal.chunk_count == 0 {
        return Ok(None);
    }
    let stored = parts.store.chunks(signal.signal_id).await?;
    let piece = |chunk: StoredChunk| Piece {
        start: chunk.start,
        end: chunk.end,
        heading: chunk.heading,
        text: chunk.text,
    };
    let pieces = stored.into_iter().map(piece).collect();
    let chunks = embedding::chunks(parts, model, &signal.title, pieces).await?;
    let pieces = chunks.len() as u64;
    let is_done = parts.store.reindex_signal(signal.signal_id, &signal.content_hash, model, chunks).await?;
    // Also if it changed: its vectors were removed with the collection.
    sync_vectors(parts, signal.signal_id).await?;
    Ok(Some(if is_done { pieces } else { 0 }))
}
