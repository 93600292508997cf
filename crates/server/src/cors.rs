//! Which pages of other origins may call the API. They bring `Authorization`; cookies of ours are not for them.

use crate::request_id;
use axum::http::{HeaderName, HeaderValue, Method, header};
use domain::settings::WebOrigin;
use std::time::Duration;
use tower_http::cors::CorsLayer;

/// How long a browser may remember the answer to its preflight.
const REMEMBERED: Duration = Duration::from_secs(600);

/// What clients of the tools at `/mcp` send beside the others.
const OF_TOOLS: [HeaderName; 3] = [
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
];

/// None when no other origin may.
pub fn layer(origins: &[WebOrigin]) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> = origins.iter().filter_map(|origin| origin.0.parse().ok()).collect();
    if origins.is_empty() {
        return None;
    }
    let layer = CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers(
            [header::AUTHORIZATION, header::CONTENT_TYPE, header::IF_MATCH, request_id::HEADER]
                .into_iter()
                .chain(OF_TOOLS)
                .collect::<Vec<_>>(),
        )
        .expose_headers([header::ETAG, header::LOCATION, header::RETRY_AFTER, request_id::HEADER])
        .max_age(REMEMBERED);
    Some(layer)
}
