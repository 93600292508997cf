//! The desk of a stand-in that speaks JSON: requests are read and counted, answers written, a rest asked for on demand.

use super::stand::Stand;
use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

/// What the next requests are told to wait, in seconds.
pub const RETRY_AFTER_S: u64 = 7;

/// One request, taken apart.
pub struct Asked {
    pub method: String,
    /// The parts of the path, decoded.
    pub path: Vec<String>,
    pub query: Vec<(String, String)>,
    headers: HeaderMap,
    /// `Null` when there is none.
    pub body: Value,
}

impl Asked {
    /// A request for the tests of a stand-in, without headers.
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

    /// Method and parts of the path, to match on.
    pub fn route(&self) -> (&str, Vec<&str>) {
        (self.method.as_str(), self.path.iter().map(String::as_str).collect())
    }
}

/// A status and a body; a text is sent as it is.
pub type Answered = (u16, Value);
pub type Answer<S> = fn(&mut S, &Asked) -> Answered;

/// A stand-in with what it knows.
pub struct Desk<S> {
    pub stand: Stand,
    inner: Arc<Mutex<Inner<S>>>,
}

struct Inner<S> {
    state: S,
    answer: Answer<S>,
    requests: usize,
    /// Requests that are still to be answered with 429.
    throttled: usize,
}

impl<S: Send + 'static> Desk<S> {
    pub async fn start(state: S, answer: Answer<S>) -> Self {
        let inner = Arc::new(Mutex::new(Inner { state, answer, requests: 0, throttled: 0 }));
        let router = Router::new().fallback(serve::<S>).with_state(Arc::clone(&inner));
        Self { stand: Stand::start(router).await, inner }
    }

    pub fn requests(&self) -> usize {
        self.inner.lock().expect("a desk").requests
    }

    /// The next request is answered with 429.
    pub fn throttle(&self) {
        self.inner.lock().expect("a desk").throttled += 1;
    }

    pub fn with<T>(&self, work: impl FnOnce(&mut S) -> T) -> T {
        work(&mut self.inner.lock().expect("a desk").state)
    }
}

/// The first member of an object that is not known there.
pub fn unknown<'a>(body: &'a Value, known: &[&str]) -> Option<&'a str> {
    body.as_object()?.keys().map(String::as_str).find(|key| !known.contains(key))
}

/// A list of numbers; none when it is something else.
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
    let mut inner = inner.lock().expect("a desk");
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
    let url = url::Url::parse(&format!("http://stand{uri}")).expect("an address");
    let parts = url.path_segments().into_iter().flatten();
    let decoded = parts.map(percent_decoded).collect();
    let asked = Asked {
        method: method.to_string(),
        path: decoded,
        query: url.query_pairs().into_owned().collect(),
        headers,
        body,
    };
    let answer = inner.answer;
    let (status, body) = answer(&mut inner.state, &asked);
    let status = StatusCode::from_u16(status).expect("a status");
    match body {
        Value::String(text) => (status, text).into_response(),
        body => (status, [("content-type", "application/json")], body.to_string()).into_response(),
    }
}

/// A part of a path. In a form a plus is a space, so that it is kept from being read as one.
fn percent_decoded(part: &str) -> String {
    let form = format!("x={}", part.replace('+', "%2B").replace('&', "%26"));
    let value = url::form_urlencoded::parse(form.as_bytes()).next();
    value.map(|(_, value)| value.into_owned()).unwrap_or_default()
}
