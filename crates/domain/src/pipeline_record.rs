//! The System Default Post-Result Pipeline as data: the record, not code, decides the order.

use crate::ids::PipelineId;
use crate::instant::Instant;
use serde::{Deserialize, Serialize};

/// The pipeline of every search that names no post-result processors of its own.
pub const SYSTEM_DEFAULT: &str = "System Default Post-Result Pipeline";
/// The processor that looks for versions of one document. Those that group before it leave documents of the cache to it.
pub const FINDS_VERSIONS: &str = "VersionClusteringPostResultProcessor";
/// Most processors in one pipeline.
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
