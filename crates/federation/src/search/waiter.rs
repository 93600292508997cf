//! Waits for the end of searches, whichever process runs them.

use crate::error::FederationError;
use crate::federation_store::FederationStore;
use crate::progress::ProgressHub;
use crate::search::ended_runs::{EndedRuns, EndedSearch, Expectation};
use domain::search::Search;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

/// How often the row is read without events: the search may run in another process.
const ROW_READ_EVERY: Duration = Duration::from_millis(250);

/// A search whose end is expected.
pub(crate) struct ExpectedEnd<'a> {
    /// None if too many runs are expected in this process.
    run: Option<Expectation<'a>>,
    end: watch::Receiver<()>,
}

/// Waits for searches and watches their rows for listeners.
pub struct SearchWaiter {
    pub(super) store: Arc<dyn FederationStore>,
    pub(super) progress: Arc<ProgressHub>,
    ended_runs: Arc<EndedRuns>,
    /// The time limit of the providers of a search.
    timeout: Duration,
}

impl SearchWaiter {
    pub(crate) fn new(
        store: Arc<dyn FederationStore>,
        progress: Arc<ProgressHub>,
        ended_runs: Arc<EndedRuns>,
        timeout: Duration,
    ) -> Self {
        Self { store, progress, ended_runs, timeout }
    }

    /// The time limit of a search: for its providers, and before them for its pre-query processors.
    pub fn time_max(&self, search: &Search) -> Duration {
        let of_providers = self.timeout;
        if search.spec.pre_query_processors.is_empty() {
            of_providers
        } else {
            of_providers.saturating_mul(2)
        }
    }

    /// Expects the end of a search from now on. Nothing that happens before [`Self::wait_for`] is missed.
    pub(crate) fn expect(&self, search: &Search) -> ExpectedEnd<'_> {
        ExpectedEnd { run: self.ended_runs.expect(search.id), end: self.progress.listen_for_end(search.id) }
    }

    /// Waits until the search is ready or has failed; `NotReady` after `at_most`.
    pub async fn wait(&self, started: &Search, at_most: Duration) -> Result<EndedSearch, FederationError> {
        let expected = self.expect(started);
        // It may have ended before.
        let search = self.store.search(started.id).await?;
        if search.status.is_final() {
            return Ok(search.into());
        }
        self.wait_for(expected, started, at_most).await
    }

    /// Like [`Self::wait`], for a search that had not ended when it was expected.
    pub(crate) async fn wait_for(
        &self,
        expected: ExpectedEnd<'_>,
        started: &Search,
        at_most: Duration,
    ) -> Result<EndedSearch, FederationError> {
        let give_up_at = Instant::now() + at_most;
        let ExpectedEnd { run: expected, mut end } = expected;
        // The end of an earlier run may come late.
        let take_run = || {
            let run = expected.as_ref().and_then(Expectation::take);
            run.filter(|ended| ended.run.search.run >= started.run)
        };
        let mut is_stored = false;
        loop {
            let read_again_at = give_up_at.min(Instant::now() + ROW_READ_EVERY);
            let final_status = async {
                if end.changed().await.is_err() {
                    std::future::pending::<()>().await; // nobody reports it; the row is read
                }
            };
            let _time_to_read_the_row = timeout_at(read_again_at, final_status).await;
            if let Some(run) = take_run() {
                return Ok(run.into());
            }
            let search = self.store.search(started.id).await?;
            if search.status.is_final() {
                // It may have ended in this process while the row was read.
                if let Some(run) = take_run() {
                    return Ok(run.into());
                }
                // A run of this process hands its results over right after they are stored.
                let is_here = expected.as_ref().is_some_and(Expectation::is_here);
                if is_stored || !is_here || Instant::now() >= give_up_at {
                    return Ok(search.into());
                }
                is_stored = true;
                continue;
            }
            if Instant::now() >= give_up_at {
                return Err(FederationError::NotReady(search.status));
            }
        }
    }
}

#[cfg(test)]
#[path = "waiter_tests.rs"]
mod tests;
