//! An in-memory store, its queue and a fixed clock.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use domain::ports::{Clock, TaskQueue};
use domain::secret::Secret;
use std::sync::Arc;
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::Scheduler;
use tasks::queue::SqlQueue;
use testkit::clock::FixedClock;

pub struct Fixture {
    pub clock: Arc<FixedClock>,
    pub store: Arc<SqlStore>,
    pub queue: Arc<dyn TaskQueue>,
}

impl Fixture {
    pub async fn open() -> Self {
        let key = EncryptionKey::from_secret(&Secret::new("a test key"));
        let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 1, key };
        let store = Arc::new(SqlStore::open(config).await.unwrap());
        let clock = Arc::new(FixedClock::default());
        let queue = Arc::new(SqlQueue::new(store.clone(), Arc::clone(&clock) as Arc<dyn Clock>));
        Self { clock, store, queue }
    }

    pub fn scheduler(&self) -> Scheduler {
        let clock = Arc::clone(&self.clock) as Arc<dyn Clock>;
        Scheduler::new(self.store.clone(), Arc::clone(&self.queue), clock)
    }
}
