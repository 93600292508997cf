//! State of a watched search, shared by all its listeners in this process.

use crate::progress::event::SearchEvent;
use crate::progress::remote_followers::RENEW_INTERVAL;
use domain::ids::{ProviderId, RunNumber};
use domain::result::ResultSet;
use domain::search::Search;
use domain::search_run::RunState;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Poll interval of a search without live events: it runs in another process, and there is no relay. Also the delay of
/// the first poll, because events before the first lease are lost.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Poll interval of a search with live events, some of which may be lost.
const LIVE_POLL_INTERVAL: Duration = Duration::from_secs(12);

#[derive(Debug)]
pub(crate) struct WatchedSearch {
    /// What all listeners know; None if one of them may not.
    known: Option<RunState>,
    /// The newest known run, and its finished providers.
    run: RunNumber,
    received: Vec<Arc<ResultSet>>,
    pub(crate) renew_at: Instant,
    pub(crate) read_at: Instant,
}

impl WatchedSearch {
    pub(crate) fn new(search: &Search, now: Instant) -> Self {
        Self {
            known: Some(RunState { run: search.run, status: search.status }),
            run: search.run,
            received: Vec::new(),
            renew_at: now + RENEW_INTERVAL,
            read_at: now + POLL_INTERVAL,
        }
    }

    /// Handles an event that is published to all listeners.
    pub(crate) fn observe_event(&mut self, event: &SearchEvent) {
        match event {
            SearchEvent::Provider { run, set } => {
                self.advance_to(*run);
                if *run == self.run && self.received.iter().all(|one| one.provider != set.provider) {
                    self.received.push(Arc::clone(set));
                }
            }
            SearchEvent::Status(status) => {
                self.known = self.known.map(|known| RunState { status: *status, ..known });
            }
            SearchEvent::Changed => {}
        }
    }

    pub(crate) fn received(&self, run: RunNumber) -> &[Arc<ResultSet>] {
        if run == self.run { &self.received } else { &[] }
    }

    /// Renews the lease: returns the run, and the providers that need not be sent again.
    pub(crate) fn renew(&mut self, now: Instant) -> (RunNumber, Vec<ProviderId>) {
        self.renew_at = now + RENEW_INTERVAL;
        (self.run, self.received.iter().map(|set| set.provider).collect())
    }

    pub(crate) fn invalidate(&mut self) {
        self.known = None;
        self.read_at = self.read_at.min(Instant::now() + POLL_INTERVAL);
    }

    /// Handles the state read from the row, None if there is no row. True if the listeners must be notified.
    pub(crate) fn observe_row(
        &mut self,
        state: Option<RunState>,
        has_live_events: bool,
        now: Instant,
    ) -> bool {
        let is_changed = state.is_none() || state != self.known;
        self.known = state;
        self.read_at = now + if has_live_events { LIVE_POLL_INTERVAL } else { POLL_INTERVAL };
        if let Some(state) = state {
            self.advance_to(state.run);
        }
        is_changed
    }

    fn advance_to(&mut self, run: RunNumber) {
        if run > self.run {
            self.run = run;
            self.received.clear();
        }
    }
}
