//! Starts tasks in the process that stores them, in the slots that its worker offers.

use crate::running_slots::Owner;
use crate::slots::{Slot, Slots};
use domain::ports::{ClaimedTask, NewLease, ReservedSlot, SlotOffer};
use std::sync::Arc;
use tokio::sync::mpsc;

/// A task that was stored with its lease, and its slot.
pub(crate) type StoredTask = (ClaimedTask, Slot);

/// The slots that a worker offers while it serves its queue.
pub(crate) struct WorkerOffer {
    slots: Arc<Slots>,
    lease: NewLease,
    sender: mpsc::Sender<StoredTask>,
}

impl WorkerOffer {
    /// The offer, and where its tasks arrive. The channel closes when the offer and all reserved slots are gone.
    pub(crate) fn open(
        slots: Arc<Slots>,
        lease: NewLease,
        slots_max: u32,
    ) -> (Arc<dyn SlotOffer>, mpsc::Receiver<StoredTask>) {
        // Every task in the channel has a slot, so there is room for all of them.
        let (sender, receiver) = mpsc::channel(slots_max.max(1) as usize);
        (Arc::new(Self { slots, lease, sender }), receiver)
    }
}

impl SlotOffer for WorkerOffer {
    fn reserve(&self, owner: Owner) -> Option<Box<dyn ReservedSlot>> {
        let slot = self.slots.reserve(owner)?;
        Some(Box::new(Reserved { slot, lease: self.lease.clone(), sender: self.sender.clone() }))
    }
}

struct Reserved {
    slot: Slot,
    lease: NewLease,
    sender: mpsc::Sender<StoredTask>,
}

impl ReservedSlot for Reserved {
    fn lease(&self) -> NewLease {
        self.lease.clone()
    }

    fn start(self: Box<Self>, task: ClaimedTask) {
        let (id, Self { slot, sender, .. }) = (task.id, *self);
        if sender.try_send((task, slot)).is_err() {
            tracing::warn!(task.id = id.0, "the worker has stopped; the task runs when its lease ends");
        }
    }
}
