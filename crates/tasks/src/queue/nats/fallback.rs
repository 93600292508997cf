//! Fallback to the database: while no NATS server responds, workers claim unsent tasks and hold them with a lease in the
//! database, like the queue in the database.
//!
//! A task that starts in the process that stores it is held in the same way from the beginning, whether a server responds
//! or not. It is sent if its lease expires, because its process died, or if it is released, because its process stops.
//!
//! No task runs twice because of this. The row of a task decides who runs it, and every change is one conditional
//! statement: a claim needs a row without a holder, a relay marks only such rows as sent, and a worker runs a delivered
//! message only if the row is held for this message, or has no holder and is unchanged since the message was sent
//! (`hold_delivered`). It follows:
//!
//! - The connection breaks while a row is sent, or the acknowledgement is lost: the row is not marked and may be claimed
//!   here. When the message arrives later, the row is gone, held or has another number of attempts, and the message is
//!   removed. If the message arrives first, the row is held for it, and no claim finds it.
//! - A row that is marked as sent belongs to the stream, which may deliver it at any time.
//! - A worker claims a row here and dies: its lease ends, and the row is claimed or sent again. The number of attempts has
//!   changed, so it is another message, and an earlier one in the stream is removed.
//! - The server comes back meanwhile: the relay skips rows that are held here. They are renewed and ended in the
//!   database, whatever the state of the connection.
//! - A task that was delivered before the connection broke is held for its message. The worker takes it over (`take_over`)
//!   while its lease on the message lasts, so no other worker has received it; a later delivery finds the row held and is
//!   removed.
//! - A single process that lost its connection does the same beside others that have not: the rules apply to rows.

use super::broker_store::BrokerStore;
use domain::instant::Instant;
use domain::ports::{ClaimedTask, Clock, QueueError, QueueName, StoreError, TaskKey, WorkerSlots};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(super) struct Fallback {
    store: Arc<dyn BrokerStore>,
    clock: Arc<dyn Clock>,
    /// Leases of tasks that were taken over from the stream.
    taken_over: Mutex<BTreeSet<String>>,
}

impl Fallback {
    pub(super) fn new(store: Arc<dyn BrokerStore>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, taken_over: Mutex::default() }
    }

    /// Claims tasks that were never sent, in turn by owner.
    pub(super) async fn claim(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        Ok(self.store.claim_unsent(queue, slots, worker, lease, self.clock.now()).await?)
    }

    /// Whether the task has a lease in the database. Such a lease is a number; that of a message is a subject with
    /// dots.
    pub(super) fn holds(&self, task: &ClaimedTask) -> bool {
        !task.lease.contains('.') || self.taken_over().contains(&task.lease)
    }

    /// Takes over a task that is held for this message; false if it no longer is.
    pub(super) async fn take_over(
        &self,
        task: &ClaimedTask,
        key: TaskKey,
        message: &str,
        worker: &str,
        until: Instant,
    ) -> Result<bool, StoreError> {
        let is_held = self.store.take_over(task, key, message, worker, until).await?;
        if is_held {
            self.taken_over().insert(task.lease.clone());
        }
        Ok(is_held)
    }

    pub(super) async fn renew(&self, task: &ClaimedTask, lease: Duration) -> Result<bool, StoreError> {
        let is_held = self.store.renew_task(task, lease, self.clock.now()).await?;
        if !is_held {
            self.forget(task);
        }
        Ok(is_held)
    }

    pub(super) async fn finish(&self, task: &ClaimedTask) -> Result<(), StoreError> {
        self.store.finish_task(task).await?;
        self.forget(task);
        Ok(())
    }

    pub(super) async fn retry(
        &self,
        task: &ClaimedTask,
        due: Instant,
        reason: &str,
    ) -> Result<(), StoreError> {
        self.store.retry_task(task, due, reason).await?;
        self.forget(task);
        Ok(())
    }

    pub(super) async fn release(&self, task: &ClaimedTask) -> Result<(), StoreError> {
        self.store.release_task(task).await?;
        self.forget(task);
        Ok(())
    }

    fn forget(&self, task: &ClaimedTask) {
        self.taken_over().remove(&task.lease);
    }

    fn taken_over(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.taken_over.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
