//! What happens to a search while it runs, told to whoever listens in this process, and by `exchange` in others.

use crate::board::{Board, Pinned};
use crate::exchange::{Exchange, News};
use crate::followed::Followed;
use domain::contracts::NewsRelay;
use domain::ids::{ProviderId, SearchId};
use domain::result::ResultSet;
use domain::search::Search;
use domain::status::SearchStatus;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::broadcast;
use tokio::time::Instant;

/// A listener that falls this far behind misses events and reads the row instead.
const EVENTS_KEPT_MAX: usize = 256;
/// Searches that others are asked for at once: half of what may wait to be sent.
pub(crate) const ASKS_AT_ONCE_MAX: usize = 128;

#[derive(Debug, Clone)]
pub enum SearchEvent {
    /// In this run one provider ended, well or not; its results as they stand, not yet ranked with the others.
    Provider(i64, Arc<ResultSet>),
    Status(SearchStatus),
    /// The row was written or is gone: read it.
    Changed,
}

/// One channel for each search that somebody listens to.
#[derive(Debug, Default)]
pub struct SearchEvents {
    channels: Mutex<HashMap<SearchId, Channel>>,
    board: Board,
    pub(crate) exchange: Exchange,
}

#[derive(Debug)]
struct Channel {
    sender: broadcast::Sender<SearchEvent>,
    /// None when its listeners look after themselves.
    followed: Option<Followed>,
}

impl Channel {
    fn new() -> Self {
        Self { sender: broadcast::channel(EVENTS_KEPT_MAX).0, followed: None }
    }

    fn tell(&mut self, event: SearchEvent) {
        if let Some(followed) = &mut self.followed {
            followed.hear(&event);
        }
        let _nobody_listens = self.sender.send(event);
    }
}

impl SearchEvents {
    /// Listens from now on. Subscribe first, then read the row and what was so far, and nothing is missed.
    pub fn subscribe(&self, search: SearchId) -> broadcast::Receiver<SearchEvent> {
        let mut channels = self.listened_to();
        channels.entry(search).or_insert_with(Channel::new).sender.subscribe()
    }

    /// Looks after a search for all who listen to it here: other processes are asked for news, and a row that differs
    /// from `search`, which was read after subscribing, is told as [`SearchEvent::Changed`].
    pub fn follow(&self, search: &Search) {
        let mut channels = self.lock();
        let Some(channel) = channels.get_mut(&search.id) else { return };
        if channel.followed.is_none() {
            channel.followed = Some(Followed::new(search, Instant::now()));
            self.ask(search.id, search.run, Vec::new());
        }
    }

    /// The providers that are known to have ended in this run, here or elsewhere.
    pub fn so_far(&self, search: SearchId, run: i64) -> Vec<Arc<ResultSet>> {
        let of_run = |(its_run, set)| (its_run == run).then_some(set);
        let mut sets: Vec<_> = self.board.of(search).into_iter().filter_map(of_run).collect();
        let channels = self.lock();
        let followed = channels.get(&search).and_then(|channel| channel.followed.as_ref());
        sets.extend(followed.into_iter().flat_map(|followed| followed.heard(run)).map(Arc::clone));
        sets
    }

    /// A listener could not read the row: it is looked at again, and all are told.
    pub fn doubt(&self, search: SearchId) {
        if let Some(followed) = self.lock().get_mut(&search).and_then(|channel| channel.followed.as_mut()) {
            followed.doubt();
        }
    }

    /// Somebody wrote the row, or deleted it.
    pub fn changed(&self, search: SearchId) {
        self.tell(search, SearchEvent::Changed);
    }

    /// Asks the other processes for what happens in this run, except for the providers that the asker `has`. A wish
    /// is forgotten after some seconds, and what it brings may be lost, so it is said again every `ASK_EVERY`.
    pub(crate) fn ask(&self, search: SearchId, run: i64, has: Vec<ProviderId>) {
        self.exchange.post(None, News::Ask { search, run, has });
    }

