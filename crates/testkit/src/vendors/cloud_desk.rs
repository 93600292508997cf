//! What the stand-ins of cloud services share: their callers, the last text that they understood, their answers.

use super::callers::{Callers, Refusal, Turned};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::sync::{Arc, Mutex, MutexGuard};

/// Clones share one desk.
#[derive(Clone)]
pub struct CloudDesk {
    inner: Arc<Mutex<Inner>>,
}

pub struct Inner {
    pub callers: Callers,
    /// The words of the last question, as the service's own language understood them.
    pub seen: Option<String>,
    /// A link that answers hold from now on.
    pub link: Option<String>,
    pub now_open: usize,
    pub most_open: usize,
}

impl CloudDesk {
    pub fn new(scopes: &[&str]) -> Self {
        let inner =
            Inner { callers: Callers::new(scopes), seen: None, link: None, now_open: 0, most_open: 0 };
        Self { inner: Arc::new(Mutex::new(inner)) }
    }

    pub fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("a desk")
    }

    pub fn seen(&self) -> impl Fn() -> Option<String> + Send + Sync + use<> {
        let desk = self.clone();
        move || desk.lock().seen.clone()
    }

    /// The next request is refused with this status.
    pub fn refuse(&self, status: u16, retry_after: Option<u32>) {
        self.lock().callers.refuse(Refusal { status, retry_after, location: None });
    }

    /// The next request is sent elsewhere.
    pub fn redirect(&self, location: &str) {
        let location = Some(location.to_owned());
        self.lock().callers.refuse(Refusal { status: 307, retry_after: None, location });
    }

    pub fn requests(&self) -> usize {
        self.lock().callers.requests()
    }

    /// Lets a caller in, or gives the answer that turns it away; `told` writes it as the service does.
    pub fn admit(
        &self,
        headers: &HeaderMap,
        scope: &'static str,
        told: impl Fn(u16, Option<&'static str>) -> Value,
    ) -> Result<(), Box<Response>> {
        let turned = match self.lock().callers.admit(headers, scope) {
            Ok(()) => return Ok(()),
            Err(turned) => turned,
        };
        let answer = match turned {
            Turned::UnknownToken => json_of(401, &told(401, None)),
            Turned::MissingScope(scope) => json_of(403, &told(403, Some(scope))),
            Turned::OnDemand(refusal) => {
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

/// The object without members that are not known; the name of one that is not.
pub fn unknown_member<'a>(value: &'a Value, known: &[&str]) -> Option<&'a str> {
    match value.as_object() {
        Some(object) => object.keys().map(String::as_str).find(|name| !known.contains(name)),
        None => Some("an object is needed"),
    }
}

pub fn is_json(headers: &HeaderMap) -> bool {
    headers.get("content-type").is_some_and(|value| value.as_bytes().starts_with(b"application/json"))
}
