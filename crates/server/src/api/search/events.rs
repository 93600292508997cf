//! Server-sent events of a search: `provider`, `results`, `status`, `done`.

use super::access::own_search;
use super::search_stream::{EventEncoder, SearchStream, Subscription, event};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiPath;
use crate::links::Links;
use crate::state::AppState;
use axum::extract::State;
use axum::response::sse::{Event, Sse};
use domain::ids::{ProviderId, SearchId};
use domain::mixed::MixedResponse;
use domain::result::{ProviderError, ResultSet};
use domain::search::Search;
use domain::status::{ProviderStatus, SearchStatus};
use federation::MixRequest;
use futures_util::Stream;
use serde::Serialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Follows a search: one `provider` event for each provider as it ends, the current merged page in `results`, every new
/// `status`, and `done` at the end. A finished search ends with the same events.
#[utoipa::path(get, path = "/svc/search/{id}/events/", tag = "search", params(("id" = i64, Path, description = "Id of the search.")),
    responses((status = 200, description = "A stream of events.", content_type = "text/event-stream", body = String),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody),
    (status = 429, description = "You have too many streams open.", body = ErrorBody),
    (status = 503, description = "Too many streams are open.", body = ErrorBody)))]
pub async fn follow_search(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiPath(id): ApiPath<i64>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    // Without a permit, the database is not queried.
    let permit = state.throttles.streams.enter(caller.principal.user)?;
    // Subscribes before the row is read, so that nothing is missed in between.
    let receiver = state.federation.progress.subscribe(SearchId(id));
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    let request = MixRequest { base_url: links.base(), ..MixRequest::default() };
    Ok(SearchStream::new(state, search, Subscription { receiver, permit }, request, JsonEncoder).stream())
}

/// Encodes events as JSON.
struct JsonEncoder;

/// The outcome of one provider, in `provider`.
#[derive(Serialize)]
struct ProviderEnd<'a> {
    provider_id: ProviderId,
    provider: &'a str,
    status: ProviderStatus,
    found: u64,
    retrieved: u64,
    search_time: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ProviderError>,
}

#[derive(Serialize)]
struct StatusNow {
    search_id: SearchId,
    /// None if the search was deleted.
    status: Option<SearchStatus>,
}

impl EventEncoder for JsonEncoder {
    fn status(&mut self, search: &Search) -> Option<Event> {
        event("status", &StatusNow { search_id: search.id, status: Some(search.status) })
    }

    fn provider(&mut self, set: &ResultSet) -> Option<Event> {
        let end = ProviderEnd {
            provider_id: set.provider,
            provider: &set.provider_name,
            status: set.status,
            found: set.found,
            retrieved: set.retrieved,
            search_time: domain::instant::tenths(Duration::from_secs_f64(set.time_s.max(0.0))),
            error: set.error.as_ref(),
        };
        event("provider", &end)
    }

    fn page(&mut self, _search: &Search, page: MixedResponse) -> Option<Event> {
        event("results", &page)
    }

    fn done(&mut self, search: SearchId, status: Option<SearchStatus>) -> Option<Event> {
        event("done", &StatusNow { search_id: search, status })
    }
}
