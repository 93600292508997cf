//! Processors: they transform queries, one provider's results, or all results of a search.

use super::PluginContext;
use crate::provider::SearchProvider;
use crate::result::{ResultItem, ResultSet};
use crate::search::Search;
use async_trait::async_trait;
use serde_json::Value;

/// Why a processor could not do its work; the sentence goes to the Search's messages.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProcessorError(pub String);

/// What a processor did.
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
}

/// What a query processor may know.
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

/// One provider's items on their way to be saved: as the source gave them, then mapped.
#[derive(Debug, Clone, Default)]
pub struct ResultBatch {
    /// What the source gave; the mapping processor takes it.
    pub raw: Vec<Value>,
    /// In our schema.
    pub items: Vec<ResultItem>,
    /// Words that the source itself highlighted: extra terms for relevancy.
    pub highlight_terms: Vec<String>,
}

/// What a result processor may know.
#[derive(Clone, Copy)]
pub struct ResultContext<'a> {
    pub search: &'a Search,
    pub provider: &'a SearchProvider,
    /// The query's words as this provider got them.
    pub query: &'a str,
    pub results_wanted: u32,
    pub context: &'a PluginContext,
}

/// Works on one provider's results, before they are saved. CPU-heavy work is bounded by the batch.
#[async_trait]
pub trait ResultProcessor: Send + Sync {
    async fn process(
        &self,
        batch: &mut ResultBatch,
        cx: &ResultContext<'_>,
    ) -> Result<Outcome, ProcessorError>;
}

/// What a post-result processor may know.
#[derive(Clone, Copy)]
pub struct PostResultContext<'a> {
    pub search: &'a Search,
    pub context: &'a PluginContext,
    /// Versions in the semantic cache are looked for at the end of this pipeline, so that nothing before takes one away.
    pub finds_versions: bool,
    /// The run of the search ends with it. False while it still runs: then nothing is decided for later.
    pub concludes: bool,
}

/// Works on all results of a search. The workflow saves afterwards.
#[async_trait]
pub trait PostResultProcessor: Send + Sync {
    async fn process(
        &self,
        sets: &mut [ResultSet],
        cx: &PostResultContext<'_>,
    ) -> Result<Outcome, ProcessorError>;
}

/// A row of the query processors' catalogue.
#[derive(Clone, Copy)]
pub struct QueryProcessorKind {
    pub name: &'static str,
    pub summary: &'static str,
    pub processor: &'static dyn QueryProcessor,
}

/// A row of the result processors' catalogue.
#[derive(Clone, Copy)]
pub struct ResultProcessorKind {
    pub name: &'static str,
    pub summary: &'static str,
    pub processor: &'static dyn ResultProcessor,
}

/// A row of the post-result processors' catalogue.
#[derive(Clone, Copy)]
pub struct PostResultProcessorKind {
    pub name: &'static str,
    pub summary: &'static str,
    pub processor: &'static dyn PostResultProcessor,
}
