//! Elections that nobody decided for a long time leave the review queue.

use crate::SemanticCache;
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::contracts::{ClaimedTask, StoreError, TaskError, TaskHandler};
use std::sync::Arc;
use std::time::Duration;

/// After so many days an election that is still open is stale.
pub const STALE_AFTER_DAYS: u32 = 30;
/// Elections that one transaction retires, so that others are not kept waiting.
const BATCH: u64 = 500;

impl SemanticCache {
    /// Makes open elections stale that are older than this; how many. `is_dry`: only counts them.
    pub async fn retire_runs(&self, days: u32, is_dry: bool) -> Result<u64, StoreError> {
        let before = self.parts.clock.now() - TimeDelta::days(days.into());
        if is_dry {
            return self.parts.store.retire_runs(before, i64::MAX.unsigned_abs(), true).await;
        }
        let mut retired = 0;
        loop {
            let some = self.parts.store.retire_runs(before, BATCH, false).await?;
            retired += some;
            if some < BATCH {
                return Ok(retired);
            }
        }
    }
}

/// Does so every day.
pub struct RetireRuns(pub Arc<SemanticCache>);

impl RetireRuns {
    /// The name of the task, and of its schedule.
    pub const NAME: &str = "cleanup_stale_canonical_runs";
    pub const EVERY: Duration = Duration::from_secs(24 * 60 * 60);
}

#[async_trait]
impl TaskHandler for RetireRuns {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn run(&self, _task: &ClaimedTask) -> Result<(), TaskError> {
        let retired = self.0.retire_runs(STALE_AFTER_DAYS, false).await;
        let retired = retired.map_err(|error| TaskError(error.to_string()))?;
        if retired > 0 {
            tracing::info!(retired, "{retired} elections became stale, because nobody decided for long");
        }
        Ok(())
    }
}
