//! Lists of cached documents: found, read in bulk, related, counted, bounded.

use super::fixture::{at, person};
use super::signals::{by, chunks, content, hash, ids, indexed, seen};
use crate::builders::notice;
use domain::corpus::{Liveness, MatterTag, NewSignal, OwnedVisibility, SignalState, StoredChunk, Visibility};
use domain::ids::{ProviderId, SignalId};
use domain::ports::{SignalFilter, Store};

/// More ids and more chunks than one statement takes.
const MANY: usize = 1_201;
/// The limits of a document.
const TAGS_MAX: usize = 50;
const TAG_CHARS_MAX: usize = 200;
const LINE_CHARS_MAX: usize = 1_000;
const EARLIER_KEPT: usize = 50;
const RELATIVES_MAX: usize = 100;

pub async fn are_found(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let tagged = |name: &str, tag: &str| NewSignal { matter_tags: vec![tag.to_owned()], ..seen(name) };
    let mut all = Vec::new();
    for (name, tag) in [("flüsse", "a"), ("50%25", "A"), ("lakes", "a")] {
        let title = if name == "flüsse" { "Über FLÜSSE".to_owned() } else { name.to_owned() };
        let new = NewSignal { title, ..tagged(name, tag) };
        all.push(store.note_signal(new, &by(ann, ""), at(all.len() as i64)).await.unwrap().0.signal_id);
    }
    store.index_signal(all[2], content("one", 1), &by(ann, "one"), at(2)).await.unwrap();
    let none = SignalFilter::visible_to(OwnedVisibility::Unrestricted);
    let table = [
        (none.clone(), vec![all[2], all[1], all[0]]),
        (SignalFilter { words: "über flü".to_owned(), ..none.clone() }, vec![all[0]]),
        (SignalFilter { words: "0%".to_owned(), ..none.clone() }, vec![all[1]]),
        (SignalFilter { words: "SOURCE.example/l".to_owned(), ..none.clone() }, vec![all[2]]),
        (SignalFilter { words: "_".to_owned(), ..none.clone() }, vec![]),
        (SignalFilter { matter_tag: MatterTag::parse("a"), ..none.clone() }, vec![all[2], all[0]]),
        (SignalFilter { matter_tag: MatterTag::parse("matter"), ..none.clone() }, vec![]),
        (SignalFilter { state: Some(SignalState::Known), ..none.clone() }, vec![all[1], all[0]]),
    ];
    for (filter, expected) in table {
        let page = store.find_signals(&filter, 0, 10).await.unwrap();
        assert_eq!((ids(&page.items), page.total), (expected.clone(), expected.len() as u64), "{filter:?}");
    }
    let page = store.find_signals(&none, 1, 1).await.unwrap();
    assert_eq!((ids(&page.items), page.total), (vec![all[1]], 3));
    assert_eq!(store.signal_ids(None, 2).await.unwrap(), all[..2]);
    assert_eq!(store.signal_ids(Some(all[1]), 9).await.unwrap(), all[2..]);
}

pub async fn are_read_by_the_thousand(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let (first, last) = (indexed(store, "x", "one", ann).await, indexed(store, "y", "two", ann).await);
    store.index_signal(last, content("two", MANY as u32), &by(ann, "two"), at(3)).await.unwrap();
    let mut wanted: Vec<SignalId> = (0..MANY as i64).map(|number| SignalId(1_000 + number)).collect();
    wanted.extend([last, first, last]);
    assert_eq!(
        ids(&store.signals(&wanted, Visibility::Unrestricted).await.unwrap()),
        [first, last],
        "each once"
    );
    assert_eq!(store.acl_of(&wanted).await.unwrap().len(), 2);
    let mut pieces: Vec<(SignalId, u32)> = (0..MANY as u32 + 5).map(|number| (last, number)).collect();
    pieces.extend([(first, 1), (first, 9), (SignalId(999), 0), (first, 1)]);
    let mut texts = store.chunk_texts(&pieces).await.unwrap();
    texts.sort_by_key(|(signal, piece)| (*signal, piece.number));
    assert_eq!(texts.len(), MANY + 1);
    let without_vector = |piece: &StoredChunk| StoredChunk { vector: Vec::new(), ..piece.clone() };
    assert_eq!(texts[0], (first, without_vector(&chunks("one", 2)[1])));
    assert_eq!(texts[MANY].1.number, MANY as u32 - 1);
    assert_eq!(store.chunk_texts(&[]).await.unwrap(), []);
    assert_eq!(store.signals(&[], Visibility::Unrestricted).await.unwrap(), []);
}

