//! What the workers of this process do at this moment. Workers write it, the metrics read it.

use crate::contracts::QueueName;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The workers of this process, by name.
#[derive(Debug, Default)]
pub struct Workload {
    workers: Mutex<BTreeMap<String, (QueueName, Arc<AtomicU32>)>>,
    /// Tasks that this process made again because they were lost.
    requeued: AtomicU64,
}

impl Workload {
    /// A worker begins to serve a queue; `active` counts its running tasks. It leaves when the guard is dropped.
    pub fn join(self: &Arc<Self>, worker: &str, queue: QueueName, active: Arc<AtomicU32>) -> Serving {
        self.lock().insert(worker.to_owned(), (queue, active));
        Serving { workload: Arc::clone(self), worker: worker.to_owned() }
    }

    /// The running tasks of each worker of this process that serves the queue. Empty when none does.
    pub fn active(&self, queue: QueueName) -> BTreeMap<String, u32> {
        let serves = |(worker, (serves, active)): (&String, &(QueueName, Arc<AtomicU32>))| {
            (*serves == queue).then(|| (worker.clone(), active.load(Ordering::Relaxed)))
        };
        self.lock().iter().filter_map(serves).collect()
    }

    /// Lost tasks were made again.
    pub fn add_requeued(&self, count: u64) {
        self.requeued.fetch_add(count, Ordering::Relaxed);
    }

    /// Lost tasks that this process made again since it started.
    pub fn requeued(&self) -> u64 {
        self.requeued.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, (QueueName, Arc<AtomicU32>)>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A worker serves its queue as long as this lives.
pub struct Serving {
    workload: Arc<Workload>,
    worker: String,
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.workload.lock().remove(&self.worker);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_come_work_and_go() {
        let workload = Arc::new(Workload::default());
        let busy = Arc::new(AtomicU32::new(0));
        let first = workload.join("a", QueueName::Search, Arc::clone(&busy));
        let _second = workload.join("b", QueueName::Corpus, Arc::default());
        busy.store(3, Ordering::Relaxed);
        assert_eq!(workload.active(QueueName::Search), BTreeMap::from([("a".to_owned(), 3)]));
        drop(first);
        assert!(workload.active(QueueName::Search).is_empty());
        assert_eq!(workload.active(QueueName::Corpus).len(), 1);
    }
}
