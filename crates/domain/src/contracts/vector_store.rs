//! VectorStore: the nearest pieces of cached documents, among those that the asker may see.

use crate::corpus::AclToken;
use crate::ids::{ProviderId, SignalId};
use async_trait::async_trait;

/// Words and their weights: `indices` are hashes of words in ascending order, each once.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SparseVector {
    pub indices: Vec<u32>,
    pub values: Vec<f32>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct ChunkVector {
    /// From 0.
    pub number: u32,
    /// Where it stands in the text, in characters.
    pub start: u32,
    pub end: u32,
    /// Of unit length.
    pub dense: Vec<f32>,
    /// There when the collection is hybrid.
    pub sparse: Option<SparseVector>,
}

/// All vectors of one document, and what a query may ask of it.
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

/// Who asks. Without a token nothing is found.
#[derive(Debug, Clone, Copy)]
pub struct Asking<'a> {
    pub tokens: &'a [AclToken],
    /// Most chunks that are wanted.
    pub limit: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VectorHit {
    pub signal: SignalId,
    pub chunk: u32,
    /// The cosine, or the BM25 score.
    pub score: f32,
}

/// What a collection holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VectorState {
    /// None while it is empty or not made.
    pub dimension: Option<usize>,
    pub chunks: u64,
    /// It has sparse vectors, so that it can be asked for words, too.
    pub is_hybrid: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VectorError {
    #[error("the vector store cannot be reached: {0}")]
    Unreachable(String),
    #[error("the vector store refuses: {0}")]
    Refused(String),
    #[error(
        "the collection has no sparse vectors (missing sparse vector): run `tributary upgrade_corpus_to_hybrid` once, \
         or set SVC_CORPUS_HYBRID=False"
    )]
    MissingSparse,
    #[error(
        "the collection holds vectors of {there} dimensions, the reader model makes {ours}: run `tributary reindex_corpus`"
    )]
    Dimension { there: usize, ours: usize },
    #[error("the vector store is switched off (SVC_QDRANT_MODE=disabled)")]
    Disabled,
}

/// One collection of vectors. The access list is part of every query: a piece that the asker may not see is never looked
/// at, counted or returned. What was written is found by the next query of every process.
#[async_trait]
pub trait VectorStore: Send + Sync {
    /// Replaces all vectors of a document.
    async fn put(&self, vectors: SignalVectors) -> Result<(), VectorError>;
    /// Who may see it from now on.
    async fn set_acl(&self, signal: SignalId, acl: &[AclToken]) -> Result<(), VectorError>;
    /// Those that are not there are fine.
    async fn remove(&self, signals: &[SignalId]) -> Result<(), VectorError>;
    /// The chunks with the greatest cosine, best first; ties by signal and number.
    async fn nearest(&self, asking: Asking<'_>, dense: &[f32]) -> Result<Vec<VectorHit>, VectorError>;
    /// The chunks with the greatest BM25 score, best first; `MissingSparse` before the upgrade.
    async fn nearest_by_words(
        &self,
        asking: Asking<'_>,
        words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError>;
    /// Documents above `after` in the order of their ids, with how many chunks of each are held.
    async fn held(&self, after: Option<SignalId>, limit: usize) -> Result<Vec<(SignalId, u32)>, VectorError>;
    async fn state(&self) -> Result<VectorState, VectorError>;
    /// Makes the collection for vectors of this dimension where it is missing.
    async fn prepare(&self, dimension: usize) -> Result<(), VectorError>;
    /// From now on the collection is hybrid: `put` and `nearest_by_words` work with words. What is there already must be
    /// put again by the caller.
    async fn make_hybrid(&self) -> Result<(), VectorError>;
    /// Removes the collection and all that is in it.
    async fn clear(&self) -> Result<(), VectorError>;
}
