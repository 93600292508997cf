//! Where passwords are hashed: on a few threads of its own, so that a flood of guesses keeps nobody else waiting.
//! `docs/decisions/0009-throttles-in-the-process.md` says why there are two rows.

use crate::error::{ApiError, Refusal};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;

/// Most hashes that wait for their turn in one row.
const WAITING_MAX: usize = 256;
/// How long a request waits for its hash.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// Most hashes at once for guests who are known; each takes a core and 19 MB. One core is left to the others.
const KNOWN_AT_ONCE_MAX: usize = 4;
/// Strangers are hashed one at a time.
const STRANGERS_AT_ONCE: usize = 1;
/// How far strangers stand behind everybody else: about a tenth of a core's time when others want it, all of it when
/// nobody does.
const STRANGERS_NICE: i32 = 10;

/// Who waits for a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guest {
    /// Someone signed in from this address lately.
    Known,
    Stranger,
}

pub struct Hashers {
    known: Row,
    strangers: Row,
}

type Job = Box<dyn FnOnce() + Send>;

/// A row of hashes and the threads that make them. The threads end when it is dropped.
struct Row {
    jobs: SyncSender<Job>,
    wait_max: Duration,
}

impl Hashers {
    pub fn new() -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let at_once = cores.saturating_sub(1).clamp(1, KNOWN_AT_ONCE_MAX);
        Self {
            known: Row::new("hashing", at_once, 0),
            strangers: Row::new("hashing strangers", STRANGERS_AT_ONCE, STRANGERS_NICE),
        }
    }

    /// Does the work when its turn comes. 503 when too many wait already, or when the wait is too long. Work that
    /// nobody waits for any more is not begun; work that has begun is done to its end.
    pub async fn in_turn<T: Send + 'static>(
        &self,
        guest: Guest,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        match guest {
            Guest::Known => self.known.in_turn(work).await,
            Guest::Stranger => self.strangers.in_turn(work).await,
        }
    }
}

impl Row {
    fn new(name: &str, at_once: usize, nice: i32) -> Self {
        let (jobs, waiting) = sync_channel(WAITING_MAX);
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..at_once {
            let waiting = Arc::clone(&waiting);
            let started =
                thread::Builder::new().name(name.to_owned()).spawn(move || work_off(&waiting, nice));
            if let Err(error) = started {
                tracing::error!("a thread for passwords cannot be started: {error}");
            }
        }
        Self { jobs, wait_max: WAIT_MAX }
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let (give, given) = oneshot::channel();
        let job = Box::new(move || {
            if !give.is_closed() {
                let _nobody_waits = give.send(work());
            }
        });
        if self.jobs.try_send(job).is_err() {
            tracing::warn!("sign-in is refused, because {WAITING_MAX} wait already");
            return Err(ApiError::of(Refusal::Unavailable));
        }
        match tokio::time::timeout(self.wait_max, given).await {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(_)) => Err(ApiError::internal("a password hash was not finished")),
            Err(_) => Err(ApiError::of(Refusal::Unavailable)),
        }
    }
}

/// Does what waits, until nobody can wait here any more.
fn work_off(waiting: &Mutex<Receiver<Job>>, nice: i32) {
    step_back(nice);
    loop {
        let next = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else {
            return;
        };
        // Its asker learns of a panic by getting no answer.
        let _done_or_not = catch_unwind(AssertUnwindSafe(job));
    }
}

/// Lowers the priority of this thread. Only Linux has one for each thread.
#[cfg(target_os = "linux")]
fn step_back(nice: i32) {
    if nice > 0
        && let Err(error) = rustix::process::nice(nice)
    {
        tracing::warn!("the priority of a thread cannot be lowered: {error}");
    }
}

#[cfg(not(target_os = "linux"))]
fn step_back(_nice: i32) {}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::future::join_all;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A row of one thread that is busy until the sender is dropped.
    async fn busy_row() -> (Row, std::sync::mpsc::Sender<()>) {
        let row = Row::new("a test", 1, 0);
        let (hold, held) = std::sync::mpsc::channel::<()>();
        let (begin, begun) = oneshot::channel();
        let job: Job = Box::new(move || {
            begin.send(()).unwrap();
            let _let_go = held.recv();
        });
        row.jobs.try_send(job).unwrap();
        begun.await.unwrap();
        (row, hold)
    }

    #[tokio::test]
    async fn so_many_wait_and_the_next_is_refused_at_once() {
        let (row, hold) = busy_row().await;
        let done = Arc::new(AtomicUsize::new(0));
        let ask = || {
            let done = Arc::clone(&done);
            row.in_turn(move || done.fetch_add(1, Ordering::Relaxed))
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
        let refused = answers.await.into_iter().filter_map(Result::err).map(|error| error.refusal());
        assert_eq!(refused.collect::<Vec<_>>(), [Refusal::Unavailable; 3]);
        assert_eq!(done.load(Ordering::Relaxed), WAITING_MAX);
    }

    #[tokio::test]
    async fn who_waits_too_long_is_refused_and_nothing_is_hashed_for_it() {
        let (mut row, hold) = busy_row().await;
        row.wait_max = Duration::from_millis(20);
        let done = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&done);
        let late = row.in_turn(move || counted.fetch_add(1, Ordering::Relaxed)).await;
        assert_eq!(late.unwrap_err().refusal(), Refusal::Unavailable);
        drop(hold);
        row.wait_max = WAIT_MAX;
        assert_eq!(row.in_turn(|| 7).await.unwrap(), 7, "those before it are through");
        assert_eq!(done.load(Ordering::Relaxed), 0);
    }

    #[tokio::test]
    async fn a_panic_ends_one_hash_and_not_the_thread() {
        let row = Row::new("a test", 1, 0);
        let broken = row.in_turn(|| -> u8 { panic!("on purpose") }).await;
        assert_eq!(broken.unwrap_err().refusal(), Refusal::Internal);
        assert_eq!(row.in_turn(|| 7).await.unwrap(), 7);
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn strangers_stand_behind_and_alone() {
        let hashers = Hashers::new();
        let nice = || rustix::process::getpriority_process(None).unwrap();
        let own = nice();
        let behind = (own + STRANGERS_NICE).min(19);
        assert_eq!(hashers.in_turn(Guest::Known, nice).await.unwrap(), own);
        assert_eq!(hashers.in_turn(Guest::Stranger, nice).await.unwrap(), behind);
        let running = Arc::new(AtomicUsize::new(0));
        let most = join_all((0..20).map(|_| {
            let running = Arc::clone(&running);
            hashers.in_turn(Guest::Stranger, move || {
                let at_once = running.fetch_add(1, Ordering::SeqCst) + 1;
                thread::sleep(Duration::from_millis(1));
                running.fetch_sub(1, Ordering::SeqCst);
                at_once
            })
        }));
        assert!(most.await.into_iter().all(|at_once| at_once.unwrap() == 1));
    }
}
