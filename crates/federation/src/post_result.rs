//! The post-result pipeline over all results of a search.

use crate::Federation;
use domain::contracts::{Catalogues, PostResultContext, Toolbox};
use domain::message;
use domain::result::ResultSet;
use domain::search::Search;

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
        let kept = taken.clone();
        let runtime = tokio::runtime::Handle::current();
        let job = move || {
            let lines = runtime.block_on(work.process(&mut taken));
            (taken, lines)
        };
        match self.cpu.run(job).await {
            Some((processed, lines)) => {
                *sets = processed;
                messages.extend(lines);
            }
            None => {
                *sets = kept;
                messages.push(
                    self.stamped(&message::processor_failed("The post-result pipeline", "it broke down")),
                );
            }
        }
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
