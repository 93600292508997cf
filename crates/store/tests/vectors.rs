//! The vector store suite in memory, over the records of each database, and in PostgreSQL with pgvector if
//! `SVC_TEST_PGVECTOR` names a server where databases may be created; and tests of an index over records.
#![expect(clippy::expect_used, reason = "a test fails where its database does")]

use domain::corpus::AclToken;
use domain::ports::{SignalStore, Store, VectorError, VectorQuery, VectorStore};
use domain::secret::Secret;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use store::vectors::{MemoryVectors, NoVectors, PgVectors};
use store::{EncryptionKey, SqlStore, StoreConfig};
use testkit::suites::vector_store::{DirectBackend, Piece, RecordsBackend, VectorBackend, words};

type Behavior = for<'a> fn(&'a dyn VectorBackend) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

async fn open(url: &str) -> Arc<SqlStore> {
    let key = EncryptionKey::from_secret(&Secret::new("a test key"));
    let config = StoreConfig { url: Secret::new(url), pool_max: 8, key };
    Arc::new(SqlStore::open(config).await.expect("a database"))
}

fn in_memory(store: &Arc<SqlStore>) -> MemoryVectors {
    MemoryVectors::new(Arc::clone(store) as Arc<dyn SignalStore>, words)
}

async fn backend(store: &Arc<SqlStore>) -> RecordsBackend {
    RecordsBackend::new(Arc::clone(store) as Arc<dyn Store>, Arc::new(in_memory(store))).await
}

async fn over_sqlite_memory(behavior: Behavior) {
    let store = open("sqlite::memory:").await;
    behavior(&backend(&store).await).await;
    store.close().await;
}

async fn over_sqlite_file(behavior: Behavior) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(&format!("sqlite://{}/store.db", folder.path().display())).await;
    behavior(&backend(&store).await).await;
    store.close().await;
}

async fn migrate(url: String) {
    open(&url).await.close().await;
}

async fn over_postgres(behavior: Behavior) {
    let Some(server) = testkit::postgres::server("the suite of vectors in memory") else { return };
    let test = move |url: String| async move {
        let store = open(&url).await;
        behavior(&backend(&store).await).await;
        store.close().await;
    };
    testkit::postgres::with_copy(&server, migrate, test).await;
}

/// A PostgreSQL server with pgvector.
fn pgvector() -> Option<String> {
    testkit::postgres::server_with_pgvector("vectors in PostgreSQL")
}

async fn in_pgvector(behavior: Behavior) {
    let Some(server) = pgvector() else { return };
    let test = move |url: String| async move {
        let store = open(&url).await;
        let vectors = PgVectors::open(&store).expect("PostgreSQL");
        behavior(&DirectBackend::new(Arc::new(vectors))).await;
        store.close().await;
    };
    testkit::postgres::with_copy(&server, migrate, test).await;
}

macro_rules! on_every_store {
    ($($behavior:ident),* $(,)?) => {
        on_one_store!(memory_over_sqlite_memory, over_sqlite_memory, $($behavior),*);
        on_one_store!(memory_over_sqlite_file, over_sqlite_file, $($behavior),*);
        on_one_store!(memory_over_postgres, over_postgres, $($behavior),*);
        on_one_store!(pgvector, in_pgvector, $($behavior),*);
    };
}

macro_rules! on_one_store {
    ($store:ident, $on:ident, $($behavior:ident),*) => {
        mod $store {
            $(#[tokio::test]
            async fn $behavior() {
                let behavior: crate::Behavior =
                    |backend| Box::pin(testkit::suites::vector_store::$behavior(backend));
                crate::$on(behavior).await;
            })*
        }
    };
}

testkit::vector_behaviors!(on_every_store);

fn pieces(count: usize) -> Vec<Piece> {
    (0..count).map(|number| (vec![1.0, number as f32 / 10.0], format!("word{number}"))).collect()
}

async fn count(vectors: &MemoryVectors, token: AclToken) -> usize {
    let query = VectorQuery { tokens: &[token], limit: 100 };
    vectors.nearest(query, &[1.0, 0.0]).await.expect("an answer").len()
}

