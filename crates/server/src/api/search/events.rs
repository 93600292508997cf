//! A search as it happens, by server-sent events: `provider`, `results`, `status`, `done`.

use super::own_search;
use super::watch::{Tell, Watch, event};
use crate::AppState;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiPath;
use crate::links::Links;
use axum::extract::State;
use axum::response::sse::{Event, Sse};
use domain::ids::{ProviderId, SearchId};
use domain::mixed::MixedResponse;
use domain::result::{ProviderFault, ResultSet};
use domain::search::Search;
use domain::status::{ProviderStatus, SearchStatus};
use federation::MixRequest;
use futures_util::Stream;
use serde::Serialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// Follows a search: one `provider` event for each provider as it ends, the merged page as it stands in `results`,
/// every new `status`, and `done` at the end. A search that is already ready has the same ends.
#[utoipa::path(get, path = "/svc/search/{id}/events/", tag = "search", params(("id" = i64, Path, description = "Id of the search.")),
    responses((status = 200, description = "A stream of events.", content_type = "text/event-stream", body = String),
    (status = 404, description = "Unknown, or someone else's.", body = ErrorBody),
    (status = 429, description = "You have too many streams open.", body = ErrorBody),
    (status = 503, description = "Too many streams are open.", body = ErrorBody)))]
pub async fn follow_search(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiPath(id): ApiPath<i64>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    // Who has no place costs no look at the database.
    let place = state.throttles.streams.enter(caller.principal.user)?;
    // Listening begins before the row is read, so nothing falls between the two.
    let receiver = state.federation.events().subscribe(SearchId(id));
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    let request = MixRequest { base_url: links.base(), ..MixRequest::default() };
    Ok(Watch::new(state, search, (receiver, place), request, AsJson).stream())
}

/// For programs.
struct AsJson;

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

impl Tell for AsJson {
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
