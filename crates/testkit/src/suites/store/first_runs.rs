//! The start and the end of a first run, which a store may write in another way than those of later runs.

use super::fixture::{at, finished, new_search, person, restart, set, stored};
use crate::builders::notice;
use domain::ids::{ProviderId, ResultId, SearchId, UserId};
use domain::notice::Notice;
use domain::owner_scope::OwnerScope;
use domain::ports::{FinishedRun, NewLease, QueueName, Store, StoreError};
use domain::search::{Search, SearchSpec};
use domain::search_run::RunFindings;
use serde_json::json;
use std::time::Duration;

/// Parts of JSON, and characters that databases treat in different ways.
const ODD: &str = "NUL \0, quotes ' \" , ], }, [], ',', emoji 🦉, \\u0000, \\";

/// A run that was replaced by a later one, that has ended before, or whose search is gone.
pub async fn write_nothing_if_obsolete(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let replaced = new_search(store, owner, "replaced", 0).await;
    restart(store, replaced.id, replaced.spec.clone(), 1).await;
    let ended = new_search(store, owner, "ended", 2).await;
    store.finish_run(finished(&ended, Vec::new())).await.unwrap().expect("the newest run");
    let deleted = new_search(store, owner, "deleted", 3).await;
    store.delete_search(deleted.id).await.unwrap();

    for (search, runs) in [(replaced, 0), (ended, 1), (deleted, 0)] {
        let before = store.search(search.id).await;
        let sets = vec![set(search.id, 1, &["a", "b"]), set(search.id, 2, &["c"])];
        let late = FinishedRun { now: at(50), ..finished(&search, sets) };
        assert_eq!(store.finish_run(late).await.unwrap(), None, "{}", search.spec.query_string);
        assert_eq!(store.search(search.id).await, before);
        assert_eq!(store.result_sets(search.id).await.unwrap(), []);
        assert_eq!(store.search_runs(search.id).await.unwrap().len(), runs);
    }
    assert_eq!(store.results(OwnerScope::Everyone, 0, 10).await.unwrap().total, 0);
    for id in 1..20 {
        assert_eq!(store.result(ResultId(id)).await, Err(StoreError::NotFound), "{id}");
    }
}

/// The notices of the run come after those of the search. A notice is read with its facts only if they belong to its
/// line.
pub async fn append_their_notices(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let lists = [vec![], vec!["one"], vec![ODD, "two"], vec!["three", ODD, ""]];
    let notices = |texts: &[&str]| texts.iter().map(|text| notice(text)).collect::<Vec<Notice>>();
    for earlier in &lists {
        for later in &lists {
            let spec = SearchSpec::of_query("query");
            let search = store.create_search(spec, owner, notices(earlier), at(0), None).await.unwrap();
            let run = FinishedRun { notices: notices(later), ..finished(&search, Vec::new()) };
            let ended = store.finish_run(run).await.unwrap().expect("the newest run").search;
            assert_eq!(ended.notices, [notices(earlier), notices(later)].concat(), "{earlier:?}, {later:?}");
            assert_eq!(stored(store, search.id).await, ended);
        }
    }
}

/// The largest number of sets that fits into one statement, and one more.
pub async fn take_many_sets(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    for count in [500, 501] {
        let search = new_search(store, owner, "query", 0).await;
        let sets: Vec<_> = (1..=count)
            .map(|provider| match provider % 3 {
                0 => set(search.id, provider, &[]),
                1 => set(search.id, provider, &["only"]),
                _ => set(search.id, provider, &["first", "last"]),
            })
            .collect();
        let found = RunFindings::of(&sets).entries;
        let saved = store.finish_run(finished(&search, sets)).await.unwrap().expect("the newest run").sets;
        assert_eq!(store.result_sets(search.id).await.unwrap(), saved, "{count}");
        for set in saved.iter().filter(|set| [1, 2, 250, 499, 500].contains(&set.provider.0)) {
            for item in &set.items {
                let read = store.result(item.swirl_id).await.unwrap();
                assert_eq!((read.provider, &read.item), (set.provider, item));
            }
        }
        let runs = store.search_runs(search.id).await.unwrap();
        let entries = store.run_entries(search.id, search.run).await.unwrap().expect("recorded");
        assert_eq!((runs.len(), runs[0].retrieved, runs[0].added), (1, found.len() as u64, 0));
        assert_eq!(entries, found);
    }
}

/// A run that queried no provider.
pub async fn end_without_sets(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let search = new_search(store, owner, "query", 0).await;
    let run = FinishedRun { found: None, ..finished(&search, Vec::new()) };
    let ended = store.finish_run(run).await.unwrap().expect("the newest run");
    assert_eq!((ended.sets.len(), &stored(store, search.id).await), (0, &ended.search));
    assert_eq!(store.run_entries(search.id, search.run).await.unwrap(), Some(Vec::new()));
}

pub async fn keep_odd_texts(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let new = Search::created(SearchId(0), owner, SearchSpec::of_query(ODD), vec![notice(ODD)], at(1));
    let lease = || NewLease { worker: "w".to_owned(), duration: Duration::from_secs(60) };
    for is_awaited in [false, true] {
        let started = if is_awaited {
            store.start_awaited_search(new.clone(), Some(ODD), lease()).await.unwrap()
        } else {
            store.start_search(new.clone(), Some(ODD), lease()).await.unwrap()
        };
        let search = started.search;
        assert_eq!(search, Search { id: search.id, ..new.clone() });
        assert_eq!(stored(store, search.id).await, search);
        let payload = json!({"search": search.id, "run": 1, "update": false, "request": ODD});
        assert_eq!(started.task.payload, payload);
        // Its lease has ended: what is stored is what was returned.
        let again = store.claim_task(QueueName::Search, "other", Duration::from_secs(60), at(70)).await;
        let again = again.unwrap().expect("its task");
        assert_eq!((again.id, again.owner, &again.payload), (started.task.id, Some(owner), &payload));
        store.finish_task(&again).await.unwrap();

        let mut sets = vec![set(search.id, 2, &[ODD, "plain"]), set(search.id, 1, &[ODD])];
        sets[0].provider_name = ODD.to_owned();
        sets[0].items[0].payload.insert(ODD.to_owned(), json!({ "z": ODD, "a": [ODD] }));
        let found = RunFindings::of(&sets).entries;
        let saved = store.finish_run(finished(&search, sets)).await.unwrap().expect("the newest run").sets;
        let mut read = store.result_sets(search.id).await.unwrap();
        read.reverse();
        assert_eq!(read, saved);
        let first = store.result(saved[0].items[0].swirl_id).await.unwrap();
        assert_eq!((first.provider, &first.item), (ProviderId(2), &saved[0].items[0]));
        let entries = store.run_entries(search.id, search.run).await.unwrap().expect("recorded");
        assert_eq!(entries, found);
    }
}

pub async fn need_an_owner(store: &dyn Store) {
    let new = Search::created(SearchId(0), UserId(999), SearchSpec::of_query("query"), Vec::new(), at(0));
    let lease = || NewLease { worker: "w".to_owned(), duration: Duration::from_secs(60) };
    for lost in [
        store.start_search(new.clone(), None, lease()).await,
        store.start_awaited_search(new.clone(), None, lease()).await,
    ] {
        assert!(matches!(lost, Err(StoreError::UnknownReference(_))), "{lost:?}");
    }
    let task = store.claim_task(QueueName::Search, "w", Duration::from_secs(60), at(999)).await;
    assert_eq!(task.unwrap(), None, "a task of no search");
}
