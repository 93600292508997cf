//! Listening to a search as it happens. Whoever tells it on says it in their own words: as JSON to programs, as pieces
//! of a page to people.

use crate::AppState;
use crate::throttle::StreamPlace;
use axum::response::sse::{Event, KeepAlive, Sse};
use domain::contracts::StoreError;
use domain::ids::{ProviderId, SearchId};
use domain::mixed::MixedResponse;
use domain::result::ResultSet;
use domain::search::Search;
use domain::status::SearchStatus;
use federation::{MixRequest, SearchEvent};
use futures_util::Stream;
use futures_util::stream::unfold;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::{Instant, sleep_until, timeout_at};

/// A comment in quiet times, so that proxies keep the line open.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A stream ends after this time even if the search does not; the client may come again.
const STREAM_TIME_MAX: Duration = Duration::from_secs(600);

/// Says what happens in the words of one kind of listener. None: it is of no interest to them.
pub trait Tell: Send {
    /// The search has a new status.
    fn status(&mut self, search: &Search) -> Option<Event>;

    /// One provider has ended.
    fn provider(&mut self, set: &ResultSet) -> Option<Event>;

    /// The merged page as it stands. `search` is final when nothing more will come.
    fn page(&mut self, search: &Search, page: MixedResponse) -> Option<Event>;

    /// How long a page stands before the next is told; what comes meanwhile is told together.
    fn pause(&self) -> Duration {
        Duration::ZERO
    }

    /// The end; without a status when the search is gone.
    fn done(&mut self, search: SearchId, status: Option<SearchStatus>) -> Option<Event>;
}

/// What one listener knows so far.
pub struct Watch<T> {
    state: Arc<AppState>,
    search: Search,
    request: MixRequest,
    receiver: Receiver<SearchEvent>,
    teller: T,
    ends_at: Instant,
    /// The next page is told no earlier.
    rests_until: Instant,
    sets: BTreeMap<ProviderId, Arc<ResultSet>>,
    told: Option<SearchStatus>,
    waiting: VecDeque<Event>,
    has_ended: bool,
    /// Held as long as the stream is open.
    _place: StreamPlace,
}

/// An event with JSON in it.
pub fn event(name: &str, data: &impl Serialize) -> Option<Event> {
    let event = Event::default().event(name).json_data(data);
    event.inspect_err(|error| tracing::error!(%error, "events: an event cannot be written: {error}")).ok()
}

