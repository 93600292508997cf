//! The two ways in.

use crate::{Door, Handler, Mcp, McpError};
use rmcp::serve_server;
use rmcp::service::QuitReason;
use rmcp::transport::stdio_pipes;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;

impl Mcp {
    /// Answers the requests of one caller over HTTP; whoever calls this has looked at the caller and at `Origin`.
    ///
    /// Without sessions, an answer is plain JSON, and a stream of events only when the client asked for progress.
    pub fn over_http(
        self: &Arc<Self>,
        door: Arc<dyn Door>,
        body_bytes_max: usize,
    ) -> StreamableHttpService<Handler, NeverSessionManager> {
        let handler = Handler::new(Arc::clone(self), door);
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .disable_allowed_hosts()
            .with_max_request_body_bytes(body_bytes_max);
        StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config)
    }

    /// Serves one client on standard input and output until it leaves.
    pub async fn over_stdio(self: &Arc<Self>, door: Arc<dyn Door>) -> Result<(), McpError> {
        let handler = Handler::new(Arc::clone(self), door);
        let running = serve_server(handler, stdio_pipes())
            .await
            .map_err(|error| McpError::NotBegun(error.to_string()))?;
        match running.waiting().await {
            Ok(QuitReason::JoinError(error)) | Err(error) => Err(McpError::Broken(error.to_string())),
            Ok(_) => Ok(()),
        }
    }
}
