//! Searches after their first run: updates, subscription, retention.

use super::fixture::{at, change, finished, finished_search, item, person, restart};
use crate::builders::notice;
use domain::ids::{SearchId, UserId};
use domain::ports::{FinishedRun, QueueName, Store, StoreError};
use domain::result::ResultItem;
use domain::search::{Search, SearchSpec, Sort};
use domain::status::SearchStatus;
use futures_util::future::join_all;
use serde_json::json;
use std::time::Duration;

/// An update starts a run beside the existing one: the sets stay, the notice is added, the task is stored.
pub async fn updates_keep_what_is_there(store: &dyn Store) {
    let (search, sets) = finished_search(store, &[&["a"], &["b"]]).await;
    let lease = Duration::from_secs(60);
    let first = store.claim_task(QueueName::Search, "w", lease, at(1)).await.unwrap().expect("a task");
    store.finish_task(&first).await.unwrap();
    let before = store.search(search.id).await.unwrap();

    let update = store.update_search(search.id, notice("again"), at(9), None).await.unwrap();
    let spec = SearchSpec { sort: Sort::Date, ..search.spec.clone() };
    assert_eq!((update.run.0, update.status, &update.spec), (2, SearchStatus::UpdateSearch, &spec));
    assert_eq!(update.notices, ["created", "finished", "again"].map(notice));
    assert_eq!((update.date_created, update.date_updated), (at(0), at(9)));
    assert_eq!(update.query_string_processed, before.query_string_processed);
    assert_eq!(store.search(search.id).await.unwrap(), update);
    assert_eq!(store.result_sets(search.id).await.unwrap(), sets);
    let task = store.claim_task(QueueName::Search, "w", lease, at(9)).await.unwrap().expect("its task");
    assert_eq!(task.payload, json!({"search": search.id, "run": 2, "update": true}));

    // The previous run is fenced off; the update ends once, and leaves the other sets unchanged.
    assert_eq!(store.finish_run(finished(&search, Vec::new())).await.unwrap(), None);
    let mut more = sets[1].clone();
    more.items.push(ResultItem { new: Some(1), ..item("c") });
    let run = FinishedRun { status: SearchStatus::FullUpdateReady, ..finished(&update, vec![more]) };
    let saved = store.finish_run(run.clone()).await.unwrap().expect("the newest run").sets;
    assert_eq!(saved[0].items[0], sets[1].items[0]);
    assert!(saved[0].items[1].swirl_id > sets[1].items[0].swirl_id);
    assert_eq!(store.finish_run(run).await.unwrap(), None);
    assert_eq!(store.result_sets(search.id).await.unwrap(), [sets[0].clone(), saved[0].clone()]);
    for item in sets.iter().chain(&saved).flat_map(|set| &set.items) {
        assert_eq!(store.result(item.swirl_id).await.unwrap().item, *item);
    }
    let over = store.search(search.id).await.unwrap();
    assert_eq!(over.notices, ["created", "finished", "again", "finished"].map(notice));

    let unknown = store.update_search(SearchId(999), notice("x"), at(9), None).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
    assert_eq!(store.task_depth(QueueName::Search, at(70)).await.unwrap(), 1);
}

/// Concurrent updates are counted, and every notice is kept.
pub async fn updates_come_one_after_the_other(store: &dyn Store) {
    let (search, _) = finished_search(store, &[]).await;
    let updates =
        (0..8).map(|number| store.update_search(search.id, notice(&number.to_string()), at(9), None));
    for update in join_all(updates).await {
        update.unwrap();
    }
    let now = store.search(search.id).await.unwrap();
    let mut numbers: Vec<String> = now.notices[2..].iter().map(|notice| notice.kind.to_string()).collect();
    numbers.sort();
    assert_eq!((now.run.0, numbers.concat().as_str()), (9, "01234567"));
}

