//! Worker metrics: the current values of this process's workers.

use super::QueueName;
use std::collections::BTreeMap;

/// What the metrics report about the workers of this process.
pub trait WorkerMetrics: Send + Sync {
    /// The running tasks of each worker of this process that serves the queue, by the worker's name. Empty if there is
    /// none.
    fn active(&self, queue: QueueName) -> BTreeMap<String, u32>;
    /// Lost tasks that this process has queued again since it started.
    fn requeued(&self) -> u64;
}
