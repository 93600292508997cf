//! Thread pool for CPU work (parsing, mapping, scoring), so that no search blocks the async runtime.
//!
//! A thread that has finished a job takes the next one itself: sources that respond at the same time do not wake a
//! thread for each.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// Runs as many jobs at once as there are cores.
#[derive(Clone)]
pub struct CpuPool(Arc<Pool>);

struct Pool {
    cores: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Cores in use.
    in_use: usize,
    /// First come, first served. Their number is bounded by the searches that run.
    waiting: VecDeque<Turn>,
}

/// Who waits for a core.
enum Turn {
    Job(Job),
    /// A job that has awaited a future.
    Resume(oneshot::Sender<Core>),
}

struct Job {
    runtime: Handle,
    work: Box<dyn FnOnce(&mut YieldingPermit) + Send>,
}

/// A core in use. When it is dropped, the next in turn gets it.
struct Core {
    /// None once it is passed on.
    pool: Option<Arc<Pool>>,
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
        Self(Arc::new(Pool { cores, state: Mutex::default() }))
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
        let (sender, result) = oneshot::channel();
        // The log lines of the job have the ids of its caller.
        let span = tracing::Span::current();
        let work = move |permit: &mut YieldingPermit| {
            // Its caller may have given up.
            if !sender.is_closed()
                && let Ok(done) = catch_unwind(AssertUnwindSafe(|| span.in_scope(|| work(permit))))
            {
                let _given_up = sender.send(done);
            }
        };
        self.0.start(Job { runtime: Handle::current(), work: Box::new(work) });
        result.await.ok()
    }
}

impl Pool {
    /// Starts the job if a core is free; otherwise it waits for its turn.
    fn start(self: &Arc<Self>, job: Job) {
        let core = {
            let mut state = self.lock();
            if state.in_use == self.cores {
                state.waiting.push_back(Turn::Job(job));
                return;
            }
            state.in_use += 1;
            Core::of(self)
        };
        core.run(job);
    }

    /// A core for a job that has awaited a future.
    async fn resume(self: &Arc<Self>) -> Option<Core> {
        let turn = {
            let mut state = self.lock();
            if state.in_use < self.cores {
                state.in_use += 1;
                return Some(Core::of(self));
            }
            let (sender, turn) = oneshot::channel();
            state.waiting.push_back(Turn::Resume(sender));
            turn
        };
        turn.await.ok()
    }

    /// The next in turn, who gets a core that is still in use; if there is none, the core is free.
    fn next_turn(&self) -> Option<Turn> {
        let mut state = self.lock();
        let turn = state.waiting.pop_front();
        if turn.is_none() {
            state.in_use -= 1;
        }
        turn
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Core {
    /// A core that is counted as in use.
    fn of(pool: &Arc<Pool>) -> Self {
        Self { pool: Some(Arc::clone(pool)) }
    }

    /// Runs the job, and then others that wait for this core, on a thread of their own.
    fn run(self, job: Job) {
        let Some(pool) = self.pool.clone() else { return };
        let runtime = job.runtime.clone();
        drop(runtime.spawn_blocking(move || {
            let mut next = Some((self, job));
            while let Some((core, Job { runtime, work })) = next {
                let mut permit = YieldingPermit { runtime, pool: Arc::clone(&pool), core: Some(core) };
                work(&mut permit);
                next = permit.core.take().and_then(Core::take_job);
            }
        }));
    }

    /// The job that is next in turn, with this core; None if someone else has it now or nobody waits.
    fn take_job(mut self) -> Option<(Self, Job)> {
        let pool = self.pool.take()?;
        match pool.next_turn()? {
            Turn::Job(job) => Some((Self::of(&pool), job)),
            Turn::Resume(sender) => {
                // A job that no longer waits drops the core, and so passes it on.
                drop(sender.send(Self::of(&pool)));
                None
            }
        }
    }
}

impl Drop for Core {
    fn drop(&mut self) {
        let Some(pool) = self.pool.take() else { return };
        match pool.next_turn() {
            Some(Turn::Job(job)) => Self::of(&pool).run(job),
            Some(Turn::Resume(sender)) => drop(sender.send(Self::of(&pool))),
            None => {}
        }
    }
}

/// The core of one job, which is passed on while the job awaits a future.
pub struct YieldingPermit {
    runtime: Handle,
    pool: Arc<Pool>,
    core: Option<Core>,
}

impl YieldingPermit {
    pub fn block_on<F: Future>(&mut self, future: F) -> F::Output {
        let runtime = self.runtime.clone();
        runtime.block_on(async {
            let mut future = pin!(future);
            loop {
                if self.core.is_none() {
                    self.core = self.pool.resume().await;
                }
                let polled = poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await;
                if let Poll::Ready(output) = polled {
                    return output;
                }
                self.core = None;
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
    use futures_util::FutureExt;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

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
        pool.is_idle().await;
    }

    #[tokio::test]
    async fn a_panic_does_not_break_the_pool() {
        let pool = CpuPool::with_cores(1);
        assert_eq!(pool.run(|| panic!("broken")).await, None::<()>);
        assert_eq!(pool.run(|| 1).await, Some(1));
        pool.is_idle().await;
    }

    impl CpuPool {
        /// A job has delivered its result before its thread passes its core on.
        async fn is_idle(&self) {
            while self.0.lock().in_use > 0 {
                tokio::task::yield_now().await;
            }
            assert!(self.0.lock().waiting.is_empty());
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn no_more_jobs_run_than_there_are_cores() {
        let pool = CpuPool::with_cores(2);
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let job = |awaits: bool| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            pool.run_yielding(move |permit| {
                let work = || {
                    most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::sleep(Duration::from_millis(1));
                    running.fetch_sub(1, Ordering::SeqCst);
                };
                work();
                if awaits {
                    permit.block_on(async {
                        tokio::time::sleep(Duration::from_millis(2)).await;
                        work();
                    });
                }
            })
        };
        let done = futures_util::future::join_all((0..40).map(|number| job(number % 2 == 0))).await;
        assert!(done.iter().all(Option::is_some));
        assert_eq!(most.load(Ordering::SeqCst), 2);
        pool.is_idle().await;
    }

    #[tokio::test]
    async fn a_job_whose_caller_gave_up_is_skipped() {
        let pool = CpuPool::with_cores(1);
        let (start_sender, started) = oneshot::channel();
        let (go_on_sender, go_on) = std::sync::mpsc::channel::<()>();
        let mut first = Box::pin(pool.run(move || {
            start_sender.send(()).unwrap();
            go_on.recv().unwrap();
        }));
        assert!((&mut first).now_or_never().is_none());
        started.await.unwrap();
        let ran = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&ran);
        assert!(pool.run(move || counted.fetch_add(1, Ordering::SeqCst)).now_or_never().is_none());
        go_on_sender.send(()).unwrap();
        first.await;
        pool.is_idle().await;
        assert_eq!(ran.load(Ordering::SeqCst), 0);
    }
}
