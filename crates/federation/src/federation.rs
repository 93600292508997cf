//! The federation service: what it needs and what it holds.

use crate::cpu_pool::CpuPool;
use crate::error::FederationError;
use crate::federation_store::FederationStore;
use crate::progress::ProgressHub;
use crate::provider::{ProviderProber, ProviderRunFactory};
use crate::response_memory::ResponseMemory;
use crate::results::{ResultMixer, ResultReader, VersionElector};
use crate::search::admission::AdmissionControl;
use crate::search::edit_locks::EditLocks;
use crate::search::ended_runs::{EndedRuns, EndedSearch};
use crate::search::lifecycle::SearchLifecycle;
use crate::search::post_processor::PostProcessor;
use crate::search::runner::SearchRunner;
use crate::search::running_search::log_start;
use crate::search::selector::ProviderSelector;
use crate::search::source_choice::SourceChooser;
use crate::search::starting_runs::StartingRuns;
use crate::search::transform_loader::TransformLoader;
use crate::search::waiter::SearchWaiter;
use crate::timings::SearchTimings;
use domain::ids::UserId;
use domain::ports::{Observer, PluginContext, PluginRegistry, ReadPages, SourceTokens, TaskQueue};
use domain::search::SearchSpec;
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

/// Accepts searches, runs them and mixes their results. Each of its objects has one of these jobs.
pub struct Federation {
    /// Creates, edits, reruns and updates searches.
    pub searches: SearchLifecycle,
    /// Runs searches; called by workers.
    pub runner: SearchRunner,
    /// Waits for the end of searches.
    pub waiter: SearchWaiter,
    /// Progress of running searches.
    pub progress: Arc<ProgressHub>,
    /// Saved results, as their owner may see them.
    pub reader: Arc<ResultReader>,
    /// Pages of mixed results.
    pub mixer: ResultMixer,
    /// Elections of document versions.
    pub elector: VersionElector,
    /// The providers that a search or a user may query.
    pub selector: Arc<ProviderSelector>,
    /// Tests, checks and health of single providers.
    pub prober: ProviderProber,
    /// The query transforms that a user may use.
    pub transforms: Arc<TransformLoader>,
    /// Times of the last searches, step by step.
    pub timings: Arc<SearchTimings>,
    /// Thread pool for work that would block the async runtime.
    pub cpu: CpuPool,
    /// All plug-ins, by name.
    pub plugins: PluginRegistry,
}

impl Federation {
    pub fn new(deps: FederationDeps) -> Self {
        let cpu = CpuPool::new();
        let provider_runs = Arc::new(provider_run_factory(&deps, &cpu));
        let FederationDeps { store, queue, plugins, context, settings, tokens, observer, .. } = deps;
        let (progress, timeout) = (Arc::new(ProgressHub::default()), settings.timeout.0);
        let (starting_runs, ended_runs) = (Arc::new(StartingRuns::default()), Arc::new(EndedRuns::default()));
        let timings = Arc::new(SearchTimings::default());
        let reader = Arc::new(ResultReader { store: store.clone(), plugins, context: context.clone() });
        let selector = Arc::new(ProviderSelector { store: store.clone(), context: context.clone() });
        let transforms = Arc::new(TransformLoader::new(store.clone(), plugins, cpu.clone()));
        let post_processor = PostProcessor::new(store.clone(), plugins, &context, &cpu);
        let source_chooser = SourceChooser::new(settings.source_choice, Arc::clone(&reader));
        Self {
            searches: SearchLifecycle {
                store: store.clone(),
                queue,
                plugins,
                context: context.clone(),
                settings: Arc::clone(&settings),
                transforms: Arc::clone(&transforms),
                admission: AdmissionControl::new(store.clone(), Arc::clone(&settings), context.clock.clone()),
                edits: EditLocks::default(),
                starting_runs: Arc::clone(&starting_runs),
            },
            runner: SearchRunner {
                store: store.clone(),
                plugins,
                context: context.clone(),
                settings: Arc::clone(&settings),
                observer,
                progress: Arc::clone(&progress),
                cpu: cpu.clone(),
                selector: Arc::clone(&selector),
                source_chooser,
                transforms: Arc::clone(&transforms),
                provider_runs: Arc::clone(&provider_runs),
                post_processor: post_processor.clone(),
                starting_runs,
                ended_runs: Arc::clone(&ended_runs),
                timings: Arc::clone(&timings),
            },
            waiter: SearchWaiter::new(store.clone(), Arc::clone(&progress), ended_runs, timeout),
            mixer: ResultMixer {
                store: store.clone(),
                plugins,
                context: context.clone(),
                settings,
                reader: Arc::clone(&reader),
                post_processor,
                timings: Arc::clone(&timings),
            },
            elector: VersionElector { store, context: context.clone() },
            prober: ProviderProber {
                plugins,
                context,
                tokens,
                transforms: Arc::clone(&transforms),
                provider_runs,
                timeout,
            },
            progress,
            reader,
            selector,
            transforms,
            timings,
            cpu,
            plugins,
        }
    }

    /// Creates a search and waits until it has ended. Returns the unfinished search if that takes too long. `way` says
    /// in the log where the search came from.
    pub async fn search_and_wait(
        &self,
        owner: UserId,
        spec: SearchSpec,
        way: &'static str,
    ) -> Result<EndedSearch, FederationError> {
        let (search, expected) =
            self.searches.create_expected(owner, spec, |search| self.waiter.expect(search)).await?;
        log_start(&search, way);
        self.waiter.wait_for_expected(search, expected).await
    }
}

fn provider_run_factory(deps: &FederationDeps, cpu: &CpuPool) -> ProviderRunFactory {
    let settings = &deps.settings;
    ProviderRunFactory {
        plugins: deps.plugins,
        context: deps.context.clone(),
        tokens: Arc::clone(&deps.tokens),
        pages: Arc::clone(&deps.pages),
        cpu: cpu.clone(),
        memory: ResponseMemory::new((settings.answer_memory_mb as usize).saturating_mul(BYTES_PER_MB)),
        health: Arc::default(),
        budgets: deps.store.clone(),
        backoff: settings.source_backoff.0,
    }
}
