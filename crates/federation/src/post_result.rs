//! The post-result pipeline over all results of a search.

use crate::Federation;
use crate::cpu::Steps;
use domain::contracts::{PluginContext, PluginRegistry, PostResultContext};
use domain::message;
use domain::pipeline_record::{FINDS_VERSIONS, SYSTEM_DEFAULT};
use domain::result::ResultSet;
use domain::search::Search;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Federation {
    /// Runs the search's own post-result processors, or the system default ones, in order.
    /// One that fails leaves a message and the results as they were. `concludes`: the run ends with it.
    pub(crate) async fn post_result(
        &self,
        search: &Search,
        sets: &mut Vec<ResultSet>,
        messages: &mut Vec<String>,
        concludes: bool,
    ) {
        let work = PostResult {
            search: search.clone(),
            names: self.pipeline_of(search, messages).await,
            concludes,
            plugins: self.plugins,
            context: self.context.clone(),
        };
        let mut taken = std::mem::take(sets);
        let job = move |steps: &mut Steps| {
            // The sets come back also from a processor that panics.
            let processed = catch_unwind(AssertUnwindSafe(|| steps.block_on(work.process(&mut taken))));
            (taken, processed.ok())
        };
        let Some((processed, lines)) = self.cpu.run_steps(job).await else { return };
        *sets = processed;
        let broke_down =
            || vec![self.stamped(&message::processor_failed("The post-result pipeline", "it broke down"))];
        messages.extend(lines.unwrap_or_else(broke_down));
    }

    /// The search's own processors, or those of the stored record: it decides the order, not the code.
    async fn pipeline_of(&self, search: &Search, messages: &mut Vec<String>) -> Vec<String> {
        let own = &search.spec.post_result_processors;
        if !own.is_empty() {
            return own.clone();
        }
        match self.store.pipeline_by_name(SYSTEM_DEFAULT).await {
            Ok(pipeline) => pipeline.processors,
            Err(error) => {
                tracing::warn!(search.id = search.id.0, "the post-result pipeline cannot be read: {error}");
                messages.push(self.stamped(message::pipeline_unreadable()));
                self.plugins.default_post_result.iter().map(|name| (*name).to_owned()).collect()
            }
        }
    }
}

struct PostResult {
    search: Search,
    /// The processors, in their order.
    names: Vec<String>,
    concludes: bool,
    plugins: PluginRegistry,
    context: PluginContext,
}

impl PostResult {
    async fn process(&self, sets: &mut [ResultSet]) -> Vec<String> {
        let finds_versions = self.names.iter().any(|name| name == FINDS_VERSIONS);
        let cx = PostResultContext {
            search: &self.search,
            context: &self.context,
            finds_versions: finds_versions && self.context.corpus.is_open(),
            concludes: self.concludes,
        };
        let mut messages = Vec::new();
        for name in &self.names {
            let Some(kind) = self.plugins.post_result_processor(name) else {
                messages.push(message::processor_failed(name, "it is not known any more"));
                continue;
            };
            match kind.processor.process(sets, &cx).await {
                Ok(outcome) => messages.extend(message::processed(name, outcome)),
                Err(error) => messages.push(message::processor_failed(name, &error.0)),
            }
        }
        let now = self.context.clock.now();
        messages.into_iter().map(|line| message::at(now, &line)).collect()
    }
}
