//! Checks of several documents, some in parallel.

use super::probe::{self, Checked};
use crate::{SemanticCache, permissions};
use domain::corpus::{Signal, Visibility};
use domain::ids::{SignalId, UserId};
use domain::ports::StoreError;
use futures_util::{StreamExt, TryStreamExt};
use std::collections::BTreeMap;
use std::time::Duration;

/// Most documents of one check request.
pub const CHECKS_MAX: usize = 50;
/// Parallel requests to sources.
const AT_ONCE: usize = 10;

#[derive(Debug, Clone, thiserror::Error)]
pub enum CheckError {
    #[error("the license does not include the semantic cache")]
    Unlicensed,
    /// One of the documents does not exist, or this person may not see it.
    #[error("there is no such document in the cache")]
    NotFound,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SemanticCache {
    /// Checks these documents now; the results are in the same order. At most [`CHECKS_MAX`] are checked.
    pub async fn check_liveness(&self, asker: UserId, ids: &[SignalId]) -> Result<Vec<Checked>, CheckError> {
        if !self.parts.license.opens_cache() {
            return Err(CheckError::Unlicensed);
        }
        let ids = &ids[..ids.len().min(CHECKS_MAX)];
        let tokens = permissions::tokens_of(&self.parts, asker).await?;
        let seen = self.parts.store.signals(ids, Visibility::To(&tokens)).await?;
        if !ids.iter().all(|id| seen.iter().any(|signal| signal.signal_id == *id)) {
            return Err(CheckError::NotFound);
        }
        let time_max = self.parts.settings.cache_liveness_probe_timeout.0;
        let checked = self.check_all(seen, asker, time_max).await?;
        Ok(ids.iter().filter_map(|id| checked.get(id).cloned()).collect())
    }

    /// Checks these documents, some in parallel.
    pub(super) async fn check_all(
        &self,
        signals: Vec<Signal>,
        asker: UserId,
        time_max: Duration,
    ) -> Result<BTreeMap<SignalId, Checked>, StoreError> {
        let check = |signal: Signal| async move {
            let checked = probe::check(self, &signal, asker, time_max).await?;
            Ok((signal.signal_id, checked))
        };
        // Boxed one by one: the compiler cannot prove that the closure's futures are `Send`.
        let checks: Vec<_> = signals.into_iter().map(|signal| Box::pin(check(signal))).collect();
        futures_util::stream::iter(checks).buffer_unordered(AT_ONCE).try_collect().await
    }
}