    /// Asks again where it is time to, though not everywhere at once.
    pub(crate) fn ask_again(&self, now: Instant) {
        let mut channels = self.listened_to();
        let followed =
            channels.iter_mut().filter_map(|(id, channel)| Some((*id, channel.followed.as_mut()?)));
        for (id, followed) in followed.filter(|(_, followed)| followed.ask_at <= now).take(ASKS_AT_ONCE_MAX) {
            let (run, has) = followed.ask(now);
            self.ask(id, run, has);
        }
    }

    /// Searches whose rows should be read now.
    pub(crate) fn to_look_at(&self, now: Instant) -> Vec<SearchId> {
        let channels = self.listened_to();
        let is_due = |channel: &Channel| channel.followed.as_ref().is_some_and(|one| one.look_at <= now);
        channels.iter().filter(|(_, channel)| is_due(channel)).map(|(id, _)| *id).collect()
    }

    /// The row of a search was read; None when there is none.
    pub(crate) fn seen(&self, search: SearchId, state: Option<(i64, SearchStatus)>, now: Instant) {
        let is_told = self.exchange.has_relay() || self.board.has(search);
        let mut channels = self.lock();
        let Some(channel) = channels.get_mut(&search) else { return };
        if channel.followed.as_mut().is_some_and(|followed| followed.see(state, is_told, now)) {
            channel.tell(SearchEvent::Changed);
        }
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
        if let Some(channel) = self.lock().get_mut(&search) {
            channel.tell(event);
        }
    }

    /// The channels, without those that nobody listens to any more.
    fn listened_to(&self) -> MutexGuard<'_, HashMap<SearchId, Channel>> {
        let mut channels = self.lock();
        channels.retain(|_, channel| channel.sender.receiver_count() > 0);
        channels
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SearchId, Channel>> {
        self.channels.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
            messages: Vec::new(),
            time_s: 0.0,
            run: 1,
            date_created: DateTime::UNIX_EPOCH,
            date_updated: DateTime::UNIX_EPOCH,
        }
    }

    fn is_told(heard: &mut broadcast::Receiver<SearchEvent>) -> bool {
        matches!(heard.try_recv(), Ok(SearchEvent::Changed))
    }

    #[tokio::test(start_paused = true)]
    async fn one_look_serves_all_and_tells_only_what_is_new() {
        let events = SearchEvents::default();
        let mut heard = [events.subscribe(ID), events.subscribe(ID)];
        let _waits_by_itself = events.subscribe(SearchId(8));
        events.follow(&search(ID.0));
        events.follow(&search(ID.0));
        assert_eq!(events.to_look_at(Instant::now()), [], "it was just read");
        let known = (1, SearchStatus::NewSearch);
        let federating = (1, SearchStatus::Federating);
        let cases = [
            (Some(known), false),
            (Some(federating), true),
            (Some(federating), false),
            (Some((2, SearchStatus::NewSearch)), true),
            (None, true),
        ];
        for (state, is_new) in cases {
            advance(Duration::from_millis(1001)).await;
            assert_eq!(events.to_look_at(Instant::now()), [ID]);
            events.seen(ID, state, Instant::now());
            assert_eq!(heard.each_mut().map(is_told), [is_new; 2], "{state:?}");
        }
        drop(heard);
        advance(Duration::from_secs(60)).await;
        assert_eq!(events.to_look_at(Instant::now()), [], "nobody follows any more");
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_told_here_is_looked_at_rarely_and_not_told_twice() {
        let events = SearchEvents::default();
        let mut heard = events.subscribe(ID);
        events.follow(&search(ID.0));
        let begun = events.begin(ID, 1);
        events.status_changed(ID, SearchStatus::Federating);
        assert!(matches!(heard.try_recv(), Ok(SearchEvent::Status(SearchStatus::Federating))));
        let state = Some((1, SearchStatus::Federating));
        events.seen(ID, state, Instant::now());
        assert!(!is_told(&mut heard), "they know");
        advance(Duration::from_secs(11)).await;
        assert_eq!(events.to_look_at(Instant::now()), []);
        events.doubt(ID);
        advance(Duration::from_millis(1001)).await;
        assert_eq!(events.to_look_at(Instant::now()), [ID]);
        events.seen(ID, state, Instant::now());
        assert!(is_told(&mut heard), "one of them could not read it");
        drop(begun);
        events.changed(ID);
        assert!(is_told(&mut heard));
    }
}
