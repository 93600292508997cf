//! Confirmation page for a search that another site started: nothing is created until the user agrees.

use super::page_context::PageContext;
use crate::auth::NeedsConfirmation;
use crate::error::ApiError;
use crate::state::AppState;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::Response;
use serde::Serialize;
use std::sync::Arc;

/// Most parameters that are forwarded; more than any of our own links has.
const FIELDS_MAX: usize = 50;

#[derive(Serialize)]
struct ConfirmSearchPage {
    /// The query.
    query: String,
    /// Target of the form: the requested path.
    action: String,
    /// Its parameters.
    fields: Vec<(String, String)>,
}

/// Middleware that shows the confirmation page in place of a response to a request marked [`NeedsConfirmation`].
pub async fn confirm_search(
    State(state): State<Arc<AppState>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    if request.extensions().get::<NeedsConfirmation>().is_none() {
        return Ok(next.run(request).await);
    }
    let (mut parts, _) = request.into_parts();
    show(&state, &mut parts).await
}

async fn show(state: &Arc<AppState>, parts: &mut Parts) -> Result<Response, ApiError> {
    let context = PageContext::from_request_parts(parts, state).await?;
    let given = parts.uri.query().unwrap_or_default();
    let fields: Vec<(String, String)> =
        url::form_urlencoded::parse(given.as_bytes()).into_owned().take(FIELDS_MAX).collect();
    let query = fields.iter().find(|(name, _)| name == "q" || name == "qs").map(|(_, text)| text.clone());
    let page =
        ConfirmSearchPage { query: query.unwrap_or_default(), action: parts.uri.path().to_owned(), fields };
    state.templates.render_page(StatusCode::OK, "confirm_search.html", &context, page)
}
