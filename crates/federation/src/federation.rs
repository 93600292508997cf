//! The federation service: what it needs and what it holds.

use crate::cpu_pool::CpuPool;
use crate::federation_store::FederationStore;
use crate::progress::ProgressHub;
use crate::provider_health::{HealthRegistry, HealthState};
use crate::response_memory::ResponseMemory;
use crate::search::admission::AdmissionControl;
use crate::search::edit_locks::EditLocks;
use crate::search::rules_cache::RulesCache;
use domain::ids::ProviderId;
use domain::notice::{Notice, NoticeKind};
use domain::ports::{Observer, PluginContext, PluginRegistry, ReadPages, SourceTokens, TaskQueue};
use domain::settings::Settings;
use std::sync::Arc;

const BYTES_PER_MB: usize = 1024 * 1024;

/// Dependencies of [`Federation`].
#[derive(Clone)]
pub struct FederationDeps {
    pub store: Arc<dyn FederationStore>,
    pub queue: Arc<dyn TaskQueue>,
    pub plugins: PluginRegistry,
    pub context: PluginContext,
    pub settings: Arc<Settings>,
    /// Access tokens of the accounts that users have connected.
    pub tokens: Arc<dyn SourceTokens>,
    /// Fetches the pages of results whose provider returns little text.
    pub pages: Arc<dyn ReadPages>,
    /// Receives the outcome of searches and providers.
    pub observer: Arc<dyn Observer>,
}

/// Accepts searches, runs them and mixes their results.
pub struct Federation {
    pub(crate) store: Arc<dyn FederationStore>,
    pub(crate) queue: Arc<dyn TaskQueue>,
    pub(crate) plugins: PluginRegistry,
    pub(crate) context: PluginContext,
    pub(crate) settings: Arc<Settings>,
    pub(crate) tokens: Arc<dyn SourceTokens>,
    pub(crate) pages: Arc<dyn ReadPages>,
    pub(crate) progress: ProgressHub,
    pub(crate) cpu: CpuPool,
    pub(crate) memory: ResponseMemory,
    pub(crate) health: Arc<HealthRegistry>,
    pub(crate) edits: EditLocks,
    pub(crate) admission: AdmissionControl,
    pub(crate) rules: RulesCache,
    pub(crate) observer: Arc<dyn Observer>,
}

impl Federation {
    pub fn new(parts: FederationDeps) -> Self {
        let FederationDeps { store, queue, plugins, context, settings, tokens, pages, observer } = parts;
        let memory_max = settings.answer_memory_mb as usize;
        Self {
            store,
            queue,
            plugins,
            memory: ResponseMemory::new(memory_max.saturating_mul(BYTES_PER_MB)),
            context,
            settings,
            tokens,
            pages,
            progress: ProgressHub::default(),
            cpu: CpuPool::new(),
            health: Arc::default(),
            edits: EditLocks::default(),
            admission: AdmissionControl::default(),
            rules: RulesCache::default(),
            observer,
        }
    }

    /// State of a provider's circuit breaker in this process; None if the provider was not queried yet.
    pub fn provider_state(&self, provider: ProviderId) -> Option<HealthState> {
        self.health.state(provider)
    }

    /// Resets the circuit breaker of a provider.
    pub fn reset_provider(&self, provider: ProviderId) {
        self.health.reset(provider);
    }

    /// All plug-ins, by name.
    pub fn plugins(&self) -> &PluginRegistry {
        &self.plugins
    }

    /// Thread pool for work that would block the async runtime.
    pub fn cpu_pool(&self) -> &CpuPool {
        &self.cpu
    }

    /// Progress of running searches.
    pub fn progress(&self) -> &ProgressHub {
        &self.progress
    }

    /// A notice of now.
    pub(crate) fn notice(&self, kind: NoticeKind) -> Notice {
        Notice::new(self.context.clock.now(), kind)
    }
}
