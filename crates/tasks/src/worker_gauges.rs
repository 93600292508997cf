//! Gauges of this process's workers, written by workers and read by the metrics.

use domain::ports::{QueueName, WorkerMetrics};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The workers of this process, by name.
#[derive(Debug, Default)]
pub struct WorkerGauges {
    workers: Mutex<BTreeMap<String, (QueueName, Arc<AtomicU32>)>>,
    /// Lost tasks that this process queued again.
    requeued: AtomicU64,
}

impl WorkerGauges {
    /// Registers a worker of a queue; `active` counts its running tasks. Dropping the guard removes it.
    pub fn join(self: &Arc<Self>, worker: &str, queue: QueueName, active: Arc<AtomicU32>) -> WorkerGuard {
        self.lock().insert(worker.to_owned(), (queue, active));
        WorkerGuard { worker_gauges: Arc::clone(self), worker: worker.to_owned() }
    }

    /// Counts lost tasks that were queued again.
    pub fn add_requeued(&self, count: u64) {
        self.requeued.fetch_add(count, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, (QueueName, Arc<AtomicU32>)>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl WorkerMetrics for WorkerGauges {
    fn active(&self, queue: QueueName) -> BTreeMap<String, u32> {
        let serves = |(worker, (serves, active)): (&String, &(QueueName, Arc<AtomicU32>))| {
            (*serves == queue).then(|| (worker.clone(), active.load(Ordering::Relaxed)))
        };
        self.lock().iter().filter_map(serves).collect()
    }

    fn requeued(&self) -> u64 {
        self.requeued.load(Ordering::Relaxed)
    }
}

/// Keeps a worker registered.
pub struct WorkerGuard {
    worker_gauges: Arc<WorkerGauges>,
    worker: String,
}

impl Drop for WorkerGuard {
    fn drop(&mut self) {
        self.worker_gauges.lock().remove(&self.worker);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_come_work_and_go() {
        let worker_gauges = Arc::new(WorkerGauges::default());
        let busy = Arc::new(AtomicU32::new(0));
        let first = worker_gauges.join("a", QueueName::Search, Arc::clone(&busy));
        let _second = worker_gauges.join("b", QueueName::Corpus, Arc::default());
        busy.store(3, Ordering::Relaxed);
        assert_eq!(worker_gauges.active(QueueName::Search), BTreeMap::from([("a".to_owned(), 3)]));
        drop(first);
        assert!(worker_gauges.active(QueueName::Search).is_empty());
        assert_eq!(worker_gauges.active(QueueName::Corpus).len(), 1);
    }
}
