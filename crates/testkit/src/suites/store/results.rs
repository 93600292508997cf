//! Saved results: their ids, and reading, replacing and deleting by id.

use super::fixture::{self, at, finished, finished_search, item, new_search, person, set};
use crate::builders::notice;
use crate::versions::mark;
use domain::ids::{ProviderId, ResultId, SearchId, SignalId, UserId};
use domain::owner_scope::OwnerScope;
use domain::ports::{Store, StoreError};
use domain::result::{Duplicate, ResultItem, ResultSet};
use domain::search::Search;
use futures_util::future::{join, join_all};
use serde_json::json;
use std::collections::BTreeSet;

pub async fn have_contiguous_ids(store: &dyn Store) {
    let (_, sets) = finished_search(store, &[&["a", "b", "c"], &[], &["d"]]).await;
    let ids: Vec<i64> = sets.iter().flat_map(|set| &set.items).map(|item| item.swirl_id.0).collect();
    assert!(ids[0] > 0);
    assert_eq!(ids, (ids[0]..ids[0] + 4).collect::<Vec<_>>());
}

pub async fn have_unique_ids_when_runs_finish_together(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let mut searches = Vec::new();
    for seconds in 0..20 {
        searches.push(new_search(store, owner, "query", seconds).await);
    }
    let runs = searches.iter().map(|search| {
        let sets = vec![set(search.id, 1, &["a", "b", "c"]), set(search.id, 2, &["d", "e"])];
        store.finish_run(finished(search, sets))
    });
    let mut all = BTreeSet::new();
    for saved in join_all(runs).await {
        let sets = saved.unwrap().expect("the newest run").sets;
        let ids: Vec<i64> = sets.iter().flat_map(|set| &set.items).map(|item| item.swirl_id.0).collect();
        assert_eq!(ids, (ids[0]..ids[0] + 5).collect::<Vec<_>>());
        all.extend(ids);
    }
    assert_eq!(all.len(), 100);
    for search in &searches {
        for set in store.result_sets(search.id).await.unwrap() {
            for item in set.items {
                let found = store.result(item.swirl_id).await.unwrap();
                assert_eq!((found.search, found.provider, found.item), (search.id, set.provider, item));
            }
        }
    }
}

pub async fn notices_are_read_without_results(store: &dyn Store) {
    let (first, _) = finished_search(store, &[&["a"], &["b"]]).await;
    let owner = store.user(first.owner).await.unwrap().id;
    let second = new_search(store, owner, "lakes", 9).await;
    store.finish_run(finished(&second, vec![set(second.id, 7, &[])])).await.unwrap();
    let waiting = new_search(store, owner, "rain", 10).await;
    let of = |provider: i64| vec![notice(&format!("from provider {provider}"))];
    let all = [second.id, waiting.id, SearchId(999), first.id];
    let expected = [(first.id, of(1)), (first.id, of(2)), (second.id, of(7))];
    assert_eq!(store.set_notices(&all).await.unwrap(), expected);
    assert_eq!(store.set_notices(&[]).await.unwrap(), []);
}

pub async fn are_read_by_id(store: &dyn Store) {
    let (search, sets) = finished_search(store, &[&["a", "b"], &["c"]]).await;
    let found = store.result(sets[1].items[0].swirl_id).await.unwrap();
    assert_eq!((found.search, found.provider), (search.id, ProviderId(2)));
    assert_eq!(found.item, sets[1].items[0]);
    assert_eq!(found.notices, [notice("from provider 2")]);
    assert_eq!((found.date_created, found.date_updated), (at(5), at(5)));
    for id in [0, -1, sets[1].items[0].swirl_id.0 + 1, i64::MAX] {
        assert_eq!(store.result(ResultId(id)).await, Err(StoreError::NotFound), "{id}");
    }
}

