//! Tasks: claims, leases, tries, and workers that are heard of.

use super::at;
use chrono::TimeDelta;
use domain::contracts::{ClaimedTask, NewTask, QueueName, Store, WorkerBeat};
use domain::ids::TaskId;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

const QUEUE: QueueName = QueueName::Maintenance;
const LEASE: Duration = Duration::from_secs(60);

fn task(name: &str, attempts_max: u32) -> NewTask {
    NewTask { queue: QUEUE, name: name.to_owned(), payload: Value::Null, attempts_max }
}

async fn push(store: &dyn Store, name: &str, seconds: i64) {
    store.push_task(task(name, 3), at(seconds)).await.expect("a task");
}

async fn claim(store: &dyn Store, seconds: i64) -> Option<ClaimedTask> {
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

/// Fifty workers at once never hold the same task.
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
    // Who lost the lease changes nothing.
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
    assert_eq!(store.next_due(QUEUE).await.unwrap(), None);
}

/// A task that kills its workers is passed over when its tries are used, and does not block the others.
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
    assert_eq!(store.next_due(QUEUE).await.unwrap(), None);
    for seconds in [30, 10, 20] {
        push(store, "task", seconds).await;
    }
    assert_eq!(store.task_depth(QUEUE, at(0)).await.unwrap(), 3);
    assert_eq!(store.task_depth(QueueName::Search, at(0)).await.unwrap(), 0);
    assert_eq!(store.next_due(QUEUE).await.unwrap(), Some(at(10)));
    claim(store, 10).await.expect("a task");
    assert_eq!(store.task_depth(QUEUE, at(10)).await.unwrap(), 2);
    assert_eq!(store.task_depth(QUEUE, at(70)).await.unwrap(), 3);
    assert_eq!(store.next_due(QUEUE).await.unwrap(), Some(at(20)));
    // When all are held, the first lease to end is the next chance.
    claim(store, 31).await.expect("a task");
    claim(store, 32).await.expect("a task");
    assert_eq!(store.next_due(QUEUE).await.unwrap(), Some(at(70)));
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
    let beat = |worker: &str, active, seconds| WorkerBeat {
        worker: worker.to_owned(),
        queue: QUEUE,
        concurrency: 4,
        active,
        last_seen: at(seconds),
    };
    store.beat(beat("b", 1, 0)).await.unwrap();
    store.beat(beat("a", 0, 10)).await.unwrap();
    store.beat(beat("b", 2, 20)).await.unwrap();
    store.beat(WorkerBeat { queue: QueueName::Search, ..beat("b", 3, 20) }).await.unwrap();
    let seen = async |seconds| store.workers(QUEUE, at(seconds)).await.unwrap();
    assert_eq!(seen(0).await, [beat("a", 0, 10), beat("b", 2, 20)]);
    assert_eq!(seen(10).await.len(), 2);
    assert_eq!(seen(11).await, [beat("b", 2, 20)]);
    // The silent are forgotten after a day, so that the list does not grow with every restart.
    let late = WorkerBeat { last_seen: at(15) + TimeDelta::days(1), ..beat("c", 0, 0) };
    store.beat(late.clone()).await.unwrap();
    assert_eq!(seen(0).await, [beat("b", 2, 20), late]);
}

/// What was due, held or heard of a day ahead is right again soon after the clock went back.
pub async fn come_back_when_the_clock_does(store: &dyn Store) {
    const DAY: i64 = 86_400;
    let beat = |worker: &str, seconds| WorkerBeat {
        worker: worker.to_owned(),
        queue: QUEUE,
        concurrency: 1,
        active: 0,
        last_seen: at(seconds),
    };
    push(store, "held", DAY).await;
    assert_eq!(claim(store, DAY).await.map(|task| task.name).as_deref(), Some("held"));
    push(store, "waiting", DAY).await;
    store.beat(beat("dead", DAY)).await.unwrap();
    store.beat(beat("alive", 0)).await.unwrap();
    assert_eq!(store.workers(QUEUE, at(0)).await.unwrap(), [beat("alive", 0)]);
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
    // An answer that nobody came for does not stay for ever.
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
    let seen = async |after, count, seconds| {
        let rows = store.outbox(TaskId(after), count, at(seconds)).await.unwrap();
        rows.into_iter().map(|row| (row.id.0, row.task.name)).collect::<Vec<_>>()
    };
    let names = |rows: Vec<(i64, String)>| rows.into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    assert_eq!(names(seen(0, 10, 10).await), ["first", "second"], "due, and held by nobody");
    assert_eq!(
        names(seen(0, 10, 60).await),
        ["held", "later", "first", "second"],
        "by id; the lease has ended"
    );
    let page = seen(0, 2, 60).await;
    assert_eq!(names(seen(page[1].0, 2, 60).await), ["first", "second"], "the next page");

    let rows = store.outbox(TaskId(0), 10, at(10)).await.unwrap();
    assert_eq!((rows[0].date_created, rows[0].task.queue, rows[0].task.attempts_max), (at(10), QUEUE, 1));
    assert_eq!(rows[0].task.payload.to_string(), r#"{"b":1,"a":"first"}"#);
    for _ in 0..2 {
        store.take_out(&[rows[0].id, rows[1].id]).await.unwrap(); // two relays may do the same
    }
    store.take_out(&[]).await.unwrap();
    assert_eq!(names(seen(0, 10, 60).await), ["held", "later"]);
}
