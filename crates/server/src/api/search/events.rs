//! A search as it happens, by server-sent events: `provider`, `results`, `status`, `done`.

use super::own_search;
use crate::House;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiPath;
use crate::links::Links;
use crate::throttle::StreamPlace;
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use domain::contracts::StoreError;
use domain::ids::{ProviderId, SearchId};
use domain::result::{ProviderFault, ResultSet};
use domain::search::Search;
use domain::status::{ProviderStatus, SearchStatus};
use federation::{MixRequest, SearchEvent};
use futures_util::Stream;
use futures_util::stream::unfold;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, timeout_at};

/// A comment in quiet times, so that proxies keep the line open.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// A stream ends after this time even if the search does not; the client may come again.
const STREAM_TIME_MAX: Duration = Duration::from_secs(600);

/// Follows a search: one `provider` event for each provider as it ends, the merged page as it stands in `results`,
/// every new `status`, and `done` at the end. A search that is already ready has the same ends.
#[utoipa::path(get, path = "/svc/search/{id}/events/", tag = "search", params(("id" = i64, Path, description = "Id of the search.")),
    responses((status = 200, description = "A stream of events.", content_type = "text/event-stream", body = String),
    (status = 404, description = "Unknown, or someone else's.", body = ErrorBody),
    (status = 429, description = "You have too many streams open.", body = ErrorBody),
    (status = 503, description = "Too many streams are open.", body = ErrorBody)))]
pub async fn follow_search(
    caller: Caller,
    State(house): State<Arc<House>>,
    links: Links,
    ApiPath(id): ApiPath<i64>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    // Who has no place costs no look at the database.
    let place = house.throttles.streams.enter(caller.principal.user)?;
    // Listening begins before the row is read, so nothing falls between the two.
    let receiver = house.federation.events().subscribe(SearchId(id));
    let search = own_search(&house, &caller.principal, SearchId(id)).await?;
    let mut watch = Watch::new(house, search, (receiver, place), links.base());
    watch.tell_status();
    match watch.search.status.is_final() {
        true => watch.conclude().await,
        false => watch.catch_up().await,
    }
    Ok(Sse::new(unfold(watch, next_event)).keep_alive(KeepAlive::new().interval(HEARTBEAT)))
}

/// What one listener knows so far.
struct Watch {
    house: Arc<House>,
    search: Search,
    request: MixRequest,
    receiver: Receiver<SearchEvent>,
    ends_at: Instant,
    sets: BTreeMap<ProviderId, Arc<ResultSet>>,
    told: Option<SearchStatus>,
    waiting: VecDeque<Event>,
    has_ended: bool,
    /// Held as long as the stream is open.
    _place: StreamPlace,
}

/// One provider's end, as `provider` tells it.
#[derive(Serialize)]
struct ProviderEnd<'a> {
    provider_id: ProviderId,
    provider: &'a str,
    status: ProviderStatus,
    found: u64,
    retrieved: u64,
    search_time: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ProviderFault>,
}

#[derive(Serialize)]
struct StatusNow {
    search_id: SearchId,
    /// None when the search is gone.
    status: Option<SearchStatus>,
}

async fn next_event(mut watch: Watch) -> Option<(Result<Event, Infallible>, Watch)> {
    loop {
        if let Some(event) = watch.waiting.pop_front() {
            return Some((Ok(event), watch));
        }
        if watch.has_ended {
            return None;
        }
        watch.listen().await;
    }
}

impl Watch {
    fn new(
        house: Arc<House>,
        search: Search,
        (receiver, place): (Receiver<SearchEvent>, StreamPlace),
        base_url: String,
    ) -> Self {
        Self {
            house,
            search,
            request: MixRequest {
                mixer: None,
                page: 1,
                provider: None,
                explain: None,
                base_url,
                answered: None,
            },
            receiver,
            ends_at: Instant::now() + STREAM_TIME_MAX,
            sets: BTreeMap::new(),
            told: None,
            waiting: VecDeque::new(),
            has_ended: false,
            _place: place,
        }
    }