pub async fn are_listed_newest_first(store: &dyn Store) {
    let (first, _) = finished_search(store, &[&["a", "b"], &[], &["c"]]).await;
    let other = person(store, "other").await.id;
    let second = new_search(store, other, "other", 1).await;
    store.finish_run(finished(&second, vec![set(second.id, 1, &["d", "e"])])).await.unwrap().expect("saved");
    let list = async |owner: OwnerScope, offset, limit| {
        let page = store.results(owner, offset, limit).await.unwrap();
        (page.items.into_iter().map(|found| found.item.title).collect::<String>(), page.total)
    };
    let cases = [
        (OwnerScope::Everyone, 0, 10, "edcba", 5),
        (OwnerScope::Everyone, 1, 2, "dc", 5),
        (OwnerScope::Everyone, 2, 3, "cba", 5),
        (OwnerScope::Everyone, 4, 1, "a", 5),
        (OwnerScope::Everyone, 5, 10, "", 5),
        (OwnerScope::Everyone, 0, 0, "", 5),
        (OwnerScope::Only(first.owner), 0, 10, "cba", 3),
        (OwnerScope::Only(first.owner), 1, 1, "b", 3),
        (OwnerScope::Only(other), 1, 10, "d", 2),
        (OwnerScope::Only(UserId(999)), 0, 10, "", 0),
    ];
    for (owner, offset, limit, titles, total) in cases {
        assert_eq!(
            list(owner, offset, limit).await,
            (titles.to_owned(), total),
            "{owner:?} {offset} {limit}"
        );
    }
}

/// Positions in a list with the documents that each needs.
type Places = &'static [(u64, &'static [i64])];

pub async fn say_which_need_a_right(store: &dyn Store) {
    let (first, _) = finished_search(store, &[&["a", "b"]]).await;
    let other = person(store, "other").await.id;
    let cached = |title: &str, signal: i64, duplicates: &[Option<i64>]| ResultItem {
        cache: Some(Box::new(mark(signal))),
        duplicates: duplicates
            .iter()
            .map(|signal| Duplicate { signal_id: signal.map(SignalId), ..Duplicate::default() })
            .collect(),
        ..item(title)
    };
    let finish = async |owner: UserId, provider: i64, items: Vec<ResultItem>| {
        let search = new_search(store, owner, "query", 1).await;
        let set = ResultSet { items, ..set(search.id, provider, &[]) };
        store.finish_run(finished(&search, vec![set])).await.unwrap().expect("saved");
    };
    let mixed = vec![item("c"), cached("d", 4, &[]), cached("e", 5, &[Some(6)]), cached("f", 7, &[None])];
    finish(first.owner, 3, mixed).await;
    finish(other, 3, vec![cached("g", 8, &[])]).await;
    finish(first.owner, 3, vec![item("h"), cached("i", 9, &[])]).await;
    finish(first.owner, 4, vec![cached("j", 10, &[])]).await;

    // The owner's list is: j i h f e d c b a.
    let table: [(UserId, &[i64], u64, Places); 6] = [
        (first.owner, &[], 10, &[(0, &[10]), (1, &[9]), (4, &[5, 6]), (5, &[4])]),
        (first.owner, &[4, 77], 10, &[(1, &[9]), (4, &[5, 6]), (5, &[4])]),
        (first.owner, &[4], 1, &[(1, &[9])]),
        (first.owner, &[3, 4], 10, &[]),
        (other, &[], 10, &[(0, &[8])]),
        (UserId(999), &[], 10, &[]),
    ];
    for (owner, but, sets_max, expected) in table {
        let but: Vec<ProviderId> = but.iter().copied().map(ProviderId).collect();
        let found = store.guarded_results(owner, &but, sets_max).await.unwrap();
        let found: Vec<(u64, Vec<i64>)> = found
            .into_iter()
            .map(|one| (one.place, one.signals.iter().map(|signal| signal.0).collect()))
            .collect();
        let expected: Vec<(u64, Vec<i64>)> =
            expected.iter().map(|(place, signals)| (*place, signals.to_vec())).collect();
        assert_eq!(found, expected, "{owner:?} {but:?} {sets_max}");
    }
}

