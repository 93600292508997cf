//! Marks elections that nobody decided as stale.

use crate::SemanticCache;
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::ports::{ClaimedTask, StoreError, TaskError, TaskHandler, WriteMode};
use std::sync::Arc;
use std::time::Duration;

/// Days after which an open election becomes stale.
pub const STALE_AFTER_DAYS: u32 = 30;
/// Elections per transaction, so that other writers are not blocked for long.
const BATCH: u64 = 500;

impl SemanticCache {
    /// Marks open elections older than this as stale and returns their number.
    pub async fn expire_runs(&self, days: u32, mode: WriteMode) -> Result<u64, StoreError> {
        let before = self.parts.clock.now() - TimeDelta::days(days.into());
        if mode == WriteMode::Preview {
            return self.parts.store.expire_runs(before, i64::MAX.unsigned_abs(), mode).await;
        }
        let mut retired = 0;
        loop {
            let some = self.parts.store.expire_runs(before, BATCH, mode).await?;
            retired += some;
            if some < BATCH {
                return Ok(retired);
            }
        }
    }
}

/// Runs daily.
pub struct ExpireRuns(pub Arc<SemanticCache>);

impl ExpireRuns {
    /// Name of the task and of its schedule.
    pub const NAME: &str = "cleanup_stale_canonical_runs";
    pub const EVERY: Duration = Duration::from_secs(24 * 60 * 60);
}

#[async_trait]
impl TaskHandler for ExpireRuns {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn run(&self, _task: &ClaimedTask) -> Result<(), TaskError> {
        let retired = self.0.expire_runs(STALE_AFTER_DAYS, WriteMode::Apply).await?;
        if retired > 0 {
            tracing::info!(retired, "{retired} elections became stale because nobody decided them");
        }
        Ok(())
    }
}
