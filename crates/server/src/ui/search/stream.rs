//! Server-sent events of the search page: one request starts a search and streams page fragments.

use super::fragments::ListFragments;
use super::list::Listing;
use super::query::{Fields, ListQuery};
use super::search_form::SearchForm;
use super::shared_link;
use super::sources::{SourceView, closed_providers, leave_out};
use crate::api::search::{EventEncoder, SearchStream, Subscription, event, is_prefetch, own_search};
use crate::auth::Caller;
use crate::error::ApiError;
use crate::extract::ApiPath;
use crate::request_head::RequestHead;
use crate::state::AppState;
use crate::ui::page_context::PageContext;
use axum::extract::{RawQuery, State};
use axum::http::{StatusCode, header};
use axum::response::sse::Event;
use axum::response::{IntoResponse, Redirect, Response};
use domain::ids::{ProviderId, SearchId};
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

/// Pause between pages, so that the browser can paint.
const PAGE_PAUSE: Duration = Duration::from_millis(100);

/// `POST /search/`: starts or reruns a search and streams it. Clients that do not accept events are redirected to the
/// page of the search.
pub async fn start_search(
    caller: Caller,
    context: PageContext,
    State(state): State<Arc<AppState>>,
    RequestHead { links, address, headers, .. }: RequestHead,
    form: String,
) -> Result<Response, ApiError> {
    let form = SearchForm::parse(&Fields::parse(&form))?
        .ok_or_else(|| ApiError::invalid_field("q", "A query is needed; this one is empty."))?;
    let wants_events = headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|text| text.contains("text/event-stream"));
    if !wants_events {
        let search = form.start(&state, &caller, address).await?;
        return Ok(Redirect::to(&shared_link::address(&search, &ListQuery::default())).into_response());
    }
    // Without a free stream, no search is started.
    let permit = state.throttles.streams.enter(caller.principal.user)?;
    let search = form.start(&state, &caller, address).await?;
    let receiver = state.federation.progress.subscribe(search.id);
    // Read again after subscribing, so that no event is missed.
    let search = own_search(&state, &caller.principal, search.id).await?;
    let query = ListQuery::default();
    let request = query.request(links.base());
    let asked = state.federation.selector.selected_providers(&search).await?;
    let closed = closed_providers(&state).await?;
    let sources = Sources { asked, closed };
    let encoder = PageFragments::new(Arc::clone(&state), context, query, sources);
    Ok(SearchStream::new(state, search, Subscription { receiver, permit }, request, encoder)
        .stream()
        .into_response())
}

/// `GET /search/{id}/stream/`: streams a running search, with any sort order and filter.
pub async fn follow_search(
    caller: Caller,
    context: PageContext,
    State(state): State<Arc<AppState>>,
    RequestHead { links, headers, .. }: RequestHead,
    ApiPath(id): ApiPath<i64>,
    RawQuery(query): RawQuery,
) -> Result<Response, ApiError> {
    if is_prefetch(&headers) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let query = ListQuery::parse(&Fields::parse(&query.unwrap_or_default()))?;
    let permit = state.throttles.streams.enter(caller.principal.user)?;
    let receiver = state.federation.progress.subscribe(SearchId(id));
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    let request = query.request(links.base());
    let asked = state.federation.selector.selected_providers(&search).await?;
    let closed = closed_providers(&state).await?;
    let sources = Sources { asked, closed };
    let encoder = PageFragments::new(Arc::clone(&state), context, query, sources);
    Ok(SearchStream::new(state, search, Subscription { receiver, permit }, request, encoder)
        .stream()
        .into_response())
}

/// The sources of a search: the queried ones, and those of all that cannot have results.
struct Sources {
    asked: Vec<SearchProvider>,
    closed: Vec<ProviderId>,
}

/// Encodes events as page fragments.
struct PageFragments {
    state: Arc<AppState>,
    context: PageContext,
    query: ListQuery,
    sources: Sources,
    /// Digests of the fragments that were sent, so that none is sent twice.
    sent: HashMap<String, u64>,
    has_started: bool,
}

#[derive(Serialize)]
struct SearchStarted {
    id: SearchId,
    url: String,
    /// Parameters of the search for its address.
    shared: String,
    query: String,
    /// All sources, still being queried.
    facets: String,
}

#[derive(Serialize)]
struct SourceLine {
    id: i64,
    html: String,
}

#[derive(Serialize)]
struct SearchEnded {
    id: SearchId,
    /// None if the search was deleted.
    status: Option<SearchStatus>,
}

impl PageFragments {
    fn new(state: Arc<AppState>, context: PageContext, query: ListQuery, sources: Sources) -> Self {
        Self { state, context, query, sources, sent: HashMap::new(), has_started: false }
    }

    fn source(&self, line: &SourceView) -> Result<String, ApiError> {
        #[derive(Serialize)]
        struct OneSource<'a> {
            source: &'a SourceView,
        }
        self.state.templates.render("search/source.html", &self.context, OneSource { source: line })
    }

    fn started(&self, search: &Search) -> Result<SearchStarted, ApiError> {
        #[derive(Serialize)]
        struct AllSources {
            sources: Vec<SourceView>,
        }
        let mut sources: Vec<SourceView> = self.sources.asked.iter().map(SourceView::asking).collect();
        leave_out(&mut sources, &self.sources.closed);
        let facets =
            self.state.templates.render("search/sources.html", &self.context, AllSources { sources })?;
        Ok(SearchStarted {
            id: search.id,
            url: self.query.href(search.id),
            shared: shared_link::parameters(&search.spec),
            query: search.spec.query_string.clone(),
            facets,
        })
    }

    fn fragments(&mut self, search: &Search, page: MixedResponse) -> Result<ListFragments, ApiError> {
        let Self { state, context, query, sources: Sources { asked, closed }, sent, .. } = self;
        let list = Listing { state, context, search, query, asked, closed }.view(page);
        ListFragments::of(state, context, &list, |key, html| {
            let mut hasher = DefaultHasher::new();
            html.hash(&mut hasher);
            let digest = hasher.finish();
            sent.insert(key.to_owned(), digest) != Some(digest)
        })
    }
}

/// The event with a fragment. A fragment that cannot be rendered is logged and skipped.
fn fragment_event<T: Serialize>(name: &str, made: Result<T, ApiError>) -> Option<Event> {
    let made = made.inspect_err(|error| {
        tracing::error!(
            error = error.detail(),
            "search page: cannot render the fragment `{name}`: {}",
            error.detail()
        );
    });
    event(name, &made.ok()?)
}

impl EventEncoder for PageFragments {
    /// Sent once at the start: the search and its sources.
    fn status(&mut self, search: &Search) -> Option<Event> {
        if std::mem::replace(&mut self.has_started, true) {
            return None;
        }
        fragment_event("search", self.started(search))
    }

    fn provider(&mut self, set: &ResultSet) -> Option<Event> {
        let line = SourceView::of_set(&self.state, set);
        fragment_event("source", self.source(&line).map(|html| SourceLine { id: line.id.0, html }))
    }

    fn page(&mut self, search: &Search, page: MixedResponse) -> Option<Event> {
        let fragments = self.fragments(search, page);
        fragment_event("list", fragments)
    }

    fn page_interval(&self) -> Duration {
        PAGE_PAUSE
    }

    fn done(&mut self, search: SearchId, status: Option<SearchStatus>) -> Option<Event> {
        event("done", &SearchEnded { id: search, status })
    }
}
