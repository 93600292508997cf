//! The runs of a search, and how two of them differ.

use super::own_search;
use crate::AppState;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, Refusal};
use crate::extract::{ApiPath, ApiQuery};
use axum::Json;
use axum::extract::State;
use domain::ids::SearchId;
use domain::search_run::{RunEntry, SearchRun, compare};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct DiffQuery {
    /// The earlier run; the one before `to` if nothing is said.
    from: Option<i64>,
    /// The later run; the newest if nothing is said.
    to: Option<i64>,
}

/// How two runs differ.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DiffView {
    from: i64,
    to: i64,
    /// Results of the later run that the earlier one did not have.
    added: Vec<RunEntry>,
    /// Results of the earlier run that the later one does not have. A source that did not answer has lost nothing.
    gone: Vec<RunEntry>,
    /// How many results both have.
    kept: u64,
}

/// The runs of a search, newest first; the last 20 are kept.
#[utoipa::path(get, path = "/svc/search/{id}/runs/", tag = "search", params(("id" = i64, Path, description = "Id of the search.")),
    responses((status = 200, description = "Its runs that have ended.", body = Vec<SearchRun>),
    (status = 404, description = "Unknown, or someone else's.", body = ErrorBody)))]
pub async fn read_runs(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Json<Vec<SearchRun>>, ApiError> {
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    Ok(Json(state.store.search_runs(search.id).await?))
}

/// What two runs of a search found differently. At most 500 results of each run are compared.
#[utoipa::path(get, path = "/svc/search/{id}/diff/", tag = "search",
    params(("id" = i64, Path, description = "Id of the search."), DiffQuery), responses(
    (status = 200, description = "How they differ.", body = DiffView),
    (status = 400, description = "A run that is not kept.", body = ErrorBody),
    (status = 404, description = "Unknown, or someone else's; or no run has ended yet.", body = ErrorBody)))]
pub async fn read_diff(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
    ApiQuery(query): ApiQuery<DiffQuery>,
) -> Result<Json<DiffView>, ApiError> {
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    let runs = state.store.search_runs(search.id).await?;
    let newest = runs.first().ok_or_else(|| ApiError::of(Refusal::NotFound))?.run;
    let to = query.to.unwrap_or(newest);
    let before = runs.iter().map(|run| run.run).find(|run| *run < to);
    let from = query.from.or(before).unwrap_or(to);
    let entries = async |field: &str, run: i64| {
        let entries = state.federation.saved_entries(&search, run).await?;
        entries.ok_or_else(|| ApiError::invalid_field(field, format!("Run {run} is not kept.")))
    };
    let diff = compare(&entries("from", from).await?, &entries("to", to).await?);
    Ok(Json(DiffView { from, to, added: diff.added, gone: diff.gone, kept: diff.kept }))
}
