//! The shared suite against a strict fake of Qdrant, and tests specific to Qdrant.

use super::*;
use domain::ids::{ProviderId, UserId};
use domain::ports::{ChunkVector, Fetch};
use domain::secret::Secret;
use fakes::qdrant::{self, KEY, Qdrant};
use outbound::{ClientLimits, GuardedClient};
use std::sync::Arc;
use std::time::Duration;
use testkit::source::{Behavior, Source};
use testkit::suites::vector_store::{self, DirectBackend};

const COLLECTION: &str = "swirl_corpus";

fn client() -> Arc<dyn Fetch> {
    let limits = ClientLimits {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(5),
        body_bytes_max: 10 << 20,
        redirects_max: 0,
        allow: Vec::new(),
    };
    Arc::new(GuardedClient::new(limits).unwrap())
}

fn config(url: &str) -> QdrantConfig {
    QdrantConfig {
        fetch: client(),
        url: url.to_owned(),
        api_key: Secret::new(KEY),
        collection: COLLECTION.to_owned(),
    }
}

async fn store() -> (Qdrant, QdrantVectors) {
    let server = qdrant::start_empty().await;
    let vectors = QdrantVectors::new(config(&server.listener.url)).unwrap();
    (server, vectors)
}

macro_rules! behavior {
    // Qdrant computes rarity over all chunks, visible or not.
    (words_of_others_change_no_score) => {};
    ($behavior:ident) => {
        #[tokio::test]
        async fn $behavior() {
            let (_server, vectors) = store().await;
            vector_store::$behavior(&DirectBackend::new(Arc::new(vectors))).await;
        }
    };
}

macro_rules! behaviors {
    ($($behavior:ident),* $(,)?) => {
        $(behavior!($behavior);)*
    };
}

testkit::vector_behaviors!(behaviors);

fn document(signal: i64, count: u32) -> SignalVectors {
    let chunk = |number: u32| ChunkVector {
        number,
        start: number * 10,
        end: number * 10 + 9,
        dense: vec![1.0, number as f32],
        sparse: None,
    };
    SignalVectors {
        signal: SignalId(signal),
        acl: vec![AclToken::User(UserId(7)), AclToken::Provider(ProviderId(3))],
        provider: Some(ProviderId(3)),
        mime: "text/html".to_owned(),
        matter_tags: vec!["matter:one".to_owned()],
        date: "2024-03-05".to_owned(),
        chunks: (0..count).map(chunk).collect(),
    }
}

#[tokio::test]
async fn points_say_where_they_come_from() {
    let (server, vectors) = store().await;
    vectors.put(document(4, 2)).await.unwrap();
    let payloads = server.with(|collections| collections.payloads(COLLECTION));
    let expected = |chunk: u32| {
        json!({
            "signal_id": 4, "chunk": chunk, "start": chunk * 10, "end": chunk * 10 + 9, "mime": "text/html",
            "provider_id": 3, "matter_tags": ["matter:one"], "acl": ["user:7", "provider:3"], "date": "2024-03-05",
        })
    };
    assert_eq!(payloads, [expected(0), expected(1)]);
}

/// Longer than one request, shorter again, and empty.
#[tokio::test]
async fn a_document_of_many_pieces_is_replaced_whole() {
    let (_server, vectors) = store().await;
    let many = u32::try_from(POINTS_MAX).unwrap() * 2 + 1;
    for count in [many, u32::try_from(POINTS_MAX).unwrap(), 3] {
        vectors.put(document(4, count)).await.unwrap();
        vectors.put(document(5, 1)).await.unwrap();
        let held = vectors.chunk_counts(None, 10).await.unwrap();
        assert_eq!(held, [(SignalId(4), count), (SignalId(5), 1)]);
    }
    vectors.put(document(4, 0)).await.unwrap();
    assert_eq!(vectors.chunk_counts(None, 10).await.unwrap(), [(SignalId(5), 1)]);
}

