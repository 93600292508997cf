//! The page of what one sent outside: scans of one's own sent mail, and the documents that they found. Modules fill it
//! from the API.

use super::frame::Frame;
use crate::AppState;
use crate::error::ApiError;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::Map;
use std::sync::Arc;

/// The frame of the page; what is in it is read by the browser.
pub async fn egress_page(frame: Frame, State(state): State<Arc<AppState>>) -> Result<Response, ApiError> {
    state.pages.show(StatusCode::OK, "egress.html", &frame, Map::new())
}
