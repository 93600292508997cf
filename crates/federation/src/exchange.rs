//! News of searches between processes. Nothing is sent unless somebody elsewhere follows the search and has asked.

use crate::wishes::Wishes;
use crate::{SearchEvent, SearchEvents};
use domain::contracts::{NewsRelay, RelayError};
use domain::ids::{ProviderId, SearchId};
use domain::result::ResultSet;
use domain::status::SearchStatus;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// News that wait to be sent. What comes when all places are taken is dropped: a search never waits for its news.
const OUTBOX_MAX: usize = 256;
/// How long sending one letter may take.
const SEND_MAX: Duration = Duration::from_secs(5);
/// The wait after hearing failed.
const HEAR_AGAIN_AFTER: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) enum News {
    Ask { search: SearchId, run: i64, has: Vec<ProviderId> },
    Provider(i64, Arc<ResultSet>),
    Status(SearchId, SearchStatus),
}

#[derive(Debug, Default)]
pub(crate) struct Exchange {
    /// Empty in a process that is alone.
    outbox: OnceLock<mpsc::Sender<Parcel>>,
    wishes: Wishes,
    dropped: AtomicU64,
}

#[derive(Debug)]
struct Parcel {
    to: Option<String>,
    news: News,
}

/// News as they travel. Processes of two versions read each other's, so new fields must have defaults.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, while it is written or read")]
enum Letter<'a> {
    Ask { from: Cow<'a, str>, search: SearchId, run: i64, has: Cow<'a, [ProviderId]> },
    Provider { run: i64, set: Cow<'a, ResultSet> },
    Status { search: SearchId, status: SearchStatus },
}

impl Exchange {
    /// Never waits, never fails.
    pub(crate) fn post(&self, to: Option<String>, news: News) {
        let Some(outbox) = self.outbox.get() else { return };
        if outbox.try_send(Parcel { to, news }).is_err() {
            self.note_drop("too many wait");
        }
    }

    /// True when other processes are heard.
    pub(crate) fn has_relay(&self) -> bool {
        self.outbox.get().is_some()
    }

    pub(crate) fn post_to_followers(&self, search: SearchId, news: impl Fn() -> News) {
        if self.has_relay() {
            for follower in self.wishes.followers(search) {
                self.post(Some(follower), news());
            }
        }
    }

    /// Sends and hears as long as it is polled; the second call returns at once.
    pub(crate) async fn serve(&self, relay: &dyn NewsRelay, events: &SearchEvents) {
        let (sender, outbox) = mpsc::channel(OUTBOX_MAX);
        if self.outbox.set(sender).is_ok() {
            tokio::join!(self.send_all(relay, outbox), self.hear_all(relay, events));
        }
    }

    async fn send_all(&self, relay: &dyn NewsRelay, mut outbox: mpsc::Receiver<Parcel>) {
        while let Some(Parcel { to, news }) = outbox.recv().await {
            let Some(letter) = written(&news, relay) else {
                self.note_drop("it is too large");
                continue;
            };
            match timeout(SEND_MAX, relay.send(to.as_deref(), &letter)).await {
                Ok(Ok(())) => {}
                Ok(Err(RelayError(reason))) => self.note_drop(&reason),
                Err(_) => self.note_drop("sending took too long"),
            }
        }
    }

    async fn hear_all(&self, relay: &dyn NewsRelay, events: &SearchEvents) {
        loop {
            match relay.hear().await {
                Ok(letter) => self.take(&letter, relay.here(), events),
                Err(error) => {
                    tracing::warn!("news of other processes are not heard: {error}");
                    sleep(HEAR_AGAIN_AFTER).await;
                }
            }
        }
    }

    fn take(&self, letter: &str, here: &str, events: &SearchEvents) {
        match serde_json::from_str(letter) {
            Ok(Letter::Ask { from, .. }) if from == here => {}
            Ok(Letter::Ask { from, search, run, has }) => {
                if !self.wishes.note(search, &from) {
                    return self.note_drop("too many follow");
                }
                for (its_run, set) in events.known(search) {
                    if its_run != run || !has.contains(&set.provider) {
                        self.post(Some(from.to_string()), News::Provider(its_run, set));
                    }
                }
            }
            Ok(Letter::Provider { run, set }) => {
                events.tell(set.search, SearchEvent::Provider(run, Arc::new(set.into_owned())));
            }
            Ok(Letter::Status { search, status }) => events.tell(search, SearchEvent::Status(status)),
            // The text would show what others search for.
            Err(error) => tracing::debug!("news cannot be read, at column {}", error.column()),
        }
    }

    /// Counted always, said now and then: at the 1st, 2nd, 4th, 8th…
    fn note_drop(&self, reason: &str) {
        let count = self.dropped.fetch_add(1, Ordering::Relaxed) + 1;
        if count.is_power_of_two() {
            tracing::warn!(count, "news of a search were dropped, {count} so far: {reason}");
        }
    }
}

