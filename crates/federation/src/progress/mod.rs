//! Progress of running searches: published to listeners in this process and, through the relay, in others.

mod event;
mod in_flight;
mod outbox;
mod relay;
mod remote_followers;
mod watched;

pub use event::SearchEvent;

use domain::ids::{RunNumber, SearchId};
use domain::result::ResultSet;
use domain::search::Search;
use domain::search_run::RunState;
use domain::status::SearchStatus;
use in_flight::{InFlightRuns, RunGuard};
use outbox::{Outbox, ProgressEvent};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{broadcast, watch};
use tokio::time::Instant;
use watched::WatchedSearch;

/// A listener that falls this far behind misses events and reads the row instead.
const EVENTS_KEPT_MAX: usize = 256;
/// Searches for which follow requests are sent at once: half of what the outbox holds.
pub(crate) const RENEWALS_AT_ONCE_MAX: usize = 128;

/// Publishes the progress of searches, with one channel per search that has listeners.
#[derive(Debug, Default)]
pub struct ProgressHub {
    channels: Mutex<HashMap<SearchId, Channel>>,
    in_flight: InFlightRuns,
    outbox: Outbox,
}

#[derive(Debug)]
struct Channel {
    sender: broadcast::Sender<SearchEvent>,
    /// Changes at a final status. A request that waits only for the end is not woken by every provider, and keeps no
    /// result sets in the channel.
    end: watch::Sender<()>,
    /// None if its listeners poll the row themselves.
    watched: Option<WatchedSearch>,
}

impl Channel {
    fn new() -> Self {
        Self { sender: broadcast::channel(EVENTS_KEPT_MAX).0, end: watch::Sender::new(()), watched: None }
    }

    fn publish(&mut self, event: SearchEvent) {
        if let Some(watched) = &mut self.watched {
            watched.observe_event(&event);
        }
        if matches!(&event, SearchEvent::Status(status) if status.is_final()) {
            self.end.send_replace(());
        }
        let _nobody_listens = self.sender.send(event);
    }

    fn has_listeners(&self) -> bool {
        self.sender.receiver_count() > 0 || self.end.receiver_count() > 0
    }
}

impl ProgressHub {
    /// Subscribes to future events. Subscribe first, then read the row and the snapshot; then no event is missed.
    pub fn subscribe(&self, search: SearchId) -> broadcast::Receiver<SearchEvent> {
        let mut channels = self.active_channels();
        channels.entry(search).or_insert_with(Channel::new).sender.subscribe()
    }

    /// Listens for the end of a search, from now on: it may end more than once, if it runs again.
    pub fn listen_for_end(&self, search: SearchId) -> watch::Receiver<()> {
        let mut channels = self.active_channels();
        channels.entry(search).or_insert_with(Channel::new).end.subscribe()
    }

    /// Watches a search for all its listeners in this process: requests progress events from other processes, and
    /// publishes [`SearchEvent::Changed`] if its row differs from `search`, which must have been read after
    /// subscribing.
    pub fn follow(&self, search: &Search) {
        let mut channels = lock(&self.channels);
        let Some(channel) = channels.get_mut(&search.id) else { return };
        if channel.watched.is_none() {
            channel.watched = Some(WatchedSearch::new(search, Instant::now()));
            self.outbox.request_progress(search.id, search.run, Vec::new());
        }
    }

    /// The result sets of the providers that are known to have finished in this run, in any process.
    pub fn snapshot(&self, search: SearchId, run: RunNumber) -> Vec<Arc<ResultSet>> {
        let of_run = |(its_run, set)| (its_run == run).then_some(set);
        let mut sets: Vec<_> = self.in_flight.result_sets(search).into_iter().filter_map(of_run).collect();
        let channels = lock(&self.channels);
        let watched = channels.get(&search).and_then(|channel| channel.watched.as_ref());
        sets.extend(watched.into_iter().flat_map(|watched| watched.received(run)).map(Arc::clone));
        sets
    }

