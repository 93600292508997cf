//! Searches: from creation to deletion, and the fence between runs.

use super::fixture::{at, change, finished, finished_search, item, new_search, person, restart, set, stored};
use crate::builders::notice;
use domain::ids::{ProviderId, ResultId, RunNumber, SearchId, UserId};
use domain::owner_scope::OwnerScope;
use domain::ports::{NewLease, QueueName, StartedSearch, Store, StoreError};
use domain::result::ProviderError;
use domain::search::{ProviderRef, Search, SearchSpec};
use domain::search_run::RunState;
use domain::search_task::RUN_ATTEMPTS_MAX;
use domain::status::{ProviderStatus, SearchStatus};
use serde_json::json;
use std::time::Duration;

pub async fn are_created_with_their_task(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let spec = SearchSpec {
        searchprovider_list: vec![ProviderRef::Id(3), ProviderRef::Text("news".to_owned())],
        tags: vec!["a tag".to_owned()],
        ..SearchSpec::of_query("rivers -lakes")
    };
    let notices = vec![notice("one"), notice("two")];
    let search = store.create_search(spec.clone(), owner, notices.clone(), at(1), Some("r-1")).await.unwrap();
    assert_eq!((search.owner, &search.spec, &search.notices), (owner, &spec, &notices));
    assert_eq!(
        (search.status, search.run, search.date_created),
        (SearchStatus::NewSearch, RunNumber::FIRST, at(1))
    );
    assert_eq!(store.search(search.id).await.unwrap(), search);
    assert_eq!(store.search(SearchId(search.id.0 + 1)).await, Err(StoreError::NotFound));

    let lease = Duration::from_secs(60);
    let task = store.claim_task(QueueName::Search, "w", lease, at(1)).await.unwrap().expect("its task");
    assert_eq!((task.name.as_str(), task.attempts_max), ("run_search", RUN_ATTEMPTS_MAX));
    assert_eq!(task.payload, json!({"search": search.id, "run": 1, "update": false, "request": "r-1"}));
}

/// A search that starts in its own process: its task is claimed from the beginning.
pub async fn are_started_with_their_task(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let spec = SearchSpec::of_query("rivers");
    let new = Search::created(SearchId(0), owner, spec, vec![notice("one")], at(1));
    let lease = |duration| NewLease { worker: "w".to_owned(), duration };
    let minute = Duration::from_secs(60);
    let StartedSearch { search, task } =
        store.start_search(new.clone(), Some("r-1"), lease(minute)).await.unwrap();
    assert_eq!(search, Search { id: search.id, ..new.clone() });
    assert_eq!(store.search(search.id).await.unwrap(), search);
    assert_eq!((task.name.as_str(), task.attempt, task.owner), ("run_search", 1, Some(owner)));
    assert_eq!(task.payload, json!({"search": search.id, "run": 1, "update": false, "request": "r-1"}));

    assert_eq!(store.claim_task(QueueName::Search, "other", minute, at(60)).await.unwrap(), None);
    assert!(store.renew_task(&task, minute, at(30)).await.unwrap());
    store.finish_task(&task).await.unwrap();
    assert_eq!(store.claim_task(QueueName::Search, "other", minute, at(999)).await.unwrap(), None);

    // Its process dies.
    let lost = store.start_search(new, None, lease(minute)).await.unwrap().task;
    let again =
        store.claim_task(QueueName::Search, "other", minute, at(61)).await.unwrap().expect("its task");
    assert_eq!((again.id, again.attempt, &again.payload), (lost.id, 2, &lost.payload));
    assert!(!store.renew_task(&lost, minute, at(61)).await.unwrap(), "another worker has it");
}

pub async fn are_listed_newest_first(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    let mut made = Vec::new();
    for (owner, query, seconds) in [(ann, "a", 30), (bob, "b", 20), (ann, "c", 10), (ann, "d", 30)] {
        made.push(new_search(store, owner, query, seconds).await);
    }
    let list = async |owner, offset, limit| {
        let page = store.searches(owner, offset, limit).await.unwrap();
        let queries: Vec<String> = page.items.into_iter().map(|search| search.spec.query_string).collect();
        (queries.concat(), page.total)
    };
    assert_eq!(list(OwnerScope::Everyone, 0, 10).await, ("dabc".to_owned(), 4));
    assert_eq!(list(OwnerScope::Only(ann), 0, 10).await, ("dac".to_owned(), 3));
    assert_eq!(list(OwnerScope::Only(ann), 1, 1).await, ("a".to_owned(), 3));
    assert_eq!(list(OwnerScope::Only(ann), 3, 10).await, (String::new(), 3));
    assert_eq!(list(OwnerScope::Only(UserId(999)), 0, 10).await, (String::new(), 0));
    assert_eq!(store.searches(OwnerScope::Everyone, 0, u64::MAX).await.unwrap().items[1], made[0]);
}

