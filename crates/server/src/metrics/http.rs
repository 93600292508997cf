//! Middleware that counts requests by route and status.

use super::labels::{HttpLabels, RouteLabels};
use crate::state::AppState;
use axum::extract::{MatchedPath, Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use std::sync::Arc;
use std::time::Instant;

/// Methods with their own label; clients may invent others.
const METHODS: [Method; 7] =
    [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];

/// A layer after routing, so that the matched path is known.
pub async fn count(State(state): State<Arc<AppState>>, request: Request, next: Next) -> Response {
    let method = label_of(request.method());
    let route = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str).to_owned();
    let started = Instant::now();
    let response = next.run(request).await;
    let metrics = &state.metrics;
    let labels = HttpLabels { method, route: route.clone(), status: response.status().as_u16() };
    metrics.http_requests.get_or_create(&labels).inc();
    metrics
        .http_seconds
        .get_or_create(&RouteLabels { method, route })
        .observe(started.elapsed().as_secs_f64());
    response
}

fn label_of(method: &Method) -> &'static str {
    const NAMES: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
    METHODS.iter().position(|known| known == method).map_or("other", |place| NAMES[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invented_method_makes_no_label() {
        for known in METHODS {
            assert_eq!(label_of(&known), known.as_str());
        }
        let invented = Method::from_bytes(b"BREW").expect("a method");
        assert_eq!(label_of(&invented), "other");
    }
}
