//! Tasks held by a broker, abandoned tasks, and searches that are not final.

use super::fixture::{at, finished, new_search, person, set};
use super::tasks::{QUEUE, claim, owned, push, sent};
use crate::builders::notice;
use chrono::TimeDelta;
use domain::ids::{TaskId, UserId};
use domain::ports::{
    ClaimedTask, DeliveredTask, OutboxTask, SentTask, Store, TaskKey, TaskState, UnfinishedSearch,
    WorkerSlots,
};
use domain::search::Search;
use domain::status::SearchStatus;
use serde_json::Value;
use std::time::Duration;

/// Tasks of a broker stay, are run by nobody else, and are requested again when their time is over.
pub async fn stay_until_they_ended(store: &dyn Store) {
    for name in ["kept", "lost", "ended"] {
        push(store, name, 0).await;
    }
    let ids: Vec<TaskId> =
        store.outbox_heads(9, at(0)).await.unwrap().iter().map(|head| head.waiting.id).collect();
    let rows = store.outbox_tasks(&ids).await.unwrap();
    let sent: Vec<SentTask> = rows.iter().zip(["1", "2", "3"]).map(|(row, seq)| sent(row, seq)).collect();
    store.mark_sent(&sent, at(19), at(20)).await.unwrap();
    let states = async || {
        let tasks = store.unfinished_tasks(None, 9, at(19)).await.unwrap();
        tasks.into_iter().map(|task| (task.name, task.state)).collect::<Vec<_>>()
    };
    let all = ["kept", "lost", "ended"].map(|name| (name.to_owned(), TaskState::Sent));
    assert_eq!(states().await, all);
    assert_eq!(claim(store, 19).await, None, "the broker has them");
    assert!(store.outbox_heads(9, at(60)).await.unwrap().is_empty(), "they are not sent twice");
    assert_eq!(store.task_depth(QUEUE, at(60)).await.unwrap(), 0, "they are counted there");
    assert_eq!(store.release_all_tasks().await.unwrap(), 0, "the broker is not dead");

    let of_another = TaskKey { date_created: at(5), ..sent[0].key };
    store.take_out(&[sent[2].key, of_another]).await.unwrap();
    assert!(store.overdue_tasks(9, at(19)).await.unwrap().is_empty());
    assert_eq!(store.overdue_tasks(9, at(20)).await.unwrap(), sent[..2]);
    assert_eq!(store.overdue_tasks(1, at(20)).await.unwrap(), sent[..1]);
    let clock_went_back = store.overdue_tasks(9, at(0) - TimeDelta::days(1)).await.unwrap();
    assert_eq!(clock_went_back.len(), 2);
    store.mark_sent(&sent[..1], at(19), at(40)).await.unwrap();
    assert_eq!(store.resend(&sent[1..]).await.unwrap(), 1);
    assert_eq!(store.resend(&sent[1..]).await.unwrap(), 0, "another process did it already");
    let again = store.outbox_tasks(&ids).await.unwrap();
    let lost = &again[1];
    assert_eq!((lost.task.name.as_str(), lost.date_created), ("lost", at(0)));
    assert!(lost.due > at(0) && lost.due < at(1), "another message, in the same place: {}", lost.due);
    store.mark_sent(&sent[1..2], at(19), at(40)).await.unwrap();
    assert_eq!(
        store.outbox_heads(9, at(20)).await.unwrap().len(),
        1,
        "a relay that is late marks nothing that waits again"
    );
    // Without the broker, workers of the database claim its tasks.
    assert_eq!(claim(store, 40).await.map(|task| task.name).as_deref(), Some("kept"));
}

