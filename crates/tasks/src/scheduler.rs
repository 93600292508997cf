//! Scheduler: periodic work. The schedules are records; of all processes that look, one takes what is due and puts
//! the task of that name into the queue.

use domain::contracts::{Clock, NewTask, QueueError, QueueName, Store, TaskQueue};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How often the schedules are looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// The shortest interval of a schedule.
const EVERY_MIN: Duration = LOOK_EVERY;
/// Tasks that may wait in the queue. When nobody works there, what is due is left out, so that it does not pile up.
const WAITING_MAX: u64 = 100;
/// How often a periodic task may be started; the next one comes anyway.
const ATTEMPTS_MAX: u32 = 3;

pub struct Scheduler {
    store: Arc<dyn Store>,
    queue: Arc<dyn TaskQueue>,
    clock: Arc<dyn Clock>,
}

impl Scheduler {
    pub fn new(store: Arc<dyn Store>, queue: Arc<dyn TaskQueue>, clock: Arc<dyn Clock>) -> Self {
        Self { store, queue, clock }
    }

    /// Sees to it that the schedule exists; one that is stored already stays as it is. `task` is the name of the
    /// task that it starts.
    pub async fn ensure(&self, task: &str, every: Duration) -> Result<(), QueueError> {
        Ok(self.store.ensure_schedule(task, every.max(EVERY_MIN), self.clock.now()).await?)
    }

    /// Looks again and again until `stop` turns true.
    pub async fn serve(self, mut stop: watch::Receiver<bool>) {
        loop {
            if let Err(error) = self.look().await {
                tracing::warn!("the schedules cannot be served: {error}");
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK_EVERY) => {}
                _ = stop.wait_for(|stop| *stop) => return,
            }
        }
    }

    /// Takes what is due and starts it; how many tasks that were.
    pub async fn look(&self) -> Result<usize, QueueError> {
        let now = self.clock.now();
        // Mostly nothing is due, and reading disturbs nobody.
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
