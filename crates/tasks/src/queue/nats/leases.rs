//! Leases held by this process. JetStream does not check who acknowledges a message, so the holder tracks the end of
//! its lease, counted from before the request, and does not acknowledge afterwards.

use domain::ports::TaskKey;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

#[derive(Default)]
pub(super) struct Leases(Mutex<HashMap<String, Held>>);

/// The message of a claimed task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Delivery {
    /// The key of the stored task; None for a message of an earlier release.
    pub(super) key: Option<TaskKey>,
    /// Sequence number of the message in the stream.
    pub(super) sequence: u64,
    /// The worker that claimed it.
    pub(super) worker: String,
}

struct Held {
    delivery: Delivery,
    until: Instant,
    /// Acknowledgement wait of the server.
    length: Duration,
}

impl Leases {
    /// Records a lease that was requested at `asked`. Removes expired ones.
    pub(super) fn begin(&self, lease: &str, delivery: Delivery, asked: Instant, length: Duration) {
        let now = Instant::now();
        let mut held = self.lock();
        held.retain(|_, held| held.until > now);
        held.insert(lease.to_owned(), Held { delivery, until: asked + length, length });
    }

    /// Extends a lease by an acknowledged heartbeat sent at `asked`, by at most the wait of the server.
    pub(super) fn extend(&self, lease: &str, asked: Instant, length: Duration) -> bool {
        match self.lock().get_mut(lease).filter(|held| held.until > Instant::now()) {
            Some(held) => {
                held.until = asked + length.min(held.length);
                true
            }
            None => false,
        }
    }

    pub(super) fn holds(&self, lease: &str) -> bool {
        self.delivery(lease).is_some()
    }

    /// The message of a valid lease.
    pub(super) fn delivery(&self, lease: &str) -> Option<Delivery> {
        self.lock().get(lease).filter(|held| held.until > Instant::now()).map(|held| held.delivery.clone())
    }

    /// Ends a lease; returns whether it was still valid.
    pub(super) fn end(&self, lease: &str) -> bool {
        self.lock().remove(lease).is_some_and(|held| held.until > Instant::now())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Held>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LENGTH: Duration = Duration::from_secs(10);

    #[tokio::test(start_paused = true)]
    async fn a_lease_ends_by_time_or_by_its_end() {
        let leases = Leases::default();
        let asked = Instant::now();
        let delivery = Delivery { key: None, sequence: 7, worker: "worker".to_owned() };
        leases.begin("a", delivery.clone(), asked, LENGTH);
        leases.begin("b", delivery.clone(), asked, LENGTH);
        tokio::time::advance(LENGTH - Duration::from_secs(1)).await;
        assert!(leases.holds("a") && leases.holds("b") && !leases.holds("c"));
        assert_eq!((leases.delivery("a"), leases.delivery("c")), (Some(delivery.clone()), None));
        assert!(leases.extend("a", Instant::now(), LENGTH * 100), "as long as the server waits, not longer");
        assert!(leases.end("b") && !leases.end("b"));
        tokio::time::advance(LENGTH).await;
        assert!(!leases.holds("a") && !leases.extend("a", Instant::now(), LENGTH));
        assert_eq!(leases.lock().len(), 1);
        leases.begin("d", delivery, Instant::now(), LENGTH);
        assert_eq!(leases.lock().len(), 1, "what ran out is forgotten");
    }
}
