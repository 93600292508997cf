//! Password hashing on dedicated threads, so that a flood of guesses does not slow down other requests.
//! `docs/decisions/0009-throttles-in-the-process.md` explains the two queues.

use crate::error::{ApiError, ErrorCode};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;

/// Most hashes waiting in one queue.
const WAITING_MAX: usize = 256;
/// How long a request waits for its hash.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Most concurrent hashes for known addresses; each takes a core and 19 MB. One core is left for other work.
const KNOWN_AT_ONCE_MAX: usize = 4;
/// Hashes for unknown addresses are computed one at a time.
const UNKNOWN_AT_ONCE: usize = 1;
/// Niceness of the thread for unknown addresses: about a tenth of a core under load, and all of it otherwise.
const UNKNOWN_NICE: i32 = 10;

/// Which queue a hash waits in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashPriority {
    /// Someone signed in from this address recently.
    KnownAddress,
    UnknownAddress,
}

pub struct HashPool {
    known: HashQueue,
    unknown: HashQueue,
}

type Job = Box<dyn FnOnce() + Send>;

/// A queue of hashes and its threads, which end when it is dropped.
struct HashQueue {
    jobs: SyncSender<Job>,
    wait_max: Duration,
}

impl HashPool {
    pub fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let at_once = cores.saturating_sub(1).clamp(1, KNOWN_AT_ONCE_MAX);
        Self {
            known: HashQueue::new("hashing", at_once, 0),
            unknown: HashQueue::new("hashing strangers", UNKNOWN_AT_ONCE, UNKNOWN_NICE),
        }
    }

    /// Runs the work in a queue. 503 if the queue is full or the wait is too long. Work whose caller has given up is
    /// not started; work that has started is finished.
    pub async fn run<T: Send + 'static>(
        &self,
        priority: HashPriority,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        match priority {
            HashPriority::KnownAddress => self.known.run(work).await,
            HashPriority::UnknownAddress => self.unknown.run(work).await,
        }
    }
}

impl HashQueue {
    fn new(name: &str, at_once: usize, nice: i32) -> Self {
        let (jobs, waiting) = sync_channel(WAITING_MAX);
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..at_once {
            let waiting = Arc::clone(&waiting);
            let started =
                thread::Builder::new().name(name.to_owned()).spawn(move || run_jobs(&waiting, nice));
            if let Err(error) = started {
                tracing::error!("a password hashing thread cannot be started: {error}");
            }
        }
        Self { jobs, wait_max: WAIT_MAX }
    }

    async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
        let (sender, receiver) = oneshot::channel();
        let job = Box::new(move || {
            if !sender.is_closed() {
                let _no_receiver = sender.send(work());
            }
        });
        if self.jobs.try_send(job).is_err() {
            tracing::warn!("sign-in is refused: {WAITING_MAX} requests are already waiting");
            return Err(ApiError::of(ErrorCode::Unavailable));
        }
        match tokio::time::timeout(self.wait_max, receiver).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(_)) => Err(ApiError::internal("the password hash was not completed")),
            Err(_) => Err(ApiError::of(ErrorCode::Unavailable)),
        }
    }
}

/// Runs jobs until the queue is dropped.
fn run_jobs(waiting: &Mutex<Receiver<Job>>, nice: i32) {
    lower_priority(nice);
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else {
            return;
        };
        // The caller notices a panic because its channel is closed.
        let _panicked = catch_unwind(AssertUnwindSafe(job));
    }
}

/// Lowers the priority of this thread. Only Linux has priorities per thread.
#[cfg(target_os = "linux")]
fn lower_priority(nice: i32) {
    if nice > 0
        && let Err(error) = rustix::process::nice(nice)
    {
        tracing::warn!("the priority of a thread cannot be lowered: {error}");
    }
}

#[cfg(not(target_os = "linux"))]
fn lower_priority(_nice: i32) {}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A queue with one thread that is busy until the sender is dropped.
    async fn busy_queue() -> (HashQueue, std::sync::mpsc::Sender<()>) {
        let queue = HashQueue::new("a test", 1, 0);
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let (begin, begun) = oneshot::channel();
        let job: Job = Box::new(move || {
            begin.send(()).unwrap();
            let _let_go = held.recv();
        });
        queue.jobs.try_send(job).unwrap();
        begun.await.unwrap();
        (queue, hold)
    }

    #[tokio::test]
    async fn a_full_queue_refuses_at_once() {
        let (queue, hold) = busy_queue().await;
        let done = Arc::new(AtomicUsize::new(0));
        let ask = || {
            let done = Arc::clone(&done);
            queue.run(move || done.fetch_add(1, Ordering::Relaxed))
        };
        let answers = join_all((0..WAITING_MAX + 3).map(|number| {
            let hold = (number == WAITING_MAX + 2).then(|| hold.clone());
            let asked = ask();
            async move {
                let answer = asked.await;
                drop(hold);
                answer
            }
        }));
        drop(hold);
        let refused = answers.await.into_iter().filter_map(Result::err).map(|error| error.error_code());
        assert_eq!(refused.collect::<Vec<_>>(), [ErrorCode::Unavailable; 3]);
        assert_eq!(done.load(Ordering::Relaxed), WAITING_MAX);
    }

    #[tokio::test]
    async fn a_request_that_waits_too_long_is_refused_and_not_hashed() {
        let (mut queue, hold) = busy_queue().await;
        queue.wait_max = Duration::from_millis(20);
        let done = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&done);
        let late = queue.run(move || counted.fetch_add(1, Ordering::Relaxed)).await;
        assert_eq!(late.unwrap_err().error_code(), ErrorCode::Unavailable);
        drop(hold);
        queue.wait_max = WAIT_MAX;
        assert_eq!(queue.run(|| 7).await.unwrap(), 7, "those before it are through");
        assert_eq!(done.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn a_panic_ends_one_hash_and_not_the_thread() {
        let queue = HashQueue::new("a test", 1, 0);
        let broken = queue.run(|| -> u8 { panic!("on purpose") }).await;
        assert_eq!(broken.unwrap_err().error_code(), ErrorCode::Internal);
        assert_eq!(queue.run(|| 7).await.unwrap(), 7);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn unknown_addresses_have_low_priority_and_one_thread() {
        let hash_pool = HashPool::new();
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let own = nice();
        let behind = (own + UNKNOWN_NICE).min(19);
        assert_eq!(hash_pool.run(HashPriority::KnownAddress, nice).await.unwrap(), own);
        assert_eq!(hash_pool.run(HashPriority::UnknownAddress, nice).await.unwrap(), behind);
        let running = Arc::new(AtomicUsize::new(0));
        let most = join_all((0..20).map(|_| {
            let running = Arc::clone(&running);
            hash_pool.run(HashPriority::UnknownAddress, move || {
                let at_once = running.fetch_add(1, Ordering::SeqCst) + 1;
                thread::sleep(Duration::from_millis(1));
                running.fetch_sub(1, Ordering::SeqCst);
                at_once
            })
        }));
        assert!(most.await.into_iter().all(|at_once| at_once.unwrap() == 1));
    }
}
