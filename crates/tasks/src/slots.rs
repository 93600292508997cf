//! Slots of a worker: how many tasks are in progress, and how many of them run.

use crate::running_slots::{Owner, RunningPermit, RunningSlots};
use async_trait::async_trait;
use domain::ports::RunningSlot;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The slots of one worker. A task is in progress from its claim to its end, and running unless it waits for others.
pub(crate) struct Slots {
    in_progress: Arc<Semaphore>,
    running: Arc<RunningSlots>,
}

impl Slots {
    /// At least one of each.
    pub(crate) fn new(in_progress: u32, running: u32) -> Self {
        Self {
            in_progress: Arc::new(Semaphore::new(in_progress.max(1) as usize)),
            running: RunningSlots::new(running.max(1) as usize),
        }
    }

    /// Waits until a task may run, then returns slots for as many as may run now, up to `max`. They are not running
    /// yet: tasks in progress may continue while others are claimed.
    pub(crate) async fn free(&self, max: usize) -> Vec<Slot> {
        // The semaphore is never closed.
        let first = Arc::clone(&self.in_progress).acquire_owned().await;
        // Acquired for the service, which runs nothing long here, so that new tasks take turns with those in progress.
        let runs = self.running.acquire(None).await;
        let free = self.running.free() + 1;
        drop(runs);
        let more = std::iter::from_fn(|| Arc::clone(&self.in_progress).try_acquire_owned().ok());
        let slot = |in_progress| Slot {
            _in_progress: in_progress,
            permit: Mutex::default(),
            running: Arc::clone(&self.running),
            owner: None,
        };
        first.into_iter().chain(more).take(free.min(max)).map(slot).collect()
    }
}

/// The slot of one task, released on drop.
pub(crate) struct Slot {
    _in_progress: OwnedSemaphorePermit,
    /// None before the task runs and while it waits.
    permit: Mutex<Option<RunningPermit>>,
    running: Arc<RunningSlots>,
    owner: Owner,
}

impl Slot {
    /// The slot for a task of this owner.
    pub(crate) fn of(self, owner: Owner) -> Self {
        Self { owner, ..self }
    }

    fn keep(&self, permit: Option<RunningPermit>) {
        let before =
            std::mem::replace(&mut *self.permit.lock().unwrap_or_else(PoisonError::into_inner), permit);
        drop(before);
    }
}

#[async_trait]
impl RunningSlot for Slot {
    fn release(&self) {
        self.keep(None);
    }

    async fn acquire(&self) {
        let permit = self.running.acquire(self.owner).await;
        self.keep(Some(permit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[tokio::test]
    async fn free_slots_are_taken_together_up_to_a_limit() {
        for (in_progress, running, taken) in [(9, 1, 1), (5, 9, 5), (64, 64, 64), (900, 74, 64), (0, 0, 1)] {
            let slots = Slots::new(in_progress, running);
            assert_eq!(slots.free(64).await.len(), taken, "{in_progress} {running}");
        }
    }

    #[tokio::test]
    async fn a_task_that_waits_leaves_its_slot_to_another() {
        let slots = Slots::new(2, 1);
        let first = slots.free(9).await;
        first[0].acquire().await;
        assert!(slots.free(9).now_or_never().is_none(), "one runs at once");
        first[0].release();
        let second = slots.free(9).await;
        second[0].acquire().await;
        assert!(first[0].acquire().now_or_never().is_none(), "the second runs");
        second[0].release();
        first[0].acquire().await;
        assert!(slots.free(9).now_or_never().is_none(), "two are in progress");
        drop((first, second));
        assert_eq!(slots.free(9).await.len(), 1);
    }
}
