//! The pages of elections: the queue of those that wait for a decision, and one of them. Modules fill them from the API.

use super::frame::Frame;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::ApiPath;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Serialize;
use std::sync::Arc;

#[derive(Serialize)]
struct ReviewPage {
    /// The election that the page is about; None: the queue.
    run: Option<i64>,
}

/// The frame of the queue; what is in it is read by the browser.
pub async fn queue_page(frame: Frame, State(state): State<Arc<AppState>>) -> Result<Response, ApiError> {
    state.pages.show(StatusCode::OK, "review.html", &frame, ReviewPage { run: None })
}

/// The frame of one election. Whether there is such a one for the reader, the API says.
pub async fn run_page(
    frame: Frame,
    State(state): State<Arc<AppState>>,
    ApiPath(run): ApiPath<i64>,
) -> Result<Response, ApiError> {
    state.pages.show(StatusCode::OK, "review.html", &frame, ReviewPage { run: Some(run) })
}
