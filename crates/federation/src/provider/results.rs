//! Maps and scores the results of one provider as soon as they arrive.

use super::errors::{internal_error, unknown_processor};
use super::fetch::FetchedItems;
use super::provider_run::ProviderRun;
use crate::deadline::time_left;
use crate::search::processor_failure::{self, NamedBy, skipped, with_owners};
use domain::known_secrets::KnownSecrets;
use domain::notice::{Notice, NoticeKind};
use domain::ports::{
    ConnectorError, PluginContext, PluginRegistry, ResultBatch, ResultContext, ResultOrigin,
};
use domain::provider::SearchProvider;
use domain::result::ResultSet;
use domain::search::Search;
use domain::status::ProviderStatus;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// Share of the remaining time for fetching web pages.
const PAGES_TIME_RATIO: f64 = 0.8;

impl ProviderRun {
    /// Runs the result processors on the CPU pool: mapping, scoring, then the others.
    pub(super) async fn process_results(
        &self,
        set: &mut ResultSet,
        fetched: FetchedItems,
        secrets: &KnownSecrets,
    ) -> Result<(), ConnectorError> {
        let item_count = fetched.items.len() as u64;
        set.found = fetched.found.unwrap_or(fetched.returned).max(item_count);
        if fetched.items.is_empty() {
            set.status = ProviderStatus::NoResults;
            set.notices.push(self.retrieved(set));
            return Ok(());
        }
        let pipeline = Arc::new(Pipeline {
            search: Arc::clone(&self.search),
            provider: Arc::clone(&self.provider),
            plugins: self.plugins,
            context: self.context.clone(),
            query: set.query_string_to_provider.clone(),
            results_wanted: self.results_wanted,
        });
        let mut state = PipelineState::new(pipeline.names(), fetched.items);
        // Filled bodies affect the score, so they are filled right after mapping.
        if self.provider.spec.config.fetch_url_body.is_some() {
            state = self.process_on_cpu_pool(&pipeline, state, StopAt::Mapped).await?;
            self.fill_bodies(&mut state).await;
            state.batch.items.iter_mut().for_each(|item| secrets.mask_in_place(&mut item.body));
        }
        let PipelineState { batch, notices, .. } =
            self.process_on_cpu_pool(&pipeline, state, StopAt::End).await?;
        set.items = batch.items;
        if self.plugins.is_from(ResultOrigin::Corpus, &self.provider) {
            // A result without a cache status could not be hidden later, when access to it is revoked.
            set.items.retain(|item| item.cache.is_some());
            set.found = set.items.len() as u64;
        }
        set.retrieved = set.items.len() as u64;
        set.status = if set.items.is_empty() { ProviderStatus::NoResults } else { ProviderStatus::Ok };
        set.notices.push(self.retrieved(set));
        set.notices.extend(notices);
        Ok(())
    }

    async fn process_on_cpu_pool(
        &self,
        pipeline: &Arc<Pipeline>,
        state: PipelineState,
        stop_at: StopAt,
    ) -> Result<PipelineState, ConnectorError> {
        let pipeline = Arc::clone(pipeline);
        self.cpu.run(move || pipeline.process(state, stop_at)).await.ok_or_else(internal_error)?
    }

    /// Fills the bodies of results with little text from their web pages, leaving time for the remaining steps.
    async fn fill_bodies(&self, state: &mut PipelineState) {
        let (provider, items) = (&self.provider, &mut state.batch.items);
        let time_max = time_left(self.deadline).mul_f64(PAGES_TIME_RATIO);
        let filled = self.pages.fill_bodies(provider, items, &self.query, self.search.owner, time_max).await;
        if filled > 0 {
            let provider = provider.spec.name.clone();
            state.notices.push(self.notice(NoticeKind::BodiesFilled { count: filled, provider }));
        }
    }

    fn retrieved(&self, set: &ResultSet) -> Notice {
        let provider = set.provider_name.clone();
        self.notice(NoticeKind::Retrieved { retrieved: set.retrieved, found: set.found, provider })
    }
}

/// The result processors of one provider in this search.
struct Pipeline {
    search: Arc<Search>,
    provider: Arc<SearchProvider>,
    plugins: PluginRegistry,
    context: PluginContext,
    query: String,
    results_wanted: u32,
}

/// Progress of the results through the pipeline.
struct PipelineState {
    batch: ResultBatch,
    notices: Vec<Notice>,
    /// Processors that have not run yet.
    names: VecDeque<(NamedBy, String)>,
}

impl PipelineState {
    fn new(names: VecDeque<(NamedBy, String)>, raw: Vec<Value>) -> Self {
        Self { batch: ResultBatch { raw, ..ResultBatch::default() }, notices: Vec::new(), names }
    }
}

/// Where processing stops.
#[derive(Clone, Copy, PartialEq)]
enum StopAt {
    /// After the results are mapped to our schema.
    Mapped,
    End,
}

impl Pipeline {
    fn names(&self) -> VecDeque<(NamedBy, String)> {
        with_owners(&self.provider.spec.result_processors, &self.search.spec.result_processors)
            .filter(|(_, name)| !self.search.spec.skips_result_processor(name))
            .map(|(named_by, name)| (named_by, name.clone()))
            .collect()
    }

    fn process(&self, mut state: PipelineState, stop_at: StopAt) -> Result<PipelineState, ConnectorError> {
        let cx = ResultContext {
            search: &self.search,
            provider: &self.provider,
            query: &self.query,
            results_wanted: self.results_wanted,
            context: &self.context,
        };
        while stop_at == StopAt::End || state.batch.items.is_empty() {
            let Some((named_by, name)) = state.names.pop_front() else { break };
            let kind = match (self.plugins.result_processor(&name), named_by) {
                (Some(kind), _) => match kind.processor.process(&mut state.batch, &cx) {
                    Ok(outcome) => outcome.notice(&name, Some(&self.provider.spec.name)),
                    Err(error) => Some(skipped(&name, &error, &self.search)),
                },
                (None, NamedBy::Provider) => return Err(unknown_processor(&name)),
                (None, NamedBy::Search) => {
                    Some(skipped(&name, &processor_failure::unknown_processor(), &self.search))
                }
            };
            state.notices.extend(kind.map(|kind| Notice::new(self.context.clock.now(), kind)));
        }
        // Whatever the processors did, the results belong to this provider.
        for item in &mut state.batch.items {
            item.restrict();
            item.mark_as_given(self.provider.id);
        }
        Ok(state)
    }
}
