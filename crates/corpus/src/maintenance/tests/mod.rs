//! Maintenance of the corpus: what it finds, what it repairs, and what it leaves alone.

mod fixtures;

use super::{Removal, Repair, drop_collection};
use crate::sparse_vector::sparse_vector;
use crate::{word_language, word_search};
use bytes::Bytes;
use domain::corpus::{AclToken, MatterTag, QdrantMode, Visibility};
use domain::ids::SignalId;
use domain::ports::{BodyKey, BodyStore, SignalStore, SignalVectors, VectorStore, WriteMode};
use domain::settings::Settings;
use fixtures::{Fixture, hash_of};
use relevancy::Language;
use std::sync::Mutex;

const QUIET: super::Progress<'_> = &|_, _| {};

#[tokio::test]
async fn what_agrees_is_left_alone() {
    let fixture = Fixture::open().await;
    for number in 0..3 {
        fixture.keep(&format!("https://h.example/{number}"), "a").await;
    }
    fixture.note("https://h.example/known", "a").await;
    let found = fixture.reconcile(false).await;
    assert!(found.is_whole(), "{found:?}");
    assert_eq!((found.documents, found.indexed, found.pieces), (4, 3, 6));
    assert_eq!((found.vectors, found.with_body, found.bodies), (Some(6), 3, 3));
    assert_eq!(fixture.reconcile(true).await.followed, 4, "the first time it is not known what was followed");
    assert_eq!(fixture.reconcile(true).await.followed, 0);
}

#[tokio::test]
async fn what_does_not_agree_is_found_and_put_right() {
    let fixture = Fixture::open().await;
    let mut ids = Vec::new();
    for number in 0..6 {
        ids.push(fixture.keep(&format!("https://h.example/{number}"), "a").await);
    }
    let body = |text: &str| BodyKey::of_hash(&hash_of(text)).unwrap();
    fixture.with_vectors(|contents| {
        contents.documents.remove(&ids[0]);
        contents.documents.get_mut(&ids[1]).unwrap().chunks.pop();
        let mut stray = contents.documents[&ids[2]].clone();
        stray.signal = SignalId(4711);
        contents.documents.insert(stray.signal, stray);
    });
    fixture.bodies.delete(&body("https://h.example/3")).await.unwrap();
    fixture.bodies.put(&body("nobody's"), Bytes::from_static(b"nobody's")).await.unwrap();
    for repair in [false, true] {
        let found = fixture.reconcile(repair).await;
        assert!(!found.is_whole());
        assert_eq!(found.vectors_missing.named, [ids[0].to_string(), ids[1].to_string()]);
        assert_eq!((found.vectors_surplus.count, found.vectors_surplus.named[0].as_str()), (1, "4711"));
        assert_eq!(found.bodies_missing.named, [ids[3].to_string()]);
        assert_eq!(found.bodies_surplus.named, [body("nobody's").as_str()]);
    }
    let found = fixture.reconcile(false).await;
    assert!(found.is_whole(), "{found:?}");
    assert_eq!((found.pieces, found.vectors, found.with_body, found.bodies), (12, Some(12), 5, 5));
    assert_eq!(fixture.store.signal(ids[3]).await.unwrap().body_key, None);
}

#[tokio::test]
async fn what_is_just_being_written_counts_as_it_is_afterwards() {
    let fixture = Fixture::open().await;
    let id = fixture.keep("https://h.example/1", "a").await;
    let vectors = fixture.with_vectors(|contents| contents.documents.remove(&id).unwrap());
    let (found, ()) = tokio::join!(fixture.reconcile(false), async {
        tokio::time::sleep(super::reconcile::SETTLE / 2).await;
        fixture.with_vectors(|contents| contents.documents.insert(id, vectors));
    });
    assert!(found.is_whole(), "{found:?}");
    assert_eq!(found.vectors, Some(found.pieces));
}

