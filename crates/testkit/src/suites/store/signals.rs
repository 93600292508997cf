//! Documents of the semantic cache: recorded once, written completely, found, merged, removed.

use super::fixture::{at, person};
use crate::builders::notice;
use domain::corpus::{
    AclToken, DocumentAddress, IndexedContent, Liveness, NewSignal, Origin, Signal, SignalState, SourceKind,
    StoredChunk, Visibility,
};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::ports::{BodyKey, Placement, Retrieval, Store, StoreError};
use futures_util::future::join_all;
use std::collections::BTreeSet;

/// Users who retrieve one document concurrently.
const RACERS: usize = 12;

pub(crate) fn url(name: &str) -> String {
    format!("https://source.example/{name}")
}

/// A document of provider 7.
pub fn seen(name: &str) -> NewSignal {
    NewSignal {
        address: DocumentAddress::of(&url(name)).expect("an address"),
        source_provider_id: Some(ProviderId(7)),
        source_provider: "Wiki".to_owned(),
        source_kind: SourceKind::Wiki,
        external_id: String::new(),
        title: format!("Title of {name}"),
        author: String::new(),
        date_published: "unknown".to_owned(),
        origin: Origin::Ingest,
        matter_tags: Vec::new(),
        known: None,
        is_supplied: false,
    }
}

/// 64 digits.
pub fn hash(text: &str) -> String {
    DocumentAddress::of(&url(text)).expect("an address").hash()
}

pub fn by(user: UserId, text: &str) -> Retrieval {
    let content_hash = if text.is_empty() { String::new() } else { hash(text) };
    Retrieval { user, idp: String::new(), account_provider_id: None, content_hash }
}

pub fn chunks(text: &str, count: u32) -> Vec<StoredChunk> {
    let chunk = |number| StoredChunk {
        number,
        start: number * 10,
        end: number * 10 + 12,
        heading: "One > Two".to_owned(),
        text: format!("{text} {number} ä \u{1f30a}"),
        vector: vec![0.6, -0.8, number as f32, f32::MIN_POSITIVE],
    };
    (0..count).map(chunk).collect()
}

/// What provider 7 returns.
pub fn content(text: &str, count: u32) -> IndexedContent {
    IndexedContent {
        source_provider_id: Some(ProviderId(7)),
        source_provider: "Wiki".to_owned(),
        content_hash: hash(text),
        simhash: "00ff".to_owned(),
        external_version: "\"v1\"".to_owned(),
        title: String::new(),
        author: "Ann".to_owned(),
        mime: "text/html".to_owned(),
        ext: "html".to_owned(),
        size: 99,
        file_bytes: 99_000,
        language: "en".to_owned(),
        is_supplied: false,
        version_label: "v1".to_owned(),
        embedding_model: "reader".to_owned(),
        body_key: BodyKey::of_hash(&hash(text)),
        body_bytes: 50,
        body_expires: Some(at(1_000)),
        chunks: chunks(text, count),
        followers: Vec::new(),
    }
}

/// A document with a text that this user retrieved.
pub async fn indexed(store: &dyn Store, name: &str, text: &str, user: UserId) -> SignalId {
    brought(store, name, content(text, 2), user).await
}

/// The record of a text that this user requested.
pub(crate) async fn brought(
    store: &dyn Store,
    name: &str,
    content: IndexedContent,
    user: UserId,
) -> SignalId {
    let seen = NewSignal {
        source_provider_id: content.source_provider_id,
        is_supplied: content.is_supplied,
        ..seen(name)
    };
    let (signal, _) = store.note_signal(seen, &by(user, ""), at(1)).await.expect("noted");
    let placed = store.index_signal(signal.signal_id, content, &by(user, ""), at(2)).await;
    placed.expect("indexed").signal_id
}

pub(crate) fn ids(signals: &[Signal]) -> Vec<SignalId> {
    signals.iter().map(|signal| signal.signal_id).collect()
}

