//! Summaries: one per search, written by one writer at a time, deleted with their run.

use super::fixture::{at, finished, finished_search, item, new_search, person, restart, set, stored};
use crate::builders::notice;
use domain::ids::{AiProviderId, ResultId, SearchId};
use domain::ports::{Store, StoreError};
use domain::result::ResultItem;
use domain::search::{Search, SearchSpec};
use domain::summary::{StoredSummary, SummaryDetails, SummaryRequest};
use futures_util::future::join_all;

/// Concurrent requests for the right to write.
const WRITERS: usize = 8;

fn answer(search: &Search, body: &str) -> StoredSummary {
    let details =
        SummaryDetails { ai_model: "gpt-5".to_owned(), grounded: Some(0.5), ..SummaryDetails::default() };
    StoredSummary {
        search: search.id,
        run: search.run,
        request: SummaryRequest {
            items: vec![1, 2],
            instructions: "NUL \0 ä".to_owned(),
            prompt: "company_style".to_owned(),
            ai_provider: Some(AiProviderId(3)),
            instead_of: None,
        },
        row: ResultItem {
            body: body.to_owned(),
            rag_query_items: vec!["1".to_owned()],
            additional_content: Some(Box::new(details)),
            ..item("summary")
        },
        prompt: Some("what was sent \0".to_owned()),
        date_created: at(9),
    }
}

/// A summary saved by its writer.
async fn saved(store: &dyn Store, search: &Search, body: &str) -> StoredSummary {
    assert!(store.begin_summary(search.id, "writer", at(60), at(0)).await.unwrap());
    let kept = store.save_summary(answer(search, body), "writer").await.expect("saved");
    kept.expect("the right was there")
}

pub async fn are_saved_with_an_id(store: &dyn Store) {
    let (search, sets) = finished_search(store, &[&["a", "b"]]).await;
    let last = sets[0].items[1].swirl_id.0;
    assert_eq!(store.summary(search.id).await.unwrap(), None);
    let kept = saved(store, &search, "first").await;
    assert_eq!(kept.row.swirl_id, ResultId(last + 1), "from the counter of results");
    let mut expected = answer(&search, "first");
    expected.row.swirl_id = kept.row.swirl_id;
    assert_eq!(kept, expected);
    assert_eq!(store.summary(search.id).await.unwrap(), Some(kept.clone()));
    let newer = saved(store, &search, "second").await;
    assert_ne!(newer.row.swirl_id, kept.row.swirl_id);
    assert_eq!(store.summary(search.id).await.unwrap(), Some(newer));
    assert_eq!(store.result(kept.row.swirl_id).await, Err(StoreError::NotFound), "it took its place");
    let odd =
        StoredSummary { row: ResultItem { swirl_score: f64::NAN, ..item("odd") }, ..answer(&search, "odd") };
    assert!(store.begin_summary(search.id, "writer", at(60), at(0)).await.unwrap());
    assert_eq!(store.save_summary(odd, "writer").await.unwrap().unwrap().row.swirl_score, 0.0);
}

pub async fn are_results_by_their_id(store: &dyn Store) {
    let (search, sets) = finished_search(store, &[&["a"]]).await;
    let kept = saved(store, &search, "text").await;
    let id = kept.row.swirl_id;
    let found = store.result(id).await.unwrap();
    assert_eq!((found.search, &found.item), (search.id, &kept.row));
    assert_eq!((found.date_created, found.date_updated), (at(9), at(9)));
    let edited = ResultItem { body: "edited".to_owned(), swirl_id: ResultId(77), ..kept.row.clone() };
    let replaced = store.replace_result(id, edited, at(10)).await.unwrap();
    assert_eq!((replaced.item.swirl_id, &*replaced.item.body), (id, "edited"));
    assert_eq!(replaced.date_updated, at(10));
    let again = store.summary(search.id).await.unwrap().unwrap();
    assert_eq!((again.row, again.request), (replaced.item, kept.request), "the rest stays");
    store.delete_result(id).await.unwrap();
    assert_eq!(store.summary(search.id).await.unwrap(), None);
    for unknown in [id, ResultId(999)] {
        assert_eq!(store.result(unknown).await, Err(StoreError::NotFound));
        assert_eq!(store.replace_result(unknown, item("x"), at(11)).await, Err(StoreError::NotFound));
        assert_eq!(store.delete_result(unknown).await, Err(StoreError::NotFound));
    }
    assert_eq!(store.result_sets(search.id).await.unwrap(), sets, "the results of sources stay");
}

