//! Loads documents from the records into the index: all of them, or those that changed.

use super::index::{Basis, Index, Piece, Read};
use crate::vectors::hybrid::{is_hybrid, unreadable};
use domain::corpus::{AclToken, StoredChunk, Visibility};
use domain::ids::SignalId;
use domain::ports::{SignalStore, SparseVector, VectorError};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Documents per read.
const DOCUMENTS_PER_READ: u64 = 50;
/// Parallel reads.
const READS_MAX: usize = 4;
/// Changes per read.
const CHANGES_PER_READ: u64 = 1_000;
/// Most rounds of reading further changes before the index is used as it is. The records check access to a hit again
/// anyway.
const ROUNDS_MAX: usize = 50;
/// Key of the dimension of the vectors.
const DIMENSION: &str = "vector_dimension";

pub type Shared = Arc<RwLock<Index>>;

/// Computes the sparse vector of a text.
type Words = Arc<dyn Fn(&str) -> SparseVector + Send + Sync>;

#[derive(Clone)]
pub struct Records {
    pub signals: Arc<dyn SignalStore>,
    pub words: Words,
}

/// A full load that has started. It outlives the query that started it: the next one continues it.
pub struct Loading {
    index: Shared,
    basis: Basis,
    after: Option<SignalId>,
}

impl Records {
    /// The current state of the records.
    pub async fn basis(&self) -> Result<Basis, VectorError> {
        let signals = self.signals.as_ref();
        let sequence = async { signals.corpus_sequence().await.map_err(unreadable) };
        let (sequence, dimension, is_hybrid) =
            tokio::try_join!(sequence, self.dimension(), is_hybrid(signals))?;
        Ok(Basis { sequence, dimension, is_hybrid })
    }

    /// The configured dimension.
    pub async fn dimension(&self) -> Result<Option<usize>, VectorError> {
        let value = self.signals.corpus_value(DIMENSION).await.map_err(unreadable)?;
        Ok(value.and_then(|value| value.parse().ok()))
    }

    pub async fn set_dimension(&self, dimension: Option<usize>) -> Result<(), VectorError> {
        let value = dimension.map(|dimension| dimension.to_string()).unwrap_or_default();
        self.signals.set_corpus_value(DIMENSION, &value).await.map_err(unreadable)
    }

    /// Updates the index from the records.
    pub async fn catch_up(&self, index: &Shared, loading: &mut Option<Loading>) -> Result<(), VectorError> {
        for _ in 0..ROUNDS_MAX {
            let wanted = self.basis().await?;
            let here = reading(index).basis;
            if here == Some(wanted) {
                return Ok(());
            }
            let follows = here.filter(|here| {
                let same = (here.dimension, here.is_hybrid) == (wanted.dimension, wanted.is_hybrid);
                // A smaller sequence means other records, such as a restored backup.
                same && here.sequence <= wanted.sequence
            });
            let is_followed = match follows {
                Some(here) => self.follow(index, here, wanted).await?,
                None => false,
            };
            if !is_followed {
                self.load(index, loading, wanted).await?;
            }
        }
        Ok(())
    }

    /// Reads what changed. False if the changes are no longer known.
    async fn follow(&self, index: &Shared, here: Basis, wanted: Basis) -> Result<bool, VectorError> {
        let changes = self.signals.corpus_changes(here.sequence, CHANGES_PER_READ).await;
        let Some(changes) = changes.map_err(unreadable)? else { return Ok(false) };
        let ids: BTreeSet<SignalId> = changes.iter().map(|change| change.signal_id).collect();
        let ids: Vec<SignalId> = ids.into_iter().collect();
        for ids in ids.chunks(DOCUMENTS_PER_READ as usize) {
            self.refresh(index, ids).await?;
        }
        let sequence = changes.last().map_or(wanted.sequence, |change| change.sequence);
        writing(index).basis = Some(Basis { sequence, ..here });
        Ok(true)
    }

