//! PUT, PATCH and DELETE on a search. What changes the run makes it run again.

use super::own_search;
use super::view::SearchView;
use crate::House;
use crate::api::merge::merge;
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiJson, ApiPath};
use crate::links::Links;
use crate::preconditions::{IfMatch, Versioned};
use crate::throttle::Class;
use axum::extract::State;
use axum::http::StatusCode;
use domain::ids::SearchId;
use domain::search::{Search, SearchDraft};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Replaces a search. If what runs has changed, its results are discarded and it runs again.
#[utoipa::path(put, path = "/svc/search/{id}/", tag = "search", params(("id" = i64, Path, description = "Id of the search.")),
    request_body = SearchDraft, responses(
    (status = 200, description = "Replaced.", body = SearchView),
    (status = 400, description = "Not valid; the fields are named.", body = ErrorBody),
    (status = 404, description = "Unknown, or someone else's.", body = ErrorBody),
    (status = 409, description = "Others change it at the same moment.", body = ErrorBody),
    (status = 429, description = "You start searches too often, or too many of yours wait to start; `retry_after` says when \
        to try again.", body = ErrorBody)))]
pub async fn replace_search(
    caller: Caller,
    State(house): State<Arc<House>>,
    links: Links,
    (address, if_match): (ClientAddress, IfMatch),
    ApiPath(id): ApiPath<i64>,
    ApiJson(draft): ApiJson<SearchDraft>,
) -> Result<Versioned<SearchView>, ApiError> {
    let search = own_search(&house, &caller.principal, SearchId(id)).await?;
    let edit = |stored: &Search| {
        if_match.check(stored.version())?;
        paid(&house, &caller, address, &stored.draft, draft.clone())
    };
    let changed = house.federation.change(search.id, edit).await?;
    Ok(Versioned::new(changed.version(), SearchView::of(changed, &caller.principal.username, &links)))
}

/// Changes what is given of a search, and runs it again if that changes what runs.
#[utoipa::path(patch, path = "/svc/search/{id}/", tag = "search", params(("id" = i64, Path, description = "Id of the search.")),
    request_body = SearchDraft, responses(
    (status = 200, description = "Changed.", body = SearchView),
    (status = 400, description = "Not valid; the fields are named.", body = ErrorBody),
    (status = 404, description = "Unknown, or someone else's.", body = ErrorBody),
    (status = 409, description = "Others change it at the same moment.", body = ErrorBody),
    (status = 429, description = "You start searches too often, or too many of yours wait to start; `retry_after` says when \
        to try again.", body = ErrorBody)))]
pub async fn change_search(
    caller: Caller,
    State(house): State<Arc<House>>,
    links: Links,
    (address, if_match): (ClientAddress, IfMatch),
    ApiPath(id): ApiPath<i64>,
    ApiJson(given): ApiJson<Map<String, Value>>,
) -> Result<Versioned<SearchView>, ApiError> {
    let search = own_search(&house, &caller.principal, SearchId(id)).await?;
    let edit = |stored: &Search| {
        if_match.check(stored.version())?;
        paid(&house, &caller, address, &stored.draft, merge(&stored.draft, given.clone())?)
    };
    let changed = house.federation.change(search.id, edit).await?;
    Ok(Versioned::new(changed.version(), SearchView::of(changed, &caller.principal.username, &links)))
}

/// Deletes a search and its results at once.
#[utoipa::path(delete, path = "/svc/search/{id}/", tag = "search", params(("id" = i64, Path, description = "Id of the search.")),
    responses((status = 204, description = "Deleted."),
    (status = 404, description = "Unknown, or someone else's.", body = ErrorBody)))]
pub async fn delete_search(
    caller: Caller,
    State(house): State<Arc<House>>,
    if_match: IfMatch,
    ApiPath(id): ApiPath<i64>,
) -> Result<StatusCode, ApiError> {
    let search = own_search(&house, &caller.principal, SearchId(id)).await?;
    match if_match.guard(search.version())? {
        Some(version) => house.store.if_version(version).delete_search(search.id).await?,
        None => house.store.delete_search(search.id).await?,
    }
    house.federation.events().changed(search.id);
    Ok(StatusCode::NO_CONTENT)
}

/// The edit, counted as a search if it will run again.
fn paid(
    house: &House,
    caller: &Caller,
    address: ClientAddress,
    stored: &SearchDraft,
    draft: SearchDraft,
) -> Result<SearchDraft, ApiError> {
    if !draft.runs_like(stored) {
        house.throttles.take(Class::Search, caller.principal.user, address)?;
    }
    Ok(draft)
}