/// Documents on more than one page of the server's list.
#[tokio::test]
async fn long_lists_are_read_page_by_page() {
    let (_server, vectors) = store().await;
    let pieces = 400;
    let documents = i64::try_from(LISTED_MAX).unwrap() / i64::from(pieces) + 2;
    for signal in 1..=documents {
        vectors.put(document(signal, pieces)).await.unwrap();
    }
    let expected: Vec<(SignalId, u32)> = (1..=documents).map(|signal| (SignalId(signal), pieces)).collect();
    assert_eq!(vectors.chunk_counts(None, 100).await.unwrap(), expected);
    let some = usize::try_from(documents).unwrap() - 1;
    assert_eq!(vectors.chunk_counts(None, some).await.unwrap(), expected[..some]);
    assert_eq!(vectors.chunk_counts(Some(SignalId(documents)), 5).await.unwrap(), []);
    let ids: Vec<SignalId> = (1..=i64::try_from(REMOVED_MAX).unwrap() + 1).map(SignalId).collect();
    vectors.remove(&ids).await.unwrap();
    assert_eq!(vectors.state().await.unwrap().chunks, 0);
}

#[tokio::test]
async fn missing_indexes_are_made_and_two_may_make_a_collection_at_once() {
    let (server, vectors) = store().await;
    // As after a crash.
    let dense = json!({DENSE: {"size": 2, "distance": "Cosine"}});
    server.with(|all| all.make(COLLECTION, &json!({"vectors": dense, "sparse_vectors": {MARK: {}}})));
    let refused = vectors.set_acl(SignalId(1), &[]).await.unwrap_err().to_string();
    assert!(refused.contains("Index required but not found"), "{refused}");
    vectors.prepare(2).await.unwrap();
    vectors.set_acl(SignalId(1), &[]).await.unwrap();
    vectors.clear().await.unwrap();
    let both = tokio::join!(vectors.prepare(2), vectors.prepare(2));
    assert_eq!(both, (Ok(()), Ok(())));
}

/// Another program's collection of the same name: empty or not, without or with a vector of the same name and size.
#[tokio::test]
async fn a_collection_of_others_is_not_touched() {
    let unnamed = json!({"size": 2, "distance": "Cosine"});
    let named = json!({DENSE: unnamed});
    let payload = json!({"signal_id": 1, "acl": ["user:7"], "text": "theirs"});
    let two = json!({DENSE: unnamed, "picture": unnamed});
    for (made, is_indexed, points) in [
        (&unnamed, true, json!([])),
        (&named, false, json!([])),
        (&two, true, json!([])),
        (&unnamed, true, json!([{"id": 1, "vector": [1.0, 0.0], "payload": payload}])),
        (&named, true, json!([{"id": 1, "vector": {DENSE: [1.0, 0.0]}, "payload": payload}])),
        (&named, true, json!([{"id": 1 << 20, "vector": {DENSE: [1.0, 0.0]}, "payload": payload}])),
    ] {
        let (server, vectors) = store().await;
        server.with(|all| {
            all.make(COLLECTION, &json!({"vectors": made}));
            all.put_points(COLLECTION, &points);
            if is_indexed {
                all.index(COLLECTION);
            }
        });
        let count = points.as_array().unwrap().len();
        let me = [AclToken::User(UserId(7))];
        let query = VectorQuery { tokens: &me, limit: 3 };
        let words = SparseVector { indices: vec![1], values: vec![1.0] };
        let foreign = Err(VectorError::Foreign { collection: COLLECTION.to_owned() });
        for refused in [
            vectors.clear().await,
            vectors.prepare(2).await,
            vectors.put(document(1, 1)).await,
            vectors.set_acl(SignalId(1), &me).await,
            vectors.remove(&[SignalId(1)]).await,
            vectors.make_hybrid().await,
            vectors.nearest(query, &[1.0, 0.0]).await.map(|_| ()),
            vectors.nearest_by_words(query, &words).await.map(|_| ()),
            vectors.chunk_counts(None, 9).await.map(|_| ()),
            vectors.state().await.map(|_| ()),
        ] {
            assert_eq!(refused, foreign, "{made} {points}");
        }
        assert_eq!(server.with(|all| all.payloads(COLLECTION)), vec![payload.clone(); count]);
    }
}