pub async fn are_replaced(store: &dyn Store) {
    let (search, sets) = finished_search(store, &[&["a", "b"]]).await;
    let id = sets[0].items[0].swirl_id;
    let new = ResultItem { swirl_id: ResultId(77), swirl_score: f64::NAN, ..item("changed") };
    let saved = store.replace_result(id, new, at(60)).await.unwrap();
    assert_eq!((saved.item.swirl_id, saved.item.title.as_str()), (id, "changed"));
    assert_eq!((saved.item.swirl_score, saved.date_updated), (0.0, at(60)));
    assert_eq!(store.result(id).await.unwrap(), saved);
    let set = store.result_sets(search.id).await.unwrap().remove(0);
    assert_eq!(set.items, [saved.item, sets[0].items[1].clone()]);
    assert_eq!((set.retrieved, set.found), (2, 100));
    let unknown = store.replace_result(ResultId(999), item("x"), at(60)).await;
    assert_eq!(unknown, Err(StoreError::NotFound));
}

/// Results from their provider, at these URLs.
fn given(set: ResultSet, urls: &[&str]) -> ResultSet {
    let mut set = set;
    for (item, url) in set.items.iter_mut().zip(urls) {
        (*url).clone_into(&mut item.url);
        item.mark_as_given(set.provider);
    }
    set
}

pub async fn keep_their_provenance(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let search = new_search(store, owner, "query", 0).await;
    let urls = ["https://a.example/1", "https://a.example/2"];
    let sets = vec![given(set(search.id, 1, &["a", "b"]), &urls), set(search.id, 2, &["c"])];
    let sets = store.finish_run(finished(&search, sets)).await.unwrap().unwrap().sets;
    assert_eq!(store.result_sets(search.id).await.unwrap(), sets);
    let (first, second, unknown) =
        (sets[0].items[0].swirl_id, sets[0].items[1].swirl_id, sets[1].items[0].swirl_id);
    // Whatever replaces it, and however often: the provider's URL stays known.
    let mut edited = ResultItem { url: "http://127.0.0.1/".to_owned(), ..item("mine") };
    edited.mark_as_given(ProviderId(1));
    for _ in 0..2 {
        let saved = store.replace_result(first, edited.clone(), at(60)).await.unwrap();
        assert!(!saved.item.provenance.is_unedited());
        assert_eq!(store.result(first).await.unwrap(), saved);
        assert_eq!(saved.item.as_given(), sets[0].items[0].as_given());
        assert_eq!(saved.item.url, "http://127.0.0.1/");
    }
    let saved = store.replace_result(unknown, edited, at(60)).await.unwrap();
    assert_eq!(saved.item.as_given(), None, "nobody can say it afterwards");
    store.mark_all_read(search.id, at(70)).await.unwrap();
    store.delete_result(second).await.unwrap();
    let read = store.result_sets(search.id).await.unwrap();
    assert_eq!(read[0].items[0].as_given(), sets[0].items[0].as_given());
    let listed = store.results(OwnerScope::Only(owner), 0, 10).await.unwrap().items;
    assert_eq!(listed.iter().filter(|one| one.item.as_given().is_some()).count(), 1);
    // A run that finds them again keeps it too.
    let restored = store.replace_result(first, sets[0].items[0].clone(), at(80)).await.unwrap();
    assert!(restored.item.provenance.is_unedited());
}

pub async fn are_found_by_the_address_that_their_provider_gave(store: &dyn Store) {
    let (owner, other) = (person(store, "owner").await.id, person(store, "other").await.id);
    let odd = "https://a.example/100%_\\\"x\"/ü?a=1&b=2";
    let mut ids = Vec::new();
    for (number, urls) in [["https://a.example/1", odd], ["https://a.example/1", "https://a.example/3"]]
        .into_iter()
        .zip(0..)
        .map(|(urls, number)| (number, urls))
    {
        let search = new_search(store, owner, "query", number).await;
        let sets = vec![given(set(search.id, 1, &["a", "b"]), &urls), set(search.id, 2, &["c"])];
        ids.push(store.finish_run(finished(&search, sets)).await.unwrap().unwrap().sets[0].items[0].swirl_id);
    }
    let found = async |owner: UserId, provider: i64, url: &str, sets_max: u64| {
        let found = store.unedited_result(owner, ProviderId(provider), url, sets_max).await.unwrap();
        found.map(|saved| saved.item.swirl_id)
    };
    assert_eq!(found(owner, 1, "https://a.example/1", 10).await, Some(ids[1]), "the newest");
    assert!(found(owner, 1, odd, 10).await.is_some());
    for (owner, provider, url, sets_max) in [
        (other, 1, "https://a.example/1", 10),
        (owner, 2, "https://a.example/1", 10),
        (owner, 1, "https://a.example/", 10),
        (owner, 1, "https://A.example/1", 10),
        (owner, 1, "https://a.example/%", 10),
        (owner, 1, "", 10),
        (owner, 1, odd, 1),
        (owner, 1, "https://a.example/1", 0),
    ] {
        assert_eq!(found(owner, provider, url, sets_max).await, None, "{owner} {provider} {url} {sets_max}");
    }
    // An edit of a result vouches for no URL, neither the old nor the new one.
    for id in &ids {
        let edited = ResultItem { url: "https://a.example/9".to_owned(), ..item("a") };
        store.replace_result(*id, edited, at(60)).await.unwrap();
    }
    for url in ["https://a.example/1", "https://a.example/9"] {
        assert_eq!(found(owner, 1, url, 10).await, None, "{url}");
    }
}

