//! PUT, PATCH and DELETE of a search. It runs again if the edit affects the run.

use super::access::own_search;
use super::view::{SearchView, versioned_view};
use crate::api::merge_patch::merge;
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath};
use crate::preconditions::{IfMatch, Versioned};
use crate::request_head::RequestHead;
use crate::state::AppState;
use crate::throttle::Class;
use axum::extract::State;
use axum::http::StatusCode;
use domain::ids::SearchId;
use domain::search::{Search, SearchSpec};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Replaces a search. If the edit affects the run, its results are discarded and it runs again.
#[utoipa::path(put, path = "/svc/search/{id}/", tag = "search", params(("id" = i64, Path, description = "Id of the search.")),
    request_body = SearchSpec, responses(
    (status = 200, description = "Replaced.", body = SearchView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody),
    (status = 409, description = "It was modified concurrently.", body = ErrorBody),
    (status = 429, description = "Too many searches started or waiting to start; `retry_after` says when to try again.", body = ErrorBody)))]
pub async fn replace_search(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    RequestHead { links, address, .. }: RequestHead,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(spec): ApiJson<SearchSpec>,
) -> Result<Versioned<SearchView>, ApiError> {
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    let edit = |stored: &Search| {
        if_match.check(stored.version())?;
        paid(&state, &caller, address, &stored.spec, spec.clone())
    };
    let changed = state.federation.searches.change(search.id, edit).await?;
    versioned_view(&state, &caller, &links, changed).await
}

/// Changes the given fields of a search, and runs it again if that affects the run.
#[utoipa::path(patch, path = "/svc/search/{id}/", tag = "search", params(("id" = i64, Path, description = "Id of the search.")),
    request_body = SearchSpec, responses(
    (status = 200, description = "Changed.", body = SearchView),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody),
    (status = 409, description = "It was modified concurrently.", body = ErrorBody),
    (status = 429, description = "Too many searches started or waiting to start; `retry_after` says when to try again.", body = ErrorBody)))]
pub async fn change_search(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    RequestHead { links, address, .. }: RequestHead,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<SearchView>, ApiError> {
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    let edit = |stored: &Search| {
        if_match.check(stored.version())?;
        paid(&state, &caller, address, &stored.spec, merge(&stored.spec, given.clone())?)
    };
    let changed = state.federation.searches.change(search.id, edit).await?;
    versioned_view(&state, &caller, &links, changed).await
}

/// Deletes a search and its results.
#[utoipa::path(delete, path = "/svc/search/{id}/", tag = "search", params(("id" = i64, Path, description = "Id of the search.")),
    responses((status = 204, description = "Deleted."),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
pub async fn delete_search(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    match if_match.guard(search.version())? {
        Some(version) => state.store.if_version(version).delete_search(search.id).await?,
        None => state.store.delete_search(search.id).await?,
    }
    state.federation.progress.changed(search.id);
    Ok(StatusCode::NO_CONTENT)
}

/// The edit, counted as a search if it will run again.
fn paid(
    state: &AppState,
    caller: &Caller,
    address: ClientAddress,
    stored: &SearchSpec,
    spec: SearchSpec,
) -> Result<SearchSpec, ApiError> {
    if !spec.runs_like(stored) {
        state.throttles.take(Class::Search, caller.principal.user, address)?;
    }
    Ok(spec)
}
