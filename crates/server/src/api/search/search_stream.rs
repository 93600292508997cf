//! Event stream of a search, generic over its encoder: JSON for programs, page fragments for the web pages.

use crate::state::AppState;
use crate::throttle::StreamPermit;
use axum::response::sse::{Event, KeepAlive, Sse};
use domain::ids::{ProviderId, RunNumber, SearchId};
use domain::mixed::MixedResponse;
use domain::ports::{StoreError, chain};
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

/// Comment in idle times, so that proxies keep the connection open.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A stream ends after this time even if the search does not; the client may reconnect.
const STREAM_TIME_MAX: Duration = Duration::from_secs(600);
/// How often the final list is read again if it cannot be read. The progress hub waits about a second before each.
const RETRIES_MAX: u32 = 5;

/// Encodes events for one kind of client. None: the event is skipped.
pub trait EventEncoder: Send {
    /// The search has a new status.
    fn status(&mut self, search: &Search) -> Option<Event>;

    /// One provider has ended.
    fn provider(&mut self, set: &ResultSet) -> Option<Event>;

    /// The current merged page. `search` is final if this is the last one.
    fn page(&mut self, search: &Search, page: MixedResponse) -> Option<Event>;

    /// Minimum interval between two pages; later changes are combined.
    fn page_interval(&self) -> Duration {
        Duration::ZERO
    }

    /// The end; without a status if the search was deleted.
    fn done(&mut self, search: SearchId, status: Option<SearchStatus>) -> Option<Event>;
}

/// The state of one client's stream.
pub struct SearchStream<T> {
    state: Arc<AppState>,
    search: Search,
    request: MixRequest,
    receiver: Receiver<SearchEvent>,
    encoder: T,
    ends_at: Instant,
    /// The earliest time of the next page.
    next_page_at: Instant,
    sets: BTreeMap<ProviderId, Arc<ResultSet>>,
    last_status: Option<SearchStatus>,
    retries: u32,
    pending: VecDeque<Event>,
    has_ended: bool,
    /// Held as long as the stream is open.
    _permit: StreamPermit,
}

/// The events of a search, and the permit to stream them.
pub struct Subscription {
    pub receiver: Receiver<SearchEvent>,
    pub permit: StreamPermit,
}

/// An event with JSON data.
pub fn event(name: &str, data: &impl Serialize) -> Option<Event> {
    let event = Event::default().event(name).json_data(data);
    event.inspect_err(|error| tracing::error!(%error, "events: an event cannot be written: {error}")).ok()
}

