//! POST: stores a search with the task that will run it, and returns immediately.

use super::view::SearchView;
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::idempotency::{self, KeyedJson, ReplayHeader, replay_header};
use crate::links::Links;
use crate::preconditions::Versioned;
use crate::state::AppState;
use crate::throttle::Class;
use axum::extract::State;
use axum::http::StatusCode;
use domain::search::SearchSpec;
use federation::Creation;
use std::sync::Arc;

/// Creates a search; it runs in the background. Poll its `status`, or follow its events.
#[utoipa::path(post, path = "/svc/search/", tag = "search",
    params(("Idempotency-Key" = Option<String>, Header,
        description = "A key of your choice, such as a UUID. A request that is repeated with it within 24 \
        hours creates no second search and gets the first response again, with `Idempotent-Replayed: true`. The \
        key is deleted with the search.")),
    request_body(content = SearchSpec,
        example = json!({"query_string": "river level sensors", "searchprovider_list": ["news", 3], "results_requested": 20})),
    responses(
    (status = 201, description = "Created; federation has started.", body = SearchView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 409, description = "You have reached the maximum number of stored searches; delete some.", body = ErrorBody),
    (status = 413, description = "The body is too large.", body = ErrorBody),
    (status = 415, description = "The body is not JSON.", body = ErrorBody),
    (status = 422, description = "`idempotency_key_reused`: the key was used with another request.", body = ErrorBody),
    (status = 429, description = "Too many searches started or waiting to start; `retry_after` says when to try again.", body = ErrorBody)))]
pub async fn create_search(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    address: ClientAddress,
    KeyedJson { value: spec, key }: KeyedJson<SearchSpec>,
) -> Result<(StatusCode, ReplayHeader, Versioned<SearchView>), ApiError> {
    let owner = caller.principal.user;
    state.throttles.take(Class::Search, owner, address)?;
    let creation = match key {
        None => Creation::New(state.federation.searches.create(owner, spec).await?),
        Some(key) => state.federation.searches.create_once(owner, spec, &key).await?,
    };
    let (search, is_replayed) = match creation {
        Creation::New(search) => (search, false),
        Creation::Repeated(search) => (search, true),
        Creation::OtherRequest => return Err(idempotency::reused()),
    };
    if !is_replayed {
        federation::log_start(&search, "search_post");
    }
    let version = search.version();
    let view = SearchView::of(search, &caller.principal.username, &links, &state.plugins);
    Ok((StatusCode::CREATED, replay_header(is_replayed), Versioned::new(version, view)))
}
