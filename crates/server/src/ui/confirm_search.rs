//! Asks before a search that a page of another site has begun: nothing is created until the user agrees.

use super::frame::Frame;
use crate::AppState;
use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use serde::Serialize;
use std::sync::Arc;

/// Parameters that are sent on; more than any link of ours has.
const FIELDS_MAX: usize = 50;

#[derive(Serialize)]
struct ConfirmSearchPage {
    /// What would be searched for.
    query: String,
    /// Where the form leads: the address that was asked for.
    action: String,
    /// Its parameters.
    fields: Vec<(String, String)>,
}

/// The page for the request that would begin the search.
pub async fn confirm_search(state: &Arc<AppState>, parts: &mut Parts) -> Result<Response, ApiError> {
    let frame = Frame::from_request_parts(parts, state).await?;
    let given = parts.uri.query().unwrap_or_default();
    let fields: Vec<(String, String)> =
        url::form_urlencoded::parse(given.as_bytes()).into_owned().take(FIELDS_MAX).collect();
    let query = fields.iter().find(|(name, _)| name == "q" || name == "qs").map(|(_, text)| text.clone());
    let page =
        ConfirmSearchPage { query: query.unwrap_or_default(), action: parts.uri.path().to_owned(), fields };
    state.pages.show(StatusCode::OK, "confirm_search.html", &frame, page)
}
