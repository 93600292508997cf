//! Applies one query processor or query transform to a query.

use crate::cpu_pool::CpuPool;
use crate::search::transforms::RunTransforms;
use domain::ports::{PluginRegistry, QueryContext};
use domain::query_transform::TransformedQuery;
use std::sync::Arc;

/// The available query processors and transforms.
pub(crate) struct QueryPipeline<'a> {
    pub plugins: PluginRegistry,
    pub transforms: &'a RunTransforms,
    pub cpu: &'a CpuPool,
}

/// Why a step failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StepError {
    /// Nothing has this name, or the owner of the search may not use it.
    Unknown,
    Failed(String),
}

impl QueryPipeline<'_> {
    /// Applies the named processor or transform.
    pub async fn apply(
        &self,
        name: &str,
        query: &str,
        cx: &QueryContext<'_>,
    ) -> Result<TransformedQuery, StepError> {
        if let Some(kind) = self.plugins.query_processor(name) {
            return match kind.processor.process(query, cx).await {
                Ok(query) => Ok(TransformedQuery { query, is_cut: false }),
                Err(error) => Err(StepError::Failed(error.0)),
            };
        }
        let rules = match self.transforms.rules(name) {
            None => return Err(StepError::Unknown),
            Some(Err(reason)) => return Err(StepError::Failed(reason.clone())),
            Some(Ok(rules)) => Arc::clone(rules),
        };
        let query = query.to_owned();
        let applied = self.cpu.run(move || rules.apply(&query)).await;
        applied.ok_or_else(|| StepError::Failed("internal error".to_owned()))
    }
}
