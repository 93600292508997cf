//! State that is shared by all callers.

use crate::deps::McpDeps;
use crate::documents::Documents;
use crate::mcp_store::McpStore;
use corpus::SemanticCache;
use domain::ports::{Clock, PluginRegistry, ReadPages};
use domain::settings::Settings;
use federation::Federation;
use rag::Summaries;
use std::sync::Arc;

/// The MCP server with its tools, resources and prompts.
pub struct Mcp {
    pub(crate) store: Arc<dyn McpStore>,
    pub(crate) federation: Arc<Federation>,
    pub(crate) summaries: Arc<Summaries>,
    pub(crate) corpus: Arc<SemanticCache>,
    pub(crate) pages: Arc<dyn ReadPages>,
    pub(crate) plugins: PluginRegistry,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) documents: Documents,
}

impl Mcp {
    pub fn new(deps: McpDeps) -> Self {
        let McpDeps { store, federation, summaries, corpus, pages, plugins, clock, settings } = deps;
        Self {
            store,
            federation,
            summaries,
            corpus,
            pages,
            plugins,
            clock,
            settings,
            documents: Documents::default(),
        }
    }
}