    /// Waits for something to tell: an event of this process or of another, or a row that has changed.
    async fn listen(&mut self) {
        match timeout_at(self.ends_at, self.receiver.recv()).await {
            Ok(Ok(SearchEvent::Provider(run, set))) => self.hear(run, set).await,
            Ok(Ok(SearchEvent::Status(_) | SearchEvent::Changed)) => self.look().await,
            // What was missed is made good by the row and by what others heard.
            Ok(Err(RecvError::Lagged(_))) => {
                self.look().await;
                self.catch_up().await;
            }
            Ok(Err(RecvError::Closed)) | Err(_) => self.end(Some(self.search.status)),
        }
    }

    /// Reads the row, tells a new status, and ends with the search.
    async fn look(&mut self) {
        match self.house.store.search(self.search.id).await {
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
                self.house.federation.events().doubt(self.search.id);
                tracing::warn!(search.id = self.search.id.0, %error, "events: the search cannot be read: {error}");
            }
        }
    }

    /// What happened before we came.
    async fn catch_up(&mut self) {
        if !self.has_ended {
            let events = self.house.federation.events();
            events.follow(&self.search);
            let ended = events.so_far(self.search.id, self.search.run);
            self.add(ended).await;
        }
    }

    /// Another run than the one we know is a reason to read the row; of one that is over nothing is told.
    async fn hear(&mut self, run: i64, set: Arc<ResultSet>) {
        if run != self.search.run {
            self.look().await;
        }
        if run == self.search.run && !self.has_ended {
            self.add(vec![set]).await;
        }
    }

    /// Tells each provider once, also when its end is heard twice, and the page with all of them.
    async fn add(&mut self, ended: Vec<Arc<ResultSet>>) {
        let before = self.sets.len();
        for set in ended {
            if !self.sets.contains_key(&set.provider) {
                self.tell_provider(&set);
                self.sets.insert(set.provider, set);
            }
        }
        if self.sets.len() == before {
            return;
        }
        let sets: Vec<ResultSet> = self.sets.values().map(|set| ResultSet::clone(set)).collect();
        let page = self.house.federation.mix_sets(&self.search, sets, &self.request).await;
        self.tell("results", &page);
    }

    /// The last of it: providers not told of yet, the final page, and the end.
    async fn conclude(&mut self) {
        let stored = self.house.store.result_sets(self.search.id).await.unwrap_or_default();
        for set in stored.iter().filter(|set| !self.sets.contains_key(&set.provider)).collect::<Vec<_>>() {
            self.tell_provider(set);
        }
        match self.house.federation.mix(&self.search, &self.request).await {
            Ok(page) => self.tell("results", &page),
            Err(error) => {
                tracing::warn!(search.id = self.search.id.0, %error, "events: the results cannot be mixed: {error}");
            }
        }
        self.end(Some(self.search.status));
    }

    fn end(&mut self, status: Option<SearchStatus>) {
        self.tell("done", &StatusNow { search_id: self.search.id, status });
        self.has_ended = true;
    }

    fn tell_status(&mut self) {
        let status = Some(self.search.status);
        if self.told != status {
            self.told = status;
            self.tell("status", &StatusNow { search_id: self.search.id, status });
        }
    }

    fn tell_provider(&mut self, set: &ResultSet) {
        let end = ProviderEnd {
            provider_id: set.provider,
            provider: &set.provider_name,
            status: set.status,
            found: set.found,
            retrieved: set.retrieved,
            search_time: domain::instant::tenths(Duration::from_secs_f64(set.time_s.max(0.0))),
            error: set.error.as_ref(),
        };
        self.tell("provider", &end);
    }

    fn tell(&mut self, name: &str, data: &impl Serialize) {
        match Event::default().event(name).json_data(data) {
            Ok(event) => self.waiting.push_back(event),
            Err(error) => tracing::error!(%error, "events: an event cannot be written: {error}"),
        }
    }
}