impl<T: EventEncoder + 'static> SearchStream<T> {
    /// The receiver must be created before `search` is read, so that nothing is missed in between.
    pub fn new(
        state: Arc<AppState>,
        search: Search,
        Subscription { receiver, permit }: Subscription,
        request: MixRequest,
        encoder: T,
    ) -> Self {
        Self {
            state,
            search,
            request,
            receiver,
            encoder,
            ends_at: Instant::now() + STREAM_TIME_MAX,
            next_page_at: Instant::now(),
            sets: BTreeMap::new(),
            last_status: None,
            retries: 0,
            pending: VecDeque::new(),
            has_ended: false,
            _permit: permit,
        }
    }

    /// Sends the current state, and then every change.
    pub fn stream(self) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
        Sse::new(unfold((self, Stage::Start), next_event)).keep_alive(KeepAlive::new().interval(HEARTBEAT))
    }

    /// Sends the current state.
    async fn send_current(&mut self) {
        if self.search.status.is_final() { self.finish().await } else { self.catch_up().await }
    }

    /// Waits for an event of this process or another one, or for a changed row. Events that arrive meanwhile are
    /// combined, because mixing a page is expensive.
    async fn wait_for_events(&mut self) {
        let mut batch = Batch::default();
        match timeout_at(self.ends_at, self.receiver.recv()).await {
            Ok(Ok(event)) => batch.push(event),
            Ok(Err(RecvError::Lagged(_))) => batch.has_lagged = true,
            Ok(Err(RecvError::Closed)) | Err(_) => return self.end(Some(self.search.status)),
        }
        sleep_until(self.next_page_at).await;
        loop {
            match self.receiver.try_recv() {
                Ok(event) => batch.push(event),
                Err(TryRecvError::Lagged(_)) => batch.has_lagged = true,
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        self.apply(batch).await;
    }

    /// Another run than the known one requires reading the row; events of a finished run are dropped.
    async fn apply(&mut self, batch: Batch) {
        if batch.is_row_changed
            || batch.has_lagged
            || batch.ended.iter().any(|(run, _)| *run != self.search.run)
        {
            self.reload().await;
        }
        if !self.has_ended {
            let run = self.search.run;
            let ended = batch.ended.into_iter().filter(|(its_run, _)| *its_run == run);
            self.add_sets(ended.map(|(_, set)| set).collect()).await;
        }
        // The row and the progress hub replace what was missed.
        if batch.has_lagged {
            self.catch_up().await;
        }
    }

    /// Reads the row, sends a new status, and ends with the search.
    async fn reload(&mut self) {
        match self.state.store.search(self.search.id).await {
            Ok(search) => {
                if search.run != self.search.run {
                    self.sets.clear();
                }
                self.search = search;
                self.push_status();
                if self.search.status.is_final() {
                    self.finish().await;
                }
            }
            Err(StoreError::NotFound) => self.end(None),
            Err(error) => {
                self.state.federation.progress.invalidate(self.search.id);
                tracing::warn!(
                    search.id = self.search.id.0,
                    %error,
                    "events: the search cannot be read: {}",
                    chain(&error)
                );
            }
        }
    }

    /// Sends what happened before the stream started.
    async fn catch_up(&mut self) {
        if !self.has_ended {
            let events = &self.state.federation.progress;
            events.follow(&self.search);
            let ended = events.snapshot(self.search.id, self.search.run);
            self.add_sets(ended).await;
        }
    }

    /// Sends each provider once, even if its end is received twice, and the page with all of them.
    async fn add_sets(&mut self, ended: Vec<Arc<ResultSet>>) {
        let before = self.sets.len();
        for set in ended {
            if !self.sets.contains_key(&set.provider) {
                self.pending.extend(self.encoder.provider(&set));
                self.sets.insert(set.provider, set);
            }
        }
        if self.sets.len() == before {
            return;
        }
        let sets: Vec<ResultSet> = self.sets.values().map(|set| ResultSet::clone(set)).collect();
        let page = self.state.federation.mixer.mix_sets(&self.search, sets, &self.request).await;
        self.pending.extend(self.encoder.page(&self.search, page));
        self.next_page_at = Instant::now() + self.encoder.page_interval();
    }

    /// Sends the remaining providers, the final page, and the end.
    async fn finish(&mut self) {
        let stored = self.state.federation.reader.saved_sets(&self.search).await.unwrap_or_default();
        for set in stored {
            if !self.sets.contains_key(&set.provider) {
                self.pending.extend(self.encoder.provider(&set));
                self.sets.insert(set.provider, Arc::new(set));
            }
        }
        match self.state.federation.mixer.mix(&self.search, &self.request).await {
            Ok(page) => {
                self.pending.extend(self.encoder.page(&self.search, page));
                self.end(Some(self.search.status));
            }
            Err(error) => {
                tracing::warn!(
                    search.id = self.search.id.0,
                    %error,
                    "events: the results cannot be mixed: {}",
                    chain(&error)
                );
                self.retry();
            }
        }
    }

    /// Finishes again a little later. A stream that gives up ends without `done`, because its list is not final: the
    /// client may reconnect.
    fn retry(&mut self) {
        self.retries += 1;
        self.has_ended = self.retries > RETRIES_MAX;
        let progress = &self.state.federation.progress;
        progress.follow(&self.search);
        progress.invalidate(self.search.id);
    }

    fn end(&mut self, status: Option<SearchStatus>) {
        self.pending.extend(self.encoder.done(self.search.id, status));
        self.has_ended = true;
    }

    fn push_status(&mut self) {
        if self.last_status != Some(self.search.status) {
            self.last_status = Some(self.search.status);
            self.pending.extend(self.encoder.status(&self.search));
        }
    }
}

/// Events received together.
#[derive(Default)]
struct Batch {
    /// The providers that have ended, and in which run.
    ended: Vec<(RunNumber, Arc<ResultSet>)>,
    is_row_changed: bool,
    has_lagged: bool,
}

impl Batch {
    fn push(&mut self, event: SearchEvent) {
        match event {
            SearchEvent::Provider { run, set } => self.ended.push((run, set)),
            SearchEvent::Status(_) | SearchEvent::Changed => self.is_row_changed = true,
        }
    }
}

/// Progress of a stream.
enum Stage {
    /// Nothing was sent.
    Start,
    /// The status was sent immediately; the current state takes a moment.
    Announced,
    Following,
}

type Step<T> = (Result<Event, Infallible>, (SearchStream<T>, Stage));

async fn next_event<T: EventEncoder + 'static>(
    (mut stream, mut stage): (SearchStream<T>, Stage),
) -> Option<Step<T>> {
    loop {
        if let Some(event) = stream.pending.pop_front() {
            return Some((Ok(event), (stream, stage)));
        }
        if stream.has_ended {
            return None;
        }
        match stage {
            Stage::Start => {
                stream.push_status();
                stage = Stage::Announced;
            }
            Stage::Announced => {
                stage = Stage::Following;
                stream.send_current().await;
            }
            Stage::Following => stream.wait_for_events().await,
        }
    }
}