/// A broker that was away and a worker that claimed here never both run a task.
pub async fn are_run_by_one_holder(store: &dyn Store) {
    const LEASE: Duration = Duration::from_secs(30);
    for name in ["marked", "unmarked", "claimed"] {
        push(store, name, 0).await;
    }
    let ids: Vec<TaskId> =
        store.outbox_heads(9, at(0)).await.unwrap().iter().map(|head| head.waiting.id).collect();
    let rows = store.outbox_tasks(&ids).await.unwrap();
    let message = |row: &OutboxTask, message: &str| DeliveredTask {
        key: sent(row, message).key,
        due: row.due,
        attempts: row.attempts,
        message: message.to_owned(),
    };
    let hold = async |delivered: &[DeliveredTask], seconds| {
        let held = store.hold_delivered(delivered, at(seconds), at(seconds + 20)).await.unwrap();
        assert!(held.iter().all(|held| delivered.contains(held)), "{held:?}");
        held.into_iter().map(|held| (held.key.id, held.message)).collect::<Vec<_>>()
    };
    let both = [(ids[0], "1".to_owned()), (ids[1], "2".to_owned())];
    let claim_unsent = async |free, seconds| {
        store.claim_unsent(QUEUE, WorkerSlots::any(free), "here", LEASE, at(seconds)).await.unwrap()
    };
    store.mark_sent(&[sent(&rows[0], "1")], at(0), at(20)).await.unwrap();
    let delivered = [message(&rows[0], "1"), message(&rows[1], "2")];
    assert_eq!(hold(&delivered, 1).await, both, "the second was sent and not marked");
    assert_eq!(hold(&delivered, 2).await, both, "they come again when a worker died");
    let of_another = TaskKey { date_created: at(5), ..delivered[0].key };
    assert_eq!(hold(&[DeliveredTask { key: of_another, ..delivered[0].clone() }], 2).await, []);
    store.mark_sent(&[sent(&rows[1], "9")], at(2), at(60)).await.unwrap();
    assert_eq!(hold(&[message(&rows[1], "9")], 3).await, [], "another message of it is run");
    assert_eq!(hold(&[], 3).await, []);

    let running = ClaimedTask {
        id: ids[1],
        queue: QUEUE,
        name: "unmarked".to_owned(),
        payload: Value::Null,
        attempt: 2,
        attempts_max: 3,
        owner: None,
        lease: "of a message".to_owned(),
    };
    let take_over =
        async |message| store.take_over(&running, delivered[1].key, message, "here", at(33)).await.unwrap();
    assert_eq!((take_over("9").await, take_over("2").await, take_over("2").await), (false, true, false));
    assert_eq!(hold(&delivered, 3).await, both[..1], "the worker that was given the second runs it on");
    assert!(store.renew_task(&running, LEASE, at(4)).await.unwrap());
    store.finish_task(&running).await.unwrap();
    assert_eq!(hold(&delivered, 4).await, both[..1], "it has ended");

    let claimed = claim_unsent(9, 4).await;
    assert_eq!(claimed.iter().map(|task| task.name.as_str()).collect::<Vec<_>>(), ["claimed"]);
    assert!(claim_unsent(9, 60).await.iter().all(|task| task.name == "claimed"), "the broker has the others");
    let late = message(&rows[2], "3");
    assert_eq!(hold(std::slice::from_ref(&late), 61).await, [], "it is run here");
    store.mark_sent(&[sent(&rows[2], "3")], at(61), at(80)).await.unwrap();
    assert_eq!(hold(std::slice::from_ref(&late), 61).await, [], "a relay that is late takes it from nobody");
    assert!(store.outbox_heads(9, at(61)).await.unwrap().is_empty(), "it is not sent while its lease lives");
    assert_eq!(hold(std::slice::from_ref(&late), 99).await, [], "it was tried since");
    let again = store.outbox_tasks(&ids[2..]).await.unwrap();
    assert_eq!(
        (again[0].attempts, hold(&[late.clone(), message(&again[0], "4")], 99).await),
        (2, vec![(ids[2], "4".to_owned())]),
        "of two messages of one task, the stale one is not run"
    );
    store.take_out(&[late.key]).await.unwrap();
    assert_eq!(hold(&[message(&again[0], "4"), late], 99).await, [], "it has ended");
}

/// Tasks that no broker has are claimed like any other in the database.
pub async fn unsent_are_claimed_in_turn(store: &dyn Store) {
    for _ in 0..9 {
        store.push_task(owned("task", 1), at(0)).await.unwrap();
    }
    store.push_task(owned("task", 2), at(1)).await.unwrap();
    let claim = async |free| {
        let slots = WorkerSlots { free, total: 8 };
        let lease = Duration::from_secs(30);
        let tasks = store.claim_unsent(QUEUE, slots, "worker", lease, at(1)).await.unwrap();
        tasks.into_iter().filter_map(|task| Some(task.owner?.0)).collect::<Vec<_>>()
    };
    let mut owners = claim(3).await;
    owners.extend(claim(5).await);
    assert_eq!((owners[..3].contains(&2), owners.len()), (true, 7), "one slot is kept: {owners:?}");
}

