//! Keeps the vector store in sync with the records, which are read again after each write because others may write in
//! parallel.

use crate::sparse_vector::sparse_vector;
use crate::{CacheParts, word_language};
use domain::corpus::{AclToken, Signal};
use domain::ids::SignalId;
use domain::ports::{ChunkVector, SignalVectors, StoreError, VectorError};

/// Most changes of a document while its vectors are written.
const TRIES_MAX: u32 = 5;

#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum VectorSyncError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Vectors(#[from] VectorError),
}

/// Writes the vectors and the access list of a document as in the records. Does nothing if the vector store is
/// disabled.
pub(crate) async fn sync_vectors(parts: &CacheParts, id: SignalId) -> Result<(), VectorSyncError> {
    for _ in 0..TRIES_MAX {
        let Some((signal, acl)) = current_state(parts, id).await? else {
            return remove_vectors(parts, id).await;
        };
        match write_vectors(parts, &signal, acl.clone()).await {
            Err(VectorSyncError::Vectors(VectorError::Disabled)) => return Ok(()),
            other => other?,
        }
        let after = current_state(parts, id).await?;
        let is_same = after.as_ref().is_some_and(|(now, may_see)| {
            now.content_hash == signal.content_hash && now.indexed_at == signal.indexed_at && *may_see == acl
        });
        if is_same {
            return Ok(());
        }
    }
    Ok(()) // the last writer updates the vectors
}

/// Updates only the access list.
pub(crate) async fn sync_acl(parts: &CacheParts, id: SignalId) -> Result<(), VectorSyncError> {
    for _ in 0..TRIES_MAX {
        let Some((_, acl)) = current_state(parts, id).await? else {
            return remove_vectors(parts, id).await;
        };
        match parts.vectors.set_acl(id, &acl).await {
            Err(VectorError::Disabled) => return Ok(()),
            other => other?,
        }
        if current_state(parts, id).await?.is_some_and(|(_, after)| after == acl) {
            return Ok(());
        }
    }
    Ok(())
}

/// Whether all vectors of the document are stored.
pub(crate) async fn are_indexed(parts: &CacheParts, signal: &Signal) -> Result<bool, VectorSyncError> {
    let before = SignalId(signal.signal_id.0 - 1);
    match parts.vectors.chunk_counts(Some(before), 1).await {
        Ok(held) => Ok(held.first() == Some(&(signal.signal_id, signal.chunk_count))),
        Err(VectorError::Disabled) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// The record and its access list; None if it is gone.
async fn current_state(
    parts: &CacheParts,
    id: SignalId,
) -> Result<Option<(Signal, Vec<AclToken>)>, StoreError> {
    let signal = match parts.store.signal(id).await {
        Err(StoreError::NotFound) => return Ok(None),
        other => other?,
    };
    let mut acl = parts.store.acl_of(&[id]).await?.into_iter().flat_map(|(_, acl)| acl).collect::<Vec<_>>();
    acl.sort_unstable();
    Ok(Some((signal, acl)))
}

async fn remove_vectors(parts: &CacheParts, id: SignalId) -> Result<(), VectorSyncError> {
    match parts.vectors.remove(&[id]).await {
        Err(VectorError::Disabled) => Ok(()),
        other => Ok(other?),
    }
}

async fn write_vectors(
    parts: &CacheParts,
    signal: &Signal,
    acl: Vec<AclToken>,
) -> Result<(), VectorSyncError> {
    let chunks = parts.store.chunks(signal.signal_id).await?;
    let Some(dimension) = chunks.first().map(|chunk| chunk.vector.len()) else {
        return remove_vectors(parts, signal.signal_id).await;
    };
    let language = if parts.vectors.state().await?.is_hybrid {
        Some(word_language::indexed(parts).await?)
    } else {
        None
    };
    let chunks = chunks.into_iter().map(|chunk| ChunkVector {
        number: chunk.number,
        start: chunk.start,
        end: chunk.end,
        sparse: language.map(|language| sparse_vector(language, &chunk.indexed_text(&signal.title))),
        dense: chunk.vector,
    });
    let vectors = SignalVectors {
        signal: signal.signal_id,
        acl,
        provider: signal.source_provider_id,
        mime: signal.mime.clone(),
        // Tags are personal, and the index is shared.
        matter_tags: Vec::new(),
        date: signal.date_published.clone(),
        chunks: chunks.collect(),
    };
    match parts.vectors.put(vectors.clone()).await {
        Ok(()) => Ok(()),
        Err(VectorError::Refused { .. }) => {
            // It may be the very first document.
            parts.vectors.prepare(dimension).await?;
            Ok(parts.vectors.put(vectors).await?)
        }
        Err(error) => Err(error.into()),
    }
}
