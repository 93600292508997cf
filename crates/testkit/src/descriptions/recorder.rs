//! Remembers what a connector sent and what it was answered.

use async_trait::async_trait;
use domain::contracts::{Fetch, FetchError, HttpRequest, HttpResponse};
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// One request and its answer.
#[derive(Debug, Clone, Default)]
pub struct Exchange {
    pub method: String,
    /// Not decoded.
    pub path: String,
    pub query: Vec<(String, String)>,
    /// `Null` when there is none, or it is no JSON.
    pub body: Value,
    /// `Null` when it is no JSON, or not known.
    pub answer: Value,
}

impl Exchange {
    fn of(request: &HttpRequest, response: &HttpResponse) -> Self {
        let body = request.body.as_ref();
        Self {
            method: request.method.as_str().to_owned(),
            path: request.url.path().to_owned(),
            query: request.url.query_pairs().into_owned().collect(),
            body: body.and_then(|body| serde_json::from_slice(body).ok()).unwrap_or_default(),
            answer: serde_json::from_slice(&response.body).unwrap_or_default(),
        }
    }

    /// The parameters as an object of texts.
    pub fn parameters(&self) -> Value {
        self.query.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect()
    }
}

/// Sends by another one; only good answers are remembered.
pub struct Recorder {
    inner: Arc<dyn Fetch>,
    exchanges: Mutex<Vec<Exchange>>,
}

impl Recorder {
    pub fn new(inner: Arc<dyn Fetch>) -> Arc<Self> {
        Arc::new(Self { inner, exchanges: Mutex::default() })
    }

    /// Everything so far; there must be something.
    pub fn exchanges(&self) -> Vec<Exchange> {
        let all = self.exchanges.lock().expect("a list").clone();
        assert!(!all.is_empty(), "nothing was sent");
        all
    }

    /// Those whose path ends so.
    pub fn to(&self, end: &str) -> Vec<Exchange> {
        let found: Vec<Exchange> =
            self.exchanges().into_iter().filter(|one| one.path.ends_with(end)).collect();
        assert!(!found.is_empty(), "nothing was sent to {end}");
        found
    }
}

#[async_trait]
impl Fetch for Recorder {
    async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        let response = self.inner.fetch(request).await?;
        if (200..300).contains(&response.status) {
            self.exchanges.lock().expect("a list").push(Exchange::of(request, &response));
        }
        Ok(response)
    }
}
