//! All documents in the order of their ids, some at a time.

use domain::contracts::{SignalStore, StoreError};
use domain::corpus::Signal;
use domain::ids::SignalId;

/// Documents that are read at once.
const BATCH: u64 = 200;

/// Where the walk is. Documents that come in meanwhile have higher ids, so that it ends.
pub(super) struct Walk<'a> {
    signals: &'a dyn SignalStore,
    after: Option<SignalId>,
}

impl<'a> Walk<'a> {
    pub(super) fn over(signals: &'a dyn SignalStore) -> Self {
        Self { signals, after: None }
    }

    /// The next documents by id; none at the end.
    pub(super) async fn next(&mut self) -> Result<Vec<Signal>, StoreError> {
        loop {
            let ids = self.signals.signal_ids(self.after, BATCH).await?;
            let Some(last) = ids.last() else { return Ok(Vec::new()) };
            self.after = Some(*last);
            let mut some = self.signals.signals(&ids, None).await?;
            some.sort_by_key(|signal| signal.signal_id);
            // All of them may have been removed meanwhile.
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
