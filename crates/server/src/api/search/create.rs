//! POST: a search is stored with the task that will run it, and answered at once.

use super::run::log_start;
use super::view::SearchView;
use crate::House;
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::ApiJson;
use crate::links::Links;
use crate::preconditions::Versioned;
use crate::throttle::Class;
use axum::extract::State;
use axum::http::StatusCode;
use domain::search::SearchDraft;
use std::sync::Arc;

/// Creates a search; it runs by itself. Poll its `status`, or follow its events.
#[utoipa::path(post, path = "/svc/search/", tag = "search", request_body(content = SearchDraft,
        example = json!({"query_string": "river level sensors", "searchprovider_list": ["news", 3], "results_requested": 20})),
    responses(
    (status = 201, description = "Created; federation has begun.", body = SearchView),
    (status = 400, description = "Not valid; the fields are named.", body = ErrorBody),
    (status = 409, description = "As many of your searches are kept as may be; delete some.", body = ErrorBody),
    (status = 413, description = "The body is too large.", body = ErrorBody),
    (status = 415, description = "The body is not JSON.", body = ErrorBody),
    (status = 429, description = "You start searches too often, or too many of yours wait to start; `retry_after` says when \
        to try again.", body = ErrorBody)))]
pub async fn create_search(
    caller: Caller,
    State(house): State<Arc<House>>,
    links: Links,
    address: ClientAddress,
    ApiJson(draft): ApiJson<SearchDraft>,
) -> Result<(StatusCode, Versioned<SearchView>), ApiError> {
    house.throttles.take(Class::Search, caller.principal.user, address)?;
    let search = house.federation.create(caller.principal.user, draft).await?;
    log_start(&search, "search_post");
    let version = search.version();
    let view = SearchView::of(search, &caller.principal.username, &links);
    Ok((StatusCode::CREATED, Versioned::new(version, view)))
}
