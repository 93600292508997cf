//! Vectors in this program. They are read from the records at first use; before each question the changes since then are
//! read, so that several processes agree and a right that was taken away is gone at once.

mod index;
mod planes;
mod postings;
mod records;

use super::{allowed, dimension_of, set_hybrid};
use async_trait::async_trait;
use domain::contracts::{
    Asking, SignalStore, SignalVectors, SparseVector, VectorError, VectorHit, VectorState, VectorStore,
};
use domain::corpus::AclToken;
use domain::ids::SignalId;
use index::{Asked, Index};
use records::{Loading, Records, Shared, on_cpu, reading, writing};
use std::sync::{Arc, RwLock};
use tokio::sync::{Mutex, Semaphore};

pub struct MemoryVectors {
    records: Records,
    index: Shared,
    /// Whoever holds it reads the records. In it is a reading of everything that was begun.
    turn: Mutex<Option<Loading>>,
    /// One question for each core at a time.
    places: Semaphore,
}

impl MemoryVectors {
    /// `words` makes the sparse vector of a piece from its text, as it was given to [`VectorStore::put`].
    pub fn new(signals: Arc<dyn SignalStore>, words: fn(&str) -> SparseVector) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            records: Records { signals, words },
            index: Arc::new(RwLock::new(Index::unread())),
            turn: Mutex::default(),
            places: Semaphore::new(cores),
        }
    }

    /// Brings the index to the state of the records. When nothing changed, nobody waits for another.
    async fn current(&self) -> Result<(), VectorError> {
        let wanted = self.records.basis().await?;
        if reading(&self.index).basis == Some(wanted) {
            return Ok(());
        }
        let mut loading = self.turn.lock().await;
        self.records.bring_up(&self.index, &mut loading).await
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

    /// The collection is for vectors of this dimension from now on, unless it is for others.
    async fn settle(&self, ours: usize) -> Result<(), VectorError> {
        match self.records.dimension().await? {
            Some(there) if there == ours => Ok(()),
            Some(there) => Err(VectorError::Dimension { there, ours }),
            None => self.records.set_dimension(Some(ours)).await,
        }
    }
}

/// What is written here was written to the records before, and is read from there: nothing is taken from the caller, so
/// that an older write that comes late replaces nothing.
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

    async fn nearest(&self, asking: Asking<'_>, dense: &[f32]) -> Result<Vec<VectorHit>, VectorError> {
        let asked = Asked::new(asking.tokens, asking.limit);
        if asked.is_nothing() {
            return Ok(Vec::new());
        }
        let dense = dense.to_vec();
        self.ask(move |index| index.nearest(&asked, &dense)).await?
    }

    async fn nearest_by_words(
        &self,
        asking: Asking<'_>,
        words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError> {
        let asked = Asked::new(asking.tokens, asking.limit);
        let words = words.clone();
        self.ask(move |index| index.nearest_by_words(&asked, &words)).await?
    }

    async fn held(&self, after: Option<SignalId>, limit: usize) -> Result<Vec<(SignalId, u32)>, VectorError> {
        self.ask(move |index| index.held(after, limit)).await
    }

    async fn state(&self) -> Result<VectorState, VectorError> {
        self.ask(Index::state).await
    }

    async fn prepare(&self, dimension: usize) -> Result<(), VectorError> {
        self.settle(allowed(dimension)?).await
    }

    async fn make_hybrid(&self) -> Result<(), VectorError> {
        set_hybrid(self.records.signals.as_ref(), true).await
    }

    async fn clear(&self) -> Result<(), VectorError> {
        let mut loading = self.turn.lock().await;
        *loading = None;
        self.records.set_dimension(None).await?;
        set_hybrid(self.records.signals.as_ref(), false).await?;
        *writing(&self.index) = Index::unread();
        Ok(())
    }
}
