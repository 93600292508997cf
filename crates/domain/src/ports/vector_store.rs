//! Vector store: nearest chunks among the documents that a user may see.

use super::Cause;
use crate::corpus::AclToken;
use crate::ids::{ProviderId, SignalId};
use async_trait::async_trait;

/// Weights of words: `indices` are hashes of words, ascending and unique.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SparseVector {
    pub indices: Vec<u32>,
    pub values: Vec<f32>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ChunkVector {
    /// From 0.
    pub number: u32,
    /// Position in the text, in characters.
    pub start: u32,
    pub end: u32,
    /// Of unit length.
    pub dense: Vec<f32>,
    /// Present if the collection is hybrid.
    pub sparse: Option<SparseVector>,
}

/// All vectors of one document, and the fields that a query may filter by.
#[derive(Debug, Clone, PartialEq)]
pub struct SignalVectors {
    pub signal: SignalId,
    pub acl: Vec<AclToken>,
    pub provider: Option<ProviderId>,
    pub mime: String,
    pub matter_tags: Vec<String>,
    pub date: String,
    pub chunks: Vec<ChunkVector>,
}

/// Scope of a query. Without a token, nothing is found.
#[derive(Debug, Clone, Copy)]
pub struct VectorQuery<'a> {
    pub tokens: &'a [AclToken],
    /// Maximum number of chunks.
    pub limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VectorHit {
    pub signal: SignalId,
    pub chunk: u32,
    /// Cosine similarity or BM25 score.
    pub score: f32,
}

/// State of a collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorState {
    /// None if it is empty or does not exist.
    pub dimension: Option<usize>,
    pub chunks: u64,
    /// It has sparse vectors and can be searched by words.
    pub is_hybrid: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VectorError {
    #[error("the vector store cannot be reached: {message}")]
    Unreachable { message: String, source: Option<Cause> },
    #[error("the vector store rejected the request: {message}")]
    Refused { message: String, source: Option<Cause> },
    #[error(
        "the collection has no sparse vectors (missing sparse vector): run `tributary upgrade_corpus_to_hybrid` once, \
         or set SVC_CORPUS_HYBRID=False"
    )]
    MissingSparse,
    #[error(
        "the collection holds vectors of {there} dimensions, the reader model makes {ours}: run `tributary reindex_corpus`"
    )]
    Dimension { there: usize, ours: usize },
    #[error(
        "the collection '{collection}' was not made by this program and is left alone: rename it, or use another \
         server (SVC_QDRANT_URL)"
    )]
    Foreign { collection: String },
    #[error(
        "the table '{table}' was not made by this program and is left alone: rename it, or use another database \
         (SVC_DATABASE_URL)"
    )]
    ForeignTable { table: String },
    #[error("the vector store is switched off (SVC_QDRANT_MODE=disabled)")]
    Disabled,
}

impl VectorError {
    pub fn unreachable(message: impl Into<String>) -> Self {
        Self::Unreachable { message: message.into(), source: None }
    }

    pub fn refused(message: impl Into<String>) -> Self {
        Self::Refused { message: message.into(), source: None }
    }

    /// Keeps the error behind a failure; the other errors have none.
    #[must_use]
    pub fn caused_by(mut self, cause: impl Into<Cause>) -> Self {
        if let Self::Unreachable { source, .. } | Self::Refused { source, .. } = &mut self {
            *source = Some(cause.into());
        }
        self
    }
}

/// One collection of vectors. The ACL is part of every query: a chunk that the user may not see is never examined,
/// counted or returned. Every process finds written vectors in its next query.
#[async_trait]
pub trait VectorStore: Send + Sync {
    /// Replaces all vectors of a document.
    async fn put(&self, vectors: SignalVectors) -> Result<(), VectorError>;
    /// Replaces the ACL of a document.
    async fn set_acl(&self, signal: SignalId, acl: &[AclToken]) -> Result<(), VectorError>;
    /// Removes documents; missing ones are ignored.
    async fn remove(&self, signals: &[SignalId]) -> Result<(), VectorError>;
    /// Chunks with the highest cosine similarity, best first; ties by signal and number.
    async fn nearest(&self, query: VectorQuery<'_>, dense: &[f32]) -> Result<Vec<VectorHit>, VectorError>;
    /// Chunks with the highest BM25 score, best first; `MissingSparse` before the upgrade.
    async fn nearest_by_words(
        &self,
        query: VectorQuery<'_>,
        words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError>;
    /// Documents with an id greater than `after`, by id, with the number of stored chunks of each.
    async fn chunk_counts(
        &self,
        after: Option<SignalId>,
        limit: usize,
    ) -> Result<Vec<(SignalId, u32)>, VectorError>;
    async fn state(&self) -> Result<VectorState, VectorError>;
    /// Creates the collection for vectors of this dimension if it does not exist.
    async fn prepare(&self, dimension: usize) -> Result<(), VectorError>;
    /// Makes the collection hybrid: `put` and `nearest_by_words` use sparse vectors from now on. The caller must put
    /// existing documents again.
    async fn make_hybrid(&self) -> Result<(), VectorError>;
    /// Deletes the collection with its contents.
    async fn clear(&self) -> Result<(), VectorError>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::chain;
    use std::error::Error;
    use std::io;
    use std::mem::discriminant;

    #[test]
    fn people_see_the_sentence_and_the_log_the_cause() {
        let table = [
            (VectorError::unreachable("no answer"), "the vector store cannot be reached: no answer", true),
            (VectorError::refused("no key"), "the vector store rejected the request: no key", true),
            (
                VectorError::MissingSparse,
                "the collection has no sparse vectors (missing sparse vector): run `tributary upgrade_corpus_to_hybrid` \
                 once, or set SVC_CORPUS_HYBRID=False",
                false,
            ),
            (
                VectorError::Dimension { there: 3, ours: 4 },
                "the collection holds vectors of 3 dimensions, the reader model makes 4: run `tributary reindex_corpus`",
                false,
            ),
            (VectorError::Disabled, "the vector store is switched off (SVC_QDRANT_MODE=disabled)", false),
        ];
        for (error, text, has_cause) in table {
            let caused = error.clone().caused_by(io::Error::other("timed out"));
            assert_eq!((caused.to_string().as_str(), discriminant(&caused)), (text, discriminant(&error)));
            assert_eq!(caused.source().is_some_and(|cause| cause.is::<io::Error>()), has_cause);
            assert_eq!(chain(&caused).ends_with(": timed out"), has_cause);
        }
    }
}