impl<T: Tell + 'static> Watch<T> {
    /// The receiver must have been made before `search` was read, so that nothing falls between the two.
    pub fn new(
        state: Arc<AppState>,
        search: Search,
        (receiver, place): (Receiver<SearchEvent>, StreamPlace),
        request: MixRequest,
        teller: T,
    ) -> Self {
        Self {
            state,
            search,
            request,
            receiver,
            teller,
            ends_at: Instant::now() + STREAM_TIME_MAX,
            rests_until: Instant::now(),
            sets: BTreeMap::new(),
            told: None,
            waiting: VecDeque::new(),
            has_ended: false,
            _place: place,
        }
    }

    /// Tells what is known, and then what happens.
    pub fn stream(self) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
        Sse::new(unfold((self, Stage::New), next_event)).keep_alive(KeepAlive::new().interval(HEARTBEAT))
    }

    /// What is known already.
    async fn begin(&mut self) {
        match self.search.status.is_final() {
            true => self.conclude().await,
            false => self.catch_up().await,
        }
    }

    /// Waits for something to tell: an event of this process or of another, or a row that has changed. What else is
    /// there by then is told together, because each page costs more than the news in it.
    async fn listen(&mut self) {
        let mut news = News::default();
        match timeout_at(self.ends_at, self.receiver.recv()).await {
            Ok(Ok(event)) => news.hear(event),
            Ok(Err(RecvError::Lagged(_))) => news.has_missed = true,
            Ok(Err(RecvError::Closed)) | Err(_) => return self.end(Some(self.search.status)),
        }
        sleep_until(self.rests_until).await;
        loop {
            match self.receiver.try_recv() {
                Ok(event) => news.hear(event),
                Err(TryRecvError::Lagged(_)) => news.has_missed = true,
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        self.take(news).await;
    }

    /// Another run than the one we know is a reason to read the row; of one that is over nothing is told.
    async fn take(&mut self, news: News) {
        if news.is_row_new || news.has_missed || news.ended.iter().any(|(run, _)| *run != self.search.run) {
            self.look().await;
        }
        if !self.has_ended {
            let run = self.search.run;
            let ended = news.ended.into_iter().filter(|(its_run, _)| *its_run == run);
            self.add(ended.map(|(_, set)| set).collect()).await;
        }
        // What was missed is made good by the row and by what others heard.
        if news.has_missed {
            self.catch_up().await;
        }
    }

    /// Reads the row, tells a new status, and ends with the search.
    async fn look(&mut self) {
        match self.state.store.search(self.search.id).await {
            Ok(search) => {
                if search.run != self.search.run {
                    self.sets.clear();
                }
                self.search = search;
                self.tell_status();
                if self.search.status.is_final() {
                    self.conclude().await;
                }
            }
            Err(StoreError::NotFound) => self.end(None),
            Err(error) => {
                self.state.federation.events().doubt(self.search.id);
                tracing::warn!(search.id = self.search.id.0, %error, "events: the search cannot be read: {error}");
            }
        }
    }

    /// What happened before we came.
    async fn catch_up(&mut self) {
        if !self.has_ended {
            let events = self.state.federation.events();
            events.follow(&self.search);
            let ended = events.so_far(self.search.id, self.search.run);
            self.add(ended).await;
        }
    }

    /// Tells each provider once, also when its end is heard twice, and the page with all of them.
    async fn add(&mut self, ended: Vec<Arc<ResultSet>>) {
        let before = self.sets.len();
        for set in ended {
            if !self.sets.contains_key(&set.provider) {
                self.waiting.extend(self.teller.provider(&set));
                self.sets.insert(set.provider, set);
            }
        }
        if self.sets.len() == before {
            return;
        }
        let sets: Vec<ResultSet> = self.sets.values().map(|set| ResultSet::clone(set)).collect();
        let page = self.state.federation.mix_sets(&self.search, sets, &self.request).await;
        self.waiting.extend(self.teller.page(&self.search, page));
        self.rests_until = Instant::now() + self.teller.pause();
    }

    /// The last of it: providers not told of yet, the final page, and the end.
    async fn conclude(&mut self) {
        let stored = self.state.federation.saved_sets(&self.search).await.unwrap_or_default();
        for set in stored.iter().filter(|set| !self.sets.contains_key(&set.provider)) {
            self.waiting.extend(self.teller.provider(set));
        }
        match self.state.federation.mix(&self.search, &self.request).await {
            Ok(page) => self.waiting.extend(self.teller.page(&self.search, page)),
            Err(error) => {
                tracing::warn!(search.id = self.search.id.0, %error, "events: the results cannot be mixed: {error}");
            }
        }
        self.end(Some(self.search.status));
    }

    fn end(&mut self, status: Option<SearchStatus>) {
        self.waiting.extend(self.teller.done(self.search.id, status));
        self.has_ended = true;
    }

    fn tell_status(&mut self) {
        if self.told != Some(self.search.status) {
            self.told = Some(self.search.status);
            self.waiting.extend(self.teller.status(&self.search));
        }
    }
}

/// What was heard at once.
#[derive(Default)]
struct News {
    /// The providers that have ended, and in which run.
    ended: Vec<(i64, Arc<ResultSet>)>,
    is_row_new: bool,
    has_missed: bool,
}

impl News {
    fn hear(&mut self, event: SearchEvent) {
        match event {
            SearchEvent::Provider(run, set) => self.ended.push((run, set)),
            SearchEvent::Status(_) | SearchEvent::Changed => self.is_row_new = true,
        }
    }
}

/// How far a stream is.
enum Stage {
    /// Nothing was said.
    New,
    /// The search was named, at once; what is known of it takes a moment.
    Greeted,
    Listening,
}

type Step<T> = (Result<Event, Infallible>, (Watch<T>, Stage));

async fn next_event<T: Tell + 'static>((mut watch, mut stage): (Watch<T>, Stage)) -> Option<Step<T>> {
    loop {
        if let Some(event) = watch.waiting.pop_front() {
            return Some((Ok(event), (watch, stage)));
        }
        if watch.has_ended {
            return None;
        }
        match stage {
            Stage::New => {
                watch.tell_status();
                stage = Stage::Greeted;
            }
            Stage::Greeted => {
                stage = Stage::Listening;
                watch.begin().await;
            }
            Stage::Listening => watch.listen().await,
        }
    }
}
