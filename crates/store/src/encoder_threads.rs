//! The threads that encode results, so that no thread of the runtime is blocked.

use crate::idle_writers::IdleWriters;
use domain::ports::StoreError;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// Most threads that encode at once; a run of ten sources gains nothing from more.
const THREADS_MAX: usize = 4;

/// As many threads as cores, for all runs.
pub(crate) struct EncoderThreads {
    count: usize,
    free: Arc<Semaphore>,
    /// What they write with.
    writers: Arc<IdleWriters>,
}

impl Default for EncoderThreads {
    fn default() -> Self {
        Self::new(std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX))
    }
}

impl EncoderThreads {
    pub(crate) fn new(count: usize) -> Self {
        Self { count, free: Arc::new(Semaphore::new(count)), writers: Arc::new(IdleWriters::new(count)) }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    pub(crate) fn writers(&self) -> &Arc<IdleWriters> {
        &self.writers
    }

    /// Starts the work as soon as a thread is free.
    pub(crate) async fn start<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<JoinHandle<T>, StoreError> {
        let thread = Arc::clone(&self.free).acquire_owned().await;
        let thread = thread.map_err(|closed| unfinished().caused_by(closed))?;
        Ok(tokio::task::spawn_blocking(move || {
            let done = work();
            drop(thread);
            done
        }))
    }
}

pub(crate) fn unfinished() -> StoreError {
    StoreError::failed("the results of a run could not be encoded")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn work_waits_for_a_free_thread() {
        let threads = EncoderThreads::new(2);
        let all = threads.free.acquire_many(2).await.expect("free");
        let mut started = std::pin::pin!(threads.start(|| 7));
        assert!(tokio::time::timeout(Duration::from_millis(20), started.as_mut()).await.is_err());
        drop(all);
        assert_eq!(started.await.expect("started").await.expect("done"), 7);
        assert_eq!(threads.free.available_permits(), 2, "both are free again");
    }

    #[tokio::test]
    async fn work_that_panics_frees_its_thread() {
        let threads = EncoderThreads::new(1);
        let panicked = threads.start(|| panic!("as intended")).await.expect("started");
        assert!(panicked.await.is_err_and(|error| error.is_panic()));
        let next = threads.start(|| 1).await.expect("a thread is free");
        assert_eq!(next.await.expect("done"), 1);
    }
}
