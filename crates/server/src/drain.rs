//! A process that is about to stop: it calls itself not ready, and every answer ends its connection.

use crate::AppState;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Version, header};
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the process is about to stop. There is no way back.
#[derive(Debug, Default)]
pub struct Drain(AtomicBool);

impl Drain {
    pub fn begin(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn has_begun(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A kept connection would be closed under the client's next request; so the client is told to open another.
pub async fn end_connection(State(state): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    // HTTP/2 has no such header; the graceful stop says goodbye there.
    let is_http_1 = request.version() <= Version::HTTP_11;
    let mut response = next.run(request).await;
    if is_http_1 && state.drain.has_begun() {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
