//! Runs the post-result pipeline over all results of a search.

use crate::cpu_pool::{CpuPool, YieldingPermit};
use crate::notice_now::notice_now;
use crate::search::processor_failure::{skipped, unknown_processor};
use domain::notice::{Notice, NoticeKind};
use domain::pipeline::{Pipeline, SYSTEM_DEFAULT};
use domain::ports::{
    PipelineStore, PluginContext, PluginRegistry, PostResultContext, RunStage, StoreError, chain,
};
use domain::result::ResultSet;
use domain::search::Search;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Runs the post-result processors, at the end of a run and on the results of a running one.
#[derive(Clone)]
pub(crate) struct PostProcessor {
    pub pipelines: Arc<dyn PipelineStore>,
    pub plugins: PluginRegistry,
    pub context: PluginContext,
    pub cpu: CpuPool,
}

impl PostProcessor {
    pub fn new(
        pipelines: Arc<dyn PipelineStore>,
        plugins: PluginRegistry,
        context: &PluginContext,
        cpu: &CpuPool,
    ) -> Self {
        Self { pipelines, plugins, context: context.clone(), cpu: cpu.clone() }
    }

    /// Runs the processors of the pipeline in order. A failed processor leaves a message and the results as they were.
    pub async fn process(
        &self,
        search: &Search,
        pipeline: Vec<String>,
        sets: &mut Vec<ResultSet>,
        notices: &mut Vec<Notice>,
        stage: RunStage,
    ) {
        let work = PostResultPipeline {
            search: search.clone(),
            names: pipeline,
            stage,
            plugins: self.plugins,
            context: self.context.clone(),
        };
        let mut taken = std::mem::take(sets);
        let job = move |permit: &mut YieldingPermit| {
            // The sets are returned even if a processor panics.
            let processed = catch_unwind(AssertUnwindSafe(|| permit.block_on(work.process(&mut taken))));
            (taken, processed.ok())
        };
        let Some((processed, said)) = self.cpu.run_yielding(job).await else { return };
        *sets = processed;
        let internal_error = || {
            let kind = NoticeKind::processor_failed("The post-result pipeline", "internal error");
            vec![notice_now(&self.context, kind)]
        };
        notices.extend(said.unwrap_or_else(internal_error));
    }

    /// Like [`Self::choose_pipeline`]; reads the default pipeline if it is needed.
    pub async fn load_pipeline(&self, search: &Search, notices: &mut Vec<Notice>) -> Vec<String> {
        if let Some(own) = own_processors(search) {
            return own;
        }
        let default = self.pipelines.pipeline_by_name(SYSTEM_DEFAULT).await;
        self.default_processors(search, default, notices)
    }

    /// The processors of the search, or those of the stored default pipeline, which decides the order.
    pub fn choose_pipeline(
        &self,
        search: &Search,
        default: Result<Pipeline, StoreError>,
        notices: &mut Vec<Notice>,
    ) -> Vec<String> {
        own_processors(search).unwrap_or_else(|| self.default_processors(search, default, notices))
    }

    /// The processors of the default pipeline; if it could not be read, those that the program has.
    fn default_processors(
        &self,
        search: &Search,
        default: Result<Pipeline, StoreError>,
        notices: &mut Vec<Notice>,
    ) -> Vec<String> {
        match default {
            Ok(pipeline) => pipeline.processors,
            Err(error) => {
                tracing::warn!(
                    search.id = search.id.0,
                    "cannot read the post-result pipeline: {}",
                    chain(&error)
                );
                notices.push(notice_now(&self.context, NoticeKind::PipelineUnreadable));
                self.plugins.default_post_result.iter().map(|name| (*name).to_owned()).collect()
            }
        }
    }
}

/// The processors that the search names, if it names any.
fn own_processors(search: &Search) -> Option<Vec<String>> {
    let own = &search.spec.post_result_processors;
    (!own.is_empty()).then(|| own.clone())
}

struct PostResultPipeline {
    search: Search,
    /// The processors, in order.
    names: Vec<String>,
    stage: RunStage,
    plugins: PluginRegistry,
    context: PluginContext,
}

impl PostResultPipeline {
    async fn process(&self, sets: &mut [ResultSet]) -> Vec<Notice> {
        let mut kinds = self.names.iter().filter_map(|name| self.plugins.post_result_processor(name));
        let finds_versions = kinds.any(|kind| kind.finds_versions);
        let cx = PostResultContext {
            search: &self.search,
            context: &self.context,
            finds_versions: finds_versions && self.context.corpus.is_open(),
            stage: self.stage,
        };
        let mut notices = Vec::new();
        for name in &self.names {
            let Some(kind) = self.plugins.post_result_processor(name) else {
                notices.push(skipped(name, &unknown_processor(), &self.search));
                continue;
            };
            if kind.only_at_end && self.stage == RunStage::Running {
                continue;
            }
            match kind.processor.process(sets, &cx).await {
                Ok(outcome) => notices.extend(outcome.notice(name, None)),
                Err(error) => notices.push(skipped(name, &error, &self.search)),
            }
        }
        // Nobody else needs them, and the results of a search stay in memory for a while.
        for item in sets.iter_mut().flat_map(|set| &mut set.items) {
            item.hashed_words = None;
        }
        let now = self.context.clock.now();
        notices.into_iter().map(|kind| Notice::new(now, kind)).collect()
    }
}
