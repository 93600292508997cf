//! Plug-in context: everything a plug-in may use.

use super::{
    AddressResolver, Clock, Corpus, EmbeddingModels, ExtractText, Fetch, GenerativeModels, Unavailable,
};
use crate::settings::Settings;
use std::sync::Arc;

#[derive(Clone)]
pub struct PluginContext {
    pub fetch: Arc<dyn Fetch>,
    pub resolver: Arc<dyn AddressResolver>,
    pub extract: Arc<dyn ExtractText>,
    pub embedding_models: Arc<dyn EmbeddingModels>,
    pub generative_models: Arc<dyn GenerativeModels>,
    /// The corpus, as far as the license includes it.
    pub corpus: Arc<dyn Corpus>,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<Settings>,
}

impl PluginContext {
    /// A context with an HTTP client; the other ports are unavailable.
    pub fn new(fetch: Arc<dyn Fetch>, clock: Arc<dyn Clock>, settings: Arc<Settings>) -> Self {
        let unavailable = Arc::new(Unavailable);
        Self {
            fetch,
            resolver: unavailable.clone(),
            extract: unavailable.clone(),
            embedding_models: unavailable.clone(),
            generative_models: unavailable.clone(),
            corpus: unavailable,
            clock,
            settings,
        }
    }
}