/// None when it is too large. A set that is too large goes without its items: its end is told all the same, and the
/// page at the end of the search has them.
fn written(news: &News, relay: &dyn NewsRelay) -> Option<String> {
    let most = relay.letter_bytes_max();
    let write = |letter: &Letter<'_>| serde_json::to_string(letter).ok().filter(|text| text.len() <= most);
    match news {
        News::Ask { search, run, has } => {
            let from = Cow::Borrowed(relay.here());
            write(&Letter::Ask { from, search: *search, run: *run, has: Cow::Borrowed(has) })
        }
        News::Status(search, status) => write(&Letter::Status { search: *search, status: *status }),
        News::Provider(run, set) => {
            let whole = Letter::Provider { run: *run, set: Cow::Borrowed(set) };
            write(&whole).or_else(|| {
                let set = Cow::Owned(without_items(set));
                write(&Letter::Provider { run: *run, set })
            })
        }
    }
}

fn without_items(set: &ResultSet) -> ResultSet {
    let mut set = set.clone();
    set.items.clear();
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::ASKS_AT_ONCE_MAX;
    use crate::events::tests::search;
    use crate::wishes::ASK_EVERY;
    use async_trait::async_trait;
    use chrono::DateTime;
    use domain::result::ResultItem;
    use domain::status::ProviderStatus;
    use std::sync::Mutex as SyncMutex;
    use tokio::sync::Mutex;
    use tokio::sync::broadcast::Receiver;
    use tokio::time::Instant;

    const MOST: usize = 2000;
    const ID: SearchId = SearchId(7);

    type Line = mpsc::UnboundedSender<String>;

    /// Wires between processes, and what went through them.
    #[derive(Default)]
    struct Hub {
        lines: SyncMutex<Vec<(String, Line)>>,
        sent: SyncMutex<Vec<String>>,
    }

    struct Wire {
        hub: Arc<Hub>,
        here: String,
        inbox: Mutex<mpsc::UnboundedReceiver<String>>,
    }

    impl Hub {
        fn wire(self: &Arc<Self>, here: &str) -> Wire {
            let (line, inbox) = mpsc::unbounded_channel();
            self.lines.lock().unwrap().push((here.to_owned(), line));
            Wire { hub: Arc::clone(self), here: here.to_owned(), inbox: Mutex::new(inbox) }
        }
    }

    #[async_trait]
    impl NewsRelay for Wire {
        fn here(&self) -> &str {
            &self.here
        }

        fn letter_bytes_max(&self) -> usize {
            MOST
        }

        async fn send(&self, to: Option<&str>, letter: &str) -> Result<(), RelayError> {
            self.hub.sent.lock().unwrap().push(letter.to_owned());
            for (name, line) in self.hub.lines.lock().unwrap().iter() {
                if to.is_none_or(|to| to == name) {
                    line.send(letter.to_owned()).unwrap();
                }
            }
            Ok(())
        }

        async fn hear(&self) -> Result<String, RelayError> {
            Ok(self.inbox.lock().await.recv().await.unwrap())
        }
    }

    fn set(provider: i64, body: &str) -> Arc<ResultSet> {
        let item = ResultItem { body: body.to_owned(), ..ResultItem::default() };
        Arc::new(ResultSet {
            search: ID,
            provider: ProviderId(provider),
            provider_name: format!("provider {provider}"),
            status: ProviderStatus::Ok,
            error: None,
            found: 1,
            retrieved: 1,
            query_string_to_provider: String::new(),
            query_to_provider: String::new(),
            query_processors: Vec::new(),
            result_processors: Vec::new(),
            messages: Vec::new(),
            time_s: 0.1,
            items: vec![item],
            date_created: DateTime::UNIX_EPOCH,
            date_updated: DateTime::UNIX_EPOCH,
        })
    }

    async fn provider(heard: &mut Receiver<SearchEvent>) -> (i64, i64, usize) {
        match heard.recv().await.unwrap() {
            SearchEvent::Provider(run, set) => (run, set.provider.0, set.items.len()),
            other => panic!("{other:?}"),
        }
    }

    /// Runs the test beside a web process and a worker that exchange news.
    async fn between<F: Future<Output = ()>>(
        test: impl FnOnce(Arc<SearchEvents>, Arc<SearchEvents>, Arc<Hub>) -> F,
    ) {
        let hub = Arc::new(Hub::default());
        let [web, worker] = [(); 2].map(|()| Arc::new(SearchEvents::default()));
        let (web_wire, worker_wire) = (hub.wire("web"), hub.wire("worker"));
        let test = async {
            sleep(Duration::from_millis(1)).await; // the exchanges begin first
            test(Arc::clone(&web), Arc::clone(&worker), hub).await;
        };
        tokio::select! {
            () = web.exchange(&web_wire) => panic!("ended"),
            () = worker.exchange(&worker_wire) => panic!("ended"),
            () = test => {}
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_follower_elsewhere_hears_what_was_and_what_comes() {
        between(|web, worker, hub| async move {
            let begun = worker.begin(ID, 3);
            worker.provider_ended(3, &set(1, "early"));
            sleep(Duration::from_millis(1)).await;
            assert_eq!(hub.sent.lock().unwrap().len(), 0, "nobody has asked");
            let mut heard = web.subscribe(ID);
            web.ask(ID, 3, Vec::new());
            assert_eq!(provider(&mut heard).await, (3, 1, 1));
            worker.provider_ended(3, &set(2, "late"));
            assert_eq!(provider(&mut heard).await, (3, 2, 1));
            web.ask(ID, 3, vec![ProviderId(1)]);
            assert_eq!(provider(&mut heard).await, (3, 2, 1), "only what it lacks");
            web.ask(ID, 2, vec![ProviderId(1), ProviderId(2)]);
            assert_eq!(provider(&mut heard).await, (3, 1, 1), "of another run it has nothing");
            assert_eq!(provider(&mut heard).await, (3, 2, 1));
            drop(begun);
            web.ask(ID, 3, Vec::new());
            worker.status_changed(ID, SearchStatus::FullResultsReady);
            let event = heard.recv().await.unwrap();
            assert!(matches!(event, SearchEvent::Status(SearchStatus::FullResultsReady)), "{event:?}");
            sleep(Duration::from_secs(60)).await;
            worker.provider_ended(4, &set(1, "much later"));
            sleep(Duration::from_secs(1)).await;
            assert!(heard.try_recv().is_err(), "the wish is forgotten");
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_search_is_asked_for_once_however_many_follow_it() {
        between(|web, worker, hub| async move {
            let _begun = worker.begin(ID, 1);
            worker.provider_ended(1, &set(1, "early"));
            let mut first = web.subscribe(ID);
            web.follow(&search(ID.0));
            assert_eq!(provider(&mut first).await, (1, 1, 1));
            let mut second = web.subscribe(ID);
            web.follow(&search(ID.0));
            let known: Vec<i64> = web.so_far(ID, 1).iter().map(|set| set.provider.0).collect();
            assert_eq!(known, [1], "who comes late is told what others heard");
            assert!(web.so_far(ID, 2).is_empty());
            web.ask_again(Instant::now());
            sleep(ASK_EVERY).await;
            web.ask_again(Instant::now());
            sleep(Duration::from_millis(1)).await;
            assert!(first.try_recv().is_err() && second.try_recv().is_err(), "it has what was told");
            assert_eq!(hub.sent.lock().unwrap().len(), 3, "two wishes and one answer");
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn many_searches_are_not_asked_for_at_once() {
        between(|web, _, hub| async move {
            let many = i64::try_from(ASKS_AT_ONCE_MAX + 10).unwrap();
            let _listeners: Vec<_> = (0..many).map(|id| web.subscribe(SearchId(id))).collect();
            (0..many).for_each(|id| web.follow(&search(id)));
            sleep(ASK_EVERY).await;
            for more in [ASKS_AT_ONCE_MAX, 10, 0] {
                hub.sent.lock().unwrap().clear();
                web.ask_again(Instant::now());
                sleep(Duration::from_millis(1)).await;
                assert_eq!(hub.sent.lock().unwrap().len(), more);
            }
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_set_that_does_not_fit_goes_without_its_items() {
        between(|web, worker, hub| async move {
            let _begun = worker.begin(ID, 1);
            let mut heard = web.subscribe(ID);
            web.ask(ID, 1, Vec::new());
            sleep(Duration::from_millis(1)).await;
            worker.provider_ended(1, &set(1, &"x".repeat(MOST)));
            assert_eq!(provider(&mut heard).await, (1, 1, 0));
            let letter = hub.sent.lock().unwrap().last().unwrap().len();
            let fits = MOST - letter; // an item needs more than its body
            worker.provider_ended(1, &set(2, &"x".repeat(fits / 2)));
            assert_eq!(provider(&mut heard).await, (1, 2, 1));
            let mut large = ResultSet::clone(&set(3, ""));
            large.provider_name = "x".repeat(MOST);
            worker.provider_ended(1, &Arc::new(large));
            worker.provider_ended(1, &set(4, ""));
            assert_eq!(provider(&mut heard).await, (1, 4, 1), "what cannot be sent at all is dropped");
            assert_eq!(worker.exchange.dropped.load(Ordering::Relaxed), 1);
            web.exchange.take("{\"unknown\": 1}", "web", &web);
            assert!(heard.try_recv().is_err());
        })
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_outbox_drops_and_never_waits() {
        between(|web, worker, _| async move {
            let _begun = worker.begin(ID, 1);
            let mut heard = web.subscribe(ID);
            web.ask(ID, 1, Vec::new());
            sleep(Duration::from_millis(1)).await;
            let more = 10;
            for provider in 0..OUTBOX_MAX + more {
                worker.provider_ended(1, &set(i64::try_from(provider).unwrap(), ""));
            }
            assert_eq!(worker.exchange.dropped.load(Ordering::Relaxed), more as u64);
            assert_eq!(provider(&mut heard).await, (1, 0, 1));
        })
        .await;
    }
}
