//! Tasks that the stream has. Their records stay in the outbox until they end, and the stream is asked for each again and
//! again: what it has lost is sent anew.

use super::link::Link;
use chrono::TimeDelta;
use domain::contracts::{Clock, DeliveredTask, QueueError, SentTask, Store, StoreError, TaskKey};
use domain::instant::Instant as Moment;
use domain::workload::Workload;
use futures_util::{StreamExt, TryStreamExt, stream};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;
use tokio::sync::Mutex as Turn;

/// Tasks that the stream is asked for together, and how many of these questions are on their way at once.
const PAGE: u64 = 256;
const ASKED_AT_ONCE: usize = 16;
/// Pages of one recheck; the next one goes on.
const PAGES_MAX: u32 = 40;

pub(super) struct SentTasks {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    link: Arc<Link>,
    /// After this time the stream is asked again.
    recheck_after: TimeDelta,
    ended: Mutex<Vec<TaskKey>>,
    taking_out: Turn<()>,
    workload: OnceLock<Arc<Workload>>,
}

impl SentTasks {
    pub(super) fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        link: Arc<Link>,
        recheck_after: Duration,
    ) -> Self {
        Self {
            store,
            clock,
            link,
            recheck_after: TimeDelta::from_std(recheck_after).unwrap_or(TimeDelta::MAX),
            ended: Mutex::default(),
            taking_out: Turn::default(),
            workload: OnceLock::new(),
        }
    }

    /// Lost tasks are counted there from now on.
    pub(super) fn count_in(&self, workload: &Arc<Workload>) {
        let _counted_already = self.workload.set(Arc::clone(workload));
    }

    /// The stream has these.
    pub(super) async fn mark(&self, sent: &[SentTask]) -> Result<(), StoreError> {
        let now = self.clock.now();
        self.store.mark_sent(sent, now, self.recheck_at(now)).await
    }

    /// Which of the messages that the stream gives out are to be run here.
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

    /// The task has ended. Tasks that end while a statement is under way share the next one.
    pub(super) async fn end(&self, key: TaskKey) -> Result<(), StoreError> {
        self.ended().push(key);
        let _turn = self.taking_out.lock().await;
        let ended = std::mem::take(&mut *self.ended());
        let taken_out = self.store.take_out(&ended).await;
        if taken_out.is_err() {
            self.ended().extend(ended);
        }
        taken_out
    }

    /// Asks the stream for the tasks whose time is over: those that it has are left to it, those that it has lost wait for
    /// their turn again. A message is in the stream while its task waits or runs.
    pub(super) async fn recheck(&self) -> Result<(), QueueError> {
        for _ in 0..PAGES_MAX {
            let overdue = self.store.overdue_tasks(PAGE, self.clock.now()).await?;
            if overdue.is_empty() {
                return Ok(());
            }
            self.link.ensure_stream().await?;
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
                if let Some(workload) = self.workload.get() {
                    workload.add_requeued(resent);
                }
            }
        }
        Ok(())
    }

    /// Whether the stream has each of these.
    async fn ask(&self, tasks: Vec<SentTask>) -> Result<Vec<(SentTask, bool)>, QueueError> {
        let ask = |task: SentTask| async {
            let is_there = match task.message.parse() {
                Ok(sequence) => self.link.has_message(sequence, task.key).await?,
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
