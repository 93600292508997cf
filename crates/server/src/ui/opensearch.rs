//! OpenSearch description, with which browsers add the service as a search engine; public, because browsers load it
//! without a session.

use super::page_context::PageContext;
use crate::error::ApiError;
use crate::links::Links;
use crate::state::AppState;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::sync::Arc;

const CONTENT_TYPE: &str = "application/opensearchdescription+xml";
const CACHE_CONTROL_VALUE: &str = "public, max-age=300";
/// The description is in the language of the browser.
const VARY_VALUE: &str = "accept-language, cookie";

/// The description, with the name of the active branding.
pub async fn description(
    context: PageContext,
    links: Links,
    State(state): State<Arc<AppState>>,
) -> Result<Response, ApiError> {
    let text = state.templates.render("opensearch.xml", &context, json!({"origin": links.origin()}))?;
    let headers = [
        (header::CONTENT_TYPE, CONTENT_TYPE),
        (header::CACHE_CONTROL, CACHE_CONTROL_VALUE),
        (header::VARY, VARY_VALUE),
    ];
    Ok((headers, text).into_response())
}
