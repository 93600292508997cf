//! Confirmation page for a search that another site or a shared link requested: nothing is created until the user
//! agrees.

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
    /// Whether the request came from a link to a list that the user cannot open.
    is_shared: bool,
}

impl ConfirmSearchPage {
    fn new(action: &str, fields: Vec<(String, String)>) -> Self {
        let query = fields.iter().find(|(name, _)| name == "q" || name == "qs").map(|(_, text)| text.clone());
        Self { query: query.unwrap_or_default(), action: action.to_owned(), fields, is_shared: false }
    }

    fn render(self, state: &AppState, context: &PageContext) -> Result<Response, ApiError> {
        state.templates.render_page(StatusCode::OK, "confirm_search.html", context, self)
    }
}

/// Offers to run the search of a list that the user cannot open.
pub fn offer_search(
    state: &AppState,
    context: &PageContext,
    fields: Vec<(String, String)>,
) -> Result<Response, ApiError> {
    ConfirmSearchPage { is_shared: true, ..ConfirmSearchPage::new("/", fields) }.render(state, context)
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
    ConfirmSearchPage::new(parts.uri.path(), fields).render(state, &context)
}
