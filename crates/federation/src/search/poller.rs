//! Status poller: reads the rows of all watched searches of this process together.

use crate::search::waiter::SearchWaiter;
use domain::ids::SearchId;
use domain::ports::chain;
use domain::search_run::RunState;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

const TICK: Duration = Duration::from_millis(250);
/// Rows that one statement reads.
const ROWS_AT_ONCE_MAX: usize = 500;
/// Pause after a failed read.
const RETRY_AFTER: Duration = Duration::from_secs(1);

impl SearchWaiter {
    /// Renews leases in other processes and polls the rows of watched searches, as long as it is awaited. Call it once
    /// in the life of a process.
    pub async fn poll_watched_searches(&self) {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.progress.renew_subscriptions(Instant::now());
            for ids in self.progress.due_for_read(Instant::now()).chunks(ROWS_AT_ONCE_MAX) {
                self.poll_rows(ids).await;
            }
        }
    }

    async fn poll_rows(&self, ids: &[SearchId]) {
        let states: HashMap<SearchId, RunState> = match self.store.search_states(ids).await {
            Ok(states) => states.into_iter().collect(),
            Err(error) => {
                tracing::warn!(%error, "cannot read the states of watched searches: {}", chain(&error));
                sleep(RETRY_AFTER).await;
                return;
            }
        };
        for id in ids {
            self.progress.observe_row(*id, states.get(id).copied(), Instant::now());
        }
    }
}
