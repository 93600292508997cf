//! Slots of a worker: how many tasks are in progress, and how many of them run.

use crate::running_slots::{Owner, RunningPermit, RunningSlots};
use async_trait::async_trait;
use domain::fair_share::{FairShare, Running};
use domain::ports::RunningSlot;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The slots of one worker. A task is in progress from its claim to its end, and running unless it waits for others.
pub(crate) struct Slots {
    in_progress: Arc<Semaphore>,
    running: Arc<RunningSlots>,
    owners: Arc<OwnerCounts>,
    share: FairShare,
}

impl Slots {
    /// At least one of each.
    pub(crate) fn new(in_progress: u32, running: u32) -> Self {
        Self {
            in_progress: Arc::new(Semaphore::new(in_progress.max(1) as usize)),
            running: RunningSlots::new(running.max(1) as usize),
            owners: Arc::default(),
            share: FairShare::of(in_progress.max(1)),
        }
    }

    /// A slot for a task of this owner, if it may start now.
    pub(crate) fn reserve(&self, owner: Owner) -> Option<Slot> {
        if self.running.free() == 0 {
            return None; // tasks in progress wait for one
        }
        let in_progress = Arc::clone(&self.in_progress).try_acquire_owned().ok()?;
        let count = self.owners.admit(owner, self.share)?;
        Some(Slot { owner, _count: Some(count), ..self.slot(in_progress) })
    }

    fn slot(&self, in_progress: OwnedSemaphorePermit) -> Slot {
        Slot {
            _in_progress: in_progress,
            permit: Mutex::default(),
            running: Arc::clone(&self.running),
            owners: Arc::clone(&self.owners),
            owner: None,
            _count: None,
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
        first.into_iter().chain(more).take(free.min(max)).map(|permit| self.slot(permit)).collect()
    }
}

/// Tasks in progress by owner.
#[derive(Default)]
struct OwnerCounts(Mutex<Running>);

/// Counts one task until it is dropped.
struct OwnerCount {
    counts: Arc<OwnerCounts>,
    owner: Owner,
}

impl OwnerCounts {
    /// Counts one more task of an owner, if its share admits it.
    fn admit(self: &Arc<Self>, owner: Owner, share: FairShare) -> Option<OwnerCount> {
        let mut counts = self.lock();
        let nth = counts.get(&owner).copied().unwrap_or_default() + 1;
        let total = counts.values().copied().map(u64::from).sum::<u64>() + 1;
        share.admits(owner, u64::from(nth), total).then(|| self.count(&mut counts, owner))
    }

    fn add(self: &Arc<Self>, owner: Owner) -> OwnerCount {
        self.count(&mut self.lock(), owner)
    }

    fn count(self: &Arc<Self>, counts: &mut Running, owner: Owner) -> OwnerCount {
        *counts.entry(owner).or_default() += 1;
        OwnerCount { counts: Arc::clone(self), owner }
    }

    fn lock(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OwnerCount {
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        if let Some(count) = counts.get_mut(&self.owner) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.owner);
            }
        }
    }
}

/// The slot of one task, released on drop.
pub(crate) struct Slot {
    _in_progress: OwnedSemaphorePermit,
    /// None before the task runs and while it waits.
    permit: Mutex<Option<RunningPermit>>,
    running: Arc<RunningSlots>,
    owners: Arc<OwnerCounts>,
    owner: Owner,
    /// Counts it for the share of its owner.
    _count: Option<OwnerCount>,
}

impl Slot {
    /// The slot for a claimed task of this owner.
    pub(crate) fn of(self, owner: Owner) -> Self {
        let count = self.owners.add(owner);
        Self { owner, _count: Some(count), ..self }
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
    use domain::ids::UserId;
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

    #[tokio::test]
    async fn a_slot_is_reserved_within_the_share_of_its_owner() {
        let [ann, bob] = [1, 2].map(|id| Some(UserId(id)));
        // Eight in progress: a share of one, and one in reserve.
        let slots = Slots::new(8, 8);
        let anns: Vec<Slot> = std::iter::from_fn(|| slots.reserve(ann)).collect();
        assert_eq!(anns.len(), 7, "the reserve is left to others");
        let bobs = slots.reserve(bob);
        assert!(bobs.is_some() && slots.reserve(None).is_none(), "all slots are in use");
        drop(anns);
        let claimed: Vec<Slot> = slots.free(9).await.into_iter().map(|slot| slot.of(ann)).collect();
        assert_eq!(claimed.len(), 7);
        drop(bobs);
        assert!(slots.reserve(ann).is_none(), "claimed tasks count as well");
        assert!(slots.reserve(bob).is_some());
        drop(claimed);
        assert!(slots.owners.lock().is_empty());
    }

    #[tokio::test]
    async fn no_slot_is_reserved_while_all_run() {
        let slots = Slots::new(4, 1);
        let first = slots.reserve(None).expect("it is free");
        first.acquire().await;
        assert!(slots.reserve(None).is_none());
        first.release();
        assert!(slots.reserve(None).is_some());
    }
}
