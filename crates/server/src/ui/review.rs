//! The review pages: the queue of elections, and one election. JavaScript fills them from the API.

use super::page_context::PageContext;
use crate::error::ApiError;
use crate::extract::ApiPath;
use crate::state::AppState;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use std::sync::Arc;

#[derive(Serialize)]
struct ReviewPage {
    /// The election to show; None: the queue.
    run: Option<i64>,
}

/// Serves the queue page without its data.
pub async fn queue_page(
    context: PageContext,
    State(state): State<Arc<AppState>>,
) -> Result<Response, ApiError> {
    state.templates.render_page(StatusCode::OK, "review.html", &context, ReviewPage { run: None })
}

/// Serves the page of one election. The API checks that it exists and that the user has access.
pub async fn run_page(
    context: PageContext,
    State(state): State<Arc<AppState>>,
    ApiPath(run): ApiPath<i64>,
) -> Result<Response, ApiError> {
    state.templates.render_page(StatusCode::OK, "review.html", &context, ReviewPage { run: Some(run) })
}
