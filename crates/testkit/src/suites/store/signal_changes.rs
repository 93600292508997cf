//! The change feed of the cache, for indexes over it.

use super::fixture::{at, person};
use super::signals::{by, content, hash, indexed, seen, url};
use crate::builders::notice;
use domain::corpus::{IndexedContent, Liveness, NewSignal};
use domain::ids::SignalId;
use domain::ports::{Store, StoreError};
use domain::provider::ProviderSpec;
use domain::user::UserSpec;
use futures_util::future::join_all;
use std::collections::BTreeSet;
use std::time::Duration;

/// Concurrent writers, and the writes of each.
const WRITERS: usize = 8;
const DOCUMENTS_EACH: usize = 12;

pub async fn are_told_in_order(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    assert_eq!(store.corpus_sequence().await.unwrap(), 0);
    assert_eq!(store.corpus_changes(0, 9).await.unwrap(), Some(vec![]));
    let (one, other) = (indexed(store, "x", "one", ann).await, indexed(store, "y", "two", ann).await);
    let mut place = 0;
    let mut told = async || {
        let changes = store.corpus_changes(place, 99).await.unwrap().expect("kept");
        let is_growing = changes.iter().zip(place + 1..).all(|(change, number)| change.sequence == number);
        assert!(is_growing, "{changes:?}");
        place = changes.last().map_or(place, |change| change.sequence);
        assert_eq!(place, store.corpus_sequence().await.unwrap());
        changes.iter().map(|change| change.signal_id).collect::<Vec<_>>()
    };
    assert_eq!(told().await, [one, one, other, other], "noted and written");
    store.note_signal(seen("x"), &by(ann, ""), at(3)).await.unwrap();
    store.verify_signal(one, "", &by(ann, "one"), at(3)).await.unwrap();
    store.set_liveness(one, Liveness::Gone, None, at(3)).await.unwrap();
    store.note_failure(one, ann, notice("no")).await.unwrap();
    store.readdress_signal(one, &url("z"), &hash("z")).await.unwrap();
    assert_eq!(store.remove_signal(SignalId(999)).await, Err(StoreError::NotFound));
    assert_eq!(told().await, [], "no index depends on these");
    let tagged = NewSignal { matter_tags: vec!["matter:a".to_owned()], ..seen("y") };
    store.note_signal(tagged, &by(ann, ""), at(4)).await.unwrap();
    assert_eq!(told().await, [], "a tag of one person is in no index");
    store.revoke_grant(one, ann, at(5)).await.unwrap();
    assert_eq!(told().await, [one]);
    store.revoke_grant(one, ann, at(5)).await.unwrap();
    let (request, _) = store.note_signal(seen("z"), &by(ann, ""), at(5)).await.unwrap();
    assert_eq!(told().await, [request.signal_id], "a right without a text opens nothing");
    store.verify_signal(one, "", &by(ann, "one"), at(6)).await.unwrap();
    assert_eq!(told().await, [one]);
    store.reindex_signal(one, &hash("one"), "model", vec![]).await.unwrap();
    store.remove_grant(other, ann, at(7)).await.unwrap();
    store.merge_signals(other, one, at(8)).await.unwrap();
    store.remove_signal(one).await.unwrap();
    assert_eq!(told().await, [one, other, other, one, one]);
    assert_eq!(store.corpus_changes(0, 3).await.unwrap().unwrap().len(), 3);
    let newest = store.corpus_sequence().await.unwrap();
    assert_eq!(
        store.corpus_changes(newest + 1, 9).await.unwrap(),
        None,
        "this number is of another database"
    );
}

/// A concurrent reader misses nothing: a number never appears below one that was read.
pub async fn are_told_in_the_order_of_commits(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let writer = async |number: usize| {
        let mut written = Vec::new();
        for document in 0..DOCUMENTS_EACH {
            let name = format!("{number}-{document}");
            let (signal, _) = store.note_signal(seen(&name), &by(ann, ""), at(1)).await.unwrap();
            let size = if number == 0 { 300 } else { 1 };
            store.index_signal(signal.signal_id, content(&name, size), &by(ann, &name), at(2)).await.unwrap();
            written.push(signal.signal_id);
        }
        written
    };
    let expected = WRITERS * DOCUMENTS_EACH * 2;
    let follower = async {
        let mut followed = Vec::new();
        while followed.len() < expected {
            let place = followed.last().map_or(0, |(sequence, _)| *sequence);
            let changes = store.corpus_changes(place, 7).await.unwrap().expect("kept");
            followed.extend(changes.iter().map(|change| (change.sequence, change.signal_id)));
            if changes.is_empty() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        }
        followed
    };
    let both = async { tokio::join!(join_all((0..WRITERS).map(writer)), follower) };
    let (written, followed) =
        tokio::time::timeout(Duration::from_secs(60), both).await.expect("nothing is missed");
    let sequences: Vec<i64> = followed.iter().map(|(sequence, _)| *sequence).collect();
    assert_eq!(sequences, (1..=expected as i64).collect::<Vec<_>>());
    let written: BTreeSet<SignalId> = written.into_iter().flatten().collect();
    assert_eq!(followed.into_iter().map(|(_, id)| id).collect::<BTreeSet<_>>(), written);
}

/// Concurrent writes, removals, and deletions of users and providers: no deadlock, and the rest is consistent.
pub async fn end_whoever_writes(store: &dyn Store) {
    let admin = UserSpec { username: "admin".to_owned(), is_admin: true, ..UserSpec::default() };
    let admin = store.create_user(admin, "hash".to_owned(), at(0)).await.unwrap().id;
    let mut leaving = Vec::new();
    for number in 0..6 {
        let leaver = person(store, &format!("leaver {number}")).await.id;
        let spec = ProviderSpec { name: format!("of {leaver}"), shared: true, ..ProviderSpec::default() };
        let provider = store.create_providers(vec![spec], leaver, at(0)).await.unwrap().remove(0).id;
        leaving.push((leaver, provider));
    }
    let works = (0..36).map(|number: usize| {
        let (leaver, provider) = leaving[number % leaving.len()];
        async move {
            let name = (number % 5).to_string();
            let user = if number.is_multiple_of(2) { admin } else { leaver };
            let id = store.note_signal(seen(&name), &by(user, ""), at(1)).await?.0.signal_id;
            let of_source = IndexedContent { source_provider_id: Some(provider), ..content(&name, 3) };
            store.index_signal(id, of_source, &by(user, &name), at(2)).await?;
            match number / 6 {
                3 => store.delete_user(leaver).await,
                4 => store.delete_provider(provider).await,
                5 => store.remove_signal(id).await.map(drop),
                _ => store.set_liveness(id, Liveness::Alive, None, at(3)).await,
            }
        }
    });
    let all =
        tokio::time::timeout(Duration::from_secs(60), join_all(works)).await.expect("nobody waits for ever");
    for outcome in all {
        let is_fair = matches!(outcome, Ok(()) | Err(StoreError::NotFound | StoreError::UnknownReference(_)));
        assert!(is_fair, "{outcome:?}");
    }
    for id in store.signal_ids(None, 99).await.unwrap() {
        let signal = store.signal(id).await.unwrap();
        assert_eq!(store.chunks(id).await.unwrap().len(), signal.chunk_count as usize);
    }
}
