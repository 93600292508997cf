//! What running a search needs. `run.rs` has the steps.

use crate::cpu_pool::CpuPool;
use crate::federation_store::FederationStore;
use crate::progress::ProgressHub;
use crate::provider::ProviderRunFactory;
use crate::search::ended_runs::EndedRuns;
use crate::search::post_processor::PostProcessor;
use crate::search::selector::ProviderSelector;
use crate::search::source_choice::SourceChooser;
use crate::search::starting_runs::StartingRuns;
use crate::search::transform_loader::TransformLoader;
use crate::timings::SearchTimings;
use domain::ports::{Observer, PluginContext, PluginRegistry};
use domain::settings::Settings;
use std::sync::Arc;

/// Runs searches: selects and queries providers, ranks their results together, stores them.
pub struct SearchRunner {
    pub(crate) store: Arc<dyn FederationStore>,
    pub(crate) plugins: PluginRegistry,
    pub(crate) context: PluginContext,
    pub(crate) settings: Arc<Settings>,
    pub(crate) observer: Arc<dyn Observer>,
    pub(crate) progress: Arc<ProgressHub>,
    pub(crate) cpu: CpuPool,
    pub(crate) selector: Arc<ProviderSelector>,
    pub(crate) source_chooser: SourceChooser,
    pub(crate) transforms: Arc<TransformLoader>,
    pub(crate) provider_runs: Arc<ProviderRunFactory>,
    pub(crate) post_processor: PostProcessor,
    pub(crate) starting_runs: Arc<StartingRuns>,
    pub(crate) ended_runs: Arc<EndedRuns>,
    pub(crate) timings: Arc<SearchTimings>,
}
