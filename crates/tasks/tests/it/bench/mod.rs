//! A store in memory, its queue, and a clock that stands still: what the tests of time work at.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use domain::contracts::{Clock, Store, TaskQueue};
use domain::secret::Secret;
use std::sync::Arc;
use store::{SealKey, SqlStore, StoreConfig};
use tasks::Scheduler;
use tasks::queue::SqlQueue;
use testkit::clock::FixedClock;

pub struct Bench {
    pub clock: Arc<FixedClock>,
    pub store: Arc<dyn Store>,
    pub queue: Arc<dyn TaskQueue>,
}

impl Bench {
    pub async fn open() -> Self {
        let key = SealKey::from_secret(&Secret::new("a test key"));
        let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 1, key };
        let store: Arc<dyn Store> = Arc::new(SqlStore::open(config).await.unwrap());
        let clock = Arc::new(FixedClock::default());
        let queue = Arc::new(SqlQueue::new(Arc::clone(&store), Arc::clone(&clock) as Arc<dyn Clock>));
        Self { clock, store, queue }
    }

    pub fn scheduler(&self) -> Scheduler {
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        Scheduler::new(Arc::clone(&self.store), Arc::clone(&self.queue), clock)
    }
}
