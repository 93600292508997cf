//! The list as the sources answer: one request begins a search and brings the pieces of the page.

use super::list::{Listing, Pieces};
use super::query::{Fields, ListQuery};
use super::sources::ShownSource;
use super::start::Wanted;
use crate::AppState;
use crate::api::search::{Tell, Watch, event, is_prefetch, own_search};
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::ApiError;
use crate::extract::ApiPath;
use crate::links::Links;
use crate::ui::frame::Frame;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Redirect, Response};
use domain::ids::SearchId;
use domain::mixed::MixedResponse;
use domain::provider::SearchProvider;
use domain::result::ResultSet;
use domain::search::Search;
use domain::status::SearchStatus;
use serde::Serialize;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

/// A browser paints a page before it is given the next one.
const PAGE_PAUSE: Duration = Duration::from_millis(100);

/// `POST /search/`: begins a search, or runs one again, and tells it at once. Who does not ask for events is led to
/// the page of the search.
pub async fn start_search(
    caller: Caller,
    frame: Frame,
    State(state): State<Arc<AppState>>,
    (links, address, headers): (Links, ClientAddress, HeaderMap),
    form: String,
) -> Result<Response, ApiError> {
    let wanted = Wanted::read(&Fields::read(&form))?
        .ok_or_else(|| ApiError::invalid_field("q", "A query is needed; this one is empty."))?;
    let wants_events = headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|text| text.contains("text/event-stream"));
    if !wants_events {
        let search = wanted.begin(&state, &caller, address).await?;
        return Ok(Redirect::to(&ListQuery::default().href(search.id)).into_response());
    }
    // Who has no place starts nothing.
    let place = state.throttles.streams.enter(caller.principal.user)?;
    let search = wanted.begin(&state, &caller, address).await?;
    let receiver = state.federation.events().subscribe(search.id);
    // Read again after listening began, so that nothing falls between the two.
    let search = own_search(&state, &caller.principal, search.id).await?;
    let query = ListQuery::default();
    let request = query.request(links.base());
    let asked = state.federation.asked_by(&search).await?;
    let teller = AsPieces::new(Arc::clone(&state), frame, query, asked);
    Ok(Watch::new(state, search, (receiver, place), request, teller).stream().into_response())
}

/// `GET /search/{id}/stream/`: the same for a search that runs already, in any order and with any filter.
pub async fn follow_search(
    caller: Caller,
    frame: Frame,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiPath(id): ApiPath<i64>,
    (headers, RawQuery(query)): (HeaderMap, RawQuery),
) -> Result<Response, ApiError> {
    if is_prefetch(&headers) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let query = ListQuery::read(&Fields::read(&query.unwrap_or_default()))?;
    let place = state.throttles.streams.enter(caller.principal.user)?;
    let receiver = state.federation.events().subscribe(SearchId(id));
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    let request = query.request(links.base());
    let asked = state.federation.asked_by(&search).await?;
    let teller = AsPieces::new(Arc::clone(&state), frame, query, asked);
    Ok(Watch::new(state, search, (receiver, place), request, teller).stream().into_response())
}

/// For people: pieces of the page, made by its own templates.
struct AsPieces {
    state: Arc<AppState>,
    frame: Frame,
    query: ListQuery,
    asked: Vec<SearchProvider>,
    /// The pieces of results that were sent, so that none is sent twice.
    sent: HashMap<String, u64>,
    has_begun: bool,
}

#[derive(Serialize)]
struct Begun {
    id: SearchId,
    url: String,
    query: String,
    rail: String,
}

#[derive(Serialize)]
struct SourceLine {
    id: i64,
    html: String,
}

#[derive(Serialize)]
struct Ended {
    id: SearchId,
    /// None when the search is gone.
    status: Option<SearchStatus>,
}

impl AsPieces {
    fn new(state: Arc<AppState>, frame: Frame, query: ListQuery, asked: Vec<SearchProvider>) -> Self {
        Self { state, frame, query, asked, sent: HashMap::new(), has_begun: false }
    }

    fn source(&self, line: &ShownSource) -> Result<String, ApiError> {
        #[derive(Serialize)]
        struct OneSource<'a> {
            source: &'a ShownSource,
        }
        self.state.pages.text("search/source.html", &self.frame, OneSource { source: line })
    }

    fn begun(&self, search: &Search) -> Result<Begun, ApiError> {
        let lines = self.asked.iter().map(|provider| self.source(&ShownSource::asking(provider)));
        let rail: Result<String, ApiError> = lines.collect();
        Ok(Begun {
            id: search.id,
            url: self.query.href(search.id),
            query: search.spec.query_string.clone(),
            rail: rail?,
        })
    }

    fn pieces(&mut self, search: &Search, page: MixedResponse) -> Result<Pieces, ApiError> {
        let Self { state, frame, query, asked, sent, .. } = self;
        let list = Listing { state, frame, search, query, asked }.view(page);
        Pieces::of((state, frame), &list, |key, html| {
            let mut hasher = DefaultHasher::new();
            html.hash(&mut hasher);
            let digest = hasher.finish();
            sent.insert(key.to_owned(), digest) != Some(digest)
        })
    }
}

/// A piece that cannot be made is left out and logged; the others are told.
fn told<T: Serialize>(name: &str, made: Result<T, ApiError>) -> Option<Event> {
    let made = made.inspect_err(|error| {
        tracing::error!(
            error = error.detail(),
            "search page: the piece `{name}` cannot be made: {}",
            error.detail()
        );
    });
    event(name, &made.ok()?)
}

impl Tell for AsPieces {
    /// Once, at the beginning: the search and all sources that are asked.
    fn status(&mut self, search: &Search) -> Option<Event> {
        if std::mem::replace(&mut self.has_begun, true) {
            return None;
        }
        told("search", self.begun(search))
    }

    fn provider(&mut self, set: &ResultSet) -> Option<Event> {
        let line = ShownSource::of_set(&self.state, set);
        told("source", self.source(&line).map(|html| SourceLine { id: line.id.0, html }))
    }

    fn page(&mut self, search: &Search, page: MixedResponse) -> Option<Event> {
        let pieces = self.pieces(search, page);
        told("list", pieces)
    }

    fn pause(&self) -> Duration {
        PAGE_PAUSE
    }

    fn done(&mut self, search: SearchId, status: Option<SearchStatus>) -> Option<Event> {
        event("done", &Ended { id: search, status })
    }
}
