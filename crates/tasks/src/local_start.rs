//! Starts tasks in the process that stores them, in the slots that its worker offers.

use crate::running_slots::Owner;
use crate::slots::{Slot, Slots};
use domain::ports::{ClaimedTask, NewLease, ReservedSlot, SlotOffer};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Lifetime of the lease with which such a task is stored. Short, because whoever stores it may be cancelled after it
/// was stored and before it starts; then it is claimed when the lease ends.
const STARTING_LEASE: Duration = Duration::from_secs(3);

/// A task that was stored with its lease.
pub(crate) struct StoredTask {
    pub task: ClaimedTask,
    pub slot: Slot,
    pub lease: FirstLease,
}

/// The lease of a task until it is renewed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FirstLease {
    /// When it began, or before.
    pub since: Instant,
    pub duration: Duration,
}

impl FirstLease {
    pub(crate) fn beginning_now(duration: Duration) -> Self {
        Self { since: Instant::now(), duration }
    }

    /// So much of it has passed that it must be renewed.
    pub(crate) fn is_old(&self) -> bool {
        self.since.elapsed() > self.duration / 3
    }
}

/// The offer of the worker that serves a queue in this process, if there is one.
#[derive(Default)]
pub(crate) struct CurrentOffer(Mutex<Option<Weak<dyn SlotOffer>>>);

impl CurrentOffer {
    pub(crate) fn set(&self, offer: &Arc<dyn SlotOffer>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::downgrade(offer));
    }

    pub(crate) fn reserve(&self, owner: Owner) -> Option<Box<dyn ReservedSlot>> {
        let offer = self.0.lock().unwrap_or_else(PoisonError::into_inner).as_ref()?.upgrade()?;
        offer.reserve(owner)
    }
}

/// The slots that a worker offers while it serves its queue.
pub(crate) struct WorkerOffer {
    slots: Arc<Slots>,
    worker: String,
    lease: Duration,
    sender: mpsc::Sender<StoredTask>,
}

impl WorkerOffer {
    /// The offer, and where its tasks arrive. The channel closes when the offer and all reserved slots are gone.
    pub(crate) fn open(
        slots: Arc<Slots>,
        worker: &str,
        lease: Duration,
        slots_max: u32,
    ) -> (Arc<dyn SlotOffer>, mpsc::Receiver<StoredTask>) {
        // Every task in the channel has a slot, so all of them fit.
        let (sender, receiver) = mpsc::channel(slots_max.max(1) as usize);
        let offer = Self { slots, worker: worker.to_owned(), lease: lease.min(STARTING_LEASE), sender };
        (Arc::new(offer), receiver)
    }
}

impl SlotOffer for WorkerOffer {
    fn reserve(&self, owner: Owner) -> Option<Box<dyn ReservedSlot>> {
        let slot = self.slots.reserve(owner)?;
        let (worker, sender) = (self.worker.clone(), self.sender.clone());
        Some(Box::new(Reserved { slot, worker, lease: FirstLease::beginning_now(self.lease), sender }))
    }
}

struct Reserved {
    slot: Slot,
    worker: String,
    lease: FirstLease,
    sender: mpsc::Sender<StoredTask>,
}

impl ReservedSlot for Reserved {
    fn lease(&self) -> NewLease {
        NewLease { worker: self.worker.clone(), duration: self.lease.duration }
    }

    fn start(self: Box<Self>, task: ClaimedTask) {
        let (id, Self { slot, lease, sender, .. }) = (task.id, *self);
        if sender.try_send(StoredTask { task, slot, lease }).is_err() {
            tracing::warn!(task.id = id.0, "the worker has stopped; the task runs when its lease ends");
        }
    }
}