pub async fn searches_expire_by_their_retention(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let (minute, hour, day) = (60, 3600, 86_400);
    let mut ids = Vec::new();
    for retention in 0..=4 {
        let search = kept_for(store, owner, retention).await;
        store.finish_run(finished(&search, Vec::new())).await.unwrap().expect("the newest run");
        ids.push(search.id.0);
    }
    let expired = async |seconds: i64, limit: u64| {
        let found = store.expired_searches(at(seconds), limit).await.unwrap();
        found.into_iter().map(|id| ids.iter().position(|&known| known == id.0)).collect::<Vec<_>>()
    };
    // A finished run counts from its end, at 6.
    let cases = [
        (5 * minute + 5, vec![]),
        (5 * minute + 6, vec![4]),
        (hour + 5, vec![4]),
        (hour + 6, vec![1, 4]),
        (day + 5, vec![1, 4]),
        (day + 6, vec![1, 2, 4]),
        (30 * day + 5, vec![1, 2, 4]),
        (30 * day + 6, vec![1, 2, 3, 4]),
        (3650 * day, vec![1, 2, 3, 4]),
    ];
    for (seconds, expected) in cases {
        let expected: Vec<_> = expected.into_iter().map(Some).collect();
        assert_eq!(expired(seconds, 10).await, expected, "after {seconds} s");
        assert_eq!(expired(seconds, 1).await, expected[..expected.len().min(1)], "one, after {seconds} s");
    }
    assert_eq!(expired(3650 * day, 0).await, []);
}

/// The retention period restarts with every change, and an edit of `retention` takes effect at once.
pub async fn searches_expire_after_their_last_change(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let (first, second) = (kept_for(store, owner, 4).await, kept_for(store, owner, 4).await);
    let expired = async |seconds| store.expired_searches(at(seconds), 10).await.unwrap();
    assert_eq!(expired(9999).await, [], "what runs is not expired");
    for search in [&first, &second] {
        store.finish_run(finished(search, Vec::new())).await.unwrap().expect("the newest run");
    }
    change(store, first.id, first.spec.clone(), 100).await;
    assert_eq!(expired(399).await, [second.id]);
    assert_eq!(expired(400).await, [second.id, first.id], "oldest first");

    let forever = SearchSpec { retention: Some(0), ..first.spec.clone() };
    change(store, first.id, forever, 100).await;
    assert_eq!(expired(9999).await, [second.id]);
    let hour = SearchSpec { retention: Some(1), ..second.spec.clone() };
    let again = restart(store, second.id, hour, 200).await;
    let late = FinishedRun { status: SearchStatus::ErrRunFailed, ..finished(&again, Vec::new()) };
    assert_eq!(expired(9999).await, [], "it runs again");
    store.finish_run(late).await.unwrap().expect("the newest run");
    assert_eq!(expired(3605).await, []);
    assert_eq!(expired(3606).await, [second.id], "a failed one ends too");
    store.update_search(second.id, notice("again"), at(300), None).await.unwrap();
    assert_eq!(expired(9999).await, [], "it is being updated");
    store.delete_search(second.id).await.unwrap();
    assert_eq!(expired(9999).await, []);
}

/// Saved or subscribed searches are kept, whatever their retention; afterwards the retention applies again.
pub async fn saved_and_subscribed_searches_do_not_expire(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let make = async |spec: SearchSpec| {
        let search = store.create_search(spec, owner, Vec::new(), at(0), None).await.unwrap();
        store.finish_run(finished(&search, Vec::new())).await.unwrap().expect("the newest run");
        search
    };
    let short = || SearchSpec { retention: Some(4), ..SearchSpec::of_query("query") };
    let saved = make(SearchSpec { tags: vec!["saved".to_owned()], ..short() }).await;
    let subscribed = make(SearchSpec { subscribe: true, ..short() }).await;
    let plain = make(short()).await;
    let expired = async |seconds| store.expired_searches(at(seconds), 10).await.unwrap();
    assert_eq!(expired(9999).await, [plain.id]);
    change(store, saved.id, short(), 100).await;
    change(store, subscribed.id, short(), 101).await;
    assert_eq!(expired(401).await, [plain.id, saved.id, subscribed.id]);
}

