//! Fair share: which waiting tasks get the free slots of a queue.

use crate::ids::{TaskId, UserId};
use crate::instant::Instant;
use std::collections::BTreeMap;

/// One owner's share is one slot in this many; as many are reserved.
const SHARE_ONE_IN: u32 = 8;
/// With fewer slots nothing is reserved, because it would take too large a part of them.
const RESERVE_FROM: u32 = 4;

/// The share of one owner in the slots of a queue.
///
/// Up to its share, an owner may take any free slot. Beyond the share, it may take slots that no owner below the share
/// waits for, and always leaves the reserve free. A newcomer therefore never waits for the slow tasks of one user.
/// Tasks of the service itself (no owner) are not limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FairShare {
    pub slots: u32,
    /// Tasks that one owner may always run.
    pub share: u32,
    /// Slots that stay free for owners below their share.
    pub reserve: u32,
}

impl FairShare {
    pub fn of(slots: u32) -> Self {
        let eighth = (slots / SHARE_ONE_IN).max(1);
        Self { slots, share: eighth, reserve: if slots >= RESERVE_FROM { eighth } else { 0 } }
    }

    /// Slots that may be in use when an owner takes one beyond its share.
    pub fn common(self) -> u32 {
        self.slots - self.reserve
    }

    /// Whether a task may start as the `nth` running task of its owner and the `total`th of all.
    pub fn admits(self, owner: Option<UserId>, nth: u64, total: u64) -> bool {
        owner.is_none() || nth <= u64::from(self.share) || total <= u64::from(self.common())
    }
}

/// A task that waits for a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitingTask {
    pub id: TaskId,
    pub owner: Option<UserId>,
    pub due: Instant,
}

/// Running tasks by owner.
pub type Running = BTreeMap<Option<UserId>, u32>;

