//! The account page: profile, tokens, connections and preferences. JavaScript fills it from the API.

use super::page_context::PageContext;
use crate::error::ApiError;
use crate::state::AppState;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Map;
use std::sync::Arc;

/// Serves the page without its data.
pub async fn account_page(
    context: PageContext,
    State(state): State<Arc<AppState>>,
) -> Result<Response, ApiError> {
    state.templates.render_page(StatusCode::OK, "account.html", &context, Map::new())
}
