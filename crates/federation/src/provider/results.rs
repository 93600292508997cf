//! Mapping and scoring one provider's results, as they arrive.

use super::ask::Answer;
use super::{ProviderRun, failed_inside, unknown_processor};
use domain::contracts::{Catalogues, ConnectorError, ResultBatch, ResultContext, Toolbox};
use domain::message;
use domain::provider::SearchProvider;
use domain::result::ResultSet;
use domain::search::Search;
use domain::status::ProviderStatus;
use serde_json::Value;
use std::sync::Arc;

impl ProviderRun {
    /// Maps and scores, then the rest of the result processors; beside the runtime, as the answer arrives.
    pub(super) async fn process_results(
        &self,
        set: &mut ResultSet,
        answer: Answer,
    ) -> Result<(), ConnectorError> {
        let given = answer.items.len() as u64;
        set.found = answer.found.unwrap_or(given).max(given);
        if answer.items.is_empty() {
            set.status = ProviderStatus::NoResults;
            set.messages.push(self.stamped(&message::retrieved(0, set.found, &set.provider_name)));
            return Ok(());
        }
        let pipeline = Pipeline {
            search: Arc::clone(&self.search),
            provider: Arc::clone(&self.provider),
            catalogues: self.catalogues,
            toolbox: self.toolbox.clone(),
            query: set.query_string_to_provider.clone(),
            results_wanted: self.results_wanted,
        };
        let runtime = tokio::runtime::Handle::current();
        let work = move || runtime.block_on(pipeline.process(answer.items));
        let (batch, messages) = self.cpu.run(work).await.ok_or_else(failed_inside)??;
        set.items = batch.items;
        set.retrieved = set.items.len() as u64;
        set.status = if set.items.is_empty() { ProviderStatus::NoResults } else { ProviderStatus::Ok };
        set.messages.push(self.stamped(&message::retrieved(set.retrieved, set.found, &set.provider_name)));
        set.messages.extend(messages);
        Ok(())
    }
}

/// The result processors of one provider in this search.
struct Pipeline {
    search: Arc<Search>,
    provider: Arc<SearchProvider>,
    catalogues: Catalogues,
    toolbox: Toolbox,
    query: String,
    results_wanted: u32,
}

impl Pipeline {
    async fn process(&self, raw: Vec<Value>) -> Result<(ResultBatch, Vec<String>), ConnectorError> {
        let mut batch = ResultBatch { raw, ..ResultBatch::default() };
        let mut messages = Vec::new();
        let cx = ResultContext {
            search: &self.search,
            provider: &self.provider,
            query: &self.query,
            results_wanted: self.results_wanted,
            toolbox: &self.toolbox,
        };
        let stamped = |line: &str| message::at(self.toolbox.clock.now(), line);
        for name in self.provider.draft.result_processors.iter().chain(&self.search.draft.result_processors) {
            if self.search.draft.skips_result_processor(name) {
                continue;
            }
            let kind = self.catalogues.result_processor(name).ok_or_else(|| unknown_processor(name))?;
            match kind.processor.process(&mut batch, &cx).await {
                Ok(outcome) => {
                    let line = message::processed(name, outcome)
                        .map(|line| format!("{line} from: {}", self.provider.draft.name));
                    messages.extend(line.map(|line| stamped(&line)));
                }
                Err(error) => messages.push(stamped(&message::processor_failed(name, &error.0))),
            }
        }
        Ok((batch, messages))
    }
}
