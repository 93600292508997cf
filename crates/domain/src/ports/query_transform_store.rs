//! Storage of query transforms and pipelines.

use super::StoreError;
use crate::ids::{PipelineId, TransformId, UserId};
use crate::instant::Instant;
use crate::pipeline::{Pipeline, PipelineSpec};
use crate::query_transform::{QueryTransform, TransformSpec};
use async_trait::async_trait;

#[async_trait]
pub trait QueryTransformStore: QueryTransformEdits {
    /// The combination of name and type is unique (`Taken("name")`).
    async fn create_transform(
        &self,
        spec: TransformSpec,
        owner: UserId,
        now: Instant,
    ) -> Result<QueryTransform, StoreError>;
    async fn transform(&self, id: TransformId) -> Result<QueryTransform, StoreError>;
    /// All transforms by id. Callers filter by `Principal::may_use`.
    async fn transforms(&self) -> Result<Vec<QueryTransform>, StoreError>;
}

/// Edits and deletions of query transforms; conditional through [`if_version`](super::VersionStore::if_version).
#[async_trait]
pub trait QueryTransformEdits: Send + Sync {
    async fn replace_transform(
        &self,
        id: TransformId,
        spec: TransformSpec,
        now: Instant,
    ) -> Result<QueryTransform, StoreError>;
    async fn delete_transform(&self, id: TransformId) -> Result<(), StoreError>;
}

#[async_trait]
pub trait PipelineStore: PipelineEdits {
    /// Stores the pipeline if there is none of that name; an existing one is not changed.
    async fn ensure_pipeline(&self, name: &str, processors: &[&str], now: Instant) -> Result<(), StoreError>;
    /// All pipelines by id.
    async fn pipelines(&self) -> Result<Vec<Pipeline>, StoreError>;
    async fn pipeline(&self, id: PipelineId) -> Result<Pipeline, StoreError>;
    async fn pipeline_by_name(&self, name: &str) -> Result<Pipeline, StoreError>;
}

/// Edits of pipelines; conditional through [`if_version`](super::VersionStore::if_version).
#[async_trait]
pub trait PipelineEdits: Send + Sync {
    async fn replace_pipeline(
        &self,
        id: PipelineId,
        spec: PipelineSpec,
        now: Instant,
    ) -> Result<Pipeline, StoreError>;
}
