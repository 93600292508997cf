//! The dependencies of the semantic cache.

use crate::corpus_store::CorpusStore;
use crate::egress::MailParts;
use domain::ports::{BodyStore, Clock, EmbeddingModels, PluginRegistry, ReadPages, TaskQueue, VectorStore};
use domain::settings::Settings;
use license::LicensePolicy;
use std::sync::Arc;

/// The dependencies of the cache.
#[derive(Clone)]
pub struct CacheParts {
    pub store: Arc<dyn CorpusStore>,
    pub vectors: Arc<dyn VectorStore>,
    pub bodies: Arc<dyn BodyStore>,
    /// Fetches pages from their sources with a person's own credentials.
    pub pages: Arc<dyn ReadPages>,
    pub embedding_models: Arc<dyn EmbeddingModels>,
    pub queue: Arc<dyn TaskQueue>,
    pub plugins: PluginRegistry,
    /// For reading sent mail.
    pub mail: MailParts,
    pub license: LicensePolicy,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<Settings>,
}
