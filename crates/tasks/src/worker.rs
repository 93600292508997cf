//! Worker: claims tasks of one queue, runs them concurrently, retries failures and stops gracefully.

use crate::Registry;
use crate::local_start::{FirstLease, StoredTask, WorkerOffer};
use crate::slots::{Slot, Slots};
use crate::worker_gauges::WorkerGauges;
use domain::ports::{
    ClaimedTask, Clock, Heartbeat, QueueError, QueueName, RunningSlot, TaskError, TaskErrorKind, TaskHandler,
    TaskQueue, WorkerSlots, chain,
};
use domain::request_context::within_request_if_any;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tracing::Instrument;

/// Maximum sleep of a worker without a notification.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// Interval between heartbeats.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);
/// Delay before the first retry; it doubles with each further one.
const RETRY_FIRST: Duration = Duration::from_millis(500);
const RETRY_MAX: Duration = Duration::from_secs(60);
/// Maximum number of tasks per claim. Many, because writes to SQLite are serialized: single claims would leave slots
/// empty while clients write.
const CLAIM_MAX: usize = 64;
/// How long a stop waits, after its grace period, until running tasks are released.
const RELEASE_MAX: Duration = Duration::from_secs(3);
/// Delay after the queue itself failed.
const QUEUE_FAILED_WAIT: Duration = Duration::from_secs(1);

#[derive(Debug, Clone)]
pub struct WorkerConfig {
    pub queue: QueueName,
    /// Maximum number of tasks in progress.
    pub concurrency: u32,
    /// Maximum number of running tasks; the others wait for something else.
    pub running_max: u32,
    /// Lifetime of a lease without a heartbeat.
    pub lease: Duration,
    /// Grace period of running tasks when stopping.
    pub grace: Duration,
}

pub struct Worker {
    name: String,
    config: WorkerConfig,
    queue: Arc<dyn TaskQueue>,
    clock: Arc<dyn Clock>,
    registry: Registry,
    active: Arc<AtomicU32>,
    worker_gauges: Arc<WorkerGauges>,
    /// Becomes true when the grace period has ended.
    too_late: watch::Sender<bool>,
    /// Active tasks in the last heartbeat.
    reported_active: AtomicU32,
    /// It claims nothing more, so it reports no slots.
    is_stopping: AtomicBool,
}

impl Worker {
    pub fn new(
        config: WorkerConfig,
        queue: Arc<dyn TaskQueue>,
        clock: Arc<dyn Clock>,
        registry: Registry,
    ) -> Self {
        let name = format!("{}-{}-{:08x}", config.queue.as_str(), std::process::id(), rand::random::<u32>());
        Self {
            name,
            config,
            queue,
            clock,
            registry,
            active: Arc::default(),
            worker_gauges: Arc::default(),
            too_late: watch::Sender::new(false),
            reported_active: AtomicU32::new(0),
            is_stopping: AtomicBool::new(false),
        }
    }

    /// Reports its work in the metrics of this process.
    pub fn counted_in(self, worker_gauges: &Arc<WorkerGauges>) -> Self {
        Self { worker_gauges: Arc::clone(worker_gauges), ..self }
    }

    /// Serves the queue until `stop` becomes true. Then it claims nothing more, waits for running tasks, and releases
    /// those that do not end in time.
    pub async fn serve(self, stop: watch::Receiver<bool>) {
        // The log has one file per queue, selected by this field.
        let span = tracing::info_span!("worker", queue = self.config.queue.as_str());
        self.serve_queue(stop).instrument(span).await;
    }

    async fn serve_queue(self, mut stop: watch::Receiver<bool>) {
        let WorkerConfig { concurrency, .. } = self.config;
        tracing::info!("{} serves the queue, {concurrency} tasks at once", self.name);
        let _serving = self.worker_gauges.join(&self.name, self.config.queue, Arc::clone(&self.active));
        let mut running = JoinSet::new();
        let slots = Arc::new(Slots::new(concurrency, self.config.running_max));
        let (offer, mut stored) =
            WorkerOffer::open(Arc::clone(&slots), &self.name, self.config.lease, concurrency);
        self.queue.offer_slots(self.config.queue, &offer);
        tokio::select! {
            () = self.send_heartbeats() => {}
            () = self.claim_until_stopped(&slots, &mut stored, &mut running, &mut stop) => {}
        }
        drop(offer);
        self.start_reserved(&mut stored, &mut running).await;
        self.is_stopping.store(true, Ordering::Relaxed);
        let _in_vain = tokio::time::timeout(RELEASE_MAX, self.record_heartbeat()).await;
        if !all_end_within(self.config.grace, &mut running).await {
            tracing::warn!(
                queue = self.config.queue.as_str(),
                "stopped with {} tasks still running; they go back to the queue",
                running.len()
            );
            self.too_late.send_replace(true);
            if !all_end_within(RELEASE_MAX, &mut running).await {
                tracing::warn!(
                    queue = self.config.queue.as_str(),
                    "{} tasks could not be given back; they run again when their leases end",
                    running.len()
                );
                running.shutdown().await;
            }
        }
        // Reports that it no longer works.
        if self.reported_active.load(Ordering::Relaxed) > 0 {
            let _in_vain = tokio::time::timeout(RELEASE_MAX, self.record_heartbeat()).await;
        }
    }

