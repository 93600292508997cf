//! Run history of a search, and the difference between two runs.

use super::access::own_search;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiPath, ApiQuery};
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use domain::ids::{RunNumber, SearchId};
use domain::search_run::{RunEntry, SearchRun, compare};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default)]
pub struct DiffQuery {
    /// The earlier run; by default the one before `to`.
    #[param(value_type = Option<i64>)]
    from: Option<RunNumber>,
    /// The later run; by default the newest.
    #[param(value_type = Option<i64>)]
    to: Option<RunNumber>,
}

/// The difference between two runs.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct DiffView {
    #[schema(value_type = i64)]
    from: RunNumber,
    #[schema(value_type = i64)]
    to: RunNumber,
    /// Results of the later run that the earlier one did not have.
    added: Vec<RunEntry>,
    /// Results of the earlier run that the later one does not have. Sources that failed are not counted.
    gone: Vec<RunEntry>,
    /// Number of results in both.
    kept: u64,
}

/// The runs of a search, newest first; the last 20 are stored.
#[utoipa::path(get, path = "/svc/search/{id}/runs/", tag = "search", params(("id" = i64, Path, description = "Id of the search.")),
    responses((status = 200, description = "Its finished runs.", body = Vec<SearchRun>),
    (status = 404, description = "Unknown, or it belongs to someone else.", body = ErrorBody)))]
pub async fn read_runs(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
) -> Result<Json<Vec<SearchRun>>, ApiError> {
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    Ok(Json(state.store.search_runs(search.id).await?))
}

/// The difference between the results of two runs. At most 500 results of each run are compared.
#[utoipa::path(get, path = "/svc/search/{id}/diff/", tag = "search",
    params(("id" = i64, Path, description = "Id of the search."), DiffQuery), responses(
    (status = 200, description = "The differences.", body = DiffView),
    (status = 400, description = "A run that is not stored.", body = ErrorBody),
    (status = 404, description = "Unknown, or it belongs to someone else; or no run has ended yet.", body = ErrorBody)))]
pub async fn read_diff(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
    ApiQuery(query): ApiQuery<DiffQuery>,
) -> Result<Json<DiffView>, ApiError> {
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    let runs = state.store.search_runs(search.id).await?;
    let newest = runs.first().ok_or_else(|| ApiError::of(ErrorCode::NotFound))?.run;
    let to = query.to.unwrap_or(newest);
    let before = runs.iter().map(|run| run.run).find(|run| *run < to);
    let from = query.from.or(before).unwrap_or(to);
    let entries = async |field: &str, run: RunNumber| {
        let entries = state.federation.reader.saved_entries(&search, run).await?;
        entries.ok_or_else(|| ApiError::invalid_field(field, format!("Run {run} is not stored.")))
    };
    let diff = compare(&entries("from", from).await?, &entries("to", to).await?);
    Ok(Json(DiffView { from, to, added: diff.added, gone: diff.gone, kept: diff.kept }))
}