/// Collections of versions that did not mark them.
#[tokio::test]
async fn a_collection_of_an_earlier_version_is_ours() {
    let dense = json!({DENSE: {"size": 2, "distance": "Cosine"}});
    let payload = json!({"signal_id": 1, "chunk": 0, "acl": ["user:7"]});
    let point = json!({"id": 1 << 20, "vector": {DENSE: [1.0, 0.0]}, "payload": payload});
    let hybrid = json!({"vectors": dense, "sparse_vectors": {WORDS: {"modifier": "idf"}}});
    for (made, points) in [
        (json!({"vectors": dense}), json!([])),
        (hybrid.clone(), json!([])),
        (json!({"vectors": dense}), json!([point])),
        (hybrid, json!([point])),
    ] {
        let (server, vectors) = store().await;
        server.with(|all| {
            all.make(COLLECTION, &made);
            all.put_points(COLLECTION, &points);
            all.index(COLLECTION);
        });
        let count = points.as_array().unwrap().len();
        assert_eq!(vectors.state().await.unwrap().chunks, count as u64, "{made} {points}");
        vectors.put(document(2, 1)).await.unwrap();
        assert_eq!(vectors.chunk_counts(None, 9).await.unwrap().len(), count + 1, "{made} {points}");
        vectors.clear().await.unwrap();
        vectors.put(document(2, 1)).await.unwrap();
        assert!(
            vectors.own_collection().await.unwrap().unwrap().has_sparse(MARK),
            "it is marked from now on"
        );
    }
}

/// Another program takes the name after our collection was deleted by hand.
#[tokio::test]
async fn a_collection_that_changed_hands_is_not_touched() {
    let (server, vectors) = store().await;
    vectors.put(document(1, 1)).await.unwrap();
    let theirs = json!({"signal_id": 1, "chunk": 0, "acl": ["user:7"], "text": "theirs"});
    server.with(|all| {
        all.remove(COLLECTION);
        all.make(COLLECTION, &json!({"vectors": {DENSE: {"size": 2, "distance": "Cosine"}}}));
        all.put_points(COLLECTION, &json!([{"id": 1, "vector": {DENSE: [1.0, 0.0]}, "payload": theirs}]));
        all.index(COLLECTION);
    });
    let me = [AclToken::User(UserId(7))];
    let query = VectorQuery { tokens: &me, limit: 3 };
    let words = SparseVector { indices: vec![1], values: vec![1.0] };
    assert!(vectors.nearest(query, &[1.0, 0.0]).await.is_ok(), "it was verified just now");
    for refused in [
        vectors.remove(&[SignalId(1)]).await,
        vectors.set_acl(SignalId(1), &[]).await,
        vectors.put(document(1, 1)).await,
        vectors.clear().await,
        vectors.make_hybrid().await,
        vectors.nearest(query, &[1.0, 0.0]).await.map(|_| ()),
        vectors.nearest_by_words(query, &words).await.map(|_| ()),
        vectors.chunk_counts(None, 9).await.map(|_| ()),
        vectors.state().await.map(|_| ()),
    ] {
        assert!(matches!(refused, Err(VectorError::Foreign { .. })), "{refused:?}");
    }
    assert_eq!(server.with(|all| all.payloads(COLLECTION)), [theirs]);
}

#[tokio::test]
async fn what_was_verified_long_ago_is_verified_again() {
    let (server, mut vectors) = store().await;
    vectors.verified.lasts = Duration::ZERO;
    vectors.put(document(1, 1)).await.unwrap();
    server.with(|all| {
        all.remove(COLLECTION);
        all.make(COLLECTION, &json!({"vectors": {DENSE: {"size": 2, "distance": "Cosine"}}}));
        all.index(COLLECTION);
        all.put_points(COLLECTION, &json!([{"id": 1, "vector": {DENSE: [1.0, 0.0]}, "payload": {}}]));
    });
    let query = VectorQuery { tokens: &[AclToken::User(UserId(7))], limit: 3 };
    let found = vectors.nearest(query, &[1.0, 0.0]).await;
    assert!(matches!(found, Err(VectorError::Foreign { .. })), "{found:?}");
}