    /// Loads everything into a new index, which replaces the old one at the end.
    async fn load(
        &self,
        index: &Shared,
        loading: &mut Option<Loading>,
        wanted: Basis,
    ) -> Result<(), VectorError> {
        let goes_on = loading.as_ref().is_some_and(|begun| {
            let same = (begun.basis.dimension, begun.basis.is_hybrid) == (wanted.dimension, wanted.is_hybrid);
            same && begun.basis.sequence <= wanted.sequence
        });
        if !goes_on {
            *loading = None;
        }
        let begun = loading.get_or_insert_with(|| Loading {
            index: Arc::new(RwLock::new(Index::of(wanted))),
            basis: wanted,
            after: None,
        });
        loop {
            let ids = self.signals.signal_ids(begun.after, DOCUMENTS_PER_READ).await.map_err(unreadable)?;
            let Some(last) = ids.last().copied() else { break };
            self.refresh(&begun.index, &ids).await?;
            begun.after = Some(last);
        }
        let read = Arc::clone(&begun.index);
        on_cpu(move || writing(&read).shrink()).await?;
        let new = std::mem::replace(&mut *writing(&begun.index), Index::unread());
        *writing(index) = new;
        *loading = None;
        Ok(())
    }

    /// Reloads these documents. Those without an access list were removed.
    async fn refresh(&self, index: &Shared, ids: &[SignalId]) -> Result<(), VectorError> {
        let ticket = writing(index).next_ticket();
        let acls = self.signals.acl_of(ids).await.map_err(unreadable)?;
        let there: BTreeSet<SignalId> = acls.iter().map(|(signal, _)| *signal).collect();
        let gone: Vec<SignalId> = ids.iter().copied().filter(|id| !there.contains(id)).collect();
        let titles = self.titles(index, ids).await?;
        let read = stream::iter(acls).map(|(signal, acl)| async move {
            let chunks = self.signals.chunks(signal).await.map_err(unreadable)?;
            Ok::<_, VectorError>(Unparsed { signal, acl, title: String::new(), chunks })
        });
        let mut read: Vec<Unparsed> = read.buffer_unordered(READS_MAX).try_collect().await?;
        for document in &mut read {
            document.title = titles.get(&document.signal).cloned().unwrap_or_default();
        }
        let (index, words) = (Arc::clone(index), Arc::clone(&self.words));
        on_cpu(move || {
            let is_hybrid = reading(&index).state().is_hybrid;
            let words = is_hybrid.then_some(&words);
            let read = read.into_iter().map(|unparsed| unparsed.parse(words)).collect();
            let mut index = writing(&index);
            if !index.is_newest(ticket) {
                return;
            }
            gone.into_iter().for_each(|signal| index.remove(signal));
            index.take(read);
        })
        .await
    }
}

impl Records {
    /// The titles of these documents, if their words are indexed.
    async fn titles(
        &self,
        index: &Shared,
        ids: &[SignalId],
    ) -> Result<BTreeMap<SignalId, String>, VectorError> {
        if !reading(index).state().is_hybrid {
            return Ok(BTreeMap::new());
        }
        let signals = self.signals.signals(ids, Visibility::Unrestricted).await.map_err(unreadable)?;
        Ok(signals.into_iter().map(|signal| (signal.signal_id, signal.title)).collect())
    }
}

pub fn reading(index: &Shared) -> RwLockReadGuard<'_, Index> {
    index.read().unwrap_or_else(PoisonError::into_inner)
}

pub fn writing(index: &Shared) -> RwLockWriteGuard<'_, Index> {
    index.write().unwrap_or_else(PoisonError::into_inner)
}

/// Runs CPU work off the async runtime.
pub async fn on_cpu<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, VectorError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        VectorError::refused("the work on the vectors in memory ended early").caused_by(error)
    })
}

/// A document whose words are not yet parsed.
struct Unparsed {
    signal: SignalId,
    acl: Vec<AclToken>,
    title: String,
    chunks: Vec<StoredChunk>,
}

impl Unparsed {
    fn parse(self, words: Option<&Words>) -> Read {
        let title = self.title;
        let piece = |chunk: StoredChunk| Piece {
            number: chunk.number,
            words: words.map(|words| words(&chunk.indexed_text(&title))),
            dense: chunk.vector,
        };
        Read { signal: self.signal, acl: self.acl, pieces: self.chunks.into_iter().map(piece).collect() }
    }
}