pub async fn tell_how_they_stand(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let (first, second) = (new_search(store, owner, "a", 1).await, new_search(store, owner, "b", 2).await);
    assert!(store.change_status(second.id, RunNumber::FIRST, SearchStatus::Federating, at(3)).await.unwrap());
    let gone = SearchId(second.id.0 + 1);
    let mut states = store.search_states(&[second.id, gone, first.id]).await.unwrap();
    states.sort_by_key(|(id, _)| *id);
    let state = |status| RunState { run: RunNumber::FIRST, status };
    let expected = [(first.id, state(SearchStatus::NewSearch)), (second.id, state(SearchStatus::Federating))];
    assert_eq!(states, expected);
    assert_eq!(store.search_states(&[]).await, Ok(Vec::new()));
}

pub async fn change_without_a_new_run(store: &dyn Store) {
    let (search, sets) = finished_search(store, &[&["a"]]).await;
    let spec = SearchSpec { subscribe: true, ..search.spec.clone() };
    let changed = change(store, search.id, spec.clone(), 9).await;
    assert_eq!((&changed.spec, changed.run.0, changed.date_updated), (&spec, 1, at(9)));
    assert_eq!(changed.status, SearchStatus::FullResultsReady);
    assert_eq!(store.search(search.id).await.unwrap(), changed);
    assert_eq!(store.result_sets(search.id).await.unwrap(), sets);
    let nobody = Search { id: SearchId(999), ..changed };
    assert_eq!(store.change_search(&nobody, spec, at(9)).await, Err(StoreError::NotFound));
}

/// Of two writers that have read the same, the second gets a conflict and writes nothing.
pub async fn an_edit_of_an_older_state_is_refused(store: &dyn Store) {
    let (search, sets) = finished_search(store, &[&["a"]]).await;
    let seen = stored(store, search.id).await;
    let edit = |subscribe| SearchSpec { subscribe, ..seen.spec.clone() };
    let first = store.change_search(&seen, edit(true), at(9)).await.unwrap().expect("the first");
    assert_eq!(store.change_search(&seen, edit(false), at(10)).await.unwrap(), None);
    let late = store.restart_search(&seen, edit(false), Vec::new(), at(10), None).await;
    assert_eq!(late.unwrap(), None);
    assert_eq!(stored(store, search.id).await, first);
    assert_eq!(store.result_sets(search.id).await.unwrap(), sets);

    let again = restart(store, search.id, edit(true), 11).await;
    assert_eq!(store.change_search(&first, edit(false), at(12)).await.unwrap(), None, "it runs again");
    assert!(store.change_status(search.id, again.run, SearchStatus::Federating, at(12)).await.unwrap());
    assert_eq!(store.change_search(&again, edit(false), at(13)).await.unwrap(), None, "it has gone on");
    store.update_search(search.id, notice("update"), at(14), None).await.unwrap();
    store.delete_search(search.id).await.unwrap();
    assert_eq!(store.change_search(&again, edit(false), at(15)).await, Err(StoreError::NotFound));
}

pub async fn start_again_from_nothing(store: &dyn Store) {
    let (search, sets) = finished_search(store, &[&["a", "b"]]).await;
    let lease = Duration::from_secs(60);
    let first = store.claim_task(QueueName::Search, "w", lease, at(1)).await.unwrap().expect("a task");
    store.finish_task(&first).await.unwrap();

    let spec = SearchSpec::of_query("other");
    let again = restart(store, search.id, spec.clone(), 9).await;
    assert_eq!((again.run.0, again.status, &again.spec), (2, SearchStatus::NewSearch, &spec));
    assert_eq!((again.notices.as_slice(), again.time_s), ([notice("again")].as_slice(), 0.0));
    assert_eq!((again.query_string_processed.as_str(), again.date_created), ("", at(0)));
    assert_eq!(store.search(search.id).await.unwrap(), again);
    assert_eq!(store.result_sets(search.id).await.unwrap(), []);
    let gone = store.result(sets[0].items[0].swirl_id).await;
    assert_eq!(gone, Err(StoreError::NotFound));
    let task = store.claim_task(QueueName::Search, "w", lease, at(9)).await.unwrap().expect("its task");
    assert_eq!(task.payload, json!({"search": search.id, "run": 2, "update": false}));

    let nobody = Search { id: SearchId(999), ..again };
    let unknown = store.restart_search(&nobody, spec, Vec::new(), at(9), None).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
    assert_eq!(store.task_depth(QueueName::Search, at(9)).await.unwrap(), 0);
}

