//! API documentation: the OpenAPI document, and the page that shows it.

use crate::error::ApiError;
use crate::state::AppState;
use crate::ui::PageContext;
use crate::ui::assets::takes_gzip;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Map;
use std::sync::Arc;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub fn router() -> OpenApiRouter<Arc<AppState>> {
    OpenApiRouter::new().routes(routes!(schema)).routes(routes!(page))
}

/// The OpenAPI document.
#[utoipa::path(get, path = "/svc/api/schema/", tag = "service", operation_id = "schema",
    responses((status = 200, description = "This document.", content_type = "application/json", body = Object)))]
async fn schema(State(state): State<Arc<AppState>>, headers: HeaderMap) -> Response {
    let common = [(header::CONTENT_TYPE, "application/json"), (header::VARY, "accept-encoding")];
    match takes_gzip(&headers).then(|| state.document.compressed()).flatten() {
        Some(bytes) => (common, [(header::CONTENT_ENCODING, "gzip")], bytes).into_response(),
        None => (common, state.document.bytes()).into_response(),
    }
}

/// The interactive documentation.
#[utoipa::path(get, path = "/svc/api/docs/", tag = "service", operation_id = "docs",
    responses((status = 200, description = "A page.", content_type = "text/html", body = String)))]
async fn page(context: PageContext, State(state): State<Arc<AppState>>) -> Result<Response, ApiError> {
    state.templates.render_page(StatusCode::OK, "api_docs.html", &context, Map::new())
}
