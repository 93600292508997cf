//! Parsing, mapping and scoring happen beside the async runtime, so that no search waits for another's CPU work.

use std::sync::Arc;
use tokio::sync::Semaphore;

/// As many pieces of work at once as there are cores.
#[derive(Clone)]
pub struct CpuPool {
    permits: Arc<Semaphore>,
}

impl CpuPool {
    pub fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self { permits: Arc::new(Semaphore::new(cores)) }
    }

    /// Runs `work` on a thread of its own. None when it panicked, which is its own failure only.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok()?;
        let job = tokio::task::spawn_blocking(move || {
            let _held_until_done = permit;
            work()
        });
        job.await.ok()
    }
}
