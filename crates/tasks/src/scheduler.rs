//! Scheduler of periodic tasks. Schedules are records; one of all processes takes a due schedule and enqueues its
//! task.

use domain::ports::{Clock, NewTask, QueueError, QueueName, ScheduleStore, TaskQueue, chain};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// Polling interval of the schedules.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Minimum interval of a schedule.
const INTERVAL_MIN: Duration = POLL_INTERVAL;
/// Maximum number of waiting tasks. Further ones are skipped, so that they do not pile up without workers.
const WAITING_MAX: u64 = 100;
/// Maximum attempts of a periodic task.
const ATTEMPTS_MAX: u32 = 3;

pub struct Scheduler {
    store: Arc<dyn ScheduleStore>,
    queue: Arc<dyn TaskQueue>,
    clock: Arc<dyn Clock>,
}

impl Scheduler {
    pub fn new(store: Arc<dyn ScheduleStore>, queue: Arc<dyn TaskQueue>, clock: Arc<dyn Clock>) -> Self {
        Self { store, queue, clock }
    }

    /// Creates a schedule for the task with this name, unless it exists.
    pub async fn ensure(&self, task: &str, every: Duration) -> Result<(), QueueError> {
        Ok(self.store.ensure_schedule(task, every.max(INTERVAL_MIN), self.clock.now()).await?)
    }

    /// Starts due tasks until `stop` becomes true.
    pub async fn serve(self, mut stop: watch::Receiver<bool>) {
        loop {
            if let Err(error) = self.start_due_tasks().await {
                tracing::warn!("the schedules cannot be served: {}", chain(&error));
            }
            tokio::select! {
                () = tokio::time::sleep(POLL_INTERVAL) => {}
                _ = stop.wait_for(|stop| *stop) => return,
            }
        }
    }

    /// Starts the tasks that are due and returns their number.
    pub async fn start_due_tasks(&self) -> Result<usize, QueueError> {
        let now = self.clock.now();
        // Usually nothing is due, and reading is cheap.
        if !self.store.schedules().await?.iter().any(|schedule| schedule.is_due(now)) {
            return Ok(0);
        }
        let mut started = 0;
        for schedule in self.store.take_due(now).await? {
            if self.queue.depth(QueueName::Maintenance).await? >= WAITING_MAX {
                tracing::warn!(
                    schedule = schedule.name,
                    "{} is left out: {WAITING_MAX} tasks wait already",
                    schedule.name
                );
                continue;
            }
            let task = NewTask {
                queue: QueueName::Maintenance,
                name: schedule.name,
                payload: Default::default(),
                attempts_max: ATTEMPTS_MAX,
                owner: None,
            };
            let name = task.name.clone();
            self.queue.push(task).await?;
            tracing::info!(schedule = name, "{name} was due; its task is in the queue maintenance");
            started += 1;
        }
        Ok(started)
    }
}
