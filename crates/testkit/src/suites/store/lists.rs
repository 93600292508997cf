//! Lists: personal preferences, the runs of a search, search history, and new results.

use super::fixture::{at, change, finished, item, new_search, person, restart, set};
use crate::builders::notice;
use domain::ids::{ProviderId, RunNumber, SearchId, UserId};
use domain::owner_scope::OwnerScope;
use domain::ports::{FinishedRun, Store, StoreError};
use domain::preferences::{DomainPreference, Preference, Preferences, SourcePreference};
use domain::result::ResultItem;
use domain::search::{ASSISTANT_TAG, SAVED_TAG, Search, SearchFilter, SearchSpec};
use domain::search_run::{RUNS_KEPT, RunEntry};
use domain::status::{ProviderStatus, SearchStatus};

pub async fn preferences_belong_to_one_person(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    assert_eq!(store.preferences(ann).await.unwrap(), Preferences::default());
    let preferences = |preference| Preferences {
        domains: vec![DomainPreference { domain: "example.org".to_owned(), preference }],
        sources: vec![SourcePreference { provider_id: ProviderId(3), preference: Preference::Block }],
    };
    for preference in [Preference::Raise, Preference::Lower] {
        store.save_preferences(ann, preferences(preference), at(1)).await.unwrap();
        assert_eq!(store.preferences(ann).await.unwrap(), preferences(preference), "the newest counts");
    }
    assert_eq!(store.preferences(bob).await.unwrap(), Preferences::default());
    let lost = store.save_preferences(UserId(999), preferences(Preference::Raise), at(1)).await;
    assert!(matches!(lost, Err(StoreError::UnknownReference(_))), "{lost:?}");
    store.delete_user(ann).await.unwrap();
    assert_eq!(store.preferences(ann).await.unwrap(), Preferences::default());
}

fn titles(entries: Option<Vec<RunEntry>>) -> String {
    entries.expect("a run that is kept").iter().map(|entry| entry.title.as_str()).collect()
}

/// Ends the newest run of the search with these titles of provider 1.
async fn end(store: &dyn Store, search: &Search, titles: &[&str]) {
    let run = finished(search, vec![set(search.id, 1, titles)]);
    store.finish_run(run).await.expect("saved").expect("not obsolete");
}

async fn again(store: &dyn Store, id: SearchId) -> Search {
    store.update_search(id, notice("update"), at(7), None).await.expect("an update")
}

pub async fn runs_are_kept_and_compared(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let first = new_search(store, owner, "query", 0).await;
    assert_eq!(store.search_runs(first.id).await.unwrap(), []);
    end(store, &first, &["a", "b"]).await;
    let second = again(store, first.id).await;
    end(store, &second, &["b", "c", "d"]).await;
    let obsolete = store.finish_run(finished(&first, vec![set(first.id, 1, &["x"])])).await.unwrap();
    assert_eq!(obsolete, None);
    let third = restart(store, first.id, first.spec.clone(), 8).await;
    let mut failed = set(first.id, 1, &[]);
    failed.status = ProviderStatus::Timeout;
    let run = FinishedRun {
        status: SearchStatus::PartialResultsReady,
        ..finished(&third, vec![failed, set(first.id, 2, &["e"])])
    };
    store.finish_run(run).await.unwrap().expect("not obsolete");
    let fourth = again(store, first.id).await;
    let run = FinishedRun {
        status: SearchStatus::ErrNoSearchproviders,
        found: None,
        ..finished(&fourth, Vec::new())
    };
    store.finish_run(run).await.unwrap().expect("not obsolete");

    let runs = store.search_runs(first.id).await.unwrap();
    let numbers: Vec<_> = runs.iter().map(|run| (run.run.0, run.retrieved, run.added, run.gone)).collect();
    assert_eq!(numbers, [(4, 0, 0, 0), (3, 1, 1, 0), (2, 3, 2, 1), (1, 2, 0, 0)]);
    assert_eq!((runs[1].status, runs[1].date), (SearchStatus::PartialResultsReady, at(6)));
    for (run, expected) in [(1, "ab"), (2, "bcd"), (3, "ebcd"), (4, "ebcd")] {
        assert_eq!(titles(store.run_entries(first.id, RunNumber(run)).await.unwrap()), expected, "{run}");
    }
    assert_eq!(store.run_entries(first.id, RunNumber(9)).await.unwrap(), None);
    store.delete_search(first.id).await.unwrap();
    assert_eq!(store.search_runs(first.id).await.unwrap(), []);
}

pub async fn runs_are_bounded(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let mut search = new_search(store, owner, "query", 0).await;
    for _ in 0..=RUNS_KEPT {
        end(store, &search, &["a"]).await;
        search = again(store, search.id).await;
    }
    let runs: Vec<i64> = store.search_runs(search.id).await.unwrap().iter().map(|run| run.run.0).collect();
    assert_eq!(runs, (2..=RUNS_KEPT + 1).rev().collect::<Vec<_>>());
    assert_eq!(
        store.run_entries(search.id, RunNumber::FIRST).await.unwrap(),
        None,
        "it is gone, and not only left out"
    );
}

