//! Generic fake JSON API: parses and counts requests, writes responses, and throttles on demand.

use super::http_listener::HttpListener;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// The `Retry-After` of a throttled response, in seconds.
pub const RETRY_AFTER_S: u64 = 7;

/// One parsed request.
pub struct FakeRequest {
    pub method: String,
    /// The decoded path segments.
    pub path: Vec<String>,
    pub query: Vec<(String, String)>,
    headers: HeaderMap,
    /// `Null` if there is none.
    pub body: Value,
}

impl FakeRequest {
    /// A request without headers, for the tests of a fake.
    #[cfg(test)]
    pub(super) fn of(route: &str, body: Value) -> Self {
        let (method, path) = route.split_once(" /").expect("a method and a path");
        Self {
            method: method.to_owned(),
            path: path.split('/').map(str::to_owned).collect(),
            query: Vec::new(),
            headers: HeaderMap::new(),
            body,
        }
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// Method and path segments, to match on.
    pub fn route(&self) -> (&str, Vec<&str>) {
        (self.method.as_str(), self.path.iter().map(String::as_str).collect())
    }
}

/// A status and a body; a string is sent as plain text.
pub type FakeResponse = (u16, Value);
pub type Handler<S> = fn(&mut S, &FakeRequest) -> FakeResponse;

/// A fake server with its state.
pub struct FakeServer<S> {
    pub listener: HttpListener,
    inner: Arc<Mutex<Inner<S>>>,
}

struct Inner<S> {
    state: S,
    answer: Handler<S>,
    requests: usize,
    /// Number of requests to answer with 429.
    throttled: usize,
}

impl<S: Send + 'static> FakeServer<S> {
    pub async fn start(state: S, answer: Handler<S>) -> Self {
        let inner = Arc::new(Mutex::new(Inner { state, answer, requests: 0, throttled: 0 }));
        let router = Router::new().fallback(serve::<S>).with_state(Arc::clone(&inner));
        Self { listener: HttpListener::start(router).await, inner }
    }

    pub fn requests(&self) -> usize {
        self.inner.lock().expect("the lock").requests
    }

    /// Answers the next request with 429.
    pub fn throttle(&self) {
        self.inner.lock().expect("the lock").throttled += 1;
    }

    pub fn with<T>(&self, work: impl FnOnce(&mut S) -> T) -> T {
        work(&mut self.inner.lock().expect("the lock").state)
    }
}

/// The first unknown member of an object.
pub fn unknown<'a>(body: &'a Value, known: &[&str]) -> Option<&'a str> {
    body.as_object()?.keys().map(String::as_str).find(|key| !known.contains(key))
}

/// A list of numbers; `None` for anything else.
pub fn vector(value: Option<&Value>) -> Option<Vec<f32>> {
    let numbers = value?.as_array()?.iter();
    #[expect(clippy::cast_possible_truncation, reason = "a vector was made of such numbers")]
    let numbers = numbers.map(|number| number.as_f64().map(|number| number as f32));
    numbers.collect()
}

async fn serve<S: Send + 'static>(
    State(inner): State<Arc<Mutex<Inner<S>>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let mut inner = inner.lock().expect("the lock");
    inner.requests += 1;
    if inner.throttled > 0 {
        inner.throttled -= 1;
        let wait = RETRY_AFTER_S.to_string();
        return (StatusCode::TOO_MANY_REQUESTS, [("Retry-After", wait)], "slow down").into_response();
    }
    let is_json = headers
        .get("content-type")
        .and_then(|value| value.to_str().ok())
        .is_some_and(|kind| kind.starts_with("application/json"));
    if !body.is_empty() && !is_json {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let body = match (body.is_empty(), serde_json::from_slice(&body)) {
        (true, _) => Value::Null,
        (false, Ok(body)) => body,
        (false, Err(error)) => {
            return (StatusCode::BAD_REQUEST, json!({"message": error.to_string()}).to_string())
                .into_response();
        }
    };
    let url = url::Url::parse(&format!("http://fake{uri}")).expect("an address");
    let parts = url.path_segments().into_iter().flatten();
    let decoded = parts.map(percent_decoded).collect();
    let request = FakeRequest {
        method: method.to_string(),
        path: decoded,
        query: url.query_pairs().into_owned().collect(),
        headers,
        body,
    };
    let answer = inner.answer;
    let (status, body) = answer(&mut inner.state, &request);
    let status = StatusCode::from_u16(status).expect("a status");
    match body {
        Value::String(text) => (status, text).into_response(),
        body => (status, [("content-type", "application/json")], body.to_string()).into_response(),
    }
}

/// Decodes a path segment. In a form a plus is a space, so it is escaped first.
fn percent_decoded(part: &str) -> String {
    let form = format!("x={}", part.replace('+', "%2B").replace('&', "%26"));
    let value = url::form_urlencoded::parse(form.as_bytes()).next();
    value.map(|(_, value)| value.into_owned()).unwrap_or_default()
}
