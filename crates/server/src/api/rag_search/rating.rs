//! Ratings of AI summaries.

use crate::api::search::own_search;
use crate::auth::Caller;
use crate::error::{ApiError, ErrorBody, ErrorCode};
use crate::extract::{ApiJson, ApiPath};
use crate::state::AppState;
use axum::Json;
use axum::extract::State;
use domain::chat::Rating;
use domain::ids::SearchId;
use std::sync::Arc;

/// Rates the AI summary of a search of yours; a second rating replaces the first.
#[utoipa::path(post, path = "/svc/rag-search/{id}/rating/", tag = "answers", params(("id" = i64, Path, description = "Id of the search.")),
    request_body(content = Rating, example = json!({"rating": -1, "reasons": ["incomplete"], "comment": ""})), responses(
    (status = 200, description = "Rated.", body = Rating),
    (status = 400, description = "Invalid; the fields are named.", body = ErrorBody),
    (status = 404, description = "Unknown search, or it belongs to someone else.", body = ErrorBody),
    (status = 422, description = "The search has no summary.", body = ErrorBody)))]
pub async fn rate_answer(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    ApiPath(id): ApiPath<i64>,
    ApiJson(rating): ApiJson<Rating>,
) -> Result<Json<Rating>, ApiError> {
    let search = own_search(&state, &caller.principal, SearchId(id)).await?;
    rating.check().into_result(()).map_err(ApiError::invalid)?;
    let Some(answer) = state.federation.reader.saved_summary(&search).await? else {
        return Err(ApiError::with_detail(ErrorCode::Impossible, "This search has no summary to rate."));
    };
    let model = answer.row.additional_content.map(|details| details.ai_model).unwrap_or_default();
    state.store.rate_answer(search.id, &model, rating.clone(), state.clock.now()).await?;
    Ok(Json(rating))
}
