//! Suite for implementations of `VectorStore`, one function per property. Each function needs an empty store.

mod backend;
mod backends;

pub use backend::{Piece, VectorBackend, words};
pub use backends::{DirectBackend, RecordsBackend};

use domain::corpus::AclToken;
use domain::ids::SignalId;
use domain::ports::{VectorError, VectorHit, VectorQuery, VectorState};
use futures_util::future::join_all;
use std::collections::{BTreeMap, BTreeSet};

/// Passes every test of the suite to a macro, so that none is forgotten.
#[macro_export]
macro_rules! vector_behaviors {
    ($run:ident) => {
        $run! {
            the_nearest_come_first, ties_go_by_document_and_number, only_what_the_asker_may_see,
            what_is_hidden_takes_no_place, a_new_text_replaces_the_old_one, access_lists_change,
            documents_are_removed, what_is_held_is_listed, words_need_the_upgrade, rare_words_weigh_more,
            words_of_others_change_no_score, other_dimensions_are_refused, is_cleared_and_made_again,
            thousands_of_pieces, is_written_at_once, vectors_without_direction_score_nothing,
        }
    };
}

/// A vector on the unit circle, in degrees.
fn at_angle(degrees: f32) -> Vec<f32> {
    vec![degrees.to_radians().cos(), degrees.to_radians().sin()]
}

fn piece(degrees: f32, text: &str) -> Piece {
    (at_angle(degrees), text.to_owned())
}

/// Deterministic unit vectors.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 8_388_608.0 - 1.0
    }

    fn vector(&mut self, dimension: usize) -> Vec<f32> {
        let vector: Vec<f32> = (0..dimension).map(|_| self.next()).collect();
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector.into_iter().map(|value| value / length).collect()
    }
}

async fn nearest(
    backend: &dyn VectorBackend,
    tokens: &[AclToken],
    limit: usize,
    degrees: f32,
) -> Vec<VectorHit> {
    let query = VectorQuery { tokens, limit };
    backend.vectors().nearest(query, &at_angle(degrees)).await.expect("an answer")
}

/// The chunks that are found, best first.
async fn found(
    backend: &dyn VectorBackend,
    tokens: &[AclToken],
    limit: usize,
    degrees: f32,
) -> Vec<(SignalId, u32)> {
    places(&nearest(backend, tokens, limit, degrees).await)
}

async fn by_words(backend: &dyn VectorBackend, tokens: &[AclToken], text: &str) -> Vec<VectorHit> {
    let query = VectorQuery { tokens, limit: 10 };
    backend.vectors().nearest_by_words(query, &words(text)).await.expect("an answer")
}

fn places(hits: &[VectorHit]) -> Vec<(SignalId, u32)> {
    hits.iter().map(|hit| (hit.signal, hit.chunk)).collect()
}

pub async fn the_nearest_come_first(backend: &dyn VectorBackend) {
    let me = backend.person(0);
    assert_eq!(found(backend, &[me], 10, 0.0).await, [], "nothing is there");
    let one = backend.keep(None, &[me], &[piece(80.0, "a"), piece(10.0, "b"), piece(180.0, "c")]).await;
    let two = backend.keep(None, &[me], &[piece(30.0, "d")]).await;
    let hits = nearest(backend, &[me], 10, 0.0).await;
    assert_eq!(places(&hits), [(one, 1), (two, 0), (one, 0), (one, 2)]);
    for (hit, degrees) in hits.iter().zip([10.0_f32, 30.0, 80.0, 180.0]) {
        assert!((hit.score - degrees.to_radians().cos()).abs() < 1e-4, "{hit:?}");
    }
    assert_eq!(found(backend, &[me], 2, 0.0).await, [(one, 1), (two, 0)]);
    assert_eq!(found(backend, &[me], 0, 0.0).await, []);
    // A query vector need not be normalized.
    let query = VectorQuery { tokens: &[me], limit: 1 };
    let hits = backend.vectors().nearest(query, &[0.0, 7.0]).await.expect("an answer");
    assert_eq!(places(&hits), [(one, 0)]);
    assert!((hits[0].score - 80.0_f32.to_radians().sin()).abs() < 1e-4, "{hits:?}");
}

