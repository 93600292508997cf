//! Parsing, mapping and scoring happen beside the async runtime, so that no search waits for another's CPU work.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// As many pieces of work at once as there are cores.
#[derive(Clone)]
pub struct CpuPool {
    permits: Arc<Semaphore>,
}

impl CpuPool {
    pub fn new() -> Self {
        Self::of(std::thread::available_parallelism().map_or(2, std::num::NonZero::get))
    }

    fn of(cores: usize) -> Self {
        Self { permits: Arc::new(Semaphore::new(cores)) }
    }

    /// Runs `work` on a thread of its own. None when it panicked, which is its own failure only.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        self.run_steps(|_steps| work()).await
    }

    /// The same for work that now and then waits for others, such as a model elsewhere.
    pub async fn run_steps<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Steps) -> T + Send + 'static,
    ) -> Option<T> {
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok()?;
        let runtime = Handle::current();
        let permits = Arc::clone(&self.permits);
        let job = tokio::task::spawn_blocking(move || {
            let mut steps = Steps { runtime, permits, permit: Some(permit) };
            work(&mut steps)
        });
        job.await.ok()
    }
}

/// The turn of one piece of work. It is given back while the work waits.
pub struct Steps {
    runtime: Handle,
    permits: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Steps {
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
                woken().await;
            }
        })
    }
}

/// Ready when the task is woken: what the work waits for has woken it, or something else did, which does no harm.
async fn woken() {
    let mut was_asked = false;
    poll_fn(|_| if std::mem::replace(&mut was_asked, true) { Poll::Ready(()) } else { Poll::Pending }).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::sync::oneshot;

    #[tokio::test]
    async fn work_that_waits_holds_nobody_up() {
        let pool = CpuPool::of(1);
        let (begun, has_begun) = oneshot::channel();
        let (answer, waited_for) = oneshot::channel();
        let waiting = pool.run_steps(move |steps| {
            steps.block_on(async {
                begun.send(()).unwrap();
                waited_for.await.unwrap()
            })
        });
        let meanwhile = async {
            has_begun.await.unwrap();
            let other = pool.run(|| "computed").await;
            answer.send(7).unwrap();
            other
        };
        assert_eq!(tokio::join!(waiting, meanwhile), (Some(7), Some("computed")));
        assert_eq!(pool.permits.available_permits(), 1);
    }

    #[tokio::test]
    async fn a_panic_is_its_own_failure_only() {
        let pool = CpuPool::of(1);
        assert_eq!(pool.run(|| panic!("broken")).await, None::<()>);
        assert_eq!(pool.run(|| 1).await, Some(1));
    }
}
