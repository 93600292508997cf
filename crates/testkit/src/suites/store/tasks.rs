//! Tasks: claims, leases, attempts, and heartbeats of workers.

use super::fixture::at;
use chrono::TimeDelta;
use domain::fair_share::{FairShare, Running, WaitingTask, choose};
use domain::ids::{TaskId, UserId};
use domain::ports::{
    ClaimedTask, Heartbeat, NewTask, OutboxTask, QueueName, SentTask, Store, TaskKey, WaitingOwners,
    WorkerSlots,
};
use futures_util::future::join_all;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub(super) const QUEUE: QueueName = QueueName::Maintenance;
const LEASE: Duration = Duration::from_secs(60);

fn task(name: &str, attempts_max: u32) -> NewTask {
    NewTask { queue: QUEUE, name: name.to_owned(), payload: Value::Null, attempts_max, owner: None }
}

pub(super) async fn push(store: &dyn Store, name: &str, seconds: i64) {
    store.push_task(task(name, 3), at(seconds)).await.expect("a task");
}

pub(super) async fn claim(store: &dyn Store, seconds: i64) -> Option<ClaimedTask> {
    store.claim_task(QUEUE, "worker", LEASE, at(seconds)).await.expect("a claim")
}

pub async fn are_claimed_in_order(store: &dyn Store) {
    for (name, seconds) in [("later", 20), ("first", 10), ("second", 10)] {
        push(store, name, seconds).await;
    }
    store.push_task(NewTask { queue: QueueName::Search, ..task("other", 3) }, at(0)).await.unwrap();
    assert_eq!(claim(store, 9).await, None);
    let mut names = Vec::new();
    while let Some(task) = claim(store, 20).await {
        assert_eq!((task.queue, task.attempt, task.attempts_max), (QUEUE, 1, 3));
        names.push(task.name);
    }
    assert_eq!(names, ["first", "second", "later"]);
}

/// Fifty concurrent workers never hold the same task.
pub async fn are_claimed_once(store: &dyn Store) {
    for number in 0..40 {
        push(store, &format!("task {number}"), 0).await;
    }
    let claims = (0..50).map(|_| claim(store, 1));
    let claimed: Vec<ClaimedTask> = join_all(claims).await.into_iter().flatten().collect();
    let ids: BTreeSet<_> = claimed.iter().map(|task| task.id).collect();
    let leases: BTreeSet<_> = claimed.iter().map(|task| task.lease.as_str()).collect();
    assert_eq!((claimed.len(), ids.len(), leases.len()), (40, 40, 40));
    assert_eq!(claim(store, 1).await, None);
}

pub async fn come_back_when_a_lease_ends(store: &dyn Store) {
    push(store, "task", 0).await;
    let first = claim(store, 0).await.expect("the task");
    assert_eq!(claim(store, 59).await, None);
    let second = claim(store, 60).await.expect("the task again");
    assert_eq!((second.id, second.attempt), (first.id, 2));
    assert_ne!(second.lease, first.lease);
    // A worker that lost the lease changes nothing.
    assert!(!store.renew_task(&first, LEASE, at(61)).await.unwrap());
    store.finish_task(&first).await.unwrap();
    store.retry_task(&first, at(61), "late").await.unwrap();
    assert_eq!(claim(store, 119).await, None);
    assert!(store.renew_task(&second, LEASE, at(61)).await.unwrap());
    store.finish_task(&second).await.unwrap();
    assert_eq!(claim(store, 9999).await, None);
    assert!(!store.renew_task(&second, LEASE, at(62)).await.unwrap());
}

pub async fn are_held_by_renewal(store: &dyn Store) {
    push(store, "task", 0).await;
    let task = claim(store, 0).await.expect("the task");
    assert!(store.renew_task(&task, LEASE, at(50)).await.unwrap());
    assert_eq!(claim(store, 109).await, None);
    assert_eq!(claim(store, 110).await.map(|task| task.attempt), Some(2));
}

pub async fn are_retried(store: &dyn Store) {
    push(store, "task", 0).await;
    let first = claim(store, 0).await.expect("the task");
    store.retry_task(&first, at(30), "the source was away").await.unwrap();
    assert_eq!(claim(store, 29).await, None);
    let second = claim(store, 30).await.expect("the task again");
    assert_eq!((second.id, second.attempt), (first.id, 2));
}

