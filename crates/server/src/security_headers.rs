//! The headers that protect every answer, whichever layer gives it.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;

/// - *Resource policy*: pages and answers are loaded by our own pages only. A call that `SVC_CORS_ORIGINS` allows is not
///   touched by this: it concerns loads that know nothing of CORS, such as images and scripts.
/// - *Opener policy*: a page that opens ours, or that ours opens, has no hold on it.
/// - *Permissions policy*: what a browser may do for other sites is nothing that our pages need.
const HEADERS: [(&str, &str); 6] = [
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
    ("referrer-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "permissions-policy",
        "accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()",
    ),
];

/// Sets them for an answer of a route.
pub fn set(headers: &mut HeaderMap) {
    for (name, value) in HEADERS {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
}

/// Adds those that are missing: answers of outer layers, such as those to preflights, come past the routes.
pub async fn complete(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        let entry = response.headers_mut().entry(HeaderName::from_static(name));
        entry.or_insert(HeaderValue::from_static(value));
    }
    response
}

/// As they stand in an answer that is written by hand.
pub fn lines() -> String {
    HEADERS.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect()
}