    async fn claim_until_stopped(
        &self,
        slots: &Slots,
        stored: &mut mpsc::Receiver<StoredTask>,
        running: &mut JoinSet<()>,
        stop: &mut watch::Receiver<bool>,
    ) {
        while !*stop.borrow() {
            while running.try_join_next().is_some() {}
            let free = tokio::select! {
                free = slots.free(CLAIM_MAX) => free,
                Some(stored) = stored.recv() => {
                    self.start_stored(stored, running);
                    continue;
                }
                _ = stop.wait_for(|stop| *stop) => return,
            };
            // A claim is never cancelled: a claimed task would be lost until its lease ends.
            let mut claim = pin!(self.claim(free.len()));
            let claimed = loop {
                tokio::select! {
                    claimed = &mut claim => break claimed,
                    Some(stored) = stored.recv() => self.start_stored(stored, running),
                }
            };
            let mut nothing_to_do = match claimed {
                Ok(tasks) if !tasks.is_empty() => {
                    for (task, slot) in tasks.into_iter().zip(free) {
                        let slot = slot.of(task.owner);
                        self.start(task, slot, FirstLease::beginning_now(self.config.lease), running);
                    }
                    continue;
                }
                Ok(_) => self.queue.wait(self.config.queue, POLL_INTERVAL),
                Err(error) => {
                    tracing::warn!(
                        queue = self.config.queue.as_str(),
                        "the queue cannot be read: {}",
                        chain(&error)
                    );
                    Box::pin(tokio::time::sleep(QUEUE_FAILED_WAIT))
                }
            };
            drop(free); // they may be reserved meanwhile
            loop {
                tokio::select! {
                    () = &mut nothing_to_do => break,
                    Some(stored) = stored.recv() => self.start_stored(stored, running),
                    _ = stop.wait_for(|stop| *stop) => return,
                }
                while running.try_join_next().is_some() {}
            }
        }
    }

    /// Starts the tasks for which slots were reserved before the stop, when they have been stored. One that is stored
    /// too late is claimed by another worker when its lease ends.
    async fn start_reserved(&self, stored: &mut mpsc::Receiver<StoredTask>, running: &mut JoinSet<()>) {
        let start_all = async {
            while let Some(stored) = stored.recv().await {
                self.start_stored(stored, running);
            }
        };
        let _in_vain = tokio::time::timeout(RELEASE_MAX, start_all).await;
        stored.close();
    }

    fn start_stored(&self, stored: StoredTask, running: &mut JoinSet<()>) {
        let StoredTask { task, slot, lease } = stored;
        self.start(task, slot, lease, running);
    }

    async fn claim(&self, free: usize) -> Result<Vec<ClaimedTask>, QueueError> {
        let free = u32::try_from(free).unwrap_or(u32::MAX);
        let slots = WorkerSlots { free, total: self.config.concurrency.max(1) };
        self.queue.claim_many(self.config.queue, slots, &self.name, self.config.lease).await
    }

    fn start(&self, task: ClaimedTask, slot: Slot, first_lease: FirstLease, running: &mut JoinSet<()>) {
        let task_run = self.task_run(task, slot, first_lease);
        let span = tracing::info_span!(
            "task",
            queue = self.config.queue.as_str(),
            task.id = task_run.task.id.0,
            task.name = task_run.task.name,
            request.id = task_run.task.request_id().map(tracing::field::display)
        );
        // Tasks that this one creates are caused by the same request.
        let request = task_run.task.request_id().map(Arc::from);
        running.spawn(within_request_if_any(request, task_run.run()).instrument(span));
    }

    async fn send_heartbeats(&self) {
        loop {
            self.record_heartbeat().await;
            tokio::time::sleep(HEARTBEAT_INTERVAL).await;
        }
    }

    async fn record_heartbeat(&self) {
        let active = self.active.load(Ordering::Relaxed);
        self.reported_active.store(active, Ordering::Relaxed);
        let heartbeat = Heartbeat {
            worker: self.name.clone(),
            queue: self.config.queue,
            concurrency: if self.is_stopping.load(Ordering::Relaxed) { 0 } else { self.config.concurrency },
            active,
            last_seen: self.clock.now(),
        };
        if let Err(error) = self.queue.record_heartbeat(heartbeat).await {
            tracing::warn!(
                queue = self.config.queue.as_str(),
                "no sign of life could be given: {}",
                chain(&error)
            );
        }
    }

