//! The dependencies of this crate, and the shared state of summary generation.

use crate::in_progress::GenerationRegistry;
use crate::rag_store::RagStore;
use crate::second_reader::SecondReader;
use domain::ports::{Observer, PluginContext, ReadPages};
use domain::settings::Settings;
use federation::Federation;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// What summaries and chats depend on.
#[derive(Clone)]
pub struct RagDeps {
    pub store: Arc<dyn RagStore>,
    pub federation: Arc<Federation>,
    pub context: PluginContext,
    pub settings: Arc<Settings>,
    pub pages: Arc<dyn ReadPages>,
    /// Reads pages at their sources; nothing is cached.
    pub live_pages: Arc<dyn ReadPages>,
    pub observer: Arc<dyn Observer>,
    /// `None` if it is off.
    pub second_reader: Option<Arc<SecondReader>>,
}

/// Shared state of the steps that generate a summary.
pub(crate) struct RagContext {
    pub store: Arc<dyn RagStore>,
    pub federation: Arc<Federation>,
    pub context: PluginContext,
    pub settings: Arc<Settings>,
    pub pages: Arc<dyn ReadPages>,
    pub observer: Arc<dyn Observer>,
    pub second_reader: Option<Arc<SecondReader>>,
    pub in_progress: Arc<GenerationRegistry>,
    /// Limits concurrent generations in this process to `SVC_INTERACTIVE_CONCURRENCY`.
    pub slots: Semaphore,
}

impl RagContext {
    pub fn new(deps: RagDeps) -> Self {
        let RagDeps { store, federation, context, settings, pages, observer, second_reader, .. } = deps;
        let slots = Semaphore::new(settings.interactive_concurrency.max(1) as usize);
        let in_progress = Arc::default();
        Self { store, federation, context, settings, pages, observer, second_reader, in_progress, slots }
    }
}