pub async fn ties_go_by_document_and_number(backend: &dyn VectorBackend) {
    let me = backend.person(0);
    let same = [piece(45.0, "a"), piece(45.0, "b")];
    let mut signals = Vec::new();
    for _ in 0..3 {
        signals.push(backend.keep(None, &[me], &same).await);
    }
    // The last write is stored elsewhere in most stores.
    backend.keep(Some(signals[0]), &[me], &same).await;
    let expected: Vec<_> = signals.iter().flat_map(|signal| [(*signal, 0), (*signal, 1)]).collect();
    assert_eq!(found(backend, &[me], 10, 0.0).await, expected);
}

pub async fn only_what_the_asker_may_see(backend: &dyn VectorBackend) {
    let (me, other, source) = (backend.person(0), backend.person(1), backend.source(0));
    backend.vectors().prepare(2).await.expect("made");
    backend.vectors().make_hybrid().await.expect("hybrid");
    let mine = backend.keep(None, &[me], &[piece(1.0, "a")]).await;
    let others = backend.keep(None, &[other], &[piece(2.0, "a")]).await;
    let both = backend.keep(None, &[me, other], &[piece(3.0, "a")]).await;
    let of_source = backend.keep(None, &[source], &[piece(4.0, "a")]).await;
    let table: [(&[AclToken], &[SignalId]); 6] = [
        (&[me], &[mine, both]),
        (&[other], &[others, both]),
        (&[source], &[of_source]),
        (&[me, source], &[mine, both, of_source]),
        (&[backend.person(2), backend.source(1)], &[]),
        (&[], &[]),
    ];
    for (tokens, expected) in table {
        let expected: Vec<_> = expected.iter().map(|signal| (*signal, 0)).collect();
        assert_eq!(found(backend, tokens, 10, 0.0).await, expected, "{tokens:?}");
        let mut by_words = places(&by_words(backend, tokens, "a").await);
        by_words.sort_unstable();
        let mut expected = expected;
        expected.sort_unstable();
        assert_eq!(by_words, expected, "{tokens:?}");
    }
}

pub async fn what_is_hidden_takes_no_place(backend: &dyn VectorBackend) {
    let (me, other) = (backend.person(0), backend.person(1));
    let near: Vec<Piece> = (0..100).map(|_| piece(0.0, "a")).collect();
    backend.keep(None, &[other], &near).await;
    let mine = backend.keep(None, &[me], &[piece(90.0, "a")]).await;
    backend.keep(None, &[other], &near).await;
    assert_eq!(found(backend, &[me], 3, 0.0).await, [(mine, 0)]);
}

pub async fn a_new_text_replaces_the_old_one(backend: &dyn VectorBackend) {
    let (me, other) = (backend.person(0), backend.person(1));
    let signal = backend.keep(None, &[me], &[piece(0.0, "a"), piece(1.0, "b"), piece(2.0, "c")]).await;
    backend.keep(Some(signal), &[other], &[piece(50.0, "d")]).await;
    assert_eq!(found(backend, &[me], 10, 0.0).await, [], "the right was to the old text");
    assert_eq!(found(backend, &[other], 10, 0.0).await, [(signal, 0)]);
    let hits = nearest(backend, &[other], 10, 50.0).await;
    assert!((hits[0].score - 1.0).abs() < 1e-4, "{hits:?}");
    assert_eq!(backend.vectors().state().await.expect("a state").chunks, 1);
}

pub async fn access_lists_change(backend: &dyn VectorBackend) {
    let (me, other) = (backend.person(0), backend.person(1));
    let signal = backend.keep(None, &[me], &[piece(0.0, "a"), piece(1.0, "b")]).await;
    assert_eq!(found(backend, &[other], 10, 0.0).await, []);
    backend.allow(signal, &[me, other]).await;
    assert_eq!(found(backend, &[other], 10, 0.0).await, [(signal, 0), (signal, 1)]);
    backend.allow(signal, &[other]).await;
    assert_eq!(found(backend, &[me], 10, 0.0).await, []);
    backend.allow(signal, &[]).await;
    assert_eq!(found(backend, &[me, other], 10, 0.0).await, []);
    assert_eq!(
        backend.vectors().chunk_counts(None, 10).await.expect("a list"),
        [(signal, 2)],
        "it is still there"
    );
    let unknown = backend.vectors().set_acl(SignalId(signal.0 + 1_000), &[me]).await;
    assert_eq!(unknown, Ok(()));
}

