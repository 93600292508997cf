//! The vector store follows the records: what it holds of a document is read from them, and looked at again afterwards,
//! because others may have written meanwhile.

use crate::{CacheParts, words};
use domain::contracts::{ChunkVector, SignalVectors, StoreError, VectorError};
use domain::corpus::{AclToken, Signal};
use domain::ids::SignalId;

/// So often a document may change while its vectors are written.
const TRIES_MAX: u32 = 5;

#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum FollowError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Vectors(#[from] VectorError),
}

/// Brings the vectors of a document and who may see them to where the records are. A vector store that is switched off has
/// nothing to follow.
pub(crate) async fn put_vectors(parts: &CacheParts, id: SignalId) -> Result<(), FollowError> {
    for _ in 0..TRIES_MAX {
        let Some((signal, acl)) = stand(parts, id).await? else {
            return gone(parts, id).await;
        };
        match put(parts, &signal, acl.clone()).await {
            Err(FollowError::Vectors(VectorError::Disabled)) => return Ok(()),
            other => other?,
        }
        let after = stand(parts, id).await?;
        let is_same = after.as_ref().is_some_and(|(now, may_see)| {
            now.content_hash == signal.content_hash && now.indexed_at == signal.indexed_at && *may_see == acl
        });
        if is_same {
            return Ok(());
        }
    }
    Ok(()) // whoever changed it last brings its vectors
}

/// Only who may see it changed.
pub(crate) async fn put_acl(parts: &CacheParts, id: SignalId) -> Result<(), FollowError> {
    for _ in 0..TRIES_MAX {
        let Some((_, acl)) = stand(parts, id).await? else {
            return gone(parts, id).await;
        };
        match parts.vectors.set_acl(id, &acl).await {
            Err(VectorError::Disabled) => return Ok(()),
            other => other?,
        }
        if stand(parts, id).await?.is_some_and(|(_, after)| after == acl) {
            return Ok(());
        }
    }
    Ok(())
}

/// The vectors of the document are held in full.
pub(crate) async fn are_held(parts: &CacheParts, signal: &Signal) -> Result<bool, FollowError> {
    let before = SignalId(signal.signal_id.0 - 1);
    match parts.vectors.held(Some(before), 1).await {
        Ok(held) => Ok(held.first() == Some(&(signal.signal_id, signal.chunk_count))),
        Err(VectorError::Disabled) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// The record, and who may see it; None when it is gone.
async fn stand(parts: &CacheParts, id: SignalId) -> Result<Option<(Signal, Vec<AclToken>)>, StoreError> {
    let signal = match parts.store.signal(id).await {
        Err(StoreError::NotFound) => return Ok(None),
        other => other?,
    };
    let mut acl = parts.store.acl_of(&[id]).await?.into_iter().flat_map(|(_, acl)| acl).collect::<Vec<_>>();
    acl.sort_unstable();
    Ok(Some((signal, acl)))
}

async fn gone(parts: &CacheParts, id: SignalId) -> Result<(), FollowError> {
    match parts.vectors.remove(&[id]).await {
        Err(VectorError::Disabled) => Ok(()),
        other => Ok(other?),
    }
}

async fn put(parts: &CacheParts, signal: &Signal, acl: Vec<AclToken>) -> Result<(), FollowError> {
    let chunks = parts.store.chunks(signal.signal_id).await?;
    let Some(dimension) = chunks.first().map(|chunk| chunk.vector.len()) else {
        return gone(parts, signal.signal_id).await;
    };
    let is_hybrid = parts.vectors.state().await?.is_hybrid;
    let chunks = chunks.into_iter().map(|chunk| ChunkVector {
        number: chunk.number,
        start: chunk.start,
        end: chunk.end,
        sparse: is_hybrid.then(|| words::words(&chunk.text)),
        dense: chunk.vector,
    });
    let vectors = SignalVectors {
        signal: signal.signal_id,
        acl,
        provider: signal.source_provider_id,
        mime: signal.mime.clone(),
        // Tags are people's own, and the index is everybody's.
        matter_tags: Vec::new(),
        date: signal.date_published.clone(),
        chunks: chunks.collect(),
    };
    match parts.vectors.put(vectors.clone()).await {
        Ok(()) => Ok(()),
        Err(VectorError::Refused(_)) => {
            // It may be the first document of all.
            parts.vectors.prepare(dimension).await?;
            Ok(parts.vectors.put(vectors).await?)
        }
        Err(error) => Err(error.into()),
    }
}
