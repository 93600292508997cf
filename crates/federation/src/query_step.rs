//! One step of a query: a processor of the catalogue, or a query transform by its reference.

use crate::cpu::CpuPool;
use crate::transforms::RunTransforms;
use domain::contracts::{PluginRegistry, QueryContext};
use domain::query_transform::Applied;
use std::sync::Arc;

/// Who can take a step.
pub(crate) struct QuerySteps<'a> {
    pub plugins: PluginRegistry,
    pub transforms: &'a RunTransforms,
    pub cpu: &'a CpuPool,
}

/// Why there was no step.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StepError {
    /// Nothing has this name, or not for the owner of the search.
    Unknown,
    Failed(String),
}

impl QuerySteps<'_> {
    /// What the named processor or transform makes of the query.
    pub async fn take(&self, name: &str, query: &str, cx: &QueryContext<'_>) -> Result<Applied, StepError> {
        if let Some(kind) = self.plugins.query_processor(name) {
            return match kind.processor.process(query, cx).await {
                Ok(query) => Ok(Applied { query, is_cut: false }),
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
        applied.ok_or_else(|| StepError::Failed("it broke down".to_owned()))
    }
}
