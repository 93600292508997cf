//! One MCP session: initialize, then call the tool.
//!
//! The session is not terminated, which would need an HTTP method that the guarded client does not support; servers
//! expire unused sessions.

use super::response::{Reply, failed};
use crate::shared::http_source::HttpSource;
use crate::shared::response;
use domain::ports::{
    ConnectorError, ConnectorErrorKind, HttpRequest, HttpResponse, PluginContext, ProviderQuery,
};
use domain::search::Sort;
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The requested protocol version; the server may choose an older one.
const VERSION: &str = "2025-06-18";
/// Versions with compatible tool calls.
const VERSIONS: [&str; 4] = [VERSION, "2025-03-26", "2025-11-25", "2024-11-05"];
/// Longest session id, in characters.
const SESSION_CHARS_MAX: usize = 512;
/// The ids of the two requests.
const BEGIN_ID: u64 = 1;
const CALL_ID: u64 = 2;

pub struct Session<'a> {
    source: &'a HttpSource,
    context: &'a PluginContext,
    started: Instant,
    time_max: Duration,
    /// Headers of all requests after the initialization.
    session_headers: Vec<(String, String)>,
}

impl<'a> Session<'a> {
    pub fn new(source: &'a HttpSource, context: &'a PluginContext, time_max: Duration) -> Self {
        Self { source, context, started: Instant::now(), time_max, session_headers: Vec::new() }
    }

    pub async fn begin(&mut self) -> Result<(), ConnectorError> {
        let params = json!({
            "protocolVersion": VERSION,
            "capabilities": {},
            "clientInfo": {"name": "tributary", "version": domain::VERSION},
        });
        let message = json!({"jsonrpc": "2.0", "id": BEGIN_ID, "method": "initialize", "params": params});
        let mut reply = self.send(&message, Some(BEGIN_ID)).await?;
        let result = reply.result(BEGIN_ID)?;
        let version = result["protocolVersion"].as_str().unwrap_or_default();
        if !VERSIONS.contains(&version) {
            let sentence = "the server speaks another version of the protocol";
            return Err(ConnectorError::new(ConnectorErrorKind::Unreadable, sentence));
        }
        self.session_headers.push(("MCP-Protocol-Version".to_owned(), version.to_owned()));
        if let Some(session) = reply.header("mcp-session-id") {
            let is_right = session.len() <= SESSION_CHARS_MAX
                && session.bytes().all(|byte| (0x21..=0x7e).contains(&byte));
            if !is_right {
                return Err(ConnectorError::new(
                    ConnectorErrorKind::Unreadable,
                    "the session id is not valid",
                ));
            }
            self.session_headers.push(("Mcp-Session-Id".to_owned(), session.to_owned()));
        }
        let begun = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.send(&begun, None).await.map(drop)
    }

    /// The result of the tool.
    pub async fn call(&self, params: &Value) -> Result<Value, ConnectorError> {
        let message = json!({"jsonrpc": "2.0", "id": CALL_ID, "method": "tools/call", "params": params});
        let mut reply = self.send(&message, Some(CALL_ID)).await?;
        response::beside(reply.bytes_held(), move || reply.result(CALL_ID)).await?
    }

    /// Sends a message and reads until its response has arrived; a stream may continue after that.
    async fn send(&self, message: &Value, id: Option<u64>) -> Result<Reply, ConnectorError> {
        let mut stream = self.context.fetch.stream(&self.request(message)?).await?;
        let mut reply = Reply::new(HttpResponse {
            status: stream.status,
            headers: stream.headers,
            body: Default::default(),
        });
        while let Some(piece) = stream.body.next().await {
            reply.add(&piece?)?;
            if id.is_some_and(|id| reply.holds(id)) {
                break;
            }
        }
        failed(&reply, self.context.clock.now()).map_or(Ok(reply), Err)
    }

    fn request(&self, message: &Value) -> Result<HttpRequest, ConnectorError> {
        let query = ProviderQuery {
            text: "",
            sort: Sort::Relevancy,
            page: 0,
            results_wanted: 1,
            asker: domain::ids::UserId(1),
            topic: domain::corpus::Topic::default(),
            vector: None,
            time_max: self.time_max.saturating_sub(self.started.elapsed()),
        };
        let mut request = self.source.post(&query, message.to_string().as_bytes())?;
        request.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("accept"));
        request.headers.push(("Accept".to_owned(), "application/json, text/event-stream".to_owned()));
        request.headers.extend(self.session_headers.iter().cloned());
        Ok(request)
    }
}