pub async fn are_given_up(store: &dyn Store) {
    store.push_task(task("task", 2), at(0)).await.unwrap();
    for attempt in 1..=2 {
        let task = claim(store, 0).await.expect("the task");
        assert_eq!(task.attempt, attempt);
        store.retry_task(&task, at(0), "it fails\0 always").await.unwrap();
    }
    assert_eq!(claim(store, 9999).await, None);
    assert_eq!(store.task_depth(QUEUE, at(9999)).await.unwrap(), 0);
    assert_eq!(store.next_due(QUEUE, at(0)).await.unwrap(), None);
}

/// A task that kills its workers is skipped when its attempts are used, and does not block the others.
pub async fn are_given_up_when_workers_die(store: &dyn Store) {
    for name in ["poison", "more poison"] {
        store.push_task(task(name, 1), at(0)).await.unwrap();
        claim(store, 0).await.expect("poison");
    }
    push(store, "good", 1).await;
    assert_eq!(store.task_depth(QUEUE, at(60)).await.unwrap(), 3);
    assert_eq!(claim(store, 60).await.map(|task| task.name).as_deref(), Some("good"));
    assert_eq!(claim(store, 60).await, None);
    assert_eq!(store.task_depth(QUEUE, at(60)).await.unwrap(), 0);
}

pub async fn are_counted(store: &dyn Store) {
    assert_eq!(store.next_due(QUEUE, at(0)).await.unwrap(), None);
    assert!(!store.has_due_task(QUEUE, at(99)).await.unwrap());
    for seconds in [30, 10, 20] {
        push(store, "task", seconds).await;
    }
    assert_eq!(store.task_depth(QUEUE, at(0)).await.unwrap(), 3);
    assert_eq!(store.task_depth(QueueName::Search, at(0)).await.unwrap(), 0);
    assert_eq!(store.next_due(QUEUE, at(0)).await.unwrap(), Some(at(10)));
    assert!(!store.has_due_task(QUEUE, at(9)).await.unwrap());
    assert!(store.has_due_task(QUEUE, at(10)).await.unwrap());
    claim(store, 10).await.expect("a task");
    assert_eq!(store.task_depth(QUEUE, at(10)).await.unwrap(), 2);
    assert_eq!(store.task_depth(QUEUE, at(70)).await.unwrap(), 3);
    assert!(!store.has_due_task(QUEUE, at(10)).await.unwrap(), "it is held");
    assert!(store.has_due_task(QUEUE, at(70)).await.unwrap(), "its lease has ended");
    assert_eq!(store.next_due(QUEUE, at(10)).await.unwrap(), Some(at(20)));
    // When all are held, the first lease to expire is the next chance.
    claim(store, 31).await.expect("a task");
    claim(store, 32).await.expect("a task");
    assert_eq!(store.next_due(QUEUE, at(32)).await.unwrap(), Some(at(70)));
}

pub async fn are_released(store: &dyn Store) {
    for seconds in 0..3 {
        push(store, "task", seconds).await;
    }
    let held = claim(store, 5).await.expect("a task");
    claim(store, 5).await.expect("a task");
    assert_eq!(store.release_all_tasks().await.unwrap(), 2);
    assert_eq!(store.release_all_tasks().await.unwrap(), 0);
    assert!(!store.renew_task(&held, LEASE, at(6)).await.unwrap());
    let again = claim(store, 6).await.expect("a task");
    assert_eq!((again.id, again.attempt), (held.id, 2));
}

pub async fn keep_their_payload(store: &dyn Store) {
    let payload = json!({"z": "NUL \0", "a": [1, 2.5, null, {"y": true, "x": "🦉"}]});
    store.push_task(NewTask { payload: payload.clone(), ..task("task", 3) }, at(0)).await.unwrap();
    let claimed = claim(store, 0).await.expect("the task");
    assert_eq!(claimed.payload.to_string(), payload.to_string());
}

pub async fn workers_are_heard_of(store: &dyn Store) {
    let heartbeat = |worker: &str, active, seconds| Heartbeat {
        worker: worker.to_owned(),
        queue: QUEUE,
        concurrency: 4,
        active,
        last_seen: at(seconds),
    };
    store.record_heartbeat(heartbeat("b", 1, 0)).await.unwrap();
    store.record_heartbeat(heartbeat("a", 0, 10)).await.unwrap();
    store.record_heartbeat(heartbeat("b", 2, 20)).await.unwrap();
    store.record_heartbeat(Heartbeat { queue: QueueName::Search, ..heartbeat("b", 3, 20) }).await.unwrap();
    let seen = async |seconds| store.workers(QUEUE, at(seconds)).await.unwrap();
    assert_eq!(seen(0).await, [heartbeat("a", 0, 10), heartbeat("b", 2, 20)]);
    assert_eq!(seen(10).await.len(), 2);
    assert_eq!(seen(11).await, [heartbeat("b", 2, 20)]);
    // Silent workers are removed after a day, so that the list does not grow with every restart.
    let late = Heartbeat { last_seen: at(15) + TimeDelta::days(1), ..heartbeat("c", 0, 0) };
    store.record_heartbeat(late.clone()).await.unwrap();
    assert_eq!(seen(0).await, [heartbeat("b", 2, 20), late]);
}

