//! Processors: transform queries, one provider's results, or all results of a search.

use super::{PluginContext, PortError};
use crate::notice::NoticeKind;
use crate::provider::SearchProvider;
use crate::result::{ResultItem, ResultSet};
use crate::search::Search;
use async_trait::async_trait;
use serde_json::Value;

/// Why a processor failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessorErrorKind {
    /// Nothing has this name, or the owner of the search may not use it.
    Unknown,
    /// Its configuration is wrong: mappings, rules, a language.
    Invalid,
    /// It cannot work on these results, such as results without a score.
    Unsuitable,
    /// What it depends on failed or did not answer in time, such as a model.
    Unavailable,
    /// A defect of the processor.
    Internal,
}

/// The message is added to the messages of the search.
pub type ProcessorError = PortError<ProcessorErrorKind>;

impl ProcessorError {
    /// Whether the failure belongs in the log: it is not a fact of the search or of its configuration.
    pub fn is_fault(&self) -> bool {
        matches!(self.kind, ProcessorErrorKind::Unavailable | ProcessorErrorKind::Internal)
    }
}

/// What a processor changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Outcome {
    pub updated: usize,
    pub deleted: usize,
    /// Results that are now listed as duplicates of another one.
    pub grouped: usize,
}

impl Outcome {
    pub fn updated(count: usize) -> Self {
        Self { updated: count, ..Self::default() }
    }
    pub fn deleted(count: usize) -> Self {
        Self { deleted: count, ..Self::default() }
    }
    pub fn grouped(count: usize) -> Self {
        Self { grouped: count, ..Self::default() }
    }

    /// The notice about it, in the results of one provider or of all; None if nothing changed.
    pub fn notice(self, processor: &str, provider: Option<&str>) -> Option<NoticeKind> {
        let Self { updated, deleted, grouped } = self;
        (self != Self::default()).then(|| NoticeKind::Processed {
            processor: processor.to_owned(),
            grouped,
            updated,
            deleted,
            provider: provider.map(str::to_owned),
        })
    }
}

/// Input of a query processor, apart from the query.
#[derive(Clone, Copy)]
pub struct QueryContext<'a> {
    pub search: &'a Search,
    /// None before federation.
    pub provider: Option<&'a SearchProvider>,
    pub context: &'a PluginContext,
}

/// Rewrites a query: before federation (provider is None) or for one provider.
#[async_trait]
pub trait QueryProcessor: Send + Sync {
    async fn process(&self, query: &str, cx: &QueryContext<'_>) -> Result<String, ProcessorError>;
}

/// One provider's items before they are saved: as returned by the source, then mapped.
#[derive(Debug, Clone, Default)]
pub struct ResultBatch {
    /// As returned by the source; consumed by the mapping processor.
    pub raw: Vec<Value>,
    /// Mapped to our schema.
    pub items: Vec<ResultItem>,
    /// Words that the source highlighted: additional terms for relevancy.
    pub highlight_terms: Vec<String>,
}

/// Input of a result processor, apart from the results.
#[derive(Clone, Copy)]
pub struct ResultContext<'a> {
    pub search: &'a Search,
    pub provider: &'a SearchProvider,
    /// The words of the query as sent to this provider.
    pub query: &'a str,
    pub results_wanted: u32,
    pub context: &'a PluginContext,
}

/// Processes one provider's results before they are saved, outside of the async runtime. CPU-heavy work is bounded by
/// the batch.
pub trait ResultProcessor: Send + Sync {
    fn process(&self, batch: &mut ResultBatch, cx: &ResultContext<'_>) -> Result<Outcome, ProcessorError>;
}

/// Input of a post-result processor, apart from the results.
#[derive(Clone, Copy)]
pub struct PostResultContext<'a> {
    pub search: &'a Search,
    pub context: &'a PluginContext,
    /// Versions in the corpus are looked up at the end of this pipeline, so earlier processors must not remove any.
    pub finds_versions: bool,
    pub stage: RunStage,
}

/// Whether the results of a search are complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStage {
    /// Some sources have not responded: the results are shown and not stored. No outside model is called, and no
    /// lasting decision is made.
    Running,
    /// The run ends with these results.
    Ending,
}

/// Processes all results of a search. The caller saves them afterwards.
#[async_trait]
pub trait PostResultProcessor: Send + Sync {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError>;
}

/// An entry of the registry of query processors.
#[derive(Clone, Copy)]
pub struct QueryProcessorKind {
    pub name: &'static str,
    pub summary: &'static str,
    pub processor: &'static dyn QueryProcessor,
}

/// An entry of the registry of result processors.
#[derive(Clone, Copy)]
pub struct ResultProcessorKind {
    pub name: &'static str,
    pub summary: &'static str,
    pub processor: &'static dyn ResultProcessor,
}

/// An entry of the registry of post-result processors.
#[derive(Clone, Copy)]
pub struct PostResultProcessorKind {
    pub name: &'static str,
    pub summary: &'static str,
    /// Looks up versions in the corpus; processors before it then keep them.
    pub finds_versions: bool,
    /// Runs only at the end of a run, because it calls an outside model.
    pub only_at_end: bool,
    pub processor: &'static dyn PostResultProcessor,
}
