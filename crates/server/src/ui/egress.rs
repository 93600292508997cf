//! The egress page: scans of the user's sent mail and the documents they found. JavaScript fills it from the API.

use super::page_context::PageContext;
use crate::error::ApiError;
use crate::state::AppState;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Map;
use std::sync::Arc;

/// Serves the page without its data.
pub async fn egress_page(
    context: PageContext,
    State(state): State<Arc<AppState>>,
) -> Result<Response, ApiError> {
    state.templates.render_page(StatusCode::OK, "egress.html", &context, Map::new())
}
