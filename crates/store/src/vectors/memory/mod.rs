//! Vectors in this process. Loaded from the records on first use; before each query the changes since then are read,
//! so that several processes agree and a revocation takes effect immediately.

mod index;
mod postings;
mod quantized;
mod records;

use super::hybrid::{set_hybrid, unset_hybrid};
use super::limits::{allowed, dimension_of};
use async_trait::async_trait;
use domain::corpus::AclToken;
use domain::ids::SignalId;
use domain::ports::{
    SignalStore, SignalVectors, SparseVector, VectorError, VectorHit, VectorQuery, VectorState, VectorStore,
};
use index::{Asked, Index};
use records::{Loading, Records, Shared, on_cpu, reading, writing};
use std::sync::{Arc, RwLock};
use tokio::sync::{Mutex, Semaphore};

pub struct MemoryVectors {
    records: Records,
    index: Shared,
    /// The holder reads the records. Contains a full load that was started.
    turn: Mutex<Option<Loading>>,
    /// One query per core at a time.
    places: Semaphore,
}

impl MemoryVectors {
    /// `words` computes the sparse vector of a chunk from its indexed text, as given to [`VectorStore::put`].
    pub fn new(
        signals: Arc<dyn SignalStore>,
        words: impl Fn(&str) -> SparseVector + Send + Sync + 'static,
    ) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            records: Records { signals, words: Arc::new(words) },
            index: Arc::new(RwLock::new(Index::unread())),
            turn: Mutex::default(),
            places: Semaphore::new(cores),
        }
    }

    /// Updates the index from the records. Without changes nobody waits.
    async fn current(&self) -> Result<(), VectorError> {
        let wanted = self.records.basis().await?;
        if reading(&self.index).basis == Some(wanted) {
            return Ok(());
        }
        let mut loading = self.turn.lock().await;
        self.records.catch_up(&self.index, &mut loading).await
    }

    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Index) -> T + Send + 'static,
    ) -> Result<T, VectorError> {
        self.current().await?;
        let _place = self.places.acquire().await;
        let index = Arc::clone(&self.index);
        on_cpu(move || question(&reading(&index))).await
    }

    /// Fixes the dimension of the collection, unless it has another.
    async fn settle(&self, ours: usize) -> Result<(), VectorError> {
        match self.records.dimension().await? {
            Some(there) if there == ours => Ok(()),
            Some(there) => Err(VectorError::Dimension { there, ours }),
            None => self.records.set_dimension(Some(ours)).await,
        }
    }
}

/// Everything was written to the records before and is read from there: nothing is taken from the caller, so that a
/// late write of older data replaces nothing.
#[async_trait]
impl VectorStore for MemoryVectors {
    async fn put(&self, vectors: SignalVectors) -> Result<(), VectorError> {
        match dimension_of(vectors.chunks.iter().map(|chunk| chunk.dense.as_slice()))? {
            Some(ours) => self.settle(ours).await,
            None => Ok(()),
        }
    }

    async fn set_acl(&self, _signal: SignalId, _acl: &[AclToken]) -> Result<(), VectorError> {
        Ok(())
    }

    async fn remove(&self, _signals: &[SignalId]) -> Result<(), VectorError> {
        Ok(())
    }

    async fn nearest(&self, asking: VectorQuery<'_>, dense: &[f32]) -> Result<Vec<VectorHit>, VectorError> {
        let asked = Asked::new(asking.tokens, asking.limit);
        if asked.is_nothing() {
            return Ok(Vec::new());
        }
        let dense = dense.to_vec();
        self.ask(move |index| index.nearest(&asked, &dense)).await?
    }

    async fn nearest_by_words(
        &self,
        asking: VectorQuery<'_>,
        words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError> {
        let asked = Asked::new(asking.tokens, asking.limit);
        let words = words.clone();
        self.ask(move |index| index.nearest_by_words(&asked, &words)).await?
    }

    async fn chunk_counts(
        &self,
        after: Option<SignalId>,
        limit: usize,
    ) -> Result<Vec<(SignalId, u32)>, VectorError> {
        self.ask(move |index| index.held(after, limit)).await
    }

    async fn state(&self) -> Result<VectorState, VectorError> {
        self.ask(Index::state).await
    }

    async fn prepare(&self, dimension: usize) -> Result<(), VectorError> {
        self.settle(allowed(dimension)?).await
    }

    async fn make_hybrid(&self) -> Result<(), VectorError> {
        set_hybrid(self.records.signals.as_ref()).await
    }

    async fn clear(&self) -> Result<(), VectorError> {
        let mut loading = self.turn.lock().await;
        *loading = None;
        self.records.set_dimension(None).await?;
        unset_hybrid(self.records.signals.as_ref()).await?;
        *writing(&self.index) = Index::unread();
        Ok(())
    }
}
