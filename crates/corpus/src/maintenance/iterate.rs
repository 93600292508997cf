//! Iterates over all documents by id, in batches.

use domain::corpus::{Signal, Visibility};
use domain::ids::SignalId;
use domain::ports::{SignalStore, StoreError};

/// Documents per batch.
const BATCH: u64 = 200;

/// Progress callback: documents done, documents in total.
pub type Progress<'a> = &'a (dyn Fn(u64, u64) + Send + Sync);

/// An iteration. Documents added in the meantime have higher ids, so that it ends.
pub(super) struct DocumentBatches<'a> {
    signals: &'a dyn SignalStore,
    after: Option<SignalId>,
}

impl<'a> DocumentBatches<'a> {
    pub(super) fn over(signals: &'a dyn SignalStore) -> Self {
        Self { signals, after: None }
    }

    /// The next documents by id; empty at the end.
    pub(super) async fn next(&mut self) -> Result<Vec<Signal>, StoreError> {
        loop {
            let ids = self.signals.signal_ids(self.after, BATCH).await?;
            let Some(last) = ids.last() else { return Ok(Vec::new()) };
            self.after = Some(*last);
            let mut some = self.signals.signals(&ids, Visibility::Unrestricted).await?;
            some.sort_by_key(|signal| signal.signal_id);
            // A whole batch may have been removed in the meantime.
            if !some.is_empty() {
                return Ok(some);
            }
        }
    }
}

/// How many documents there are.
pub(super) async fn count(signals: &dyn SignalStore) -> Result<u64, StoreError> {
    Ok(signals.corpus_counts().await?.by_state.iter().map(|(_, count)| count).sum())
}
