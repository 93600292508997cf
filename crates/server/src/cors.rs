//! CORS: which other origins may call the API. They authenticate with `Authorization`, never with cookies.

use crate::{idempotency, request_context};
use axum::http::{HeaderName, HeaderValue, Method, header};
use domain::settings::WebOrigin;
use std::time::Duration;
use tower_http::cors::CorsLayer;
use url::Url;

/// How long a browser may cache the response to a preflight.
const REMEMBERED: Duration = Duration::from_secs(600);

/// Further headers that MCP clients send.
const OF_TOOLS: [HeaderName; 3] = [
    HeaderName::from_static("mcp-protocol-version"),
    HeaderName::from_static("mcp-method"),
    HeaderName::from_static("mcp-name"),
];

/// None if no other origin is allowed.
pub fn layer(origins: &[WebOrigin]) -> Option<CorsLayer> {
    let origins: Vec<HeaderValue> = origins.iter().filter_map(as_browsers_write).collect();
    if origins.is_empty() {
        return None;
    }
    let layer = CorsLayer::new()
        .allow_origin(origins)
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
        .allow_headers(
            [
                header::AUTHORIZATION,
                header::CONTENT_TYPE,
                header::IF_MATCH,
                request_context::HEADER,
                idempotency::KEY,
            ]
            .into_iter()
            .chain(OF_TOOLS)
            .collect::<Vec<_>>(),
        )
        .expose_headers([
            header::ETAG,
            header::LOCATION,
            header::RETRY_AFTER,
            request_context::HEADER,
            idempotency::REPLAYED,
        ])
        .max_age(REMEMBERED);
    Some(layer)
}

/// The origin without a default port, as browsers send it.
fn as_browsers_write(origin: &WebOrigin) -> Option<HeaderValue> {
    Url::parse(&origin.0).ok()?.origin().ascii_serialization().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_with_the_usual_port_is_the_one_without() {
        let written = |text: &str| as_browsers_write(&WebOrigin(text.to_owned()));
        assert_eq!(written("https://app.example:443"), Some(HeaderValue::from_static("https://app.example")));
        assert_eq!(
            written("http://app.example:3000"),
            Some(HeaderValue::from_static("http://app.example:3000"))
        );
    }
}
