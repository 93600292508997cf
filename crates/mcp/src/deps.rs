//! The dependencies of the server.

use crate::mcp_store::McpStore;
use corpus::SemanticCache;
use domain::ports::{Clock, PluginRegistry, ReadPages};
use domain::settings::Settings;
use federation::Federation;
use rag::Summaries;
use std::sync::Arc;

/// The dependencies of the server.
pub struct McpDeps {
    pub store: Arc<dyn McpStore>,
    pub federation: Arc<Federation>,
    pub summaries: Arc<Summaries>,
    /// The semantic cache.
    pub corpus: Arc<SemanticCache>,
    pub pages: Arc<dyn ReadPages>,
    pub plugins: PluginRegistry,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<Settings>,
}
