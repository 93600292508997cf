//! Number of searches of all users that wait for a worker.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Share of the limit that this process may add before the queue is counted again (1/100).
const ADDED_PART: u64 = 100;
/// Lifetime of a count.
const COUNT_LIFETIME: Duration = Duration::from_secs(60);
/// Lifetime of a count while the queue is full, so that it opens soon.
const FULL_COUNT_LIFETIME: Duration = Duration::from_secs(1);

/// The last count of the queue, and what this process has added since. Counting costs a statement, so it is done
/// rarely; several processes together may exceed the limit by what they add between two counts.
#[derive(Default)]
pub(crate) struct Backlog(Mutex<Option<QueueCount>>);

struct QueueCount {
    waiting: u64,
    added: u64,
    at: Instant,
}

impl QueueCount {
    fn is_full(&self, max: u64) -> bool {
        self.waiting + self.added >= max
    }

    fn is_stale(&self, max: u64) -> bool {
        let lifetime = if self.is_full(max) { FULL_COUNT_LIFETIME } else { COUNT_LIFETIME };
        self.at.elapsed() > lifetime || self.added > max / ADDED_PART
    }
}

impl Backlog {
    pub(super) fn is_stale(&self, max: u64) -> bool {
        self.lock().as_ref().is_none_or(|count| count.is_stale(max))
    }

    pub(super) fn set_count(&self, waiting: u64) {
        *self.lock() = Some(QueueCount { waiting, added: 0, at: Instant::now() });
    }

    /// Adds one, unless the queue is full.
    pub(super) fn add(&self, max: u64) -> bool {
        let mut count = self.lock();
        let Some(count) = count.as_mut().filter(|count| !count.is_full(max)) else { return false };
        count.added += 1;
        true
    }

    fn lock(&self) -> MutexGuard<'_, Option<QueueCount>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_queue_is_counted_rarely_and_often_while_it_is_full() {
        const MAX: u64 = 1_000;
        let backlog = Backlog::default();
        assert!(backlog.is_stale(MAX), "nothing is known yet");
        backlog.set_count(0);
        let added = (0..20).filter(|_| !backlog.is_stale(MAX) && backlog.add(MAX)).count();
        assert_eq!(added, 11, "counted again after one in a hundred");
        backlog.set_count(0);
        tokio::time::advance(COUNT_LIFETIME * 2).await;
        assert!(backlog.is_stale(MAX), "others add too");
        backlog.set_count(MAX - 2);
        assert_eq!([0; 4].map(|_| backlog.add(MAX)), [true, true, false, false]);
        assert!(!backlog.is_stale(MAX));
        tokio::time::advance(FULL_COUNT_LIFETIME * 2).await;
        assert!(backlog.is_stale(MAX));
        backlog.set_count(MAX - 1);
        assert!(backlog.add(MAX));
    }
}