pub async fn documents_are_removed(backend: &dyn VectorBackend) {
    let me = backend.person(0);
    backend.forget(&[SignalId(1)]).await;
    let mut signals = Vec::new();
    for degrees in [0.0, 10.0, 20.0] {
        signals.push(backend.keep(None, &[me], &[piece(degrees, "a")]).await);
    }
    backend.forget(&[signals[0], signals[2], SignalId(signals[2].0 + 1_000)]).await;
    assert_eq!(found(backend, &[me], 10, 0.0).await, [(signals[1], 0)]);
    backend.forget(&[signals[0]]).await;
    backend.forget(&[]).await;
    assert_eq!(backend.vectors().chunk_counts(None, 10).await.expect("a list"), [(signals[1], 1)]);
}

pub async fn what_is_held_is_listed(backend: &dyn VectorBackend) {
    let me = backend.person(0);
    assert_eq!(backend.vectors().chunk_counts(None, 10).await, Ok(Vec::new()));
    let mut expected = Vec::new();
    for count in 1..=7 {
        let pieces: Vec<Piece> = (0..count).map(|number| piece(number as f32, "a")).collect();
        expected.push((backend.keep(None, &[me], &pieces).await, count));
    }
    let mut listed = Vec::new();
    loop {
        let after = listed.last().map(|(signal, _)| *signal);
        let some = backend.vectors().chunk_counts(after, 3).await.expect("a list");
        assert!(some.len() <= 3);
        if some.is_empty() {
            break;
        }
        listed.extend(some);
    }
    assert_eq!(listed, expected);
    let state = backend.vectors().state().await.expect("a state");
    assert_eq!(state, VectorState { dimension: Some(2), chunks: 28, is_hybrid: false });
}

pub async fn words_need_the_upgrade(backend: &dyn VectorBackend) {
    let me = backend.person(0);
    let signal = backend.keep(None, &[me], &[piece(0.0, "river level"), piece(1.0, "town")]).await;
    let query = VectorQuery { tokens: &[me], limit: 10 };
    let refused = backend.vectors().nearest_by_words(query, &words("river")).await;
    assert_eq!(refused, Err(VectorError::MissingSparse));
    assert_eq!(found(backend, &[me], 1, 0.0).await, [(signal, 0)], "vectors are asked as before");
    backend.vectors().make_hybrid().await.expect("hybrid");
    backend.vectors().make_hybrid().await.expect("twice is fine");
    backend.keep(Some(signal), &[me], &[piece(0.0, "river level"), piece(1.0, "town")]).await;
    assert_eq!(places(&by_words(backend, &[me], "river").await), [(signal, 0)]);
    assert_eq!(by_words(backend, &[me], "sea").await, []);
    assert_eq!(by_words(backend, &[me], "").await, []);
    assert_eq!(by_words(backend, &[], "river").await, []);
    assert!(backend.vectors().state().await.expect("a state").is_hybrid);
    assert_eq!(found(backend, &[me], 1, 0.0).await, [(signal, 0)]);
}

pub async fn rare_words_weigh_more(backend: &dyn VectorBackend) {
    let me = backend.person(0);
    backend.vectors().prepare(2).await.expect("made");
    backend.vectors().make_hybrid().await.expect("hybrid");
    let common = backend.keep(None, &[me], &[piece(0.0, "river"), piece(1.0, "river river")]).await;
    let rare = backend.keep(None, &[me], &[piece(2.0, "sensor"), piece(3.0, "town")]).await;
    let both = backend.keep(None, &[me], &[piece(4.0, "river sensor")]).await;
    let hits = by_words(backend, &[me], "river sensor").await;
    // river: 3 of 5 chunks have it, sensor: 2 of 5.
    let rarity = |with: f32| (1.0 + (5.0 - with + 0.5) / (with + 0.5)).ln();
    let expected = [
        (both, 0, rarity(3.0) + rarity(2.0)),
        (common, 1, 2.0 * rarity(3.0)),
        (rare, 0, rarity(2.0)),
        (common, 0, rarity(3.0)),
    ];
    assert_eq!(hits.len(), expected.len(), "{hits:?}");
    for (hit, (signal, chunk, score)) in hits.iter().zip(expected) {
        assert_eq!((hit.signal, hit.chunk), (signal, chunk), "{hits:?}");
        assert!((hit.score - score).abs() < 1e-3, "{hit:?} {score}");
    }
    backend.forget(&[both]).await;
    assert_eq!(places(&by_words(backend, &[me], "sensor").await), [(rare, 0)]);
}

