//! All pieces are read again by the reader model, after another one was chosen.

use super::walk::{Walk, count};
use super::{Progress, UpkeepError, reader};
use crate::chunks::Piece;
use crate::ingest::{embedding, put_vectors};
use crate::{CacheParts, SemanticCache};
use domain::corpus::{Signal, StoredChunk};

/// What was done.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reindexed {
    pub model: String,
    pub dimension: usize,
    pub documents: u64,
    pub pieces: u64,
    /// Documents that changed or went while they were read: who changed them read them by the new model.
    pub skipped: u64,
}

impl SemanticCache {
    /// Makes the collection again. Until it is done, what was not read yet is not found.
    pub async fn reindex(&self, progress: Progress<'_>) -> Result<Reindexed, UpkeepError> {
        let parts = &self.parts;
        let is_hybrid = parts.vectors.state().await?.is_hybrid || parts.settings.corpus_hybrid;
        // A model that does not answer is known before anything is thrown away.
        let (model, dimension) = reader(parts).await?;
        parts.vectors.clear().await?;
        parts.vectors.prepare(dimension).await?;
        if is_hybrid {
            parts.vectors.make_hybrid().await?;
        }
        let total = count(&*parts.store).await?;
        let mut done = Reindexed { model, dimension, ..Reindexed::default() };
        let (mut seen, mut walk) = (0, Walk::over(&*parts.store));
        loop {
            let some = walk.next().await?;
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

/// How many pieces got new vectors: none when the document changed meanwhile. None: it has no text.
async fn read_again(parts: &CacheParts, signal: &Signal, model: &str) -> Result<Option<u64>, UpkeepError> {
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
    // Also when it changed: its vectors went with the collection.
    put_vectors(parts, signal.signal_id).await?;
    Ok(Some(if is_done { pieces } else { 0 }))
}
