//! Background tasks of the cache.

use crate::SemanticCache;
use crate::ingest::{self, IngestJob, Outcome};
use crate::retention::{self, Swept};
use async_trait::async_trait;
use domain::ports::{ClaimedTask, TaskError, TaskHandler};
use std::sync::Arc;
use std::time::Duration;

/// Ingests one document; runs on the queue `corpus`.
pub struct IngestDocument(pub Arc<SemanticCache>);

impl IngestDocument {
    /// Task name.
    pub const NAME: &str = ingest::TASK;
}

#[async_trait]
impl TaskHandler for IngestDocument {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn run(&self, task: &ClaimedTask) -> Result<(), TaskError> {
        let job: IngestJob = task.read_payload()?;
        let cache = &self.0;
        let outcome = ingest::run(&cache.parts, &job, task.id, task.attempt).await?;
        if outcome != Outcome::LeftOut {
            cache.counters.ingested(cache.parts.clock.now().date_naive(), outcome == Outcome::In);
        }
        Ok(())
    }
}

/// Removes expired texts and texts without a document.
pub struct SweepBodies(pub Arc<SemanticCache>);

impl SweepBodies {
    /// Name of the task and of its schedule.
    pub const NAME: &str = "sweep_bodies";
    pub const EVERY: Duration = Duration::from_secs(24 * 60 * 60);
}

#[async_trait]
impl TaskHandler for SweepBodies {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn run(&self, _task: &ClaimedTask) -> Result<(), TaskError> {
        let swept = self.0.sweep_bodies().await?;
        if swept != Swept::default() {
            let Swept { expired, unneeded } = swept;
            tracing::info!(
                expired,
                unneeded,
                "{expired} expired texts and {unneeded} texts without a document were removed from the cache"
            );
        }
        Ok(())
    }
}

impl SemanticCache {
    /// What the daily task does.
    pub async fn sweep_bodies(&self) -> Result<Swept, TaskError> {
        Ok(retention::sweep(&self.parts).await?)
    }
}