    /// Tells the hub that a listener could not read the row: the row is polled again, and the listeners are notified.
    pub fn invalidate(&self, search: SearchId) {
        if let Some(watched) =
            lock(&self.channels).get_mut(&search).and_then(|channel| channel.watched.as_mut())
        {
            watched.invalidate();
        }
    }

    /// Tells the hub that the row was written or deleted.
    pub fn changed(&self, search: SearchId) {
        self.publish(search, SearchEvent::Changed);
    }

    /// Renews the leases that are due, though not all at once.
    pub(crate) fn renew_subscriptions(&self, now: Instant) {
        let mut channels = self.active_channels();
        let watched = channels.iter_mut().filter_map(|(id, channel)| Some((*id, channel.watched.as_mut()?)));
        for (id, watched) in watched.filter(|(_, watched)| watched.renew_at <= now).take(RENEWALS_AT_ONCE_MAX)
        {
            let (run, has) = watched.renew(now);
            self.outbox.request_progress(id, run, has);
        }
    }

    /// Searches whose rows are due to be read.
    pub(crate) fn due_for_read(&self, now: Instant) -> Vec<SearchId> {
        let channels = self.active_channels();
        let is_due = |channel: &Channel| channel.watched.as_ref().is_some_and(|one| one.read_at <= now);
        channels.iter().filter(|(_, channel)| is_due(channel)).map(|(id, _)| *id).collect()
    }

    /// Handles the state read from a row; None if there is no row.
    pub(crate) fn observe_row(&self, search: SearchId, state: Option<RunState>, now: Instant) {
        let has_live_events = self.outbox.has_bus() || self.in_flight.contains(search);
        let mut channels = lock(&self.channels);
        let Some(channel) = channels.get_mut(&search) else { return };
        if channel.watched.as_mut().is_some_and(|watched| watched.observe_row(state, has_live_events, now)) {
            channel.publish(SearchEvent::Changed);
        }
    }

    /// Starts a run in this process: its result sets are kept for late listeners until the guard is dropped.
    pub(crate) fn begin(&self, search: SearchId, run: RunNumber) -> RunGuard<'_> {
        self.in_flight.open(search, run)
    }

    pub(crate) fn provider_ended(&self, run: RunNumber, set: &Arc<ResultSet>) {
        self.in_flight.add(run, set);
        self.publish(set.search, SearchEvent::Provider { run, set: Arc::clone(set) });
        self.outbox.post_to_followers(set.search, || ProgressEvent::Provider { run, set: Arc::clone(set) });
    }

    pub(crate) fn status_changed(&self, search: SearchId, status: SearchStatus) {
        self.publish(search, SearchEvent::Status(status));
        self.outbox.post_to_followers(search, || ProgressEvent::Status { search, status });
    }

    /// Publishes an event to the listeners of this process, if there are any.
    pub(crate) fn publish(&self, search: SearchId, event: SearchEvent) {
        if let Some(channel) = lock(&self.channels).get_mut(&search) {
            channel.publish(event);
        }
    }

    /// The channels, after removing those without listeners.
    fn active_channels(&self) -> MutexGuard<'_, HashMap<SearchId, Channel>> {
        let mut channels = lock(&self.channels);
        channels.retain(|_, channel| channel.has_listeners());
        channels
    }
}