pub async fn searches_are_looked_for(store: &dyn Store) {
    let (ann, bob) = (person(store, "ann").await.id, person(store, "bob").await.id);
    let mut made = Vec::new();
    for (owner, query, seconds) in
        [(ann, "Große Flüsse", 1), (ann, "50% of rivers_", 2), (ann, "saved", 3), (bob, "flüsse", 4)]
    {
        made.push(new_search(store, owner, query, seconds).await);
    }
    let tagged = SearchSpec { tags: vec!["a".to_owned(), SAVED_TAG.to_owned()], ..made[0].spec.clone() };
    change(store, made[0].id, tagged, 5).await;
    let subscribed = SearchSpec { subscribe: true, ..made[1].spec.clone() };
    change(store, made[1].id, subscribed, 5).await;
    let by_assistant = SearchSpec { tags: vec![ASSISTANT_TAG.to_owned()], ..made[2].spec.clone() };
    change(store, made[2].id, by_assistant, 5).await;
    let all = SearchFilter::owned_by(OwnerScope::Only(ann));
    let text = |text: &str| SearchFilter { text: Some(text.to_owned()), ..all.clone() };
    let cases = [
        (all.clone(), vec![2, 1, 0]),
        (SearchFilter { saved: true, ..all.clone() }, vec![0]),
        (SearchFilter { subscribed: true, ..all.clone() }, vec![1]),
        (SearchFilter { saved: true, subscribed: true, ..all.clone() }, vec![]),
        (SearchFilter { without_assistant: true, ..all.clone() }, vec![1, 0]),
        (SearchFilter { without_assistant: true, ..text("rivers") }, vec![1]),
        (text("FLÜSSE"), vec![0]),
        (SearchFilter { owner: OwnerScope::Everyone, ..text("flüsse") }, vec![3, 0]),
        (text("0%"), vec![1]),
        (text("%o"), vec![]),
        (text("s_"), vec![1]),
        (text("\\"), vec![]),
        (text("e"), vec![2, 1, 0]),
    ];
    for (filter, expected) in cases {
        let page = store.find_searches(&filter, 0, 10).await.unwrap();
        let found: Vec<SearchId> = page.items.iter().map(|search| search.id).collect();
        let expected: Vec<SearchId> = expected.into_iter().map(|place: usize| made[place].id).collect();
        assert_eq!((found, page.total), (expected.clone(), expected.len() as u64), "{filter:?}");
    }
    let second = store.find_searches(&text("e"), 1, 1).await.unwrap();
    assert_eq!((second.items[0].id, second.total), (made[1].id, 3));
    restart(store, made[0].id, SearchSpec::of_query("lakes"), 9).await;
    let saved = store.find_searches(&SearchFilter { saved: true, ..all.clone() }, 0, 10).await.unwrap();
    assert_eq!(saved.total, 0, "the tag is gone");
    assert_eq!(store.find_searches(&text("lake"), 0, 10).await.unwrap().total, 1);
}

/// Only the first tag says that a search is one of the Assistant, and only as a whole.
pub async fn searches_of_the_assistant_are_left_out(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let rows: [(&[&str], bool); 11] = [
        (&[ASSISTANT_TAG], true),
        (&[ASSISTANT_TAG, "rivers"], true),
        (&["rivers", ASSISTANT_TAG], false),
        (&["chats"], false),
        (&["Chat"], false),
        (&["CHAT"], false),
        (&["a chat"], false),
        (&["chat\""], false),
        (&[r#"","tags":["chat"#], false),
        (&["NUL \0"], false),
        (&[], false),
    ];
    let mut expected = Vec::new();
    let mut edited = Vec::new();
    for (tags, is_assistant) in rows {
        let tags: Vec<String> = tags.iter().map(|&tag| tag.to_owned()).collect();
        // A query that has the form of such a list.
        let spec = SearchSpec { tags, ..SearchSpec::of_query(r#"river","tags":["chat"],"x":""#) };
        let search = store.create_search(spec.clone(), ann, Vec::new(), at(1), None).await.unwrap();
        if !is_assistant {
            expected.push(search.id);
        }
        edited.push((search.id, spec, is_assistant));
    }
    let filter = SearchFilter { without_assistant: true, ..SearchFilter::owned_by(OwnerScope::Only(ann)) };
    let found = async || {
        let page = store.find_searches(&filter, 0, 20).await.unwrap();
        let mut ids: Vec<SearchId> = page.items.iter().map(|search| search.id).collect();
        assert_eq!(page.total, ids.len() as u64);
        ids.sort();
        ids
    };
    assert_eq!(found().await, expected);
    // An edit or a new run with other tags changes it.
    let plain = SearchSpec::of_query("river");
    let assistant = SearchSpec { tags: vec![ASSISTANT_TAG.to_owned()], ..plain.clone() };
    change(store, edited[0].0, plain, 2).await;
    change(store, edited[2].0, assistant.clone(), 2).await;
    restart(store, edited[3].0, assistant, 2).await;
    let expected: Vec<SearchId> = [0, 4, 5, 6, 7, 8, 9, 10].map(|place: usize| edited[place].0).to_vec();
    assert_eq!(found().await, expected);
}

pub async fn new_results_are_counted(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let (some, none) = (new_search(store, owner, "a", 0).await, new_search(store, owner, "b", 0).await);
    let marked = |title: &str| ResultItem { new: Some(1), ..item(title) };
    let mut sets = vec![set(some.id, 1, &["a"]), set(some.id, 2, &[])];
    sets[0].items.extend([marked("b"), marked("c")]);
    sets[1].items.push(marked("d"));
    store.finish_run(finished(&some, sets)).await.unwrap().unwrap();
    let mut payload = item("its payload speaks of new things");
    payload.payload.insert("new".to_owned(), 1.into());
    let mut sets = vec![set(none.id, 1, &[])];
    sets[0].items.push(payload);
    store.finish_run(finished(&none, sets)).await.unwrap().unwrap();
    assert_eq!(store.count_new(&[some.id, none.id, SearchId(999)]).await.unwrap(), [(some.id, 3)]);
    assert_eq!(store.count_new(&[]).await.unwrap(), []);
    store.mark_all_read(some.id, at(9)).await.unwrap();
    assert_eq!(store.count_new(&[some.id]).await.unwrap(), []);
}
