//! Idempotency keys.

use super::fixture::{at, person};
use crate::builders::notice;
use domain::idempotency::{CreatedSearch, IdempotencyKey};
use domain::ids::{SearchId, UserId};
use domain::ports::{QueueName, Store};
use domain::search::{Search, SearchSpec};
use futures_util::future::join_all;
use serde_json::json;

const DAY: i64 = 86_400;

fn key(key: &str, fingerprint: &str) -> IdempotencyKey {
    IdempotencyKey { key: key.to_owned(), fingerprint: fingerprint.to_owned() }
}

async fn create(store: &dyn Store, owner: UserId, key: &IdempotencyKey, seconds: i64) -> Option<Search> {
    let (spec, notices) = (SearchSpec::of_query("query"), vec![notice("created")]);
    let search = Search::created(SearchId(0), owner, spec, notices, at(seconds));
    store.create_search_once(search, None, key).await.expect("an answer")
}

/// The search, its task and its key are stored together; a second request with the key leaves nothing.
pub async fn a_key_creates_one_search(store: &dyn Store) {
    let (owner, other) = (person(store, "owner").await.id, person(store, "other").await.id);
    let first = create(store, owner, &key("k", "f"), 0).await.expect("a search");
    assert_eq!(store.search(first.id).await.unwrap(), first);
    assert_eq!(create(store, owner, &key("k", "f"), 1).await, None);
    assert_eq!(create(store, owner, &key("k", "another"), 1).await, None);
    assert_eq!(store.count_searches(owner, 10).await.unwrap(), 1);
    assert_eq!(store.task_depth(QueueName::Search, at(2)).await.unwrap(), 1);

    let kept = store.stored_response(owner, "k", at(1)).await.unwrap().expect("it is known");
    assert_eq!((kept.fingerprint.as_str(), kept.created), ("f", at(0)));
    let answer: CreatedSearch = serde_json::from_value(kept.answer.expect("an answer")).unwrap();
    assert_eq!(answer.search(owner, kept.created), first, "as it was answered");

    assert_eq!(store.stored_response(other, "k", at(1)).await.unwrap(), None, "keys of others are theirs");
    assert!(create(store, other, &key("k", "f"), 1).await.is_some());
    store.delete_user(owner).await.unwrap();
    assert_eq!(store.stored_response(owner, "k", at(1)).await.unwrap(), None);
}

/// The response contains the query, so it is deleted with its search.
pub async fn a_key_goes_with_its_search(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let first = create(store, owner, &key("k", "f"), 0).await.expect("a search");
    let other = create(store, owner, &key("other", "f"), 0).await.expect("a search");
    store.claim_key(owner, &key("ingest", "f"), at(0)).await.unwrap();
    store.delete_search(first.id).await.unwrap();
    assert_eq!(store.stored_response(owner, "k", at(1)).await.unwrap(), None);
    for kept in ["other", "ingest"] {
        assert!(store.stored_response(owner, kept, at(1)).await.unwrap().is_some(), "{kept}");
    }
    let second = create(store, owner, &key("k", "f"), 1).await.expect("a new search");
    assert_ne!(second.id, first.id);
    // A key that is reused after it expired belongs to the newer search alone.
    let third = create(store, owner, &key("other", "f"), DAY).await.expect("a new search");
    store.delete_search(other.id).await.unwrap();
    assert!(store.stored_response(owner, "other", at(DAY + 1)).await.unwrap().is_some());
    store.delete_search(third.id).await.unwrap();
    assert_eq!(store.stored_response(owner, "other", at(DAY + 1)).await.unwrap(), None);
}

pub async fn requests_at_once_create_one_search(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let key = key("k", "f");
    let made = join_all((0..8).map(|_| create(store, owner, &key, 0))).await;
    assert_eq!(made.iter().flatten().count(), 1);
    assert_eq!(store.count_searches(owner, 10).await.unwrap(), 1);
    assert_eq!(store.task_depth(QueueName::Search, at(1)).await.unwrap(), 1);
}

pub async fn keys_end_after_a_day(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    create(store, owner, &key("old", "f"), 0).await.expect("a search");
    create(store, owner, &key("young", "f"), 10).await.expect("a search");
    assert!(store.stored_response(owner, "old", at(DAY - 1)).await.unwrap().is_some());
    assert_eq!(store.stored_response(owner, "old", at(DAY)).await.unwrap(), None);
    let again = create(store, owner, &key("old", "another"), DAY).await;
    assert!(again.is_some(), "it is free before it is removed");
    store.expire_keys(at(DAY + 9), 10).await.unwrap();
    assert!(store.stored_response(owner, "young", at(20)).await.unwrap().is_some());
    store.expire_keys(at(DAY + 10), 10).await.unwrap();
    assert_eq!(store.stored_response(owner, "young", at(20)).await.unwrap(), None);
    assert!(store.stored_response(owner, "old", at(DAY + 10)).await.unwrap().is_some());
}

/// A request whose response comes later claims its key first.
pub async fn claimed_keys_keep_the_first_answer(store: &dyn Store) {
    let owner = person(store, "owner").await.id;
    let (own, other) = (key("k", "f"), key("k", "another"));
    assert!(store.claim_key(owner, &own, at(0)).await.unwrap());
    assert!(!store.claim_key(owner, &own, at(1)).await.unwrap());
    let kept = store.stored_response(owner, "k", at(1)).await.unwrap().expect("it is known");
    assert_eq!((kept.fingerprint.as_str(), kept.answer), ("f", None));
    assert!(!store.store_response(owner, &other, &json!({"n": 0})).await.unwrap());
    assert!(store.store_response(owner, &own, &json!({"n": 1})).await.unwrap());
    assert!(!store.store_response(owner, &own, &json!({"n": 2})).await.unwrap());
    let kept = store.stored_response(owner, "k", at(1)).await.unwrap().expect("it is known");
    assert_eq!(kept.answer, Some(json!({"n": 1})));
}

/// A user who sends a new key with each of very many requests does not fill the disk.
pub async fn keys_of_one_user_are_bounded(store: &dyn Store) {
    let (owner, other) = (person(store, "owner").await.id, person(store, "other").await.id);
    store.claim_key(other, &key("k", "f"), at(0)).await.unwrap();
    for number in 0..5 {
        store.claim_key(owner, &key(&number.to_string(), "f"), at(number)).await.unwrap();
    }
    let kept = async |owner, keys: &[&str]| {
        let mut count = 0;
        for key in keys {
            count += usize::from(store.stored_response(owner, key, at(9)).await.unwrap().is_some());
        }
        count
    };
    store.expire_keys(at(9), 5).await.unwrap();
    assert_eq!(kept(owner, &["0", "1", "2", "3", "4"]).await, 5);
    store.expire_keys(at(9), 3).await.unwrap();
    assert_eq!(
        (kept(owner, &["0", "1"]).await, kept(owner, &["2", "3", "4"]).await),
        (0, 3),
        "the oldest went"
    );
    assert_eq!(kept(other, &["k"]).await, 1);
}