/// What was due, held or seen a day ahead is correct again soon after the clock went back.
pub async fn come_back_when_the_clock_does(store: &dyn Store) {
    const DAY: i64 = 86_400;
    let heartbeat = |worker: &str, seconds| Heartbeat {
        worker: worker.to_owned(),
        queue: QUEUE,
        concurrency: 1,
        active: 0,
        last_seen: at(seconds),
    };
    push(store, "held", DAY).await;
    assert_eq!(claim(store, DAY).await.map(|task| task.name).as_deref(), Some("held"));
    push(store, "waiting", DAY).await;
    store.record_heartbeat(heartbeat("dead", DAY)).await.unwrap();
    store.record_heartbeat(heartbeat("alive", 0)).await.unwrap();
    assert_eq!(store.workers(QUEUE, at(0)).await.unwrap(), [heartbeat("alive", 0)]);
    assert_eq!(claim(store, 0).await.map(|task| task.name).as_deref(), Some("waiting"));
    assert_eq!(claim(store, 0).await, None, "who holds the other may live");
    assert_eq!(claim(store, 59).await, None);
    let mut again = vec![claim(store, 60).await, claim(store, 60).await];
    again.sort_by_key(|task| task.as_ref().map(|task| task.id));
    let again: Vec<_> = again.into_iter().flatten().map(|task| (task.name, task.attempt)).collect();
    assert_eq!(again, [("held".to_owned(), 2), ("waiting".to_owned(), 2)]);
}

pub async fn pings_are_answered_once(store: &dyn Store) {
    let answered = async |ping| store.take_ping_answer(ping).await.unwrap();
    assert!(!answered("a").await);
    for _ in 0..2 {
        store.answer_ping("a", at(0)).await.unwrap(); // a task may run twice
    }
    assert!(!answered("b").await);
    assert!(answered("a").await);
    assert!(!answered("a").await, "it is told once");
    // An unclaimed reply does not stay forever.
    store.answer_ping("old", at(0)).await.unwrap();
    store.answer_ping("kept", at(10)).await.unwrap();
    store.answer_ping("new", at(61)).await.unwrap();
    assert_eq!((answered("old").await, answered("kept").await, answered("new").await), (false, true, true));
}