pub async fn are_noted_once(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let first = NewSignal { title: String::new(), matter_tags: vec!["matter:a".to_owned()], ..seen("x") };
    let (signal, is_new) = store.note_signal(first, &by(ann, ""), at(1)).await.unwrap();
    assert!(is_new);
    assert_eq!(
        (signal.state, signal.origin, signal.liveness),
        (SignalState::Known, Origin::Ingest, Liveness::Unknown)
    );
    assert_eq!((signal.url.as_str(), signal.url_hash.as_str()), (url("x").as_str(), hash("x").as_str()));
    assert_eq!((signal.first_seen, signal.last_retrieved, signal.indexed_at), (at(1), at(1), None));
    assert_eq!((signal.date_published.as_str(), signal.matter_tags.len()), ("unknown", 1));
    assert_eq!(store.signal(signal.signal_id).await.unwrap(), signal);
    assert_eq!(
        store.signals_at(&hash("x"), Visibility::Unrestricted).await.unwrap(),
        std::slice::from_ref(&signal)
    );
    assert_eq!(store.signals_at(&hash("y"), Visibility::Unrestricted).await.unwrap(), []);

    let again = NewSignal {
        title: "A title \0".to_owned(),
        origin: Origin::Rag,
        date_published: "2024-01-01".to_owned(),
        external_id: "7".to_owned(),
        matter_tags: vec!["matter:b".to_owned(), "matter:a".to_owned(), String::new()],
        ..seen("x")
    };
    let (newer, is_new) = store.note_signal(again.clone(), &by(ann, ""), at(9)).await.unwrap();
    let expected = Signal {
        title: "A title ".to_owned(),
        date_published: "2024-01-01".to_owned(),
        external_id: "7".to_owned(),
        matter_tags: vec!["matter:a".to_owned(), "matter:b".to_owned()],
        last_retrieved: at(9),
        ..signal
    };
    assert_eq!((newer, is_new), (expected.clone(), false), "what is there stays, what is empty is filled");
    assert_eq!(store.signal(expected.signal_id).await.unwrap(), expected);
    let of_eight = NewSignal { source_provider_id: Some(ProviderId(8)), ..again };
    let (other, is_new) = store.note_signal(of_eight, &by(ann, ""), at(9)).await.unwrap();
    assert!(is_new && other.signal_id != expected.signal_id, "another provider, another record");
    let nobody = store.note_signal(seen("y"), &by(UserId(999), ""), at(1)).await;
    assert!(matches!(nobody, Err(StoreError::UnknownReference(_))), "{nobody:?}");
    assert_eq!(store.signals_at(&hash("y"), Visibility::Unrestricted).await.unwrap(), [], "all or nothing");
    assert_eq!(store.signal(SignalId(999)).await, Err(StoreError::NotFound));
}