pub async fn are_deleted(store: &dyn Store) {
    let (search, sets) = finished_search(store, &[&["a", "b"]]).await;
    let (first, second) = (sets[0].items[0].swirl_id, sets[0].items[1].swirl_id);
    store.delete_result(first).await.unwrap();
    assert_eq!(store.delete_result(first).await, Err(StoreError::NotFound));
    assert_eq!(store.result(first).await, Err(StoreError::NotFound));
    assert_eq!(store.result(second).await.unwrap().item, sets[0].items[1]);
    let set = store.result_sets(search.id).await.unwrap().remove(0);
    assert_eq!((set.items.len(), set.retrieved, set.found), (1, 1, 100));
    assert_eq!(store.results(OwnerScope::Everyone, 0, 10).await.unwrap().total, 1);
    store.delete_result(second).await.unwrap();
    assert_eq!(store.results(OwnerScope::Everyone, 0, 10).await.unwrap().total, 0);
    assert!(store.search(search.id).await.is_ok());

    // Ids are not reused.
    let next = new_search(store, search.owner, "next", 1).await;
    let saved = store.finish_run(finished(&next, vec![fixture::set(next.id, 1, &["c"])])).await.unwrap();
    assert!(saved.expect("saved").sets[0].items[0].swirl_id > second);
}

pub async fn keep_the_order_of_keys(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let search = new_search(store, owner, "query", 0).await;
    let mut one = set(search.id, 1, &["a"]);
    let payload = json!({"zebra": 1, "apple": {"y": 1.0, "x": null}, "mango": [true]});
    one.items[0].payload = payload.as_object().expect("an object").clone();
    store.finish_run(finished(&search, vec![one])).await.unwrap().expect("saved");
    let read = store.result_sets(search.id).await.unwrap().remove(0);
    assert_eq!(serde_json::to_string(&read.items[0].payload).unwrap(), payload.to_string());
}

/// Texts of a megabyte, odd characters, and hundreds of results in one set.
pub async fn are_kept_whole_in_large_sets(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let search = new_search(store, owner, "query", 0).await;
    let odd = "NUL \0, quote ' \" , emoji 🦉, \u{fffd}, \\u0000, line\nfeed, Z1 ";
    let one = |number: usize| {
        let mut one = item(&format!("{odd} {number}"));
        one.body = format!("{number} {}", "Flüsse fließen. ".repeat(number % 40));
        one.payload.insert("number".to_owned(), json!({"of": [number, odd], "new": number as f64 / 7.0}));
        one
    };
    let mut sets = vec![set(search.id, 1, &[]), set(search.id, 2, &[]), set(search.id, 3, &[])];
    sets[0].items = (0..400).map(one).collect();
    sets[1].items = vec![ResultItem { body: "ü🦉 ".repeat(150_000), ..one(1) }];
    let sets = store.finish_run(finished(&search, sets)).await.unwrap().expect("the newest run").sets;
    assert_eq!(store.result_sets(search.id).await.unwrap(), sets);
    let last = &sets[0].items[399];
    assert_eq!(&store.result(last.swirl_id).await.unwrap().item, last);
    let page = store.results(OwnerScope::Only(owner), 1, 2).await.unwrap();
    assert_eq!((page.total, &page.items[0].item, &page.items[1].item), (401, last, &sets[0].items[398]));
    // An edit writes the whole set again.
    let edited = store.replace_result(last.swirl_id, item("edited"), at(60)).await.unwrap();
    let read = store.result_sets(search.id).await.unwrap();
    assert_eq!((&read[0].items[399], &read[0].items[..399]), (&edited.item, &sets[0].items[..399]));
    assert_eq!(read[1..], sets[1..]);
}

