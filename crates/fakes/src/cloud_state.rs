//! State shared by the fake cloud services: access tokens, the last parsed query, and responses.

use super::access_tokens::{AccessTokens, Refusal, Rejection};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard};

/// Clones share one state.
#[derive(Clone)]
pub struct CloudState {
    inner: Arc<Mutex<Inner>>,
}

pub struct Inner {
    pub access_tokens: AccessTokens,
    /// The last query, as parsed by the service.
    pub seen: Option<String>,
    /// A link that responses contain from now on.
    pub link: Option<String>,
    pub now_open: usize,
    pub most_open: usize,
}

impl CloudState {
    pub fn new(scopes: &[&str]) -> Self {
        let inner = Inner {
            access_tokens: AccessTokens::new(scopes),
            seen: None,
            link: None,
            now_open: 0,
            most_open: 0,
        };
        Self { inner: Arc::new(Mutex::new(inner)) }
    }

    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("the lock")
    }

    pub fn seen(&self) -> impl Fn() -> Option<String> + Send + Sync + use<> {
        let state = self.clone();
        move || state.lock().seen.clone()
    }

    /// Rejects the next request with this status.
    pub fn refuse(&self, status: u16, retry_after: Option<u32>) {
        self.lock().access_tokens.refuse(Refusal { status, retry_after, location: None });
    }

    /// Redirects the next request.
    pub fn redirect(&self, location: &str) {
        let location = Some(location.to_owned());
        self.lock().access_tokens.refuse(Refusal { status: 307, retry_after: None, location });
    }

    pub fn requests(&self) -> usize {
        self.lock().access_tokens.requests()
    }

    /// Admits a request, or returns the response that rejects it; `told` formats it like the service.
    pub fn admit(
        &self,
        headers: &HeaderMap,
        scope: &'static str,
        told: impl Fn(u16, Option<&'static str>) -> Value,
    ) -> Result<(), Box<Response>> {
        let rejection = match self.lock().access_tokens.admit(headers, scope) {
            Ok(()) => return Ok(()),
            Err(rejection) => rejection,
        };
        let answer = match rejection {
            Rejection::UnknownToken => json_of(401, &told(401, None)),
            Rejection::MissingScope(scope) => json_of(403, &told(403, Some(scope))),
            Rejection::OnDemand(refusal) => {
                let mut answer = json_of(refusal.status, &told(refusal.status, None));
                let headers = answer.headers_mut();
                if let Some(rest) = refusal.retry_after {
                    headers.insert("retry-after", rest.into());
                }
                if let Some(location) = refusal.location {
                    headers.insert("location", location.parse().expect("a location"));
                }
                answer
            }
        };
        Err(Box::new(answer))
    }
}

pub fn json_of(status: u16, body: &Value) -> Response {
    let status = StatusCode::from_u16(status).expect("a status");
    (status, [("content-type", "application/json")], body.to_string()).into_response()
}

/// The name of the first unknown member.
pub fn unknown_member<'a>(value: &'a Value, known: &[&str]) -> Option<&'a str> {
    match value.as_object() {
        Some(object) => object.keys().map(String::as_str).find(|name| !known.contains(name)),
        None => Some("an object is needed"),
    }
}

pub fn is_json(headers: &HeaderMap) -> bool {
    headers.get("content-type").is_some_and(|value| value.as_bytes().starts_with(b"application/json"))
}