pub async fn wait_in_the_outbox(store: &dyn Store) {
    for (name, seconds) in [("held", 0), ("later", 20), ("first", 10), ("second", 10), ("used up", 0)] {
        store
            .push_task(NewTask { payload: json!({"b": 1, "a": name}), ..task(name, 1) }, at(seconds))
            .await
            .unwrap();
    }
    assert_eq!(claim(store, 0).await.expect("the oldest").name, "held");
    let given_up = claim(store, 0).await.expect("the next");
    store.retry_task(&given_up, at(0), "it failed").await.unwrap();
    let seen = async |per_owner, seconds| {
        let heads = store.outbox_heads(per_owner, at(seconds)).await.unwrap();
        let ids: Vec<TaskId> = heads.iter().map(|head| head.waiting.id).collect();
        store.outbox_tasks(&ids).await.unwrap()
    };
    let names = |rows: Vec<OutboxTask>| rows.into_iter().map(|row| row.task.name).collect::<Vec<_>>();
    assert_eq!(names(seen(10, 10).await), ["first", "second"], "due, and held by nobody");
    assert_eq!(names(seen(10, 60).await), ["held", "later", "first", "second"], "by id; the lease has ended");
    assert_eq!(names(seen(1, 10).await), ["first"], "the oldest");

    let rows = seen(10, 10).await;
    assert_eq!((rows[0].date_created, rows[0].task.queue, rows[0].task.attempts_max), (at(10), QUEUE, 1));
    assert_eq!(rows[0].task.payload.to_string(), r#"{"b":1,"a":"first"}"#);
    let sent: Vec<SentTask> = rows.iter().map(|row| sent(row, "7")).collect();
    for _ in 0..2 {
        store.mark_sent(&sent, at(19), at(60)).await.unwrap(); // two relays may do the same
    }
    store.mark_sent(&[], at(19), at(60)).await.unwrap();
    store.take_out(&[]).await.unwrap();
    assert!(store.outbox_tasks(&[]).await.unwrap().is_empty());
    assert_eq!(names(seen(10, 60).await), ["held", "later"]);
}

/// A task that waits for its next attempt is not due, and nobody runs it.
pub async fn put_back_wait_in_the_outbox(store: &dyn Store) {
    store.push_task(owned("task", 7), at(0)).await.unwrap();
    let row = store.outbox_heads(1, at(0)).await.unwrap()[0].waiting.id;
    let rows = store.outbox_tasks(&[row]).await.unwrap();
    store.mark_sent(&[sent(&rows[0], "7")], at(19), at(20)).await.unwrap(); // a broker has it, and delivered it twice
    let key = sent(&rows[0], "7").key;
    let held = ClaimedTask {
        id: row,
        queue: QUEUE,
        name: "task".to_owned(),
        payload: json!({"b": 1, "a": 2}),
        attempt: 2,
        attempts_max: 5,
        owner: Some(UserId(7)),
        lease: "of the broker".to_owned(),
    };
    let id = store.put_back(&held, Some(key), 2, at(30)).await.unwrap();
    assert_eq!(id, row, "it is the same task");
    assert!(store.overdue_tasks(9, at(25)).await.unwrap().is_empty(), "the broker has it no longer");
    assert!(store.outbox_heads(1, at(29)).await.unwrap().is_empty(), "not due");
    assert_eq!(store.waiting_tasks_of(QUEUE, UserId(7)).await.unwrap(), 1);
    assert_eq!(store.task_depth(QUEUE, at(10)).await.unwrap(), 1);
    let due = store.outbox_heads(1, at(30)).await.unwrap();
    assert_eq!(due.iter().map(|head| head.waiting.id).collect::<Vec<_>>(), [id]);
    let rows = store.outbox_tasks(&[id]).await.unwrap();
    assert_eq!((rows[0].attempts, rows[0].task.attempts_max, rows[0].date_created), (2, 3, at(0)));
    assert_eq!(
        (rows[0].task.owner, rows[0].task.payload.to_string()),
        (Some(UserId(7)), Value::Null.to_string())
    );
    // Unknown here: the database was restored, or an earlier release removed it.
    let other = TaskKey { date_created: at(1), ..key };
    for unknown in [None, Some(other)] {
        let new = store.put_back(&held, unknown, 2, at(30)).await.unwrap();
        assert_ne!(new, row);
        let rows = store.outbox_tasks(&[new]).await.unwrap();
        assert_eq!((rows[0].attempts, rows[0].task.attempts_max, rows[0].due), (2, 5, at(30)));
        assert_eq!(rows[0].task.payload.to_string(), held.payload.to_string());
    }
}

pub(super) fn sent(row: &OutboxTask, message: &str) -> SentTask {
    let key = TaskKey { id: row.id, date_created: row.date_created };
    SentTask { key, due: row.due, message: message.to_owned() }
}

/// The oldest tasks of every owner in every queue, however many others wait before them.
pub async fn wait_in_the_outbox_by_owner(store: &dyn Store) {
    for (queue, owner, count) in
        [(QUEUE, 7, 20), (QUEUE, 0, 3), (QueueName::Search, 7, 1), (QUEUE, 9, 1), (QueueName::Corpus, 8, 5)]
    {
        for _ in 0..count {
            store.push_task(NewTask { queue, ..owned("task", owner) }, at(5)).await.unwrap();
        }
    }
    let mut counts: BTreeMap<(QueueName, Option<UserId>), usize> = BTreeMap::new();
    for head in store.outbox_heads(2, at(5)).await.unwrap() {
        *counts.entry((head.queue, head.waiting.owner)).or_default() += 1;
    }
    let counted: Vec<_> = counts
        .into_iter()
        .map(|((queue, owner), count)| (queue, owner.map_or(0, |id| id.0), count))
        .collect();
    assert_eq!(
        counted,
        [(QueueName::Search, 7, 1), (QUEUE, 0, 2), (QUEUE, 7, 2), (QUEUE, 9, 1), (QueueName::Corpus, 8, 2)]
    );
    assert!(store.outbox_heads(2, at(4)).await.unwrap().is_empty(), "nothing is due");
    assert_eq!(store.waiting_tasks_of(QUEUE, UserId(7)).await.unwrap(), 20);
    assert_eq!(store.waiting_tasks_of(QUEUE, UserId(8)).await.unwrap(), 0);
    let waiting = store.waiting_owners(QUEUE).await.unwrap();
    assert_eq!(waiting, WaitingOwners { owners: 2, most: 20 }, "the service is no user");
}

/// The task of one owner; 0 is the service itself.
pub(super) fn owned(name: &str, owner: i64) -> NewTask {
    NewTask { owner: (owner > 0).then_some(UserId(owner)), ..task(name, 3) }
}

fn owners(tasks: &[ClaimedTask]) -> Vec<i64> {
    tasks.iter().map(|task| task.owner.map_or(0, |owner| owner.0)).collect()
}

/// One user's many tasks leave slots for others.
pub async fn of_one_owner_leave_slots_for_others(store: &dyn Store) {
    const ANN: i64 = 1;
    const BOB: i64 = 2;
    for _ in 0..300 {
        store.push_task(owned("ann's", ANN), at(0)).await.unwrap();
    }
    let claim = async |free, worker: &str| {
        let slots = WorkerSlots { free, total: 64 };
        store.claim_tasks(QUEUE, slots, worker, LEASE, at(1)).await.unwrap()
    };
    assert_eq!(claim(64, "worker").await.len(), 56, "all but the reserve");
    assert!(claim(8, "worker").await.is_empty());
    assert!(store.has_due_task(QUEUE, at(1)).await.unwrap(), "the others wait for their turn");
    assert_eq!(claim(64, "another worker").await.len(), 56, "every worker has slots of its own");
    for _ in 0..20 {
        store.push_task(owned("bob's", BOB), at(1)).await.unwrap();
    }
    assert_eq!(owners(&claim(8, "worker").await), [BOB; 8], "at once, up to the share");
    assert!(claim(8, "worker").await.is_empty());
}

/// Those that used their attempts long ago; nothing that waits or runs.
pub async fn are_forgotten_when_they_failed_long_ago(store: &dyn Store) {
    for (name, seconds) in [("long ago", 0), ("lately", 100)] {
        let task = NewTask { attempts_max: 1, ..owned(name, 1) };
        store.push_task(task, at(seconds)).await.unwrap();
        let held = claim(store, seconds).await.expect("a task");
        store.retry_task(&held, at(seconds), "it fails").await.unwrap();
    }
    push(store, "waiting", 0).await;
    store.forget_failed_tasks(at(50)).await.unwrap();
    let left = store.unfinished_tasks(None, 10, at(100)).await.unwrap();
    let mut names: Vec<&str> = left.iter().map(|task| task.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["lately", "waiting"]);
}

pub async fn of_a_lost_worker_come_back_in_turn(store: &dyn Store) {
    for owner in [1, 1, 1, 1, 1, 1, 1, 1, 1, 2] {
        store.push_task(owned("task", owner), at(0)).await.unwrap();
    }
    let claim = async |worker: &str, free, seconds| {
        let slots = WorkerSlots { free, total: 8 };
        store.claim_tasks(QUEUE, slots, worker, LEASE, at(seconds)).await.unwrap()
    };
    assert_eq!(claim("lost", 8, 0).await.len(), 7);
    let again = claim("worker", 8, 60).await;
    assert_eq!(owners(&again).iter().filter(|owner| **owner == 1).count(), 6, "within the share again");
    assert_eq!(again.iter().filter(|task| task.attempt == 2).count(), 7);
    assert!(claim("worker", 1, 60).await.is_empty(), "the reserve stays free");
}

/// The statement selects what the rule selects, whatever waits and runs.
pub async fn are_chosen_as_the_rule_says(store: &dyn Store) {
    let mut random = StdRng::seed_from_u64(7);
    let (mut waiting, mut running) = (Vec::<WaitingTask>::new(), Vec::<ClaimedTask>::new());
    for round in 0..40_i64 {
        for _ in 0..random.random_range(0..12) {
            let (owner, due) = (random.random_range(0..5), at(random.random_range(0..20)));
            let task = owned("task", owner);
            let owner = task.owner;
            let id = store.push_task(task, due).await.unwrap();
            waiting.push(WaitingTask { id, owner, due });
        }
        let total = 10;
        let free = total - u32::try_from(running.len()).expect("a small number");
        let mut counts = Running::new();
        for task in &running {
            *counts.entry(task.owner).or_default() += 1;
        }
        let mut expected = choose(FairShare::of(total), &counts, &waiting, free);
        let lease = LEASE * 100;
        let now = at(20 + round);
        let slots = WorkerSlots { free, total };
        let claimed = store.claim_tasks(QUEUE, slots, "worker", lease, now).await.unwrap();
        let mut found: Vec<TaskId> = claimed.iter().map(|task| task.id).collect();
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "round {round}");
        waiting.retain(|task| !found.contains(&task.id));
        running.extend(claimed);
        for _ in 0..random.random_range(0..6).min(running.len()) {
            let ended = running.swap_remove(random.random_range(0..running.len()));
            store.finish_task(&ended).await.unwrap();
        }
    }
}