    fn task_run(&self, task: ClaimedTask, slot: Slot, first_lease: FirstLease) -> TaskRun {
        self.active.fetch_add(1, Ordering::Relaxed);
        TaskRun {
            handler: self.registry.handler(&task.name).cloned(),
            task,
            queue: Arc::clone(&self.queue),
            lease: self.config.lease,
            first_lease,
            slot,
            active: Arc::clone(&self.active),
            too_late: self.too_late.subscribe(),
        }
    }
}

/// A claimed task that is being run.
struct TaskRun {
    task: ClaimedTask,
    handler: Option<Arc<dyn TaskHandler>>,
    queue: Arc<dyn TaskQueue>,
    lease: Duration,
    first_lease: FirstLease,
    slot: Slot,
    active: Arc<AtomicU32>,
    too_late: watch::Receiver<bool>,
}

impl Drop for TaskRun {
    fn drop(&mut self) {
        self.active.fetch_sub(1, Ordering::Relaxed);
    }
}

impl TaskRun {
    async fn run(self) {
        let started = Instant::now();
        if self.first_lease.is_old() && !self.renew_lease().await {
            return;
        }
        tracing::debug!(attempt = self.task.attempt, "task started");
        let outcome = match &self.handler {
            None => Err(self.no_handler()),
            Some(handler) => tokio::select! {
                outcome = AssertUnwindSafe(self.run_in_slot(handler)).catch_unwind() =>
                    outcome.unwrap_or_else(|_| Err(TaskError::new(TaskErrorKind::Failed, "the task panicked"))),
                () = self.hold() => return, // another worker has it now
                () = self.until_too_late() => return self.give_back().await,
            },
        };
        let ended = match outcome {
            Ok(()) => {
                tracing::info!(duration_s = started.elapsed().as_secs_f64(), "task {} ended", self.task.name);
                self.queue.finish(&self.task).await
            }
            Err(error) => {
                let Self { task, .. } = &self;
                tracing::warn!(
                    task.id = task.id.0,
                    task.name,
                    attempt = task.attempt,
                    "task failed: {}",
                    chain(&error)
                );
                self.queue.retry(task, backoff(task.attempt), error.message()).await
            }
        };
        if let Err(error) = ended {
            tracing::warn!(
                task.id = self.task.id.0,
                "the end of a task could not be noted: {}",
                chain(&error)
            );
        }
    }

    fn no_handler(&self) -> TaskError {
        let message = format!("no handler is registered for '{}'", self.task.name);
        TaskError::new(TaskErrorKind::Invalid, message)
    }

    async fn run_in_slot(&self, handler: &Arc<dyn TaskHandler>) -> Result<(), TaskError> {
        self.slot.acquire().await;
        handler.run_in(&self.task, &self.slot).await
    }

    /// Returns when the grace period has ended.
    async fn until_too_late(&self) {
        let mut too_late = self.too_late.clone();
        drop(too_late.wait_for(|too_late| *too_late).await);
    }

    /// Releases the task, which starts again elsewhere.
    async fn give_back(&self) {
        if let Err(error) = self.queue.release(&self.task).await {
            tracing::warn!(task.id = self.task.id.0, "the task was not given back: {}", chain(&error));
        }
    }

    /// Renews the lease while the task runs; returns only if it was lost.
    async fn hold(&self) {
        tokio::time::sleep(self.first_lease.duration / 3).await;
        while self.renew_lease().await {
            tokio::time::sleep(self.lease / 3).await;
        }
    }

    /// False if the lease was lost. If the queue cannot be reached, it may still be held.
    async fn renew_lease(&self) -> bool {
        match self.queue.renew(&self.task, self.lease).await {
            Ok(true) => true,
            Ok(false) => {
                tracing::warn!(task.id = self.task.id.0, "the lease was lost; the task goes on elsewhere");
                false
            }
            Err(error) => {
                tracing::warn!(task.id = self.task.id.0, "the lease was not renewed: {}", chain(&error));
                true
            }
        }
    }
}

/// Whether all tasks end within a time.
async fn all_end_within(time: Duration, running: &mut JoinSet<()>) -> bool {
    let finished = async { while running.join_next().await.is_some() {} };
    tokio::time::timeout(time, finished).await.is_ok()
}

/// How long a failed task waits. One that this version cannot run may be claimed by a node of another version.
fn backoff(attempt: u32) -> Duration {
    RETRY_FIRST.saturating_mul(1 << attempt.saturating_sub(1).min(10)).min(RETRY_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        let waits = [1, 2, 3, 7, 8, 50].map(|attempt| backoff(attempt).as_millis());
        assert_eq!(waits, [500, 1000, 2000, 32_000, 60_000, 60_000]);
    }
}