fn lock(channels: &Mutex<HashMap<SearchId, Channel>>) -> MutexGuard<'_, HashMap<SearchId, Channel>> {
    channels.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use chrono::DateTime;
    use domain::ids::UserId;
    use domain::search::SearchSpec;
    use std::time::Duration;
    use tokio::time::advance;

    const ID: SearchId = SearchId(7);

    pub(crate) fn search(id: i64) -> Search {
        Search {
            id: SearchId(id),
            owner: UserId(1),
            spec: SearchSpec::of_query("river"),
            query_string_processed: String::new(),
            status: SearchStatus::NewSearch,
            notices: Vec::new(),
            time_s: 0.0,
            run: RunNumber::FIRST,
            date_created: DateTime::UNIX_EPOCH,
            date_updated: DateTime::UNIX_EPOCH,
        }
    }

    fn take_changed_event(received: &mut broadcast::Receiver<SearchEvent>) -> bool {
        matches!(received.try_recv(), Ok(SearchEvent::Changed))
    }

    #[tokio::test(start_paused = true)]
    async fn one_read_serves_all_listeners_and_publishes_only_changes() {
        let hub = ProgressHub::default();
        let mut received = [hub.subscribe(ID), hub.subscribe(ID)];
        let _unwatched = hub.subscribe(SearchId(8));
        hub.follow(&search(ID.0));
        hub.follow(&search(ID.0));
        assert_eq!(hub.due_for_read(Instant::now()), [], "it was just read");
        let state = |run, status| RunState { run: RunNumber(run), status };
        let known = state(1, SearchStatus::NewSearch);
        let federating = state(1, SearchStatus::Federating);
        let cases = [
            (Some(known), false),
            (Some(federating), true),
            (Some(federating), false),
            (Some(state(2, SearchStatus::NewSearch)), true),
            (None, true),
        ];
        for (state, is_new) in cases {
            advance(Duration::from_millis(1001)).await;
            assert_eq!(hub.due_for_read(Instant::now()), [ID]);
            hub.observe_row(ID, state, Instant::now());
            assert_eq!(received.each_mut().map(take_changed_event), [is_new; 2], "{state:?}");
        }
        drop(received);
        advance(Duration::from_secs(60)).await;
        assert_eq!(hub.due_for_read(Instant::now()), [], "no listener is left");
    }

    #[test]
    fn only_the_end_wakes_those_who_wait_for_it() {
        let hub = ProgressHub::default();
        let mut end = hub.listen_for_end(ID);
        let set = Arc::new(testkit::builders::result_set(1).search(ID).build());
        hub.status_changed(ID, SearchStatus::Federating);
        hub.provider_ended(RunNumber::FIRST, &set);
        hub.changed(ID);
        assert!(!end.has_changed().expect("the hub is there"));
        assert_eq!(Arc::strong_count(&set), 1, "no channel keeps it");
        for _ in 0..2 {
            hub.status_changed(ID, SearchStatus::FullResultsReady);
            assert!(end.has_changed().expect("the hub is there"));
            end.mark_unchanged();
        }
        hub.status_changed(SearchId(8), SearchStatus::FullResultsReady);
        assert!(!end.has_changed().expect("the hub is there"), "another search");
        assert_eq!(hub.active_channels().len(), 1);
        drop(end);
        assert_eq!(hub.active_channels().len(), 0, "no listener is left");
    }

    #[tokio::test(start_paused = true)]
    async fn a_search_with_live_events_is_polled_rarely_and_not_published_twice() {
        let hub = ProgressHub::default();
        let mut received = hub.subscribe(ID);
        hub.follow(&search(ID.0));
        let guard = hub.begin(ID, RunNumber::FIRST);
        hub.status_changed(ID, SearchStatus::Federating);
        assert!(matches!(received.try_recv(), Ok(SearchEvent::Status(SearchStatus::Federating))));
        let state = Some(RunState { run: RunNumber::FIRST, status: SearchStatus::Federating });
        hub.observe_row(ID, state, Instant::now());
        assert!(!take_changed_event(&mut received), "the listeners know it");
        advance(Duration::from_secs(11)).await;
        assert_eq!(hub.due_for_read(Instant::now()), []);
        hub.invalidate(ID);
        advance(Duration::from_millis(1001)).await;
        assert_eq!(hub.due_for_read(Instant::now()), [ID]);
        hub.observe_row(ID, state, Instant::now());
        assert!(take_changed_event(&mut received), "one of them could not read it");
        drop(guard);
        hub.changed(ID);
        assert!(take_changed_event(&mut received));
    }
}
