//! Running slots, granted in turn by owner.

use domain::ids::UserId;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

/// Owner of a task; None for the service itself.
pub(crate) type Owner = Option<UserId>;

/// Limits running tasks. Of those that wait for a slot, the owner with the fewest running tasks goes first, then the
/// task that has waited longest, so that one owner cannot block the others.
pub(crate) struct RunningSlots(Mutex<State>);

struct State {
    free: usize,
    running: HashMap<Owner, usize>,
    waiting: VecDeque<Waiter>,
}

struct Waiter {
    owner: Owner,
    grant: oneshot::Sender<RunningPermit>,
}

/// Permit of a running task; its slot is passed on when it is dropped.
pub(crate) struct RunningPermit {
    slots: Arc<RunningSlots>,
    owner: Owner,
}

impl RunningSlots {
    pub(crate) fn new(slots: usize) -> Arc<Self> {
        let state = State { free: slots, running: HashMap::new(), waiting: VecDeque::new() };
        Arc::new(Self(Mutex::new(state)))
    }

    /// Waits for a slot. Cancelling the wait leaves nothing behind.
    pub(crate) async fn acquire(self: &Arc<Self>, owner: Owner) -> RunningPermit {
        let grant = {
            let mut state = self.lock();
            if state.free > 0 {
                state.begin(owner);
                return self.permit(owner);
            }
            let (grant, granted) = oneshot::channel();
            state.waiting.push_back(Waiter { owner, grant });
            granted
        };
        match grant.await {
            Ok(permit) => permit,
            // A grant is only dropped with the slots themselves, which `self` keeps alive.
            Err(_) => std::future::pending().await,
        }
    }

    /// Number of free slots.
    pub(crate) fn free(&self) -> usize {
        self.lock().free
    }

    fn permit(self: &Arc<Self>, owner: Owner) -> RunningPermit {
        RunningPermit { slots: Arc::clone(self), owner }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn begin(&mut self, owner: Owner) {
        self.free -= 1;
        *self.running.entry(owner).or_default() += 1;
    }

    fn end(&mut self, owner: Owner) {
        self.free += 1;
        let left = self.running.get(&owner).map_or(0, |running| running - 1);
        match left {
            0 => self.running.remove(&owner),
            _ => self.running.insert(owner, left),
        };
    }

    /// The next waiter, if there is one.
    fn next(&mut self) -> Option<Waiter> {
        self.waiting.retain(|one| !one.grant.is_closed());
        let running = |one: &Waiter| self.running.get(&one.owner).copied().unwrap_or(0);
        let (position, _) = self.waiting.iter().enumerate().min_by_key(|(_, one)| running(one))?;
        let next = self.waiting.remove(position)?;
        self.begin(next.owner);
        Some(next)
    }
}

impl Drop for RunningPermit {
    fn drop(&mut self) {
        let next = {
            let mut state = self.slots.lock();
            state.end(self.owner);
            state.next()
        };
        // Outside of the lock, because a permit whose waiter is gone is dropped here again.
        if let Some(Waiter { owner, grant }) = next {
            drop(grant.send(self.slots.permit(owner)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use futures_util::future::BoxFuture;

    const ANN: Owner = Some(UserId(1));
    const BOB: Owner = Some(UserId(2));

    /// A task that waits for a slot.
    fn waiting(slots: &Arc<RunningSlots>, owner: Owner) -> BoxFuture<'static, RunningPermit> {
        let slots = Arc::clone(slots);
        let mut asked = async move { slots.acquire(owner).await }.boxed();
        assert!((&mut asked).now_or_never().is_none(), "no slot is free");
        asked
    }

    #[tokio::test]
    async fn the_owner_with_the_fewest_running_tasks_goes_first() {
        let slots = RunningSlots::new(2);
        let (first, second) = (slots.acquire(ANN).await, slots.acquire(ANN).await);
        let mut of_ann = waiting(&slots, ANN);
        let of_bob = waiting(&slots, BOB);
        drop(first);
        let of_bob = of_bob.now_or_never().expect("bob runs nothing yet");
        assert!((&mut of_ann).now_or_never().is_none());
        drop(second);
        let of_ann = of_ann.now_or_never().expect("ann is next");
        drop((of_ann, of_bob));
        assert_eq!(slots.free(), 2);
        assert!(slots.lock().running.is_empty(), "nothing is kept of who runs nothing");
    }

    #[tokio::test]
    async fn one_owner_takes_turns_in_order() {
        let slots = RunningSlots::new(1);
        let running = slots.acquire(ANN).await;
        let (earlier, mut later) = (waiting(&slots, ANN), waiting(&slots, ANN));
        drop(running);
        let earlier = earlier.now_or_never().expect("the earlier one");
        assert!((&mut later).now_or_never().is_none());
        drop(earlier);
        assert!(later.now_or_never().is_some());
    }

    #[tokio::test]
    async fn who_gives_up_waiting_keeps_no_slot() {
        let slots = RunningSlots::new(1);
        let running = slots.acquire(ANN).await;
        let (gone, granted, last) = (waiting(&slots, BOB), waiting(&slots, BOB), waiting(&slots, ANN));
        drop(gone);
        drop(running);
        // It was granted the slot and is dropped before it is polled.
        drop(granted);
        let last = last.now_or_never().expect("the last one");
        drop(last);
        assert_eq!(slots.free(), 1);
    }
}