#[tokio::test]
async fn a_start_makes_vectors_and_removes_nothing() {
    let fixture = Fixture::open().await;
    let (one, other) =
        (fixture.keep("https://h.example/0", "a").await, fixture.keep("https://h.example/1", "a").await);
    let body = |text: &str| BodyKey::of_hash(&hash_of(text)).unwrap();
    fixture.with_vectors(|contents| {
        let mut stray = contents.documents.remove(&one).unwrap();
        stray.signal = SignalId(4711);
        contents.documents.insert(stray.signal, stray);
    });
    fixture.bodies.delete(&body("https://h.example/1")).await.unwrap();
    fixture.bodies.put(&body("nobody's"), Bytes::from_static(b"nobody's")).await.unwrap();
    for vectors_missing in [1, 0] {
        let found = fixture.cache.reconcile(Repair::Vectors).await.unwrap();
        assert_eq!(found.vectors_missing.count, vectors_missing);
        assert_eq!(found.removals().map(|difference| difference.count), [1, 1, 1]);
        assert!(!found.is_repaired);
    }
    assert!(fixture.store.signal(other).await.unwrap().body_key.is_some(), "its disk may come back");
    assert!(fixture.bodies.get(&body("nobody's")).await.unwrap().is_some());
    fixture.with_vectors(|contents| {
        assert!(contents.documents.contains_key(&one) && contents.documents.contains_key(&SignalId(4711)))
    });
}

#[tokio::test]
async fn vectors_of_an_older_text_are_replaced() {
    let fixture = Fixture::open().await;
    let id = fixture.keep("https://h.example/0", "a").await;
    fixture.reconcile(true).await;
    // A crash between record and vectors: the right number of chunks, but of another text, and with an empty access
    // list.
    fixture.write(id, "another text").await;
    fixture.with_vectors(|contents| {
        let held = contents.documents.get_mut(&id).unwrap();
        held.chunks[0].dense = vec![1.0, 0.0];
        held.acl.clear();
    });
    assert!(fixture.reconcile(false).await.is_whole(), "counting does not see it");
    assert_eq!(fixture.reconcile(true).await.followed, 1);
    fixture.with_vectors(|contents| {
        assert_eq!(contents.documents[&id].chunks[0].dense, [0.6, 0.8]);
        assert_eq!(contents.documents[&id].acl, [AclToken::User(fixture.user)]);
    });
}

#[tokio::test]
async fn an_upgrade_gives_every_piece_its_words() {
    let fixture = Fixture::open().await;
    fixture.keep("https://h.example/0", "a").await;
    fixture.keep("https://h.example/1", "a").await;
    fixture.note("https://h.example/known", "a").await;
    let told = Mutex::new(Vec::new());
    let done = fixture
        .cache
        .upgrade_to_hybrid(&|done, total| told.lock().unwrap().push((done, total)))
        .await
        .unwrap();
    assert_eq!((done.was_hybrid, done.documents, done.pieces), (false, 2, 4));
    assert_eq!(*told.lock().unwrap(), [(1, 3), (2, 3), (3, 3)]);
    fixture.with_vectors(|contents| {
        for chunk in contents.documents.values().flat_map(|document| &document.chunks) {
            assert!(chunk.sparse.as_ref().is_some_and(|words| !words.indices.is_empty()));
        }
    });
    assert!(fixture.cache.upgrade_to_hybrid(QUIET).await.unwrap().was_hybrid, "again is fine");
}

#[tokio::test]
async fn another_reader_model_reads_all_again() {
    let fixture = Fixture::open().await;
    let id = fixture.keep("https://h.example/0", "a").await;
    fixture.keep("https://h.example/1", "a").await;
    fixture.vectors.make_hybrid().await.unwrap();
    *fixture.embedding_models.0.lock().unwrap() = Some("gone".to_owned());
    assert!(fixture.cache.reindex(QUIET).await.is_err());
    assert_eq!(
        fixture.with_vectors(|contents| contents.documents.len()),
        2,
        "nothing is thrown away for a model that is away"
    );
    *fixture.embedding_models.0.lock().unwrap() = Some("three".to_owned());
    let verified = fixture.store.signal(id).await.unwrap().last_verified;
    let done = fixture.cache.reindex(QUIET).await.unwrap();
    assert_eq!((done.model.as_str(), done.dimension, done.documents, done.pieces), ("three", 3, 2, 4));
    let signal = fixture.store.signal(id).await.unwrap();
    assert_eq!((signal.embedding_model.as_str(), signal.embedding_dim), ("three", 3));
    assert_eq!(signal.last_verified, verified, "nobody asked the source");
    fixture.with_vectors(|contents| {
        assert!(contents.is_hybrid, "it keeps its words");
        assert!(contents.documents.values().all(|document| document.chunks[0].dense.len() == 3));
    });
    assert!(fixture.reconcile(false).await.is_whole());
}