pub async fn are_written_by_one(store: &dyn Store) {
    let owner = person(store, "owner").await;
    let search = new_search(store, owner.id, "query", 0).await;
    let names: Vec<String> = (0..WRITERS).map(|number| format!("writer {number}")).collect();
    let begun = join_all(names.iter().map(|name| store.begin_summary(search.id, name, at(60), at(0)))).await;
    let winners: Vec<&String> =
        names.iter().zip(begun).filter(|(_, begun)| *begun.as_ref().unwrap()).map(|(name, _)| name).collect();
    assert_eq!(winners.len(), 1, "{winners:?}");
    let winner = winners[0].as_str();
    assert!(store.is_summary_in_progress(search.id, at(1)).await.unwrap());
    assert_eq!(store.save_summary(answer(&search, "theirs"), "other").await.unwrap(), None);
    assert!(!store.renew_summary(search.id, "other", at(90)).await.unwrap());
    store.end_summary(search.id, "other").await.unwrap();
    assert!(store.renew_summary(search.id, winner, at(90)).await.unwrap(), "it is still the winner's");
    assert!(store.save_summary(answer(&search, "ours"), winner).await.unwrap().is_some());
    assert!(!store.is_summary_in_progress(search.id, at(1)).await.unwrap(), "saving ends the right");
    assert_eq!(store.save_summary(answer(&search, "again"), winner).await.unwrap(), None);
    assert_eq!(store.summary(search.id).await.unwrap().unwrap().row.body, "ours");
    assert!(!store.begin_summary(SearchId(999), "x", at(60), at(0)).await.unwrap(), "no such search");
}

pub async fn rights_end(store: &dyn Store) {
    let owner = person(store, "owner").await;
    let search = new_search(store, owner.id, "query", 0).await;
    let begin =
        |name: &'static str, until: i64, now: i64| store.begin_summary(search.id, name, at(until), at(now));
    assert!(!store.cancel_summary(search.id).await.unwrap(), "nobody has it");
    assert!(begin("a", 60, 0).await.unwrap());
    assert!(!begin("b", 60, 59).await.unwrap());
    assert!(store.is_summary_in_progress(search.id, at(59)).await.unwrap());
    assert!(!store.is_summary_in_progress(search.id, at(60)).await.unwrap(), "its time is over");
    assert!(begin("b", 120, 60).await.unwrap(), "another takes it");
    assert_eq!(store.save_summary(answer(&search, "late"), "a").await.unwrap(), None);
    store.end_summary(search.id, "b").await.unwrap();
    assert!(begin("c", 120, 61).await.unwrap(), "given back");
    assert!(store.renew_summary(search.id, "c", at(200)).await.unwrap());
    assert!(!begin("d", 300, 130).await.unwrap(), "it was renewed");
    assert!(store.cancel_summary(search.id).await.unwrap());
    assert!(!store.renew_summary(search.id, "c", at(300)).await.unwrap());
    assert_eq!(store.save_summary(answer(&search, "cancelled"), "c").await.unwrap(), None);
    assert_eq!(store.summary(search.id).await.unwrap(), None);
    assert!(begin("e", 7200, 7000).await.unwrap());
    assert!(!store.is_summary_in_progress(search.id, at(0)).await.unwrap(), "the clock was put back");
    assert!(begin("f", 60, 0).await.unwrap());
}

pub async fn go_with_their_run(store: &dyn Store) {
    let (search, _) = finished_search(store, &[&["a"]]).await;
    let id = saved(store, &search, "of run 1").await.row.swirl_id;
    assert!(store.begin_summary(search.id, "late", at(60), at(0)).await.unwrap());
    let updated = store.update_search(search.id, notice("again"), at(10), None).await.unwrap();
    assert_eq!(store.summary(search.id).await.unwrap(), None, "an update begins a run");
    assert_eq!(store.result(id).await, Err(StoreError::NotFound));
    assert_eq!(store.save_summary(answer(&search, "of run 1"), "late").await.unwrap(), None);
    assert!(!store.is_summary_in_progress(search.id, at(1)).await.unwrap());
    store.finish_run(finished(&updated, vec![set(search.id, 1, &["a", "b"])])).await.unwrap().unwrap();

    assert!(store.begin_summary(search.id, "w", at(60), at(0)).await.unwrap());
    assert_eq!(store.save_summary(answer(&search, "obsolete"), "w").await.unwrap(), None, "an older run");
    assert!(store.save_summary(answer(&updated, "of run 2"), "w").await.unwrap().is_some());
    let again = restart(store, search.id, SearchSpec::of_query("other"), 20).await;
    assert_eq!(store.summary(search.id).await.unwrap(), None, "it began from nothing");
    let last = saved(store, &again, "of run 3").await;
    assert_eq!(stored(store, search.id).await.run, again.run);
    assert!(store.begin_summary(search.id, "w", at(60), at(0)).await.unwrap());
    store.delete_search(search.id).await.unwrap();
    assert_eq!(store.summary(search.id).await.unwrap(), None);
    assert_eq!(store.result(last.row.swirl_id).await, Err(StoreError::NotFound));
    assert_eq!(store.save_summary(answer(&again, "of nothing"), "w").await.unwrap(), None);
}
