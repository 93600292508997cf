//! Post-result pipelines as records: the record, not code, determines the order.

use crate::ids::PipelineId;
use crate::instant::Instant;
use serde::{Deserialize, Serialize};

/// The pipeline of every search that names no post-result processors.
pub const SYSTEM_DEFAULT: &str = "System Default Post-Result Pipeline";
/// Maximum number of processors in a pipeline.
pub const PROCESSORS_MAX: usize = 50;

/// An ordered list of post-result processors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    pub id: PipelineId,
    pub name: String,
    pub processors: Vec<String>,
    pub date_updated: Instant,
}

/// The writable fields of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(default)]
#[schema(as = PipelineInput)]
pub struct PipelineSpec {
    /// Executed in order, on the results of all sources together.
    pub processors: Vec<String>,
}
