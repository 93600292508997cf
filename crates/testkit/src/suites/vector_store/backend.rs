//! What the suite needs of a vector store.

use async_trait::async_trait;
use domain::corpus::AclToken;
use domain::ids::SignalId;
use domain::ports::{SparseVector, VectorStore};
use std::collections::BTreeMap;

/// A vector, and its sparse weights.
pub type Piece = (Vec<f32>, String);

/// A vector store, and what it needs beside it.
#[async_trait]
pub trait VectorBackend: Send + Sync {
    fn vectors(&self) -> &dyn VectorStore;
    /// Users are numbered from 0 to 3.
    fn person(&self, number: usize) -> AclToken;
    /// Sources are 0 and 1.
    fn source(&self, number: usize) -> AclToken;
    /// Stores a new document, or another text of one. A document has at most one source.
    async fn keep(&self, replaced: Option<SignalId>, acl: &[AclToken], pieces: &[Piece]) -> SignalId;
    /// Changes the users only.
    async fn allow(&self, signal: SignalId, acl: &[AclToken]);
    async fn forget(&self, signals: &[SignalId]);
    /// Deletes everything.
    async fn clear(&self);
}

/// The words of a text, each weighted by its frequency.
pub fn words(text: &str) -> SparseVector {
    let mut counts: BTreeMap<u32, f32> = BTreeMap::new();
    for word in text.split_whitespace() {
        let hash = word
            .bytes()
            .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
        *counts.entry(hash).or_default() += 1.0;
    }
    let (indices, values) = counts.into_iter().unzip();
    SparseVector { indices, values }
}
