//! Fallback to the database: while no server of NATS answers, workers claim the tasks that were never sent, and hold them by
//! a lease in the database, as with the queue in the database.
//!
//! No task runs twice because of it. The row of a task decides who runs it, and it is changed by one conditional statement
//! each time: a claim here needs a row that nobody holds, a relay marks only such a row as sent, and a worker that is given
//! a message runs it only if the row is held for this message, or is held by nobody and is still as it was when the message
//! was sent (`hold_delivered`). What follows:
//!
//! - A row is sent while the link breaks, or the stream has stored it and the acknowledgement is lost: the row is not marked,
//!   and may be claimed here. The message comes later, finds the row gone, held, or with another number of tries, and is
//!   removed. If the message came first, the row is held for it, and no claim here finds it.
//! - A row that is marked as sent is left to the stream, which may deliver it at any time.
//! - A worker that claimed a row here and died: its lease ends, and the row is claimed or sent again. It was tried once more
//!   then, so that it is another message, and an earlier one that is still in the stream is removed.
//! - The server comes back in the middle: the relay passes over rows that are held here. They are renewed and ended in the
//!   database, whatever the link does.
//! - A task that a worker was given before the link broke is held for its message. The worker takes it over (`take_over`)
//!   while its lease for the message still lasts, so that nobody else was given the message; a later delivery finds the row
//!   held, and is removed.
//! - A process that alone has lost its link does the same beside others that have not: the rules are those of the rows.

use domain::contracts::{ClaimedTask, Clock, QueueError, QueueName, Store, StoreError, TaskKey, WorkerSlots};
use domain::instant::Instant;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(super) struct Fallback {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// The leases of tasks that were messages.
    taken_over: Mutex<BTreeSet<String>>,
}

impl Fallback {
    pub(super) fn new(store: Arc<dyn Store>, clock: Arc<dyn Clock>) -> Self {
        Self { store, clock, taken_over: Mutex::default() }
    }

    /// Tasks that were never sent, in turn by owner.
    pub(super) async fn claim(
        &self,
        queue: QueueName,
        slots: WorkerSlots,
        worker: &str,
        lease: Duration,
    ) -> Result<Vec<ClaimedTask>, QueueError> {
        Ok(self.store.claim_unsent(queue, slots, worker, lease, self.clock.now()).await?)
    }

    /// Whether the task is held by a lease in the database. Its proof is a number; that of a message is an address with dots.
    pub(super) fn holds(&self, task: &ClaimedTask) -> bool {
        !task.lease.contains('.') || self.taken_over().contains(&task.lease)
    }

    /// Holds a task that is held for this message; false when it is not any more.
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