pub async fn given_up_are_tried_again_by_hand(store: &dyn Store) {
    push(store, "sent", 0).await;
    push(store, "waiting", 0).await;
    let ids: Vec<TaskId> =
        store.outbox_heads(9, at(0)).await.unwrap().iter().map(|head| head.waiting.id).collect();
    let rows = store.outbox_tasks(&ids).await.unwrap();
    let given_up = sent(&rows[0], "1");
    store.mark_sent(std::slice::from_ref(&given_up), at(19), at(20)).await.unwrap();
    store.give_up_sent(given_up.key, "it \0failed").await.unwrap();
    let find = async |name| store.unfinished_tasks(name, 9, at(1)).await.unwrap();
    assert_eq!(find(None).await.len(), 2);
    let failed = find(Some("sent")).await.remove(0);
    assert_eq!(
        (failed.state, failed.attempts, failed.last_error.as_str()),
        (TaskState::Failed, 3, "it failed")
    );
    assert_eq!((failed.id, failed.owner, failed.date_created), (ids[0], None, at(0)));
    assert_eq!(find(Some("nothing")).await, []);
    assert!(!store.retry_failed(ids[1], at(9)).await.unwrap(), "it did not fail");
    assert!(!store.retry_failed(TaskId(999), at(9)).await.unwrap());
    assert!(store.retry_failed(ids[0], at(9)).await.unwrap());
    assert!(!store.retry_failed(ids[0], at(9)).await.unwrap());
    assert_eq!(find(Some("sent")).await[0].state, TaskState::Waiting);
    assert_eq!(claim(store, 9).await.map(|task| task.name).as_deref(), Some("waiting"));
    let again = claim(store, 9).await.expect("the other");
    assert_eq!((again.name.as_str(), again.attempt), ("sent", 1), "with all of its tries");
    assert_eq!(find(Some("sent")).await[0].state, TaskState::Running);
}

pub async fn are_found_by_owner(store: &dyn Store) {
    for (name, owner) in [("a", 1), ("a", 2), ("b", 1), ("a", 1), ("a", 0)] {
        store.push_task(owned(name, owner), at(0)).await.unwrap();
    }
    let find = async |name, owner, limit| {
        let found = store.unfinished_tasks_of(name, UserId(owner), limit, at(1)).await.unwrap();
        assert!(found.iter().all(|task| task.name == name && task.owner == Some(UserId(owner))));
        found.into_iter().map(|task| task.id.0).collect::<Vec<_>>()
    };
    let first = find("b", 1, 9).await[0] - 2;
    for (name, owner, limit, expected) in [
        ("a", 1, 9, vec![first + 3, first]),
        ("a", 1, 1, vec![first + 3]),
        ("a", 2, 9, vec![first + 1]),
        ("b", 2, 9, vec![]),
    ] {
        assert_eq!(find(name, owner, limit).await, expected, "{name} {owner} {limit}");
    }
    // A running task is unfinished too.
    while claim(store, 1).await.is_some() {}
    assert_eq!(find("a", 2, 9).await, [first + 1]);
}

/// Searches that are not final are found by their last change, with their run.
pub async fn unended_searches_are_found(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let new = new_search(store, owner, "new", 0).await;
    let ended = new_search(store, owner, "ended", 1).await;
    store
        .finish_run(finished(&ended, vec![set(ended.id, 1, &["a"])]))
        .await
        .unwrap()
        .expect("the newest run");
    let found = async |seconds| store.unfinished_searches(at(seconds)).await.unwrap();
    let expected = |search: &Search, is_update| UnfinishedSearch {
        id: search.id,
        owner,
        run: search.run,
        is_update,
        date_updated: search.date_updated,
    };
    assert_eq!(found(0).await, [], "it changed lately");
    assert_eq!(found(1).await, [expected(&new, false)]);
    let update = store.update_search(ended.id, notice("again"), at(20), None).await.unwrap();
    assert_eq!(found(21).await, [expected(&new, false), expected(&update, true)]);
    store.change_status(update.id, update.run, SearchStatus::Federating, at(30)).await.unwrap();
    let federating = Search { date_updated: at(30), ..update };
    assert_eq!(found(31).await[1], expected(&federating, true), "its results say that it is an update");
}
