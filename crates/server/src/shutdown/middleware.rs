//! Middleware that closes connections during a shutdown.

use crate::state::AppState;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Version, header};
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;

/// Middleware that makes clients open a new connection: the present one would be closed during their next request.
pub async fn end_connection(State(state): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    // HTTP/2 has no such header; its graceful shutdown has the same effect.
    let is_http_1 = request.version() <= Version::HTTP_11;
    let mut response = next.run(request).await;
    if is_http_1 && state.shutdown.has_begun() {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
