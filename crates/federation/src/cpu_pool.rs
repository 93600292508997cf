//! Thread pool for CPU work (parsing, mapping, scoring), so that no search blocks the async runtime.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Runs as many jobs at once as there are cores.
#[derive(Clone)]
pub struct CpuPool {
    permits: Arc<Semaphore>,
}

impl Default for CpuPool {
    fn default() -> Self {
        Self::new()
    }
}

impl CpuPool {
    pub fn new() -> Self {
        Self::with_cores(std::thread::available_parallelism().map_or(2, std::num::NonZero::get))
    }

    fn with_cores(cores: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(cores)) }
    }

    /// Runs `work` on a thread of its own. None if it panicked.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        self.run_yielding(|_permit| work()).await
    }

    /// Runs `work` that sometimes awaits a future, such as a call to a remote model. None if it panicked.
    pub async fn run_yielding<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut YieldingPermit) -> T + Send + 'static,
    ) -> Option<T> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok()?;
        let runtime = Handle::current();
        let permits = Arc::clone(&self.permits);
        // The log lines of the job have the ids of its caller.
        let span = tracing::Span::current();
        let job = tokio::task::spawn_blocking(move || {
            let mut permit = YieldingPermit { runtime, permits, permit: Some(permit) };
            span.in_scope(|| work(&mut permit))
        });
        job.await.ok()
    }
}

/// Permit of one job, which is released while the job awaits a future.
pub struct YieldingPermit {
    runtime: Handle,
    permits: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
}

impl YieldingPermit {
    pub fn block_on<F: Future>(&mut self, future: F) -> F::Output {
        let runtime = self.runtime.clone();
        runtime.block_on(async {
            let mut future = pin!(future);
            loop {
                if self.permit.is_none() {
                    self.permit = Arc::clone(&self.permits).acquire_owned().await.ok();
                }
                let polled = poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await;
                if let Poll::Ready(output) = polled {
                    return output;
                }
                self.permit = None;
                wait_for_wake().await;
            }
        })
    }
}

/// Completes when the task is woken. A wake for another reason does no harm.
async fn wait_for_wake() {
    let mut was_polled = false;
    poll_fn(|_| if std::mem::replace(&mut was_polled, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn a_job_that_awaits_blocks_no_other() {
        let pool = CpuPool::with_cores(1);
        let (start_sender, started) = oneshot::channel();
        let (result_sender, result) = oneshot::channel();
        let waiting = pool.run_yielding(move |permit| {
            permit.block_on(async {
                start_sender.send(()).unwrap();
                result.await.unwrap()
            })
        });
        let meanwhile = async {
            started.await.unwrap();
            let other = pool.run(|| "computed").await;
            result_sender.send(7).unwrap();
            other
        };
        assert_eq!(tokio::join!(waiting, meanwhile), (Some(7), Some("computed")));
        assert_eq!(pool.permits.available_permits(), 1);
    }

    #[tokio::test]
    async fn a_panic_does_not_break_the_pool() {
        let pool = CpuPool::with_cores(1);
        assert_eq!(pool.run(|| panic!("broken")).await, None::<()>);
        assert_eq!(pool.run(|| 1).await, Some(1));
    }
}
