//! What happens to a search while it runs, told to whoever listens in this process, and by `exchange` in others.

use crate::board::{Board, Pinned};
use crate::exchange::{Exchange, News};
use domain::contracts::NewsRelay;
use domain::ids::{ProviderId, SearchId};
use domain::result::ResultSet;
use domain::status::SearchStatus;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::broadcast;

/// A listener that falls this far behind misses events and reads the row instead.
const EVENTS_KEPT_MAX: usize = 256;

#[derive(Debug, Clone)]
pub enum SearchEvent {
    /// In this run one provider ended, well or not; its results as they stand, not yet ranked with the others.
    Provider(i64, Arc<ResultSet>),
    Status(SearchStatus),
}

/// One channel for each search that somebody listens to.
#[derive(Debug, Default)]
pub struct SearchEvents {
    channels: Mutex<HashMap<SearchId, broadcast::Sender<SearchEvent>>>,
    board: Board,
    pub(crate) exchange: Exchange,
}

impl SearchEvents {
    /// Listens from now on. Subscribe first, then read the row and what was so far, and nothing is missed.
    pub fn subscribe(&self, search: SearchId) -> broadcast::Receiver<SearchEvent> {
        let mut channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        channels.retain(|_, sender| sender.receiver_count() > 0);
        channels.entry(search).or_insert_with(|| broadcast::channel(EVENTS_KEPT_MAX).0).subscribe()
    }

    /// The providers that have ended in this run, if it runs in this process.
    pub fn so_far(&self, search: SearchId, run: i64) -> Vec<Arc<ResultSet>> {
        let of_run = |(its_run, set)| (its_run == run).then_some(set);
        self.board.of(search).into_iter().filter_map(of_run).collect()
    }

    /// Asks the other processes for what happens in this run, except for the providers that the asker `has`. A wish
    /// is forgotten after some seconds, and what it brings may be lost: ask again every [`crate::ASK_EVERY`].
    pub fn ask(&self, search: SearchId, run: i64, has: Vec<ProviderId>) {
        self.exchange.post(None, News::Ask { search, run, has });
    }

    /// Exchanges news with other processes as long as it is polled; once in the life of a process.
    pub async fn exchange(&self, relay: &dyn NewsRelay) {
        self.exchange.serve(relay, self).await;
    }

    /// A run begins here: what is told of it is kept for those who come late, until the guard is dropped.
    pub(crate) fn begin(&self, search: SearchId, run: i64) -> Pinned<'_> {
        self.board.open(search, run)
    }

    pub(crate) fn provider_ended(&self, run: i64, set: &Arc<ResultSet>) {
        self.board.add(run, set);
        self.tell(set.search, SearchEvent::Provider(run, Arc::clone(set)));
        self.exchange.post_to_followers(set.search, || News::Provider(run, Arc::clone(set)));
    }

    pub(crate) fn status_changed(&self, search: SearchId, status: SearchStatus) {
        self.tell(search, SearchEvent::Status(status));
        self.exchange.post_to_followers(search, || News::Status(search, status));
    }

    /// What this process can tell of a search: every run and the providers that have ended in it.
    pub(crate) fn known(&self, search: SearchId) -> Vec<(i64, Arc<ResultSet>)> {
        self.board.of(search)
    }

    /// Tells the listeners of this process, if there are any.
    pub(crate) fn tell(&self, search: SearchId, event: SearchEvent) {
        let channels = self.channels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = channels.get(&search) {
            let _nobody_listens = sender.send(event);
        }
    }
}