/// The chunks of others must not be counted: a score would reveal them. Qdrant counts all chunks; a store like that
/// skips this test.
pub async fn words_of_others_change_no_score(backend: &dyn VectorBackend) {
    let (me, other) = (backend.person(0), backend.person(1));
    backend.vectors().prepare(2).await.expect("made");
    backend.vectors().make_hybrid().await.expect("hybrid");
    backend.keep(None, &[me], &[piece(0.0, "river"), piece(1.0, "town")]).await;
    let before = by_words(backend, &[me], "river").await;
    backend.keep(None, &[other], &[piece(0.0, "river"), piece(1.0, "river"), piece(2.0, "sea")]).await;
    assert_eq!(by_words(backend, &[me], "river").await, before);
}

pub async fn other_dimensions_are_refused(backend: &dyn VectorBackend) {
    let me = backend.person(0);
    backend.vectors().prepare(2).await.expect("made");
    backend.vectors().prepare(2).await.expect("it is there");
    let signal = backend.keep(None, &[me], &[piece(0.0, "a")]).await;
    let expected = VectorError::Dimension { there: 2, ours: 3 };
    assert_eq!(backend.vectors().prepare(3).await, Err(expected.clone()));
    let query = VectorQuery { tokens: &[me], limit: 10 };
    assert_eq!(backend.vectors().nearest(query, &[1.0, 0.0, 0.0]).await, Err(expected.clone()));
    let mut vectors = backends::vectors(signal, &[me], &[(vec![1.0, 0.0, 0.0], "b".to_owned())]);
    assert_eq!(backend.vectors().put(vectors.clone()).await, Err(expected));
    vectors.chunks[0].dense.clear();
    assert!(matches!(backend.vectors().put(vectors).await, Err(VectorError::Refused { .. })), "no dimension");
    assert!(matches!(backend.vectors().prepare(0).await, Err(VectorError::Refused { .. })), "no dimension");
    assert_eq!(found(backend, &[me], 10, 0.0).await, [(signal, 0)], "nothing changed");
}

pub async fn is_cleared_and_made_again(backend: &dyn VectorBackend) {
    let me = backend.person(0);
    backend.clear().await;
    backend.keep(None, &[me], &[piece(0.0, "a")]).await;
    backend.vectors().make_hybrid().await.expect("hybrid");
    backend.clear().await;
    let state = backend.vectors().state().await.expect("a state");
    assert_eq!(state, VectorState { dimension: None, chunks: 0, is_hybrid: false });
    assert_eq!(found(backend, &[me], 10, 0.0).await, []);
    backend.vectors().prepare(3).await.expect("another dimension is fine now");
    let signal = backend.keep(None, &[me], &[(vec![0.0, 1.0, 0.0], "a".to_owned())]).await;
    let query = VectorQuery { tokens: &[me], limit: 10 };
    let hits = backend.vectors().nearest(query, &[0.0, 1.0, 0.0]).await.expect("an answer");
    assert_eq!(places(&hits), [(signal, 0)]);
}