pub async fn fence_off_an_older_run(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let search = new_search(store, owner, "query", 0).await;
    let note =
        async |run, status| store.change_status(search.id, RunNumber(run), status, at(2)).await.unwrap();
    assert!(note(1, SearchStatus::Federating).await);
    // The task was delivered again: the same run begins once more.
    assert!(note(1, SearchStatus::PreProcessing).await);
    let now = store.search(search.id).await.unwrap();
    assert_eq!((now.status, now.date_updated), (SearchStatus::PreProcessing, at(2)));

    restart(store, search.id, search.spec.clone(), 3).await;
    assert!(!note(1, SearchStatus::Federating).await);
    let late = finished(&search, vec![set(search.id, 1, &["late"])]);
    assert_eq!(store.finish_run(late).await.unwrap(), None);
    assert_eq!(store.result_sets(search.id).await.unwrap(), []);
    assert_eq!(store.search(search.id).await.unwrap().status, SearchStatus::NewSearch);
    assert!(note(2, SearchStatus::Federating).await);
    assert!(
        !store.change_status(SearchId(999), RunNumber::FIRST, SearchStatus::Federating, at(2)).await.unwrap()
    );
}

pub async fn finish_once(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let search = new_search(store, owner, "query", 0).await;
    let mut failed = set(search.id, 2, &[]);
    failed.status = ProviderStatus::Timeout;
    failed.error = Some(ProviderError { code: "timeout".to_owned(), message: "It was late.".to_owned() });
    let run = finished(&search, vec![failed, set(search.id, 1, &["a", "b"])]);
    let saved = store.finish_run(run.clone()).await.unwrap().expect("the newest run");
    assert_eq!(store.search(search.id).await.unwrap(), saved.search);
    let saved = saved.sets;
    assert_eq!(saved.iter().map(|set| set.provider.0).collect::<Vec<_>>(), [2, 1]);
    let mut by_provider = saved;
    by_provider.reverse();
    assert_eq!(store.result_sets(search.id).await.unwrap(), by_provider);

    let over = store.search(search.id).await.unwrap();
    assert_eq!(over.status, SearchStatus::FullResultsReady);
    assert_eq!(over.notices, [notice("created"), notice("finished")]);
    assert_eq!((over.query_string_processed.as_str(), over.time_s), ("query processed", 1.2));
    assert_eq!(over.date_updated, at(6));

    assert_eq!(store.finish_run(run).await.unwrap(), None);
    for to in [SearchStatus::Federating, SearchStatus::ErrRunFailed, SearchStatus::PartialResultsReady] {
        assert!(!store.change_status(search.id, RunNumber::FIRST, to, at(7)).await.unwrap());
    }
    assert_eq!(store.search(search.id).await.unwrap(), over);
}

pub async fn finish_replaces_sets_of_the_same_providers(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let search = new_search(store, owner, "query", 0).await;
    let mut first = finished(&search, vec![set(search.id, 1, &["a", "b"]), set(search.id, 2, &["c"])]);
    first.status = SearchStatus::Federating;
    let saved = store.finish_run(first).await.unwrap().expect("the newest run").sets;

    // An update keeps one item with its id, drops one and adds one.
    let mut update = saved[0].clone();
    update.items = vec![saved[0].items[1].clone(), item("new")];
    update.date_created = at(50);
    update.date_updated = at(50);
    let second =
        store.finish_run(finished(&search, vec![update])).await.unwrap().expect("the newest run").sets;
    assert_eq!(second[0].items[0].swirl_id, saved[0].items[1].swirl_id);
    assert!(second[0].items[1].swirl_id > saved[1].items[0].swirl_id);
    assert_eq!((second[0].date_created, second[0].date_updated), (at(5), at(50)));
    assert_eq!(store.result_sets(search.id).await.unwrap(), [second[0].clone(), saved[1].clone()]);

    let title = async |id: ResultId| store.result(id).await.map(|found| found.item.title);
    assert_eq!(title(second[0].items[0].swirl_id).await.unwrap(), "b");
    assert_eq!(title(second[0].items[1].swirl_id).await.unwrap(), "new");
    assert_eq!(title(saved[0].items[0].swirl_id).await, Err(StoreError::NotFound));
}