/// Saved, subscribed and running searches are never removed, however old they are.
pub async fn removable_searches_are_the_oldest_that_nobody_keeps(store: &dyn Store) {
    let (owner, other) = (person(store, "owner").await.id, person(store, "other").await.id);
    let make = async |owner: UserId, spec: SearchSpec, seconds: i64, is_over: bool| {
        let search = store.create_search(spec, owner, Vec::new(), at(seconds), None).await.unwrap();
        if is_over {
            store.finish_run(finished(&search, Vec::new())).await.unwrap().expect("the newest run");
        }
        search
    };
    let plain = || SearchSpec::of_query("query");
    make(owner, SearchSpec { tags: vec!["saved".to_owned()], ..plain() }, 0, true).await;
    make(owner, SearchSpec { subscribe: true, ..plain() }, 1, true).await;
    make(owner, plain(), 2, false).await;
    make(other, plain(), 3, true).await;
    let newer = make(owner, plain(), 5, true).await;
    let older = make(owner, SearchSpec { retention: Some(3), ..plain() }, 4, true).await;
    assert_eq!(store.removable_searches(owner, 10).await.unwrap(), [older.id, newer.id]);
    assert_eq!(store.removable_searches(owner, 1).await.unwrap(), [older.id]);
    let saved = SearchSpec { tags: vec!["saved".to_owned()], ..plain() };
    change(store, older.id, saved, 100).await;
    assert_eq!(store.removable_searches(owner, 10).await.unwrap(), [newer.id]);
}

pub async fn subscribed_searches_are_listed(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let mut made = Vec::new();
    for (query, subscribe) in [("a", true), ("b", false), ("c", true), ("d", true)] {
        let spec = SearchSpec { subscribe, ..SearchSpec::of_query(query) };
        made.push(store.create_search(spec, owner, Vec::new(), at(0), None).await.unwrap());
    }
    let listed = async |after: SearchId, limit| {
        let found = store.subscribed_searches(after, limit).await.unwrap();
        found.into_iter().map(|search| search.spec.query_string).collect::<String>()
    };
    assert_eq!(store.subscribed_searches(SearchId(0), 1).await.unwrap(), made[..1]);
    assert_eq!(listed(SearchId(0), 10).await, "acd");
    assert_eq!(listed(SearchId(0), 2).await, "ac");
    assert_eq!(listed(made[0].id, 10).await, "cd");
    assert_eq!(listed(made[3].id, 10).await, "");

    // An edit and a new run set it; an update keeps it.
    let with = |search: &Search, subscribe| SearchSpec { subscribe, ..search.spec.clone() };
    change(store, made[0].id, with(&made[0], false), 1).await;
    change(store, made[1].id, with(&made[1], true), 1).await;
    assert_eq!(listed(SearchId(0), 10).await, "bcd");
    restart(store, made[2].id, with(&made[2], false), 1).await;
    store.update_search(made[3].id, notice("again"), at(1), None).await.unwrap();
    assert_eq!(listed(SearchId(0), 10).await, "bd");
}

/// Unsubscribing is not a run: status, run, results and the queue stay unchanged.
pub async fn subscriptions_end(store: &dyn Store) {
    let (search, sets) = finished_search(store, &[&["a"]]).await;
    let spec = SearchSpec { subscribe: true, retention: Some(2), ..search.spec.clone() };
    let before = change(store, search.id, spec.clone(), 8).await;
    let depth = store.task_depth(QueueName::Search, at(9)).await.unwrap();
    store.end_subscription(search.id, notice("ended"), at(9)).await.unwrap();
    let after = store.search(search.id).await.unwrap();
    let expected = Search {
        spec: SearchSpec { subscribe: false, ..spec },
        notices: ["created", "finished", "ended"].map(notice).to_vec(),
        date_updated: at(9),
        ..before
    };
    assert_eq!(after, expected);
    assert_eq!(store.subscribed_searches(SearchId(0), 10).await.unwrap(), []);
    assert_eq!(store.result_sets(search.id).await.unwrap(), sets);
    assert_eq!(store.task_depth(QueueName::Search, at(9)).await.unwrap(), depth);
    let unknown = store.end_subscription(SearchId(999), notice("x"), at(9)).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
}

async fn kept_for(store: &dyn Store, owner: UserId, retention: u8) -> Search {
    let spec = SearchSpec { retention: Some(retention), ..SearchSpec::of_query("query") };
    store.create_search(spec, owner, Vec::new(), at(0), None).await.expect("a search")
}