/// Concurrent users of one URL neither fail nor see each other's records: those who got one text share a record.
pub async fn are_noted_by_many(store: &dyn Store) {
    let mut people = Vec::new();
    for number in 0..RACERS {
        people.push(person(store, &format!("racer {number}")).await.id);
    }
    let notes =
        people.iter().map(|user| {
            let tags = vec![format!("matter:{user}")];
            async move {
                store.note_signal(NewSignal { matter_tags: tags, ..seen("x") }, &by(*user, ""), at(1)).await
            }
        });
    let noted: Vec<(Signal, bool)> = join_all(notes).await.into_iter().map(Result::unwrap).collect();
    assert!(noted.iter().all(|(signal, is_new)| *is_new && signal.matter_tags.len() == 1));
    let requests: BTreeSet<SignalId> = noted.iter().map(|(signal, _)| signal.signal_id).collect();
    assert_eq!(requests.len(), RACERS, "everybody's request is their own");

    let texts = people.iter().zip(&noted).enumerate().map(|(number, (user, (signal, _)))| async move {
        let text = format!("text {}", number % 3);
        let size = number as u32 + 1;
        store.index_signal(signal.signal_id, content(&text, size), &by(*user, &text), at(2)).await
    });
    let placed: Vec<_> = join_all(texts).await.into_iter().map(Result::unwrap).collect();
    let records = store.signals_at(&hash("x"), Visibility::Unrestricted).await.unwrap();
    assert_eq!(records.len(), 3, "one for each text");
    for signal in records {
        let id = signal.signal_id;
        let pieces = store.chunks(id).await.unwrap();
        assert_eq!(pieces.len(), signal.chunk_count as usize, "the pieces are those of one writer");
        let text =
            (0..3).map(|n| format!("text {n}")).find(|text| hash(text) == signal.content_hash).unwrap();
        assert_eq!(pieces, chunks(&text, signal.chunk_count));
        let grants = store.grants(id).await.unwrap();
        assert_eq!(grants.len(), RACERS / 3);
        assert!(grants.iter().all(|grant| grant.opens(&signal)));
    }
    for ((user, (request, _)), placed) in people.iter().zip(&noted).zip(placed) {
        let led = store.led_to(request.signal_id, *user).await.unwrap().unwrap_or(request.signal_id);
        assert_eq!(led, placed.signal_id, "the number of a request leads to its text");
    }
}

pub async fn are_written_whole(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let (known, _) = store.note_signal(seen("x"), &by(ann, ""), at(1)).await.unwrap();
    let id = known.signal_id;
    store.note_failure(id, ann, notice("not there")).await.unwrap();
    let placed = store.index_signal(id, content("one", 250), &by(ann, "one"), at(2)).await.unwrap();
    assert_eq!(placed, Placement { signal_id: id, changed: vec![], unneeded: vec![] });
    let expected = Signal {
        state: SignalState::Indexed,
        content_hash: hash("one"),
        simhash: "00ff".to_owned(),
        external_version: "\"v1\"".to_owned(),
        author: "Ann".to_owned(),
        mime: "text/html".to_owned(),
        ext: "html".to_owned(),
        size: 99,
        file_bytes: 99_000,
        language: "en".to_owned(),
        version_label: "v1".to_owned(),
        indexed_at: Some(at(2)),
        last_verified: Some(at(2)),
        last_retrieved: at(2),
        liveness: Liveness::Alive,
        liveness_checked: Some(at(2)),
        chunk_count: 250,
        embedding_model: "reader".to_owned(),
        embedding_dim: 4,
        body_key: BodyKey::of_hash(&hash("one")),
        body_bytes: 50,
        body_expires: Some(at(1_000)),
        ..known
    };
    assert_eq!(store.signal(id).await.unwrap(), expected);
    assert_eq!(store.chunks(id).await.unwrap(), chunks("one", 250));
    let two = store.index_signal(id, content("two", 1), &by(ann, "two"), at(3)).await.unwrap();
    assert_eq!(two.signal_id, id, "nobody else has the old text");
    assert_eq!(two.unneeded, [BodyKey::of_hash(&hash("one")).unwrap()], "nobody needs the old body");
    assert_eq!(store.chunks(id).await.unwrap(), chunks("two", 1));
    store.index_signal(id, content("three", 1), &by(ann, "three"), at(4)).await.unwrap();
    store.index_signal(id, content("one", 1), &by(ann, "one"), at(5)).await.unwrap();
    assert_eq!(
        store.earlier_hashes(id).await.unwrap(),
        [hash("three"), hash("two")],
        "newest first, not the present one"
    );

    let renewed = chunks("other vectors", 3);
    assert!(store.reindex_signal(id, &hash("one"), "model 2", renewed.clone()).await.unwrap());
    assert!(!store.reindex_signal(id, &hash("two"), "model 2", Vec::new()).await.unwrap());
    let signal = store.signal(id).await.unwrap();
    assert_eq!((signal.embedding_model.as_str(), signal.chunk_count), ("model 2", 3));
    assert_eq!(store.chunks(id).await.unwrap(), renewed);

    store.remove_signal(id).await.unwrap();
    assert_eq!(
        store.index_signal(id, content("four", 1), &by(ann, "four"), at(6)).await,
        Err(StoreError::NotFound)
    );
    assert_eq!(store.chunks(id).await.unwrap(), []);
}

