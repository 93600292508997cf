//! An HTTP client that answers with the sample response of a source, whatever its connector sends.

use async_trait::async_trait;
use domain::ports::{Fetch, FetchError, HttpMethod, HttpRequest, HttpResponse};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// A sample response: as it comes over HTTP, or the rows that a connector collects from several responses.
pub enum Sample {
    Http(HttpResponse),
    Rows(Vec<Value>),
}

/// Answers the requests of one connector.
pub struct SampleFetch {
    connector: String,
    sample: Sample,
    is_sent: AtomicBool,
}

impl SampleFetch {
    pub fn new(connector: &str, sample: Sample) -> Self {
        Self { connector: connector.to_owned(), sample, is_sent: AtomicBool::new(false) }
    }

    /// What some connectors ask for before the query itself.
    fn preliminary(&self, request: &HttpRequest) -> Option<HttpResponse> {
        let host = request.url.host_str().unwrap_or_default();
        match (self.connector.as_str(), request.method) {
            ("Chroma", HttpMethod::Get) => Some(as_json(&json!({"id": "7"}))),
            ("PineconeDB", HttpMethod::Get) => Some(as_json(&json!({"host": host}))),
            ("OpenSearchDescription", _) if !request.url.as_str().contains("sample-query") => {
                let template = format!("https://{host}/sample-query?q={{searchTerms}}");
                let body = format!(
                    r#"<OpenSearchDescription xmlns="http://a9.com/-/spec/opensearch/1.1/">
                    <Url type="application/atom+xml" template="{template}"/></OpenSearchDescription>"#
                );
                let headers = vec![("content-type".to_owned(), "application/xml".to_owned())];
                Some(HttpResponse { status: 200, headers, body: body.into() })
            }
            _ => None,
        }
    }

    /// The response of the service that these rows come from.
    fn response_of(&self, rows: &[Value], request: &HttpRequest) -> Value {
        let path = request.url.path();
        match self.connector.as_str() {
            "Dropbox" => json!({"matches": rows}),
            "GoogleDrive" => json!({"files": rows}),
            "GoogleCalendar" => json!({"items": rows}),
            "Gmail" => {
                let is_it = |row: &&Value| row["id"].as_str().is_some_and(|id| path.ends_with(id));
                rows.iter().find(is_it).cloned().unwrap_or_else(|| json!({"messages": rows}))
            }
            "McpTool" => {
                let message: Value = serde_json::from_slice(request.body.as_deref().unwrap()).unwrap();
                let result = match message["method"].as_str() {
                    Some("initialize") => json!({"protocolVersion": "2025-06-18"}),
                    _ => rows[0].clone(),
                };
                json!({"jsonrpc": "2.0", "id": message["id"], "result": result})
            }
            other => panic!("{other} sends no request over HTTP: {request:?}"),
        }
    }
}

fn as_json(body: &Value) -> HttpResponse {
    let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
    HttpResponse { status: 200, headers, body: body.to_string().into() }
}

#[async_trait]
impl Fetch for SampleFetch {
    async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        if let Some(response) = self.preliminary(request) {
            return Ok(response);
        }
        match &self.sample {
            Sample::Rows(rows) => Ok(as_json(&self.response_of(rows, request))),
            // The sample is one page; a connector that follows cursors asks for more.
            Sample::Http(_) if self.is_sent.swap(true, Ordering::SeqCst) => {
                Err(FetchError::Timeout { host: "the sample".to_owned() })
            }
            Sample::Http(http) => Ok(http.clone()),
        }
    }
}