/// The tasks to start now, at most `free`: the owner with the fewest running tasks goes first, then the oldest task.
/// The store makes the same choice in SQL when it claims tasks.
pub fn choose(share: FairShare, running: &Running, waiting: &[WaitingTask], free: u32) -> Vec<TaskId> {
    let mut waiting = waiting.to_vec();
    waiting.sort_by_key(|task| (task.due, task.id));
    let mut running_of = running.clone();
    let mut in_turn: Vec<(u32, WaitingTask)> = Vec::with_capacity(waiting.len());
    for task in waiting {
        let nth = running_of.entry(task.owner).or_default();
        *nth = nth.saturating_add(1);
        in_turn.push((*nth, task));
    }
    in_turn.sort_by_key(|(nth, task)| (*nth, task.due, task.id));
    let busy: u64 = running.values().copied().map(u64::from).sum();
    let may_start =
        |(total, (nth, task)): &(u64, (u32, WaitingTask))| share.admits(task.owner, u64::from(*nth), *total);
    let admitted = (busy + 1..).zip(in_turn).filter(may_start);
    admitted.map(|(_, (_, task))| task.id).take(free as usize).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    const ANN: i64 = 1;
    const BOB: i64 = 2;

    fn owner(number: i64) -> Option<UserId> {
        (number > 0).then_some(UserId(number))
    }

    fn running(counts: &[(i64, u32)]) -> Running {
        counts.iter().map(|(person, count)| (owner(*person), *count)).collect()
    }

    /// Tasks of these owners, numbered from 1, the oldest first.
    fn waiting(owners: &[i64]) -> Vec<WaitingTask> {
        let task = |(number, person): (i64, &i64)| WaitingTask {
            id: TaskId(number),
            owner: owner(*person),
            due: chrono::DateTime::from_timestamp(number, 0).expect("a time"),
        };
        (1..).zip(owners).map(task).collect()
    }

    fn chosen(slots: u32, counts: &[(i64, u32)], owners: &[i64]) -> Vec<i64> {
        let busy: u32 = counts.iter().map(|(_, count)| count).sum();
        let share = FairShare::of(slots);
        let ids = choose(share, &running(counts), &waiting(owners), slots.saturating_sub(busy));
        ids.into_iter().map(|id| id.0).collect()
    }

    #[test]
    fn an_eighth_each_and_an_eighth_in_reserve() {
        let table =
            [(1, 1, 0), (2, 1, 0), (3, 1, 0), (4, 1, 1), (8, 1, 1), (16, 2, 2), (64, 8, 8), (70, 8, 8)];
        for (slots, share, reserve) in table {
            let found = FairShare::of(slots);
            assert_eq!((found.share, found.reserve), (share, reserve), "{slots} slots");
        }
    }

    #[test]
    fn one_person_alone_leaves_the_reserve() {
        assert_eq!(chosen(64, &[], &[ANN; 300]).len(), 56);
        assert_eq!(chosen(64, &[(ANN, 56)], &[ANN; 300]), [] as [i64; 0]);
        assert_eq!(chosen(4, &[], &[ANN; 9]).len(), 3);
        assert_eq!(chosen(2, &[], &[ANN; 9]).len(), 2);
        assert_eq!(chosen(1, &[], &[ANN; 9]).len(), 1, "one slot is never idle");
    }

    #[test]
    fn a_newcomer_takes_the_reserve_up_to_the_share() {
        assert_eq!(chosen(64, &[(ANN, 56)], &[BOB; 20]).len(), 8);
        let both: Vec<i64> = [ANN; 300].into_iter().chain([BOB]).collect();
        assert_eq!(chosen(64, &[(ANN, 56)], &both), [301]);
        assert_eq!(chosen(2, &[(ANN, 1)], &[ANN, ANN, BOB]), [3]);
    }

    #[test]
    fn the_reserve_is_filled_again_before_anybody_goes_beyond_the_share() {
        assert_eq!(chosen(64, &[(ANN, 52), (BOB, 8)], &[ANN, BOB]), [] as [i64; 0]);
        assert_eq!(chosen(64, &[(ANN, 47), (BOB, 8)], &[ANN, BOB]), [2], "the one with fewer running tasks");
    }

    #[test]
    fn owners_take_turns_and_then_the_oldest() {
        assert_eq!(chosen(1, &[], &[BOB, ANN]), [1]);
        assert_eq!(chosen(16, &[(ANN, 1)], &[ANN, ANN, BOB, BOB]), [3, 1, 4, 2]);
    }

    #[test]
    fn the_service_itself_is_not_limited() {
        assert_eq!(chosen(4, &[], &[0; 9]).len(), 4);
    }

    proptest! {
        /// Tasks come, start and end at random: slots are never exceeded, and an owner below the share waits only
        /// while no slot is free.
        #[test]
        fn nobody_below_the_share_waits_while_a_slot_is_free(
            slots in 1_u32..40,
            rounds in vec((vec(1_i64..6, 0..30), vec(0_u32..40, 5)), 1..20),
        ) {
            let share = FairShare::of(slots);
            let mut counts = Running::new();
            for (owners, ends) in rounds {
                let tasks = waiting(&owners);
                let free = slots - counts.values().sum::<u32>();
                let ids = choose(share, &counts, &tasks, free);
                for task in tasks.iter().filter(|task| ids.contains(&task.id)) {
                    *counts.entry(task.owner).or_default() += 1;
                }
                let busy: u32 = counts.values().sum();
                prop_assert!(busy <= slots);
                for task in tasks.iter().filter(|task| !ids.contains(&task.id)) {
                    let of_owner = counts.get(&task.owner).copied().unwrap_or_default();
                    prop_assert!(of_owner >= share.share || busy == slots, "{task:?} {counts:?}");
                    prop_assert!(busy >= share.common(), "slots are idle while {task:?} waits");
                }
                for (count, ended) in counts.values_mut().zip(ends) {
                    *count -= ended.min(*count);
                }
            }
        }
    }
}
