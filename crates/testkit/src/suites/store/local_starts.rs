//! Tasks that start in the process that stores them: the outbox has them only when their process is lost or stops.

use super::fixture::{at, person};
use super::tasks::sent;
use domain::fair_share::Running;
use domain::ids::{SearchId, TaskId, UserId};
use domain::ports::{
    ClaimedTask, DeliveredTask, Heartbeat, NewLease, OutboxTask, QueueName, Store, WorkerSlots,
};
use domain::search::{Search, SearchSpec};
use std::time::Duration;

const QUEUE: QueueName = QueueName::Search;
const LEASE: Duration = Duration::from_secs(60);

/// The task of a search that is stored by the process that runs it.
async fn started(store: &dyn Store, owner: UserId, seconds: i64) -> ClaimedTask {
    let spec = SearchSpec::of_query("river");
    let new = Search::created(SearchId(0), owner, spec, Vec::new(), at(seconds));
    let lease = NewLease { worker: "w".to_owned(), duration: LEASE };
    store.start_awaited_search(new, None, lease).await.expect("a search").task
}

async fn outbox(store: &dyn Store, seconds: i64) -> Vec<OutboxTask> {
    let heads = store.outbox_heads(9, at(seconds)).await.expect("the outbox");
    let ids: Vec<TaskId> = heads.iter().map(|head| head.waiting.id).collect();
    store.outbox_tasks(&ids).await.expect("its tasks")
}

/// The message that a relay sends of this task.
fn delivered(row: &OutboxTask, message: &str) -> DeliveredTask {
    let (key, due, attempts) = (sent(row, message).key, row.due, row.attempts);
    DeliveredTask { key, due, attempts, message: message.to_owned() }
}

pub async fn are_not_sent_while_they_are_held(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let task = started(store, owner, 0).await;
    assert_eq!(outbox(store, 59).await, []);
    assert!(store.renew_task(&task, LEASE, at(30)).await.unwrap());
    assert_eq!(outbox(store, 89).await, []);
    assert_eq!(outbox(store, 90).await.len(), 1, "the lease has ended");
    store.finish_task(&task).await.unwrap();
    assert_eq!(outbox(store, 999).await, [], "it has ended as well");
}

pub async fn are_sent_when_their_process_is_lost(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let task = started(store, owner, 0).await;
    let rows = outbox(store, 60).await;
    let found: Vec<_> = rows.iter().map(|row| (row.id, row.attempts, row.task.owner)).collect();
    assert_eq!(found, [(task.id, 1, Some(owner))], "its first attempt is used");
    assert_eq!(rows[0].task.payload, task.payload);
    store.mark_sent(&[sent(&rows[0], "7")], at(60), at(80)).await.unwrap();
    assert_eq!(outbox(store, 999).await, [], "the broker has it");
    // Its process was only slow, and changes nothing any more.
    assert!(!store.renew_task(&task, LEASE, at(61)).await.unwrap());
    store.finish_task(&task).await.unwrap();
    store.retry_task(&task, at(61), "late").await.unwrap();
    store.release_task(&task).await.unwrap();
    let messages = [delivered(&rows[0], "7"), delivered(&rows[0], "8")];
    assert_eq!(store.hold_delivered(&messages, at(62), at(80)).await.unwrap(), messages[..1]);
}

/// A relay whose clock is ahead, or of another version, sends a task that is held.
pub async fn are_not_run_twice_when_they_are_sent_too_early(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let task = started(store, owner, 0).await;
    let rows = outbox(store, 60).await;
    store.mark_sent(&[sent(&rows[0], "7")], at(59), at(80)).await.unwrap();
    let message = [delivered(&rows[0], "7")];
    assert_eq!(store.hold_delivered(&message, at(59), at(80)).await.unwrap(), [], "it runs here");
    assert!(store.renew_task(&task, LEASE, at(59)).await.unwrap());
    store.finish_task(&task).await.unwrap();
    assert_eq!(store.hold_delivered(&message, at(999), at(999)).await.unwrap(), [], "it has ended");
}

pub async fn are_sent_when_their_process_stops_or_they_fail(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let stopped = started(store, owner, 0).await;
    store.release_task(&stopped).await.unwrap();
    let failed = started(store, owner, 0).await;
    store.retry_task(&failed, at(30), "the source was away").await.unwrap();
    let found = async |seconds| -> Vec<(TaskId, u32)> {
        outbox(store, seconds).await.iter().map(|row| (row.id, row.attempts)).collect()
    };
    assert_eq!(found(0).await, [(stopped.id, 0)], "at once, as if it had not begun");
    assert_eq!(found(30).await, [(stopped.id, 0), (failed.id, 1)]);
}

pub async fn are_counted_by_owner(store: &dyn Store) {
    let [ann, bob] = [person(store, "ann").await.id, person(store, "bob").await.id];
    assert_eq!(store.held_tasks(QUEUE, at(0)).await.unwrap(), Running::new());
    for owner in [ann, ann, bob] {
        started(store, owner, 0).await;
    }
    let lost = started(store, ann, -50).await;
    store.create_search(SearchSpec::of_query("lake"), bob, Vec::new(), at(0), None).await.unwrap();
    let held = async |seconds| store.held_tasks(QUEUE, at(seconds)).await.unwrap();
    assert_eq!(held(9).await, Running::from([(Some(ann), 3), (Some(bob), 1)]), "one waits");
    assert_eq!(held(10).await, Running::from([(Some(ann), 2), (Some(bob), 1)]), "a lease has ended");
    let rows = store.outbox_tasks(&[lost.id]).await.unwrap();
    store.mark_sent(&[sent(&rows[0], "7")], at(10), at(50)).await.unwrap();
    assert_eq!(held(11).await, Running::from([(Some(ann), 2), (Some(bob), 1)]), "the broker counts its own");
    let claimed = store.claim_unsent(QUEUE, WorkerSlots::any(9), "x", LEASE, at(12)).await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!(held(12).await, Running::from([(Some(ann), 2), (Some(bob), 2)]), "of every worker");
    assert_eq!(store.held_tasks(QueueName::Corpus, at(12)).await.unwrap(), Running::new());
    assert_eq!(held(99).await, Running::new());
}

/// What was held a day ahead is free one lease after the clock went back, also if no worker claims from the database.
pub async fn come_back_when_the_clock_does(store: &dyn Store) {
    const DAY: i64 = 86_400;
    let owner = person(store, "owner").await.id;
    let [lost, alive] = [started(store, owner, DAY).await, started(store, owner, DAY).await];
    let heartbeat =
        Heartbeat { worker: "x".to_owned(), queue: QUEUE, concurrency: 1, active: 0, last_seen: at(0) };
    store.record_heartbeat(heartbeat).await.unwrap(); // they are due now
    store.limit_leases(QUEUE, LEASE, at(0)).await.unwrap();
    store.limit_leases(QUEUE, LEASE, at(10)).await.unwrap();
    assert_eq!(outbox(store, 59).await, [], "who holds them may live");
    assert!(store.renew_task(&alive, LEASE, at(30)).await.unwrap());
    let ids: Vec<TaskId> = outbox(store, 60).await.iter().map(|row| row.id).collect();
    assert_eq!(ids, [lost.id]);
}