pub async fn finish_refuses_two_sets_of_one_provider(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let search = new_search(store, owner, "query", 0).await;
    let twice = finished(&search, vec![set(search.id, 1, &["a"]), set(search.id, 1, &["b"])]);
    assert!(matches!(store.finish_run(twice).await, Err(StoreError::Failed { .. })));
    assert_eq!(store.search(search.id).await.unwrap(), search);
    assert_eq!(store.result_sets(search.id).await.unwrap(), []);
}

pub async fn finish_keeps_odd_texts_and_numbers(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let search = new_search(store, owner, "query", 0).await;
    let odd = "NUL \0, quote ' \" , emoji 🦉, \u{fffd}, \\u0000";
    let mut one = set(search.id, 1, &[odd]);
    one.query_string_to_provider = odd.to_owned();
    one.notices = vec![notice(odd)];
    one.items[0].swirl_score = f64::NAN;
    one.items[0].swirl_confidence_score = f64::INFINITY;
    one.items[0].payload.insert(odd.to_owned(), json!(odd));
    one.time_s = f64::NAN;
    one.found = u64::MAX;
    let mut run = finished(&search, vec![one]);
    run.query_string_processed = odd.to_owned();
    run.notices = vec![notice(odd)];
    run.time_s = f64::NAN;
    let saved = store.finish_run(run).await.unwrap().expect("the newest run");

    let read = store.result_sets(search.id).await.unwrap().remove(0);
    assert_eq!((&read, &store.search(search.id).await.unwrap()), (&saved.sets[0], &saved.search));
    assert_eq!((read.items[0].title.as_str(), &read.notices[0]), (odd, &notice(odd)));
    assert_eq!(read.query_string_to_provider, odd);
    assert_eq!(read.items[0].payload[odd], json!(odd));
    assert_eq!(
        (read.items[0].swirl_score, read.items[0].swirl_confidence_score, read.time_s),
        (0.0, 0.0, 0.0)
    );
    assert_eq!(read.found, i64::MAX as u64);
    let over = store.search(search.id).await.unwrap();
    assert_eq!(over.query_string_processed, odd.replace('\0', ""));
    assert_eq!((&over.notices[1], over.time_s), (&notice(odd), 0.0));
}

/// More sets than one statement takes.
pub async fn finish_takes_many_sets(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let search = new_search(store, owner, "query", 0).await;
    let sets = (1..=1201).map(|provider| set(search.id, provider, &["only"])).collect();
    store.finish_run(finished(&search, sets)).await.unwrap().expect("the newest run");
    let read = store.result_sets(search.id).await.unwrap();
    assert_eq!(read.len(), 1201);
    assert_eq!(read[1200].provider, ProviderId(1201));
    let last = store.result(read[1200].items[0].swirl_id).await.unwrap();
    assert_eq!(last.provider, ProviderId(1201));
}

pub async fn are_deleted_with_their_results(store: &dyn Store) {
    let (search, sets) = finished_search(store, &[&["a"], &["b"]]).await;
    let other = new_search(store, search.owner, "other", 1).await;
    let kept = store
        .finish_run(finished(&other, vec![set(other.id, 1, &["c"])]))
        .await
        .unwrap()
        .expect("saved")
        .sets;
    store.delete_search(search.id).await.unwrap();
    assert_eq!(store.search(search.id).await, Err(StoreError::NotFound));
    assert_eq!(store.result_sets(search.id).await.unwrap(), []);
    for set in &sets {
        assert_eq!(store.result(set.items[0].swirl_id).await, Err(StoreError::NotFound));
    }
    assert_eq!(store.delete_search(search.id).await, Err(StoreError::NotFound));
    assert_eq!(store.result_sets(other.id).await.unwrap(), kept);
    assert_eq!(store.finish_run(finished(&search, Vec::new())).await.unwrap(), None);
}

pub async fn need_an_owner(store: &dyn Store) {
    let spec = SearchSpec::of_query("query");
    let lost = store.create_search(spec, UserId(999), Vec::new(), at(0), None).await;
    assert!(matches!(lost, Err(StoreError::UnknownReference(_))), "{lost:?}");
    assert_eq!(store.task_depth(QueueName::Search, at(0)).await.unwrap(), 0);
}

pub async fn are_counted_by_owner(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    for seconds in 0..3 {
        new_search(store, ann, "river", seconds).await;
    }
    for (owner, at_most, expected) in [(ann, 10, 3), (ann, 2, 2), (bob, 10, 0)] {
        assert_eq!(store.count_searches(owner, at_most).await.unwrap(), expected);
    }
    assert_eq!(
        store.waiting_tasks_of(QueueName::Search, ann).await.unwrap(),
        3,
        "a task is its search's owner's"
    );
}
