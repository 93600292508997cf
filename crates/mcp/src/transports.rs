//! The transports: streamable HTTP and stdio.

use crate::{CallerContext, Handler, Mcp, McpError};
use rmcp::serve_server;
use rmcp::service::QuitReason;
use rmcp::transport::stdio_pipes;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;

impl Mcp {
    /// The HTTP service of one caller. The caller and `Origin` have already been checked.
    ///
    /// Without sessions, a response is plain JSON, or an event stream if the client requested progress.
    pub fn over_http(
        self: &Arc<Self>,
        caller: Arc<dyn CallerContext>,
        body_bytes_max: usize,
    ) -> StreamableHttpService<Handler, NeverSessionManager> {
        let handler = Handler::new(Arc::clone(self), caller);
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .disable_allowed_hosts()
            .with_max_request_body_bytes(body_bytes_max);
        StreamableHttpService::new(move || Ok(handler.clone()), Arc::default(), config)
    }

    /// Serves one client on stdin and stdout until it disconnects.
    pub async fn over_stdio(self: &Arc<Self>, caller: Arc<dyn CallerContext>) -> Result<(), McpError> {
        let handler = Handler::new(Arc::clone(self), caller);
        let running = serve_server(handler, stdio_pipes())
            .await
            .map_err(|error| McpError::NotBegun(error.to_string()))?;
        match running.waiting().await {
            Ok(QuitReason::JoinError(error)) | Err(error) => Err(McpError::Broken(error.to_string())),
            Ok(_) => Ok(()),
        }
    }
}
