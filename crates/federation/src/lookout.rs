//! The lookout: one for all searches that are followed in this process, so that a thousand streams cost one look.

use crate::Federation;
use domain::ids::SearchId;
use domain::status::SearchStatus;
use std::collections::HashMap;
use std::time::Duration;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

const TURN: Duration = Duration::from_millis(250);
/// Rows that one statement reads.
const ROWS_AT_ONCE_MAX: usize = 500;
/// The wait after reading failed.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(1);

impl Federation {
    /// Asks other processes for news of the searches that are followed here and reads how they stand, as long as it
    /// is polled; once in the life of a process.
    pub async fn look_out(&self) {
        let mut turns = interval(TURN);
        turns.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            turns.tick().await;
            self.events.ask_again(Instant::now());
            for ids in self.events.to_look_at(Instant::now()).chunks(ROWS_AT_ONCE_MAX) {
                self.look_at(ids).await;
            }
        }
    }

    async fn look_at(&self, ids: &[SearchId]) {
        let states: HashMap<SearchId, (i64, SearchStatus)> = match self.store.search_states(ids).await {
            Ok(states) => states.into_iter().map(|(id, run, status)| (id, (run, status))).collect(),
            Err(error) => {
                tracing::warn!(%error, "searches that are followed cannot be read: {error}");
                sleep(LOOK_AGAIN_AFTER).await;
                return;
            }
        };
        for id in ids {
            self.events.seen(*id, states.get(id).copied(), Instant::now());
        }
    }
}
