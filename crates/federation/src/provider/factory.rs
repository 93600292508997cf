//! Makes the provider runs of searches and probes.

use super::provider_run::ProviderRun;
use crate::cpu_pool::CpuPool;
use crate::provider_health::HealthRegistry;
use crate::response_memory::{ResponseMemory, RunFetch, RunMemory};
use crate::search::transform_loader::RunTransforms;
use crate::timings::ProviderTimer;
use domain::ports::{PluginContext, PluginRegistry, RateLimitStore, ReadPages, SourceTokens};
use domain::provider::SearchProvider;
use domain::search::Search;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What all provider runs of this process have in common.
pub(crate) struct ProviderRunFactory {
    pub plugins: PluginRegistry,
    pub context: PluginContext,
    pub tokens: Arc<dyn SourceTokens>,
    pub pages: Arc<dyn ReadPages>,
    pub cpu: CpuPool,
    pub memory: ResponseMemory,
    pub health: Arc<HealthRegistry>,
    pub budgets: Arc<dyn RateLimitStore>,
    /// See [`ProviderRun::backoff`].
    pub backoff: Duration,
}

/// What differs between provider runs.
pub(crate) struct ProviderRunInput {
    pub search: Arc<Search>,
    pub provider: Arc<SearchProvider>,
    /// After the pre-query processors.
    pub query: String,
    pub transforms: Arc<RunTransforms>,
    pub memory: Arc<RunMemory>,
    pub results_wanted: u32,
    pub deadline: Instant,
    pub timer: ProviderTimer,
}

impl ProviderRunFactory {
    pub fn create(&self, input: ProviderRunInput) -> ProviderRun {
        let ProviderRunInput { search, provider, query, transforms, memory, results_wanted, deadline, timer } =
            input;
        ProviderRun {
            search,
            provider,
            plugins: self.plugins,
            context: self.context_of_run(&memory),
            tokens: Arc::clone(&self.tokens),
            pages: Arc::clone(&self.pages),
            cpu: self.cpu.clone(),
            memory,
            health: Arc::clone(&self.health),
            budgets: Arc::clone(&self.budgets),
            transforms,
            query,
            results_wanted,
            deadline,
            backoff: self.backoff,
            timer,
        }
    }

    /// The context of the connectors of one run: the responses that they read count towards its memory.
    fn context_of_run(&self, memory: &Arc<RunMemory>) -> PluginContext {
        let fetch = RunFetch { fetch: Arc::clone(&self.context.fetch), memory: Arc::clone(memory) };
        PluginContext { fetch: Arc::new(fetch), ..self.context.clone() }
    }
}
