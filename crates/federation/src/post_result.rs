//! The post-result pipeline over all results of a search.

use crate::Federation;
use domain::contracts::{Catalogues, PostResultContext, Toolbox};
use domain::message;
use domain::result::ResultSet;
use domain::search::Search;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Federation {
    /// Runs the search's own post-result processors, or the system default ones, in order.
    /// One that fails leaves a message and the results as they were.
    pub(crate) async fn post_result(
        &self,
        search: &Search,
        sets: &mut Vec<ResultSet>,
        messages: &mut Vec<String>,
    ) {
        let work =
            PostResult { search: search.clone(), catalogues: self.catalogues, toolbox: self.toolbox.clone() };
        let mut taken = std::mem::take(sets);
        let runtime = tokio::runtime::Handle::current();
        let job = move || {
            // The sets come back also from a processor that panics.
            let processed = catch_unwind(AssertUnwindSafe(|| runtime.block_on(work.process(&mut taken))));
            (taken, processed.ok())
        };
        let Some((processed, lines)) = self.cpu.run(job).await else { return };
        *sets = processed;
        let broke_down =
            || vec![self.stamped(&message::processor_failed("The post-result pipeline", "it broke down"))];
        messages.extend(lines.unwrap_or_else(broke_down));
    }
}

struct PostResult {
    search: Search,
    catalogues: Catalogues,
    toolbox: Toolbox,
}

impl PostResult {
    async fn process(&self, sets: &mut [ResultSet]) -> Vec<String> {
        let own = &self.search.draft.post_result_processors;
        let names: Vec<&str> = match own.is_empty() {
            true => self.catalogues.default_post_result.to_vec(),
            false => own.iter().map(String::as_str).collect(),
        };
        let cx = PostResultContext { search: &self.search, toolbox: &self.toolbox };
        let mut messages = Vec::new();
        for name in names {
            let Some(kind) = self.catalogues.post_result_processor(name) else {
                messages.push(message::processor_failed(name, "it is not known any more"));
                continue;
            };
            match kind.processor.process(sets, &cx).await {
                Ok(outcome) => messages.extend(message::processed(name, outcome)),
                Err(error) => messages.push(message::processor_failed(name, &error.0)),
            }
        }
        let now = self.toolbox.clock.now();
        messages.into_iter().map(|line| message::at(now, &line)).collect()
    }
}
