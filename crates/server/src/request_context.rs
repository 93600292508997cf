//! Middleware for the request id, the access log and the headers of every response.

use crate::auth::{RequestUser, random_hex};
use crate::error::{self, ApiError};
use crate::security_headers;
use axum::body::{Body, HttpBody};
use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use futures_util::StreamExt;
use futures_util::stream;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tracing::{Instrument, Span};

pub const HEADER: HeaderName = HeaderName::from_static("x-request-id");
const ID_CHARS_MAX: usize = 64;
/// Keeps proxies such as nginx from buffering the events of a stream.
const ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Routes that probes and scrapers request every few seconds.
const PROBED: [&str; 5] =
    ["/svc/health/live/", "/svc/health/ready/", "/svc/health/tasks/", "/svc/metrics/tasks/", "/metrics/"];

/// The id, in the extensions of every request.
#[derive(Debug, Clone)]
pub struct RequestId(pub String);

/// The outermost layer after routing, so that the matched path is known.
pub async fn layer(mut request: Request, next: Next) -> Response {
    let id = client_id(request.headers()).unwrap_or_else(random_hex);
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |path| path.as_str().to_owned());
    request.extensions_mut().insert(RequestId(id.clone()));
    // The guard knows the trusted proxies and records the address.
    let span = tracing::info_span!("request", request.id = %id, client.address = tracing::field::Empty);
    let started = Instant::now();
    let answering = next.run(request).instrument(span.clone());
    let id: Arc<str> = id.into();
    let mut response = domain::request_context::within_request(Arc::clone(&id), answering).await;
    span.in_scope(|| log(method.as_str(), &route, &response, started));
    add_headers(response.headers_mut(), &id);
    error::finish(response, &id).map(|body| match body.size_hint().exact() {
        Some(_) => body,
        None => streamed(body, span, id),
    })
}

/// A body that is made while it is sent: what happens meanwhile belongs to the request.
fn streamed(body: Body, span: Span, id: Arc<str>) -> Body {
    let mut parts = body.into_data_stream();
    Body::from_stream(stream::poll_fn(move |cx| {
        let _entered = span.enter();
        domain::request_context::step_within_request(&id, || parts.poll_next_unpin(cx))
    }))
}

/// The client's own id, if it is short and safe in a log.
fn client_id(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(&HEADER)?.to_str().ok()?;
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    ((1..=ID_CHARS_MAX).contains(&text.len()) && text.chars().all(is_safe)).then(|| text.to_owned())
}

/// Writes the access log line, without the query string. The cause of a failure is logged only here. Successful probes
/// and scrapes are logged at debug level.
fn log(method: &str, route: &str, response: &Response, started: Instant) {
    let status = response.status().as_u16();
    let duration_ms = milliseconds(started.elapsed());
    let user = response.extensions().get::<RequestUser>().map_or("-", |user| user.0.as_str());
    let error = response.extensions().get::<ApiError>();
    macro_rules! line {
        ($level:ident, $($more:tt)*) => {
            tracing::$level!(
                http.method = method,
                http.route = route,
                http.status = status,
                duration_ms,
                user,
                $($more)*
            )
        };
    }
    match error.and_then(ApiError::cause) {
        Some(cause) => line!(error, cause, "{method} {route} failed with {status}: {cause}"),
        None if status == StatusCode::TOO_MANY_REQUESTS.as_u16() => {
            line!(info, "Throttled: {method} {route} answered {status}");
        }
        None if response.status().is_success() && PROBED.contains(&route) => {
            line!(debug, "{method} {route} answered {status}");
        }
        None => line!(info, "{method} {route} answered {status}"),
    }
}

/// Rounded to microseconds, so that a line has at most three decimals.
fn milliseconds(took: Duration) -> f64 {
    let micros = took.as_nanos().saturating_add(500) / 1000;
    micros as f64 / 1000.0
}

fn add_headers(headers: &mut HeaderMap, id: &str) {
    if let Ok(value) = HeaderValue::from_str(id) {
        headers.insert(HEADER, value);
    }
    security_headers::set(headers);
    let is_stream = headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"));
    if is_stream {
        headers.insert(ACCEL_BUFFERING, HeaderValue::from_static("no"));
    }
    // Responses are private unless they say otherwise.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_safe_client_id_is_kept() {
        let longest = "a".repeat(ID_CHARS_MAX);
        let too_long = "a".repeat(ID_CHARS_MAX + 1);
        let table = [
            ("abc-1_2.3", true),
            (longest.as_str(), true),
            (too_long.as_str(), false),
            ("", false),
            ("a b", false),
            ("a\"b", false),
        ];
        for (text, kept) in table {
            let mut headers = HeaderMap::new();
            headers.insert(HEADER, HeaderValue::from_str(text).expect("a header"));
            assert_eq!(client_id(&headers).is_some(), kept, "{text}");
        }
        assert_eq!(client_id(&HeaderMap::new()), None);
    }

    #[test]
    fn times_have_three_decimals() {
        for (nanos, shown) in [
            (0, "0"),
            (499, "0"),
            (132_640, "0.133"),
            (132_641, "0.133"),
            (1_500_000, "1.5"),
            (2_000_000, "2"),
            (60_123_456_789, "60123.457"),
        ] {
            assert_eq!(milliseconds(Duration::from_nanos(nanos)).to_string(), shown, "{nanos}");
        }
    }
}