pub async fn are_verified_and_probed(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let id = indexed(store, "x", "one", ann).await;
    store.set_liveness(id, Liveness::Gone, Some(404), at(5)).await.unwrap();
    let gone = store.signal(id).await.unwrap();
    assert_eq!(
        (gone.liveness, gone.liveness_http, gone.liveness_checked),
        (Liveness::Gone, Some(404), Some(at(5)))
    );
    assert_eq!(gone.last_verified, Some(at(2)));
    store.set_liveness(id, Liveness::Alive, Some(200), at(6)).await.unwrap();
    assert_eq!(store.signal(id).await.unwrap().last_verified, Some(at(6)));
    store.verify_signal(id, "", &by(ann, "one"), at(7)).await.unwrap();
    store.verify_signal(id, "v9", &by(ann, "one"), at(8)).await.unwrap();
    let verified = store.signal(id).await.unwrap();
    assert_eq!((verified.last_verified, verified.external_version.as_str()), (Some(at(8)), "v9"));
    assert_eq!(store.grants(id).await.unwrap()[0].last_ok, Some(at(8)));
    store.verify_signal(id, "v10", &by(ann, "other"), at(9)).await.unwrap();
    assert_eq!(store.signal(id).await.unwrap(), verified, "that was not this text");

    for number in 0..12 {
        store.note_failure(id, ann, notice(&format!("message {number} \0"))).await.unwrap();
    }
    let notices = store.signal(id).await.unwrap().notices;
    assert_eq!(
        (notices.len(), &notices[0], &notices[9]),
        (10, &notice("message 2 \0"), &notice("message 11 \0"))
    );
    store.set_lineage(id, SignalId(3), "final").await.unwrap();
    let signal = store.signal(id).await.unwrap();
    assert_eq!((signal.lineage_id, signal.version_label.as_str()), (Some(SignalId(3)), "final"));
    let unknown = SignalId(999);
    assert_eq!(store.set_liveness(unknown, Liveness::Alive, None, at(1)).await, Err(StoreError::NotFound));
    assert_eq!(store.verify_signal(unknown, "", &by(ann, ""), at(1)).await, Err(StoreError::NotFound));
    assert_eq!(store.note_failure(unknown, ann, notice("")).await, Err(StoreError::NotFound));
}

pub async fn are_removed(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let (one, other) = (indexed(store, "x", "one", ann).await, indexed(store, "y", "one", ann).await);
    let third = indexed(store, "z", "two", ann).await;
    for id in [one, other, third] {
        store.set_lineage(id, one, "").await.unwrap();
    }
    let key = BodyKey::of_hash(&hash("one")).unwrap();
    assert_eq!(store.remove_signal(one).await.unwrap(), [], "another has this body");
    assert!(store.has_body(&key).await.unwrap());
    let lineages =
        [store.signal(other).await.unwrap().lineage_id, store.signal(third).await.unwrap().lineage_id];
    assert_eq!(lineages, [Some(other); 2], "the oldest that is left gives the line its name");
    assert_eq!(store.remove_signal(other).await.unwrap(), std::slice::from_ref(&key));
    assert!(!store.has_body(&key).await.unwrap());
    assert_eq!(store.remove_signal(one).await, Err(StoreError::NotFound));
    assert_eq!((store.chunks(one).await.unwrap(), store.grants(one).await.unwrap()), (vec![], vec![]));
    assert_eq!(store.signal_ids(None, 9).await.unwrap(), [third]);
}