/// A stored index keeps its language until it is written again, and queries are read in it.
#[tokio::test]
async fn another_language_of_queries_counts_after_a_reindex() {
    let settings = Settings {
        qdrant_mode: QdrantMode::External,
        corpus_hybrid: true,
        default_query_language: "german".to_owned(),
        ..Settings::default()
    };
    let fixture = Fixture::with(settings).await;
    let (parts, text) = (&fixture.cache.parts, "Die Bäume am Fluss");
    fixture.vectors.make_hybrid().await.unwrap();
    fixture.keep_text("https://h.example/0", "a", text).await;
    let words = || {
        fixture.with_vectors(|contents| {
            let chunks = contents.documents.values().flat_map(|document| &document.chunks);
            chunks.filter_map(|chunk| chunk.sparse.clone()).next().unwrap().indices
        })
    };
    let (english, german) = (Language::ENGLISH, Language::named("german"));
    assert_eq!(word_language::indexed(parts).await.unwrap(), english, "an older version wrote it");
    assert_eq!(fixture.cache.outdated_word_language().await.unwrap().as_deref(), Some("english"));
    let indexed = format!("A title\nAbove\npiece 0 of {text}");
    let of_text = |language| sparse_vector(language, &indexed).indices;
    assert_eq!(words(), of_text(english));
    fixture.cache.reindex(QUIET).await.unwrap();
    assert_eq!(word_language::indexed(parts).await.unwrap(), german);
    assert_eq!(fixture.cache.outdated_word_language().await.unwrap(), None);
    assert_eq!(words(), of_text(german));
}

#[tokio::test]
async fn records_with_one_address_and_text_become_one() {
    let fixture = Fixture::open().await;
    let stays = fixture.keep("https://h.example/a", "one").await;
    let other = fixture.keep_text("https://h.example/b", "two", "https://h.example/a").await;
    let alone = fixture.keep("https://h.example/c", "three").await;
    let another_text = fixture.keep("https://h.example/d", "four").await;
    let requested = fixture.note("https://h.example/e", "five").await.signal_id;
    // As an older version would have stored them.
    let hash = |text: &str| hash_of(text);
    let old = "https://h.example/a?utm_source=x";
    fixture.store.readdress_signal(other, old, &hash(old)).await.unwrap();
    let old = "https://H.example:443/c#part";
    fixture.store.readdress_signal(alone, old, &hash(old)).await.unwrap();
    for (id, old) in
        [(another_text, "https://h.example/a?utm_source=y"), (requested, "https://h.example/a#e")]
    {
        fixture.store.readdress_signal(id, old, &hash(old)).await.unwrap();
    }
    for mode in [WriteMode::Preview, WriteMode::Apply] {
        let found = fixture.cache.dedup(mode).await.unwrap();
        assert_eq!((found.documents, found.merged, found.readdressed, found.unreadable), (5, 1, 3, 0));
        assert_eq!(found.named, [(other, stays)]);
    }
    let found = fixture.cache.dedup(WriteMode::Apply).await.unwrap();
    assert_eq!((found.documents, found.merged, found.readdressed), (4, 0, 0));
    assert_eq!(fixture.store.signal(alone).await.unwrap().url, "https://h.example/c");
    let at_one_address =
        fixture.store.signals_at(&hash("https://h.example/a"), Visibility::Unrestricted).await.unwrap();
    assert_eq!(at_one_address.len(), 3, "another text and a request stay what they are");
    let mut tags = fixture.store.signal(stays).await.unwrap().matter_tags;
    tags.sort();
    assert_eq!(tags, ["one", "two"]);
    assert!(fixture.reconcile(false).await.is_whole());
}

