//! The providers of a run in the order in which they are queried: some wait until the others have finished.

use crate::deadline::time_left;
use crate::provider::ProviderRun;
use domain::result::ResultSet;
use domain::search_run::{PlacedEntry, RunEntry};
use std::time::Duration;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, timeout_at};
use tracing::{Instrument, Span};

/// Share of the time limit after which waiting providers are queried although others have not finished.
const WAIT_TIME_RATIO: f64 = 0.2;
/// With less time left, a provider that has waited is not queried: hardly any responds as fast.
const QUERY_TIME_MIN: Duration = Duration::from_millis(50);

/// A provider that has finished.
pub(super) struct FinishedProvider {
    pub position: usize,
    /// None after the deadline.
    pub set: Option<ResultSet>,
    pub entries: Vec<PlacedEntry>,
    pub took: Duration,
}

/// A provider that waits until others have finished.
struct WaitingProvider {
    position: usize,
    run: ProviderRun,
    span: Span,
}

/// The providers of one run. Those that are running are stopped when it is dropped.
pub(super) struct ProviderQueue {
    running: JoinSet<FinishedProvider>,
    waiting: Vec<WaitingProvider>,
    deadline: Instant,
}

impl ProviderQueue {
    pub fn new(deadline: Instant) -> Self {
        Self { running: JoinSet::new(), waiting: Vec::new(), deadline }
    }

    /// Queries a provider now.
    pub fn start(&mut self, position: usize, run: ProviderRun, span: Span) {
        let deadline = self.deadline;
        let querying = async move {
            let started = Instant::now();
            let set = timeout_at(deadline, run.run()).await.ok();
            let took = started.elapsed();
            // Here, beside the other providers, and not when all have responded.
            let entries = set.as_ref().map(RunEntry::list).unwrap_or_default();
            FinishedProvider { position, set, entries, took }
        };
        self.running.spawn(querying.instrument(span));
    }

    /// Queries a provider when those that were started have finished, or have had their time.
    pub fn start_later(&mut self, position: usize, run: ProviderRun, span: Span) {
        self.waiting.push(WaitingProvider { position, run, span });
    }

    /// When waiting providers are queried although others have not finished.
    pub fn wait_until(&self) -> Instant {
        let now = Instant::now();
        now + self.deadline.saturating_duration_since(now).mul_f64(WAIT_TIME_RATIO)
    }

    /// The next provider that finishes; an error if its task panicked. None after the last one.
    pub async fn next(&mut self, wait_until: Instant) -> Option<Result<FinishedProvider, JoinError>> {
        if !self.waiting.is_empty() {
            // While providers wait, only those that were started first are running.
            if let Ok(Some(finished)) = timeout_at(wait_until, self.running.join_next()).await {
                return Some(finished);
            }
            self.start_waiting();
        }
        self.running.join_next().await
    }

    fn start_waiting(&mut self) {
        for WaitingProvider { position, run, span } in std::mem::take(&mut self.waiting) {
            if time_left(self.deadline) >= QUERY_TIME_MIN {
                self.start(position, run, span);
                continue;
            }
            let set = run.result_set_template().not_asked(run.context.clock.now());
            let (entries, took) = (Vec::new(), Duration::ZERO);
            let finished = FinishedProvider { position, set: Some(set), entries, took };
            self.running.spawn(std::future::ready(finished));
        }
    }
}