#[tokio::test]
async fn processes_agree_and_a_right_that_is_taken_is_gone() {
    let store = open("sqlite::memory:").await;
    let backend = backend(&store).await;
    let (one, other) = (in_memory(&store), in_memory(&store));
    let me = backend.person(0);
    assert_eq!((count(&one, me).await, count(&other, me).await), (0, 0));
    let signal = backend.keep(None, &[me], &pieces(3)).await;
    assert_eq!((count(&one, me).await, count(&other, me).await), (3, 3));
    backend.keep(Some(signal), &[me], &pieces(2)).await;
    assert_eq!((count(&one, me).await, count(&other, me).await), (2, 2));
    // Only the records are changed.
    let AclToken::User(user) = me else { panic!("a person") };
    store.revoke_grant(signal, user, chrono::DateTime::UNIX_EPOCH).await.expect("revoked");
    assert_eq!((count(&one, me).await, count(&other, me).await), (0, 0));
    one.make_hybrid().await.expect("hybrid");
    assert!(other.state().await.expect("a state").is_hybrid);
    assert_eq!(in_memory(&store).chunk_counts(None, 9).await, Ok(vec![(signal, 2)]), "as after a restart");
    store.close().await;
    let query = VectorQuery { tokens: &[me], limit: 1 };
    let away = one.nearest(query, &[1.0, 0.0]).await;
    assert!(matches!(away, Err(VectorError::Unreachable { .. })), "{away:?}");
}

#[tokio::test]
async fn old_dimensions_wait_until_they_are_read_again() {
    let store = open("sqlite::memory:").await;
    let backend = backend(&store).await;
    let me = backend.person(0);
    let old = backend.keep(None, &[me], &pieces(1)).await;
    let new = backend.keep(None, &[me], &pieces(1)).await;
    let vectors = backend.vectors();
    vectors.clear().await.expect("cleared");
    vectors.prepare(3).await.expect("another model");
    backend.keep(Some(new), &[me], &[(vec![0.0, 0.0, 1.0], "a".to_owned())]).await;
    assert_eq!(vectors.chunk_counts(None, 9).await, Ok(vec![(new, 1)]), "{old} is of the old model");
    store.close().await;
}

/// A full load takes longer than one query may: the next query continues it.
#[tokio::test]
async fn a_reading_that_was_left_goes_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(&format!("sqlite://{}/store.db", folder.path().display())).await;
    let backend = backend(&store).await;
    let me = backend.person(0);
    for _ in 0..120 {
        backend.keep(None, &[me], &pieces(1)).await;
    }
    let vectors = in_memory(&store);
    let mut left = 0;
    for wait_ms in 1..200 {
        match tokio::time::timeout(Duration::from_millis(wait_ms), count(&vectors, me)).await {
            Ok(found) => {
                assert_eq!(found, 100);
                break;
            }
            Err(_) => left += 1,
        }
    }
    assert!(left > 0, "the first question was patient enough");
    assert_eq!(vectors.state().await.expect("a state").chunks, 120);
    store.close().await;
}

#[tokio::test]
async fn many_ask_while_others_write() {
    let store = open("sqlite::memory:").await;
    let backend = Arc::new(backend(&store).await);
    let vectors = Arc::new(in_memory(&store));
    let me = backend.person(0);
    let first = backend.keep(None, &[me], &pieces(2)).await;
    let mut running = tokio::task::JoinSet::new();
    for number in 0..8 {
        let (backend, vectors) = (Arc::clone(&backend), Arc::clone(&vectors));
        running.spawn(async move {
            for _ in 0..5 {
                if number < 2 {
                    backend.keep(None, &[me], &pieces(2)).await;
                } else {
                    let found = count(&vectors, me).await;
                    assert!(found >= 2 && found % 2 == 0, "documents come whole: {found}");
                }
            }
        });
    }
    while let Some(ended) = running.join_next().await {
        ended.expect("no panic");
    }
    assert_eq!(count(&vectors, me).await, 22);
    assert_eq!(vectors.chunk_counts(None, 1).await, Ok(vec![(first, 2)]));
    store.close().await;
}

#[tokio::test]
async fn pgvector_must_be_there() {
    let store = open("sqlite::memory:").await;
    let refused = PgVectors::open(&store).err().map(|error| error.to_string());
    assert!(refused.is_some_and(|text| text.contains("SVC_DATABASE_URL")));
    assert_eq!(NoVectors.state().await, Err(VectorError::Disabled));
    store.close().await;
    let Some(server) = testkit::postgres::server("a PostgreSQL without pgvector") else { return };
    testkit::postgres::with_database(&server, |url| async move {
        let store = open(&url).await;
        let vectors = PgVectors::open(&store).expect("PostgreSQL");
        match vectors.prepare(2).await {
            // ./test does not use a server with pgvector for SVC_TEST_POSTGRES.
            Ok(()) => testkit::skip("a PostgreSQL without pgvector", "the one of SVC_TEST_POSTGRES has it"),
            Err(error) => {
                assert!(error.to_string().contains("CREATE EXTENSION vector"), "{error}");
                assert_eq!(vectors.state().await.expect("a state").dimension, None);
                assert_eq!(vectors.chunk_counts(None, 9).await, Ok(Vec::new()));
            }
        }
        store.close().await;
    })
    .await;
}
