//! Reconciler: requeues accepted work that is not final and has no live task.

use crate::worker_gauges::WorkerGauges;
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::ports::{
    AcceptedWork, ClaimedTask, Clock, OrphanedWork, QueueError, TaskError, TaskHandler, TaskQueue, chain,
};
use std::sync::Arc;
use std::time::Duration;

/// Recently changed work is left alone: its task may be being stored, sent or ended.
const GRACE: TimeDelta = TimeDelta::seconds(20);

/// A periodic task, so that only one process runs it at a time.
pub struct ReconcileTasks {
    kinds: Vec<Arc<dyn AcceptedWork>>,
    queue: Arc<dyn TaskQueue>,
    clock: Arc<dyn Clock>,
    worker_gauges: Arc<WorkerGauges>,
}

impl ReconcileTasks {
    /// The name of the task, and of its schedule.
    pub const NAME: &str = "reconcile_tasks";
    /// Less than a minute together with the grace period.
    pub const EVERY: Duration = Duration::from_secs(30);

    pub fn new(
        kinds: Vec<Arc<dyn AcceptedWork>>,
        queue: Arc<dyn TaskQueue>,
        clock: Arc<dyn Clock>,
        worker_gauges: Arc<WorkerGauges>,
    ) -> Self {
        Self { kinds, queue, clock, worker_gauges }
    }

    /// Work without a live task.
    pub async fn orphans(&self) -> Result<Vec<OrphanedWork>, TaskError> {
        let before = self.clock.now() - GRACE;
        let mut orphans = Vec::new();
        for kind in &self.kinds {
            orphans.extend(kind.orphans(before).await?);
        }
        Ok(orphans)
    }

    /// Requeues orphaned work and returns how much. Work with exhausted attempts is ended. Failures are left to the
    /// next run and do not stop the others.
    pub async fn reconcile(&self) -> Result<u64, TaskError> {
        let before = self.clock.now() - GRACE;
        let mut requeued = 0;
        for kind in &self.kinds {
            for work in kind.orphans(before).await? {
                let (name, id) = (work.kind, work.id);
                if work.is_given_up {
                    tracing::error!("{name} {id} is ended: its task was started as often as it may be");
                    if let Err(error) = kind.fail(id).await {
                        tracing::error!("{name} {id} cannot be ended: {}", chain(&error));
                    }
                    continue;
                }
                match self.requeue(work).await {
                    Ok(()) => {
                        tracing::warn!("{name} {id} had no task and was not final; it has one now");
                        requeued += 1;
                    }
                    Err(error) => tracing::error!("{name} {id} has no task and gets none: {}", chain(&error)),
                }
            }
        }
        Ok(requeued)
    }

    async fn requeue(&self, work: OrphanedWork) -> Result<(), QueueError> {
        self.queue.push(work.task).await?;
        self.worker_gauges.add_requeued(1);
        Ok(())
    }
}

#[async_trait]
impl TaskHandler for ReconcileTasks {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    async fn run(&self, _task: &ClaimedTask) -> Result<(), TaskError> {
        self.reconcile().await.map(|_| ())
    }
}
