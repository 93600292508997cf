//! Backlog: how many searches of all users wait for a worker.

use crate::{Federation, FederationError};
use domain::contracts::QueueName;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// The queue is counted again when this process has added one in so many of what it may hold.
const ADDED_PART: u64 = 100;
/// A count is used for so long, however little this process adds.
const COUNT_KEPT: Duration = Duration::from_secs(60);
/// While the queue is full it is counted this often, so that it opens soon.
const FULL_COUNT_KEPT: Duration = Duration::from_secs(1);

/// The last count of the queue, and what this process has added since. A count costs a statement, so it is made
/// seldom; several processes may exceed the limit by what they add between two counts.
#[derive(Default)]
pub(crate) struct Backlog(Mutex<Option<Counted>>);

struct Counted {
    waiting: u64,
    added: u64,
    at: Instant,
}

impl Counted {
    fn is_full(&self, max: u64) -> bool {
        self.waiting + self.added >= max
    }

    fn is_stale(&self, max: u64) -> bool {
        let kept = if self.is_full(max) { FULL_COUNT_KEPT } else { COUNT_KEPT };
        self.at.elapsed() > kept || self.added > max / ADDED_PART
    }
}

impl Backlog {
    fn is_stale(&self, max: u64) -> bool {
        self.lock().as_ref().is_none_or(|counted| counted.is_stale(max))
    }

    fn counted(&self, waiting: u64) {
        *self.lock() = Some(Counted { waiting, added: 0, at: Instant::now() });
    }

    /// Adds one, unless the queue is full.
    fn add(&self, max: u64) -> bool {
        let mut counted = self.lock();
        let Some(counted) = counted.as_mut().filter(|counted| !counted.is_full(max)) else { return false };
        counted.added += 1;
        true
    }

    fn lock(&self) -> MutexGuard<'_, Option<Counted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Federation {
    /// Whether one more search may wait.
    pub(crate) async fn check_backlog(&self) -> Result<(), FederationError> {
        let max = u64::from(self.context.settings.searches_queued_max);
        if max == 0 {
            return Ok(());
        }
        let backlog = &self.admission.backlog;
        if backlog.is_stale(max) {
            let now = self.context.clock.now();
            backlog.counted(self.store.task_depth(QueueName::Search, now).await?);
        }
        match backlog.add(max) {
            true => Ok(()),
            false => Err(FederationError::QueueFull { max }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_queue_is_counted_seldom_and_soon_when_it_is_full() {
        const MAX: u64 = 1_000;
        let backlog = Backlog::default();
        assert!(backlog.is_stale(MAX), "nothing is known yet");
        backlog.counted(0);
        let added = (0..20).filter(|_| !backlog.is_stale(MAX) && backlog.add(MAX)).count();
        assert_eq!(added, 11, "counted again after one in a hundred");
        backlog.counted(0);
        tokio::time::advance(COUNT_KEPT * 2).await;
        assert!(backlog.is_stale(MAX), "others add too");
        backlog.counted(MAX - 2);
        assert_eq!([0; 4].map(|_| backlog.add(MAX)), [true, true, false, false]);
        assert!(!backlog.is_stale(MAX));
        tokio::time::advance(FULL_COUNT_KEPT * 2).await;
        assert!(backlog.is_stale(MAX));
        backlog.counted(MAX - 1);
        assert!(backlog.add(MAX));
    }
}