/// Concurrent changes to one set lose nothing.
pub async fn change_one_after_the_other(store: &dyn Store) {
    let titles = ["a", "b", "c", "d", "e", "f", "g", "h"];
    let (search, sets) = finished_search(store, &[&titles]).await;
    let deletions = sets[0].items.iter().skip(1).map(|item| store.delete_result(item.swirl_id));
    for deleted in join_all(deletions).await {
        deleted.unwrap();
    }
    let set = store.result_sets(search.id).await.unwrap().remove(0);
    assert_eq!((set.items.len(), set.retrieved), (1, 1));
}

/// A search whose providers 1, 2 and 3 have two, no and one marked item.
async fn marked(store: &dyn Store) -> (Search, Vec<ResultSet>) {
    let owner = person(store, "owner").await.id;
    let search = new_search(store, owner, "query", 0).await;
    let mut sets =
        vec![set(search.id, 1, &["a", "b", "c"]), set(search.id, 2, &["d"]), set(search.id, 3, &["e"])];
    for (set, item) in [(0, 0), (0, 2), (2, 0)] {
        sets[set].items[item].new = Some(1);
    }
    // Texts and source data that mention the mark are not marked.
    sets[1].items[0].title = r#""new":1"#.to_owned();
    sets[1].items[0].payload.insert("new".to_owned(), json!(1));
    let sets = store.finish_run(finished(&search, sets)).await.unwrap().expect("the newest run").sets;
    (search, sets)
}

pub async fn are_marked_as_read(store: &dyn Store) {
    let (search, mut sets) = marked(store).await;
    let other = new_search(store, search.owner, "other", 1).await;
    let mut others = vec![set(other.id, 1, &["x"])];
    others[0].items[0].new = Some(1);
    let others = store.finish_run(finished(&other, others)).await.unwrap().expect("the newest run").sets;

    assert_eq!(store.mark_all_read(search.id, at(60)).await.unwrap(), 3);
    for set in [0, 2] {
        sets[set].date_updated = at(60);
        sets[set].items.iter_mut().for_each(|item| item.new = None);
    }
    assert_eq!(store.result_sets(search.id).await.unwrap(), sets, "the set without a mark stays as it was");
    assert_eq!(store.result(sets[0].items[2].swirl_id).await.unwrap().item, sets[0].items[2]);
    assert_eq!(store.result_sets(other.id).await.unwrap(), others);
    assert_eq!(store.mark_all_read(search.id, at(70)).await.unwrap(), 0);
    assert_eq!(store.result_sets(search.id).await.unwrap(), sets);
    assert_eq!(store.mark_all_read(SearchId(999), at(70)).await.unwrap(), 0);
}

/// Marks are counted once, and concurrent changes are kept.
pub async fn are_marked_as_read_once(store: &dyn Store) {
    let (search, sets) = marked(store).await;
    let reads = join_all((0..6).map(|_| store.mark_all_read(search.id, at(60))));
    let deletions = join_all(sets[0].items[..2].iter().map(|item| store.delete_result(item.swirl_id)));
    let (reads, deletions) = join(reads, deletions).await;
    for deleted in deletions {
        deleted.unwrap();
    }
    let marks: u64 = reads.into_iter().map(Result::unwrap).sum();
    // The deleted marked one may have been counted before.
    assert!((2..=3).contains(&marks), "{marks}");
    let left = store.result_sets(search.id).await.unwrap();
    assert_eq!(left.iter().map(|set| set.items.len()).collect::<Vec<_>>(), [1, 1, 1]);
    assert!(left.iter().flat_map(|set| &set.items).all(|item| item.new.is_none()));
}
