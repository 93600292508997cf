//! Elections to look at: the review queue, and one with its members.

use super::view::{RunDetailView, RunView};
use super::wanted::WantedRuns;
use crate::AppState;
use crate::api::listing::{ListRequest, Paged, Paging};
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{ApiPath, ApiQuery};
use crate::links::Links;
use axum::Json;
use axum::extract::State;
use axum::response::Response;
use domain::ids::RunId;
use std::sync::Arc;

/// Elections whose winner you may see, newest first: all of them for curators and administrators, those of your own
/// searches otherwise.
#[utoipa::path(get, path = "/svc/canonical/", tag = "canonical", params(WantedRuns, Paging), responses(
    (status = 200, description = "A page of elections.", body = Paged<RunView>),
    (status = 400, description = "A parameter is not valid.", body = ErrorBody)))]
pub async fn list_runs(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    links: Links,
    ApiQuery(wanted): ApiQuery<WantedRuns>,
    ApiQuery(paging): ApiQuery<Paging>,
) -> Result<Response, ApiError> {
    let list = ListRequest::read(paging.paged(), &links, &wanted.path())?;
    let asked = wanted.asked(list.offset(), list.limit())?;
    let page = state.corpus.runs(&caller.principal, &asked).await?;
    Ok(list.answer(page.items.into_iter().map(RunView::from).collect(), page.total))
}

/// One election, with what the place of each member follows from.
#[utoipa::path(get, path = "/svc/canonical/{id}/", tag = "canonical",
    params(("id" = i64, Path, description = "`run_id` of the election.")), responses(
    (status = 200, description = "The election with the members that you may see.", body = RunDetailView),
    (status = 404, description = "Unknown, or not for you.", body = ErrorBody)))]
pub async fn read_run(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Json<RunDetailView>, ApiError> {
    let detail = state.corpus.run(&caller.principal, RunId(id)).await?;
    Ok(Json(detail.into()))
}
