//! What the tools share between their callers.

use crate::McpParts;
use crate::documents::Documents;
use answers::Answers;
use corpus::SemanticCache;
use domain::contracts::{Clock, PluginRegistry, ReadPages, Store};
use domain::settings::Settings;
use federation::Federation;
use std::sync::Arc;

/// All tools, resources and prompts, for any number of callers.
pub struct Mcp {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) federation: Arc<Federation>,
    pub(crate) answers: Arc<Answers>,
    pub(crate) corpus: Arc<SemanticCache>,
    pub(crate) pages: Arc<dyn ReadPages>,
    pub(crate) plugins: PluginRegistry,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) documents: Documents,
}

impl Mcp {
    pub fn new(parts: McpParts) -> Self {
        let McpParts { store, federation, answers, corpus, pages, plugins, clock, settings } = parts;
        Self {
            store,
            federation,
            answers,
            corpus,
            pages,
            plugins,
            clock,
            settings,
            documents: Documents::default(),
        }
    }
}
