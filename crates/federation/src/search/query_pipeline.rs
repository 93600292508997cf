//! Applies one query processor or query transform to a query.

use crate::cpu_pool::CpuPool;
use crate::search::processor_failure::unknown_processor;
use crate::search::transform_loader::RunTransforms;
use domain::ports::{PluginRegistry, ProcessorError, ProcessorErrorKind, QueryContext};
use domain::query_transform::TransformedQuery;
use std::sync::Arc;

/// The available query processors and transforms.
pub(crate) struct QueryPipeline<'a> {
    pub plugins: PluginRegistry,
    pub transforms: &'a RunTransforms,
    pub cpu: &'a CpuPool,
}

impl QueryPipeline<'_> {
    /// Applies the named processor or transform.
    pub async fn apply(
        &self,
        name: &str,
        query: &str,
        cx: &QueryContext<'_>,
    ) -> Result<TransformedQuery, ProcessorError> {
        if let Some(kind) = self.plugins.query_processor(name) {
            let query = kind.processor.process(query, cx).await?;
            return Ok(TransformedQuery { query, is_cut: false });
        }
        let rules = match self.transforms.rules(name) {
            None => return Err(unknown_processor()),
            Some(Err(error)) => return Err(error.clone()),
            Some(Ok(rules)) => Arc::clone(rules),
        };
        let query = query.to_owned();
        let applied = self.cpu.run(move || rules.apply(&query)).await;
        applied.ok_or_else(|| ProcessorError::new(ProcessorErrorKind::Internal, "internal error"))
    }
}
