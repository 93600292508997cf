//! Records the requests of a connector and their responses.

use async_trait::async_trait;
use domain::ports::{Fetch, FetchError, HttpRequest, HttpResponse};
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// One request and its response.
#[derive(Debug, Clone, Default)]
pub struct Exchange {
    pub method: String,
    /// Not decoded.
    pub path: String,
    pub query: Vec<(String, String)>,
    /// `Null` if there is none, or if it is not JSON.
    pub body: Value,
    /// `Null` if it is not JSON, or unknown.
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

    /// The parameters as an object of strings.
    pub fn parameters(&self) -> Value {
        self.query.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect()
    }
}

/// Sends with another fetcher; only successful responses are recorded.
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

    /// Those whose path has this suffix.
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