pub async fn have_relatives(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let with_id = |name: &str| NewSignal { external_id: "42".to_owned(), ..seen(name) };
    let (first, _) = store.note_signal(with_id("a"), &by(ann, ""), at(1)).await.unwrap();
    let same_text = indexed(store, "b", "one", ann).await;
    let (same_id, _) = store.note_signal(with_id("c"), &by(ann, ""), at(1)).await.unwrap();
    let foreign = NewSignal { source_provider_id: Some(ProviderId(8)), ..with_id("d") };
    store.note_signal(foreign, &by(ann, ""), at(1)).await.unwrap();
    indexed(store, "e", "two", ann).await;
    assert_eq!(store.relatives(&first).await.unwrap(), [same_id.signal_id]);
    store.index_signal(first.signal_id, content("one", 1), &by(ann, "one"), at(2)).await.unwrap();
    let first = store.signal(first.signal_id).await.unwrap();
    assert_eq!(store.relatives(&first).await.unwrap(), [same_text, same_id.signal_id]);
}

pub async fn are_counted(store: &dyn Store) {
    let empty = store.corpus_counts().await.unwrap();
    assert_eq!((empty.chunks, empty.body_bytes, empty.grants), (0, 0, 0));
    let ann = person(store, "ann").await.id;
    for (name, text) in [("a", "one"), ("b", "one"), ("c", "two")] {
        indexed(store, name, text, ann).await;
    }
    let (known, _) = store.note_signal(seen("d"), &by(ann, ""), at(1)).await.unwrap();
    store.revoke_grant(known.signal_id, ann, at(2)).await.unwrap();
    let counts = store.corpus_counts().await.unwrap();
    let states = [(SignalState::Known, 1), (SignalState::Indexed, 3), (SignalState::Pinned, 0)];
    assert_eq!(counts.by_state, states);
    let liveness = [(Liveness::Alive, 3), (Liveness::Gone, 0), (Liveness::Unknown, 1)];
    assert_eq!(counts.by_liveness, liveness);
    assert_eq!((counts.chunks, counts.body_bytes, counts.grants), (6, 100, 3), "equal texts share a body");
    assert_eq!(store.corpus_value("model").await.unwrap(), None);
    for value in ["one", "two"] {
        store.set_corpus_value("model", value).await.unwrap();
        assert_eq!(store.corpus_value("model").await.unwrap().as_deref(), Some(value));
    }
    for value in ["first", "second"] {
        assert_eq!(store.claim_corpus_value("folder", value).await.unwrap(), "first");
    }
}

pub async fn are_bounded(store: &dyn Store) {
    let ann = person(store, "ann").await.id;
    let long = "ä".repeat(LINE_CHARS_MAX + 1);
    let mut matter_tags = vec!["t".repeat(TAG_CHARS_MAX + 1), "t".repeat(TAG_CHARS_MAX)];
    matter_tags.extend((0..TAGS_MAX).map(|number| format!("matter:{number}")));
    let new = NewSignal { title: long.clone(), external_id: long.clone(), matter_tags, ..seen("x") };
    let (signal, _) = store.note_signal(new, &by(ann, ""), at(1)).await.unwrap();
    let id = signal.signal_id;
    assert_eq!((signal.title.chars().count(), signal.external_id.as_str()), (LINE_CHARS_MAX, ""));
    let longest = signal.matter_tags.iter().map(String::len).max();
    assert_eq!((signal.matter_tags.len(), longest), (TAGS_MAX, Some(TAG_CHARS_MAX)));
    let more = NewSignal { matter_tags: vec!["one more".to_owned()], ..seen("x") };
    assert_eq!(store.note_signal(more, &by(ann, ""), at(1)).await.unwrap().0.matter_tags.len(), TAGS_MAX);
    store.note_failure(id, ann, notice(&long)).await.unwrap();
    let stored = store.signal(id).await.unwrap();
    assert_eq!(stored.notices[0].kind.to_string().chars().count(), LINE_CHARS_MAX);
    assert_eq!((stored.title, stored.matter_tags), (signal.title, signal.matter_tags));
    for number in 0..EARLIER_KEPT + 3 {
        let text = format!("text {number}");
        store.index_signal(id, content(&text, 0), &by(ann, &text), at(2)).await.unwrap();
    }
    let earlier = store.earlier_hashes(id).await.unwrap();
    assert_eq!((earlier.len(), &earlier[0]), (EARLIER_KEPT, &hash(&format!("text {}", EARLIER_KEPT + 1))));
    let with_id = |number: usize| NewSignal { external_id: "42".to_owned(), ..seen(&format!("r{number}")) };
    for number in 0..RELATIVES_MAX + 2 {
        store.note_signal(with_id(number), &by(ann, ""), at(1)).await.unwrap();
    }
    let (one, _) = store.note_signal(with_id(5), &by(ann, ""), at(1)).await.unwrap();
    assert_eq!(store.relatives(&one).await.unwrap().len(), RELATIVES_MAX);
}
