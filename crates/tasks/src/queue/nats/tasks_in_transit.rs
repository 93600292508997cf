//! Tasks that were sent a moment ago: their workers do not know of them yet.

use domain::ids::TaskId;
use domain::ports::QueueName;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long a sent task counts as not yet claimed: another process may have claimed it.
const TRANSIT_MAX: Duration = Duration::from_millis(100);

/// Each with its queue and the time at which it was sent.
#[derive(Default)]
pub(super) struct TasksInTransit(Mutex<BTreeMap<TaskId, (QueueName, Instant)>>);

impl TasksInTransit {
    pub(super) fn add(&self, id: TaskId, queue: QueueName) {
        self.lock().insert(id, (queue, Instant::now()));
    }

    pub(super) fn remove(&self, id: TaskId) {
        self.lock().remove(&id);
    }

    /// Removes those that another process has claimed, as far as is known.
    pub(super) fn remove_late(&self) {
        self.lock().retain(|_, (_, sent)| sent.elapsed() < TRANSIT_MAX);
    }

    /// Whether a task of this queue was sent and not yet claimed.
    pub(super) fn has_any(&self, queue: QueueName) -> bool {
        self.lock().values().any(|(of, sent)| *of == queue && sent.elapsed() < TRANSIT_MAX)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<TaskId, (QueueName, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUE: QueueName = QueueName::Search;
    const MOMENT: Duration = Duration::from_millis(1);

    #[tokio::test(start_paused = true)]
    async fn a_task_is_in_transit_until_it_is_claimed_or_late() {
        let tasks = TasksInTransit::default();
        assert!(!tasks.has_any(QUEUE));
        tasks.add(TaskId(1), QUEUE);
        assert!(tasks.has_any(QUEUE) && !tasks.has_any(QueueName::Corpus));
        tasks.remove(TaskId(2));
        assert!(tasks.has_any(QUEUE), "another one was claimed");
        tasks.remove(TaskId(1));
        assert!(!tasks.has_any(QUEUE), "it was claimed");

        tasks.add(TaskId(3), QUEUE);
        tokio::time::advance(TRANSIT_MAX - MOMENT).await;
        tasks.add(TaskId(4), QueueName::Corpus);
        tasks.remove_late();
        assert!(tasks.has_any(QUEUE), "it may still be claimed");
        tokio::time::advance(MOMENT).await;
        assert!(!tasks.has_any(QUEUE) && tasks.has_any(QueueName::Corpus));
        tasks.remove_late();
        assert_eq!(tasks.lock().len(), 1, "those that are late are not kept");
    }
}
