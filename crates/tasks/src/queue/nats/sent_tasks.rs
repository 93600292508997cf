//! Tasks in the stream. Their records stay in the outbox until they end; the stream is rechecked periodically, and
//! lost tasks are resent.

use super::connection::Connection;
use crate::worker_gauges::WorkerGauges;
use chrono::TimeDelta;
use domain::instant::Instant as Moment;
use domain::ports::{Clock, DeliveredTask, OutboxStore, QueueError, SentTask, StoreError, TaskKey};
use futures_util::{StreamExt, TryStreamExt, stream};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex as AsyncMutex;

/// Page size of a recheck, and the number of concurrent requests.
const PAGE: u64 = 256;
const ASKED_AT_ONCE: usize = 16;
/// Maximum number of pages per recheck.
const PAGES_MAX: u32 = 40;

pub(super) struct SentTasks {
    store: Arc<dyn OutboxStore>,
    clock: Arc<dyn Clock>,
    connection: Arc<Connection>,
    /// Interval between rechecks of a task.
    recheck_after: TimeDelta,
    ended: Mutex<Vec<TaskKey>>,
    removal_lock: AsyncMutex<()>,
    worker_gauges: OnceLock<Arc<WorkerGauges>>,
}

impl SentTasks {
    pub(super) fn new(
        store: Arc<dyn OutboxStore>,
        clock: Arc<dyn Clock>,
        connection: Arc<Connection>,
        recheck_after: Duration,
    ) -> Self {
        Self {
            store,
            clock,
            connection,
            recheck_after: TimeDelta::from_std(recheck_after).unwrap_or(TimeDelta::MAX),
            ended: Mutex::default(),
            removal_lock: AsyncMutex::default(),
            worker_gauges: OnceLock::new(),
        }
    }

    /// Counts lost tasks in these gauges.
    pub(super) fn count_in(&self, worker_gauges: &Arc<WorkerGauges>) {
        let _counted_already = self.worker_gauges.set(Arc::clone(worker_gauges));
    }

    /// Marks tasks as sent.
    pub(super) async fn mark(&self, sent: &[SentTask]) -> Result<(), StoreError> {
        let now = self.clock.now();
        self.store.mark_sent(sent, now, self.recheck_at(now)).await
    }

    /// Selects the delivered messages that are to be run by this process.
    pub(super) async fn hold_delivered(
        &self,
        delivered: &[DeliveredTask],
    ) -> Result<Vec<DeliveredTask>, StoreError> {
        let now = self.clock.now();
        self.store.hold_delivered(delivered, now, self.recheck_at(now)).await
    }

    fn recheck_at(&self, now: Moment) -> Moment {
        now.checked_add_signed(self.recheck_after).unwrap_or(now)
    }

    /// Removes an ended task. Tasks that end while a statement is running share the next one.
    pub(super) async fn end(&self, key: TaskKey) -> Result<(), StoreError> {
        self.ended().push(key);
        let _removal_guard = self.removal_lock.lock().await;
        let ended = std::mem::take(&mut *self.ended());
        let taken_out = self.store.take_out(&ended).await;
        if taken_out.is_err() {
            self.ended().extend(ended);
        }
        taken_out
    }

    /// Checks overdue tasks: those in the stream are left alone, lost ones are resent. A message is in the stream
    /// while its task waits or runs.
    pub(super) async fn recheck(&self) -> Result<(), QueueError> {
        for _ in 0..PAGES_MAX {
            let overdue = self.store.overdue_tasks(PAGE, self.clock.now()).await?;
            if overdue.is_empty() {
                return Ok(());
            }
            self.connection.ensure_stream().await?;
            let (mut kept, mut lost) = (Vec::new(), Vec::new());
            for (task, is_there) in self.ask(overdue).await? {
                if is_there { kept.push(task) } else { lost.push(task) }
            }
            self.mark(&kept).await?;
            let resent = self.store.resend(&lost).await?;
            if resent > 0 {
                tracing::warn!(
                    resent,
                    "{resent} tasks were lost by NATS, or their end was not noted; they are sent again"
                );
                if let Some(worker_gauges) = self.worker_gauges.get() {
                    worker_gauges.add_requeued(resent);
                }
            }
        }
        Ok(())
    }

    /// Checks which of these tasks the stream has.
    async fn ask(&self, tasks: Vec<SentTask>) -> Result<Vec<(SentTask, bool)>, QueueError> {
        let ask = |task: SentTask| async {
            let is_there = match task.message.parse() {
                Ok(sequence) => self.connection.has_message(sequence, task.key).await?,
                Err(_) => false,
            };
            Ok((task, is_there))
        };
        stream::iter(tasks).map(ask).buffered(ASKED_AT_ONCE).try_collect().await
    }

    fn ended(&self) -> MutexGuard<'_, Vec<TaskKey>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
