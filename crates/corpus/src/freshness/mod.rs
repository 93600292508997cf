//! Whether a document is still there, and still what the copy says. The source is asked with the stored credentials of
//! people who have the document; only 404 and 410 mean that it is gone, and nothing is ever deleted for that.
//!
//! | Module | What lives there |
//! |---|---|
//! | `verdict` | what an answer of a source means |
//! | `probe` | one document: who asks, and what follows from the answer |
//! | `page` | the documents of a page of results: at once within limits, else later |
//! | `task` | that later |

mod page;
mod probe;
mod task;
mod verdict;

pub use task::CheckLiveness;

pub(crate) use page::recheck;
pub(crate) use probe::denied;

use crate::{SemanticCache, permissions};
use domain::contracts::StoreError;
use domain::corpus::{Liveness, Signal};
use domain::ids::{SignalId, UserId};
use domain::instant::Instant;
use futures_util::{StreamExt, TryStreamExt};
use std::collections::BTreeMap;
use std::time::Duration;

/// Most documents that may be checked by one wish.
pub const CHECKS_MAX: usize = 50;
/// Sources that are asked side by side.
const AT_ONCE: usize = 10;

/// What the source of one document said when it was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    pub signal_id: SignalId,
    pub verdict: Liveness,
    /// None: no answer came.
    pub http_status: Option<u16>,
    pub checked_at: Instant,
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum CheckError {
    #[error("the license does not open the semantic cache")]
    Unlicensed,
    /// One of the documents is not there, or not for this person.
    #[error("there is no such document in the cache")]
    NotFound,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl SemanticCache {
    /// Asks the sources of these documents now, and answers in the same order. At most [`CHECKS_MAX`] are looked at.
    pub async fn check_liveness(&self, asker: UserId, ids: &[SignalId]) -> Result<Vec<Checked>, CheckError> {
        if !self.parts.license.opens_cache() {
            return Err(CheckError::Unlicensed);
        }
        let ids = &ids[..ids.len().min(CHECKS_MAX)];
        let tokens = permissions::tokens_of(&self.parts, asker).await?;
        let seen = self.parts.store.signals(ids, Some(&tokens)).await?;
        if !ids.iter().all(|id| seen.iter().any(|signal| signal.signal_id == *id)) {
            return Err(CheckError::NotFound);
        }
        let time_max = self.parts.settings.cache_liveness_probe_timeout.0;
        let checked = self.check_all(seen, asker, time_max).await?;
        Ok(ids.iter().filter_map(|id| checked.get(id).cloned()).collect())
    }

    /// Asks the sources of these documents, some side by side.
    async fn check_all(
        &self,
        signals: Vec<Signal>,
        asker: UserId,
        time_max: Duration,
    ) -> Result<BTreeMap<SignalId, Checked>, StoreError> {
        let check = |signal: Signal| async move {
            let checked = probe::check(self, &signal, asker, time_max).await?;
            Ok((signal.signal_id, checked))
        };
        // Boxed one by one, because the compiler cannot see through the closure that they may go to other threads.
        let checks: Vec<_> = signals.into_iter().map(|signal| Box::pin(check(signal))).collect();
        futures_util::stream::iter(checks).buffer_unordered(AT_ONCE).try_collect().await
    }
}