pub async fn are_merged(store: &dyn Store) {
    let (ann, ben, col) =
        (person(store, "ann").await.id, person(store, "ben").await.id, person(store, "col").await.id);
    let into = indexed(store, "into", "new", ben).await;
    let from = indexed(store, "from", "old", ann).await;
    assert_eq!(indexed(store, "from", "new", ann).await, from, "nobody else has the old text");
    for user in [ben, col] {
        assert_eq!(indexed(store, "from", "new", user).await, from);
    }
    let tagged = NewSignal { matter_tags: vec!["matter:a".to_owned()], ..seen("from") };
    store.note_signal(tagged, &by(ann, ""), at(8)).await.unwrap();
    store.revoke_grant(from, ben, at(9)).await.unwrap();
    let bodies = store.merge_signals(from, into, at(10)).await.unwrap();
    assert_eq!(bodies, [], "they share it");
    assert_eq!(store.signal(from).await, Err(StoreError::NotFound));
    let signal = store.signal(into).await.unwrap();
    assert_eq!(signal.content_hash, hash("new"));
    assert_eq!(store.earlier_hashes(into).await.unwrap(), [hash("old")]);
    let opens: Vec<(UserId, bool)> =
        store.grants(into).await.unwrap().iter().map(|grant| (grant.user_id, grant.opens(&signal))).collect();
    assert_eq!(opens, [(ann, true), (ben, false), (col, true)]);
    assert_eq!(store.led_to(from, ann).await.unwrap(), Some(into), "the old number leads to the new one");
    let seen_by_ann = store.signals(&[into], Visibility::To(&[AclToken::User(ann)])).await.unwrap();
    assert_eq!(seen_by_ann[0].matter_tags, ["matter:a"], "with her own tags");
    assert_eq!(store.merge_signals(from, into, at(11)).await, Err(StoreError::NotFound));
    assert_eq!(store.merge_signals(into, into, at(11)).await, Ok(vec![]), "it stays");
    assert_eq!(store.signal(into).await.unwrap(), signal);
}

pub async fn are_readdressed(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let (one, other) = (indexed(store, "x", "one", ann).await, indexed(store, "y", "one", ann).await);
    assert_eq!(store.readdress_signal(one, &url("y"), &hash("y")).await, Err(StoreError::Taken("url")));
    store.readdress_signal(one, &url("z"), &hash("z")).await.unwrap();
    assert_eq!(store.signals_at(&hash("z"), Visibility::Unrestricted).await.unwrap()[0].url, url("z"));
    assert_eq!(store.signals_at(&hash("x"), Visibility::Unrestricted).await.unwrap(), []);
    assert_eq!(store.signal(other).await.unwrap().url, url("y"));
    assert_eq!(store.readdress_signal(SignalId(999), &url("q"), &hash("q")).await, Err(StoreError::NotFound));
}

pub async fn lose_their_bodies(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let mut all = Vec::new();
    for (number, text) in ["one", "two", "one"].iter().enumerate() {
        all.push(indexed(store, &format!("x{number}"), text, ann).await);
        let expires = IndexedContent { body_expires: Some(at(100 - number as i64)), ..content(text, 1) };
        store.index_signal(all[number], expires, &by(ann, text), at(3)).await.unwrap();
    }
    assert_eq!(store.expired_bodies(at(97), 9).await.unwrap(), []);
    assert_eq!(store.expired_bodies(at(99), 9).await.unwrap(), [all[2], all[1]]);
    assert_eq!(store.expired_bodies(at(100), 2).await.unwrap(), [all[2], all[1]]);
    assert_eq!(store.drop_body(all[2]).await.unwrap(), None, "another has this body");
    assert_eq!(store.drop_body(all[0]).await.unwrap(), BodyKey::of_hash(&hash("one")));
    assert_eq!(store.drop_body(all[0]).await.unwrap(), None);
    let signal = store.signal(all[0]).await.unwrap();
    assert_eq!((signal.state, signal.body_key, signal.body_bytes), (SignalState::Indexed, None, 0));
    assert_eq!(store.expired_bodies(at(100), 9).await.unwrap(), [all[1]]);
}