#[tokio::test]
async fn a_reset_takes_one_matter_or_all() {
    let fixture = Fixture::open().await;
    fixture.keep("https://h.example/0", "a").await;
    let kept = fixture.keep("https://h.example/1", "b").await;
    fixture.note("https://h.example/known", "a").await;
    let tag = MatterTag::parse("MATTER:a").unwrap();
    assert_eq!(fixture.cache.to_be_reset(Some(&tag)).await.unwrap(), 2);
    let removed = fixture.cache.reset(Some(&tag), QUIET).await.unwrap();
    assert_eq!(removed, Removal { documents: 2, pieces: 2, bodies: 1 });
    assert_eq!(
        fixture.with_vectors(|contents| contents.documents.keys().copied().collect::<Vec<_>>()),
        [kept]
    );
    assert!(fixture.reconcile(false).await.is_whole());

    fixture.bodies.put(&BodyKey::of_hash(&hash_of("x")).unwrap(), Bytes::from_static(b"x")).await.unwrap();
    let removed = fixture.cache.reset(None, QUIET).await.unwrap();
    assert_eq!(removed, Removal { documents: 1, pieces: 2, bodies: 1 });
    let found = fixture.reconcile(false).await;
    assert_eq!(
        (found.documents, found.vectors, found.bodies),
        (0, Some(0), 0),
        "not even what was left behind"
    );
}

#[tokio::test]
async fn a_collection_of_earlier_days_is_dropped_when_told() {
    let fixture = Fixture::open().await;
    fixture.keep("https://h.example/0", "a").await;
    assert_eq!(drop_collection(&*fixture.vectors, WriteMode::Preview).await, Ok(Some(2)));
    assert_eq!(drop_collection(&*fixture.vectors, WriteMode::Apply).await, Ok(Some(2)));
    assert_eq!(drop_collection(&*fixture.vectors, WriteMode::Apply).await, Ok(None));
}

#[tokio::test]
async fn an_empty_collection_is_made_ready() {
    let fixture = Fixture::open().await;
    fixture.vectors.clear().await.unwrap();
    *fixture.embedding_models.0.lock().unwrap() = Some("three".to_owned());
    let state = fixture.cache.prepare_vectors().await.unwrap();
    assert_eq!((state.dimension, state.chunks, state.is_hybrid), (Some(3), 0, true));
    assert!(word_search::is_on(&fixture.cache.parts).await.unwrap(), "a new cache is searched by words");
}

/// The collection of an earlier version keeps what it has, also if its vectors are lost.
#[tokio::test]
async fn only_a_cache_without_texts_gets_words_by_itself() {
    let fixture = Fixture::open().await;
    let parts = &fixture.cache.parts;
    fixture.keep("https://h.example/0", "a").await;
    for is_lost in [false, true] {
        if is_lost {
            fixture.with_vectors(|contents| contents.documents.clear());
        }
        word_search::begin(parts, 2).await.unwrap();
        assert!(!fixture.with_vectors(|contents| contents.is_hybrid), "{is_lost}");
        assert!(!word_search::is_on(parts).await.unwrap(), "{is_lost}");
    }
    fixture.cache.upgrade_to_hybrid(QUIET).await.unwrap();
    assert!(word_search::is_on(parts).await.unwrap(), "without a setting");
    let have_words = || {
        let has_words = |document: &SignalVectors| document.chunks[0].sparse.is_some();
        fixture.with_vectors(|contents| contents.documents.values().all(has_words))
    };
    assert!(have_words());
    fixture.vectors.clear().await.unwrap();
    fixture.cache.reindex(QUIET).await.unwrap();
    assert!(have_words(), "also after the collection was lost");
    fixture.vectors.clear().await.unwrap();
    word_search::begin(parts, 2).await.unwrap();
    assert!(fixture.with_vectors(|contents| contents.is_hybrid), "it is made again as it was");
}
