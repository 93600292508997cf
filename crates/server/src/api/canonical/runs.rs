//! The review queue of elections, and one election with its members.

use super::filters::RunFilter;
use super::view::{RunDetailView, RunView};
use crate::api::pagination::{ListRequest, Paged, Paging};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiPath, ApiQuery};
use crate::links::Links;
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use domain::ids::RunId;
use std::sync::Arc;

/// Elections whose winner you may see, newest first: all of them for curators and administrators, those of your own
/// searches otherwise.
#[utoipa::path(get, path = "/svc/canonical/", tag = "canonical", params(RunFilter, Paging), responses(
    (status = 200, description = "A page of elections.", body = Paged<RunView>),
    (status = 400, description = "Invalid parameter.", body = ErrorBody)))]
pub async fn list_runs(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(filter): ApiQuery<RunFilter>,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging.paged(), &links, &filter.path())?;
    let query = filter.to_query(list.offset(), list.limit())?;
    let page = state.corpus.runs(&caller.principal, &query).await?;
    Ok(list.answer(page.items.into_iter().map(RunView::from).collect(), page.total))
}

/// One election, with the reasons for the rank of each member.
#[utoipa::path(get, path = "/svc/canonical/{id}/", tag = "canonical",
    params(("id" = i64, Path, description = "`run_id` of the election.")), responses(
    (status = 200, description = "The election with the members that you may see.", body = RunDetailView),
    (status = 404, description = "Unknown, or not visible to you.", body = ErrorBody)))]
pub async fn read_run(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Json<RunDetailView>, ApiError> {
    let detail = state.corpus.run(&caller.principal, RunId(id)).await?;
    Ok(Json(detail.into()))
}