/// More than are compared one by one in memory.
pub async fn thousands_of_pieces(backend: &dyn VectorBackend) {
    const DIMENSION: usize = 16;
    const DOCUMENTS: usize = 24;
    const PIECES: usize = 250;
    let mut numbers = Numbers(1);
    let mut all = Vec::new();
    for document in 0..DOCUMENTS {
        let acl = [backend.person(document % 3), backend.person(2)];
        let pieces: Vec<Piece> =
            (0..PIECES).map(|number| (numbers.vector(DIMENSION), format!("word{number}"))).collect();
        let signal = backend.keep(None, &acl, &pieces).await;
        let pieces = pieces.into_iter().enumerate();
        all.extend(pieces.map(|(number, (vector, _))| (acl, signal, number as u32, vector)));
    }
    let state = backend.vectors().state().await.expect("a state");
    assert_eq!((state.dimension, state.chunks), (Some(DIMENSION), (DOCUMENTS * PIECES) as u64));
    let (mut there, mut wanted) = (0, 0);
    for asker in [0, 1, 2, 2, 2] {
        let (token, question) = (backend.person(asker), numbers.vector(DIMENSION));
        let mut exact: Vec<(f32, SignalId, u32)> = all
            .iter()
            .filter(|(acl, ..)| acl.contains(&token))
            .map(|(_, signal, number, vector)| {
                (vector.iter().zip(&question).map(|(a, b)| a * b).sum(), *signal, *number)
            })
            .collect();
        exact.sort_by(|a, b| b.0.total_cmp(&a.0));
        let query = VectorQuery { tokens: &[token], limit: 60 };
        let hits = backend.vectors().nearest(query, &question).await.expect("an answer");
        assert_eq!(hits.len(), 60);
        assert!(hits.is_sorted_by(|a, b| a.score >= b.score), "{hits:?}");
        let scores: BTreeMap<_, f32> =
            exact.iter().map(|(score, signal, number)| ((*signal, *number), *score)).collect();
        for hit in &hits {
            let exact = scores.get(&(hit.signal, hit.chunk)).expect("only what the asker may see");
            assert!((hit.score - exact).abs() < 1e-3, "{hit:?} {exact}");
        }
        let best: BTreeSet<_> = exact[..10].iter().map(|(_, signal, number)| (*signal, *number)).collect();
        there += places(&hits[..10]).iter().filter(|place| best.contains(place)).count();
        wanted += 10;
    }
    assert!(there * 100 >= wanted * 95, "{there} of {wanted}");
}

pub async fn is_written_at_once(backend: &dyn VectorBackend) {
    let me = backend.person(0);
    let shared = backend.keep(None, &[me], &[piece(0.0, "a")]).await;
    let write = |number: usize| async move {
        let pieces: Vec<Piece> = (0..=number).map(|piece| self::piece(piece as f32, "a")).collect();
        backend.keep(None, &[me], &pieces).await;
        backend.keep(Some(shared), &[me], &pieces).await;
        // Concurrent queries see a document as it was or as it is.
        nearest(backend, &[me], 5, 0.0).await;
    };
    join_all((1..=6).map(write)).await;
    backend.allow(shared, &[me]).await;
    let held = backend.vectors().chunk_counts(None, 100).await.expect("a list");
    let mut counts: Vec<u32> =
        held.iter().filter(|(signal, _)| *signal != shared).map(|(_, count)| *count).collect();
    counts.sort_unstable();
    assert_eq!(counts, [2, 3, 4, 5, 6, 7]);
    let last = held.iter().find(|(signal, _)| *signal == shared).expect("it is there").1;
    assert!((2..=7).contains(&last), "one of them, whole: {last}");
    let hits = nearest(backend, &[me], 1_000, 0.0).await;
    assert_eq!(hits.iter().filter(|hit| hit.signal == shared).count(), last as usize);
}

pub async fn vectors_without_direction_score_nothing(backend: &dyn VectorBackend) {
    let me = backend.person(0);
    let signal = backend.keep(None, &[me], &[(vec![0.0, 0.0], "a".to_owned()), piece(10.0, "b")]).await;
    let hits = nearest(backend, &[me], 10, 0.0).await;
    assert_eq!(places(&hits), [(signal, 1), (signal, 0)]);
    assert!(hits[1].score.abs() < 1e-6, "{hits:?}");
    let query = VectorQuery { tokens: &[me], limit: 10 };
    let hits = backend.vectors().nearest(query, &[0.0, 0.0]).await.expect("an answer");
    assert!(hits.iter().all(|hit| hit.score.abs() < 1e-6), "{hits:?}");
}
