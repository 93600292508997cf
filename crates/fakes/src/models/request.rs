//! A received request to a model service.

use super::refusal::Refusal;
use axum::body::Bytes;
use domain::ports::HttpRequest;
use serde_json::Value;

/// One received request.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    pub method: String,
    /// Not decoded.
    pub path: String,
    /// Decoded.
    pub query: Vec<(String, String)>,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// `Null` if it is not JSON.
    pub body: Value,
    pub raw: Bytes,
}

impl ModelRequest {
    /// A synthetic request.
    pub fn of(request: &HttpRequest) -> Self {
        let secret = request.secret_headers.iter().map(|(name, value)| (name, value.expose()));
        let headers = request.headers.iter().map(|(name, value)| (name, value.as_str())).chain(secret);
        let host = &request.url[url::Position::BeforeHost..url::Position::AfterPort];
        let host = ("host".to_owned(), host.to_owned());
        let raw = request.body.clone().unwrap_or_default();
        Self {
            method: request.method.as_str().to_owned(),
            path: request.url.path().to_owned(),
            query: request.url.query_pairs().into_owned().collect(),
            headers: headers
                .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
                .chain(std::iter::once(host))
                .collect(),
            body: serde_json::from_slice(&raw).unwrap_or_default(),
            raw,
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub fn query_value(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Rejects a request that does not post JSON.
    pub fn check_form(&self) -> Result<(), Refusal> {
        if self.method != "POST" {
            return Err(Refusal::new(405, "the method is not allowed"));
        }
        let is_json = self.header("content-type").is_some_and(|kind| kind.starts_with("application/json"));
        if !is_json || !self.body.is_object() {
            return Err(Refusal::new(400, "the body is not a JSON object"));
        }
        Ok(())
    }
}
