//! Mapping and scoring one provider's results, as they arrive.

use super::ask::Answer;
use super::{ProviderRun, failed_inside, unknown_processor};
use crate::run::time_left;
use domain::contracts::{ConnectorError, PluginContext, PluginRegistry, ResultBatch, ResultContext};
use domain::corpus::CONNECTOR_NAME;
use domain::known_secrets::KnownSecrets;
use domain::message;
use domain::provider::SearchProvider;
use domain::rag::FetchUrlBody;
use domain::result::ResultSet;
use domain::search::Search;
use domain::status::ProviderStatus;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::Arc;

/// How much of the time that is left may go into pages.
const PAGES_TIME_SHARE: f64 = 0.8;

impl ProviderRun {
    /// Maps and scores, then the rest of the result processors; beside the runtime, as the answer arrives.
    pub(super) async fn process_results(
        &self,
        set: &mut ResultSet,
        answer: Answer,
        secrets: &KnownSecrets,
    ) -> Result<(), ConnectorError> {
        let given = answer.items.len() as u64;
        set.found = answer.found.unwrap_or(given).max(given);
        if answer.items.is_empty() {
            set.status = ProviderStatus::NoResults;
            set.messages.push(self.stamped(&message::retrieved(0, set.found, &set.provider_name)));
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
        let mut work = Work::new(pipeline.names(), answer.items);
        // Bodies that are filled count for the score, so that they are filled as soon as there are any.
        if FetchUrlBody::of(&self.provider.spec).is_some() {
            work = self.beside(&pipeline, work, Until::Mapped).await?;
            self.fill_bodies(&mut work).await;
            work.batch.items.iter_mut().for_each(|item| secrets.mask_in_place(&mut item.body));
        }
        let Work { batch, messages, .. } = self.beside(&pipeline, work, Until::End).await?;
        set.items = batch.items;
        if self.provider.spec.connector == CONNECTOR_NAME {
            // What carries no mark could not be taken back when its right is.
            set.items.retain(|item| item.cache.is_some());
            set.found = set.items.len() as u64;
        }
        set.retrieved = set.items.len() as u64;
        set.status = if set.items.is_empty() { ProviderStatus::NoResults } else { ProviderStatus::Ok };
        set.messages.push(self.stamped(&message::retrieved(set.retrieved, set.found, &set.provider_name)));
        set.messages.extend(messages);
        Ok(())
    }

    /// Takes steps of the pipeline beside the runtime.
    async fn beside(
        &self,
        pipeline: &Arc<Pipeline>,
        work: Work,
        until: Until,
    ) -> Result<Work, ConnectorError> {
        let (runtime, pipeline) = (tokio::runtime::Handle::current(), Arc::clone(pipeline));
        let steps = move || runtime.block_on(pipeline.process(work, until));
        self.cpu.run(steps).await.ok_or_else(failed_inside)?
    }

    /// Results whose source says little of them get a part of their page. The rest of the steps still need some time.
    async fn fill_bodies(&self, work: &mut Work) {
        let (provider, items) = (&self.provider, &mut work.batch.items);
        let time_max = time_left(self.deadline).mul_f64(PAGES_TIME_SHARE);
        let filled = self.pages.fill_bodies(provider, items, &self.query, self.search.owner, time_max).await;
        if filled > 0 {
            work.messages.push(self.stamped(&message::bodies_filled(filled, &provider.spec.name)));
        }
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

/// How far the results are.
struct Work {
    batch: ResultBatch,
    messages: Vec<String>,
    /// Processors that did not have their turn yet.
    names: VecDeque<String>,
}

impl Work {
    fn new(names: VecDeque<String>, raw: Vec<Value>) -> Self {
        Self { batch: ResultBatch { raw, ..ResultBatch::default() }, messages: Vec::new(), names }
    }
}

/// Where work stops.
#[derive(Clone, Copy, PartialEq)]
enum Until {
    /// The results are in our schema.
    Mapped,
    End,
}

impl Pipeline {
    fn names(&self) -> VecDeque<String> {
        let all = self.provider.spec.result_processors.iter().chain(&self.search.spec.result_processors);
        all.filter(|name| !self.search.spec.skips_result_processor(name)).cloned().collect()
    }

    async fn process(&self, mut work: Work, until: Until) -> Result<Work, ConnectorError> {
        let cx = ResultContext {
            search: &self.search,
            provider: &self.provider,
            query: &self.query,
            results_wanted: self.results_wanted,
            context: &self.context,
        };
        let stamped = |line: &str| message::at(self.context.clock.now(), line);
        while until == Until::End || work.batch.items.is_empty() {
            let Some(name) = work.names.pop_front() else { break };
            let kind = self.plugins.result_processor(&name).ok_or_else(|| unknown_processor(&name))?;
            match kind.processor.process(&mut work.batch, &cx).await {
                Ok(outcome) => {
                    let line = message::processed(&name, outcome)
                        .map(|line| format!("{line} from: {}", self.provider.spec.name));
                    work.messages.extend(line.map(|line| stamped(&line)));
                }
                Err(error) => work.messages.push(stamped(&message::processor_failed(&name, &error.0))),
            }
        }
        // Whatever the processors made of the answer, it is what this provider gave.
        work.batch.items.iter_mut().for_each(|item| item.mark_as_given(self.provider.id));
        Ok(work)
    }
}