/// A collection that refuses a question may be another one now, however recently it was verified.
#[tokio::test]
async fn a_refusal_lets_the_collection_be_verified_again() {
    let (server, vectors) = store().await;
    vectors.put(document(1, 1)).await.unwrap();
    server.with(|all| {
        all.remove(COLLECTION);
        all.make(COLLECTION, &json!({"vectors": {"size": 2, "distance": "Cosine"}}));
        all.index(COLLECTION);
    });
    let me = [AclToken::User(UserId(7))];
    let query = VectorQuery { tokens: &me, limit: 3 };
    let foreign = VectorError::Foreign { collection: COLLECTION.to_owned() };
    assert_eq!(vectors.nearest(query, &[1.0, 0.0]).await, Err(foreign.clone()));
    assert_eq!(vectors.chunk_counts(None, 9).await, Err(foreign));
}

#[tokio::test]
async fn what_goes_wrong_is_told_without_secrets() {
    let (server, vectors) = store().await;
    vectors.prepare(2).await.unwrap();
    let me = [AclToken::User(UserId(7))];
    let query = VectorQuery { tokens: &me, limit: 3 };
    let wrong_key = QdrantConfig { api_key: Secret::new("canary"), ..config(&server.listener.url) };
    let nobody = config("http://127.0.0.1:1");
    let no_server = config(&format!("{}/elsewhere", server.listener.url));
    let table = [
        (
            wrong_key,
            "the vector store rejected the request: the key is not accepted (HTTP 401); see SVC_QDRANT_API_KEY",
        ),
        (nobody, "the vector store cannot be reached: no connection to 127.0.0.1"),
        (no_server, "the vector store cannot be reached: it does not answer as Qdrant does (HTTP 404)"),
    ];
    for (config, expected) in table {
        let vectors = QdrantVectors::new(config).unwrap();
        let told = vectors.nearest(query, &[1.0, 0.0]).await.unwrap_err().to_string();
        assert!(told.starts_with(expected) && !told.contains("canary"), "{told}");
        assert!(vectors.state().await.is_err() && vectors.set_acl(SignalId(1), &[]).await.is_err());
    }
    server.throttle();
    let busy = vectors.nearest(query, &[1.0, 0.0]).await;
    assert!(matches!(busy, Err(VectorError::Unreachable { .. })), "{busy:?}");
}

#[tokio::test]
async fn an_answer_of_very_many_values_is_not_read() {
    let source = Source::start().await;
    let hits = format!(r#"{{"result": {{"points": [{}{{}}]}}}}"#, "{},".repeat(200_000));
    source.reply(Behavior::text("application/json", hits));
    let vectors = QdrantVectors::new(config(source.url().as_str())).unwrap();
    let me = [AclToken::User(UserId(7))];
    let told =
        vectors.nearest(VectorQuery { tokens: &me, limit: 3 }, &[1.0, 0.0]).await.unwrap_err().to_string();
    assert!(told.contains("does not answer as Qdrant does"), "{told}");
}

#[test]
fn addresses_and_names_are_checked() {
    for good in ["http://localhost:6333", " https://qdrant.example/ ", "http://127.0.0.1/behind/a/path/"] {
        assert!(QdrantVectors::new(config(good)).is_ok(), "{good}");
    }
    for bad in ["", "localhost:6333", "ftp://a.example", "http://u:canary@a.example", "http://a.example/?a=1"]
    {
        let told = QdrantVectors::new(config(bad)).err().expect("it is refused").to_string();
        assert!(!told.contains("canary"), "{told}");
    }
    for bad in ["", "a/b", "a b", "../x", &"a".repeat(256)] {
        let config = QdrantConfig { collection: bad.to_owned(), ..config("http://localhost:6333") };
        assert!(QdrantVectors::new(config).is_err(), "{bad}");
    }
}
