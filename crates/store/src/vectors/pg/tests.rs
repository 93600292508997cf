//! Tests beyond the shared suite: the index of pgvector, and the notation of vectors.

use super::*;
use crate::{EncryptionKey, StoreConfig};
use domain::ids::UserId;
use domain::secret::Secret;
use sqlx::Executor;

const DIMENSION: usize = 8;
const DOCUMENTS: i64 = 100;
const PIECES: u32 = 30;
const ALL: AclToken = AclToken::User(UserId(1));
const FEW: AclToken = AclToken::User(UserId(2));

#[test]
fn a_vector_is_written_as_pgvector_reads_it() {
    assert_eq!(written(&[]), "[]");
    assert_eq!(written(&[0.5, -1.0, f32::NAN, f32::INFINITY, 1e-9]), "[0.5,-1,0,0,0.000000001]");
}

/// Deterministic vectors.
fn vector(seed: u32) -> Vec<f32> {
    let number = |place: usize| ((seed as usize * 31 + place * 17) as f32 * 12.9898).sin();
    unit(&(0..DIMENSION).map(number).collect::<Vec<_>>())
}

fn document(signal: i64) -> SignalVectors {
    let chunk = |number: u32| ChunkVector {
        number,
        start: 0,
        end: 1,
        dense: vector(signal as u32 * PIECES + number),
        sparse: None,
    };
    SignalVectors {
        signal: SignalId(signal),
        acl: if signal == 7 { vec![ALL, FEW] } else { vec![ALL] },
        provider: None,
        mime: String::new(),
        matter_tags: Vec::new(),
        date: String::new(),
        chunks: (0..PIECES).map(chunk).collect(),
    }
}

fn server() -> Option<String> {
    testkit::postgres::server_with_pgvector("the index of pgvector")
}

#[tokio::test]
async fn the_index_is_asked_when_there_is_much_and_finds_it() {
    let Some(server) = server() else { return };
    testkit::postgres::with_database(&server, |url| async move {
        let key = EncryptionKey::from_secret(&Secret::new("a test key"));
        let config = StoreConfig { url: Secret::new(url), pool_max: 4, key };
        let store = SqlStore::open(config).await.expect("PostgreSQL");
        let exact = PgVectors::open(&store).expect("PostgreSQL");
        for signal in 1..=DOCUMENTS {
            exact.put(document(signal)).await.expect("put");
        }
        let indexed = PgVectors { exact_max: 10, ..PgVectors::open(&store).expect("PostgreSQL") };
        let made = indexed.made_for(DIMENSION).await.expect("an answer").expect("made");
        assert!((2_500..4_000).contains(&made.pieces_about), "3,000 are about {}", made.pieces_about);
        let mut same = 0;
        for question in 0..10 {
            let question = vector(100_000 + question);
            // A person who sees few chunks gets them all, however distant.
            for (token, limit) in [(ALL, 20), (FEW, 20)] {
                let asking = VectorQuery { tokens: &[token], limit };
                let (one, other) =
                    (exact.nearest(asking, &question).await, indexed.nearest(asking, &question).await);
                let (one, other) = (one.expect("an answer"), other.expect("an answer"));
                assert_eq!((one.len(), other.len()), (limit, limit));
                same += one
                    .iter()
                    .filter(|hit| {
                        other.iter().any(|found| found.signal == hit.signal && found.chunk == hit.chunk)
                    })
                    .count();
            }
            let tokens = texts(&[ALL]);
            let by_index = indexed.by_index(&written(&question), &tokens, 20).await.expect("an answer");
            assert!(by_index.is_some(), "enough were looked at");
            let tokens = texts(&[FEW]);
            let by_index = indexed.by_index(&written(&question), &tokens, 20).await;
            assert_eq!(by_index, Ok(None), "one of a hundred documents is too few");
        }
        assert!(same >= 390, "{same} of 400");
        assert!(plan(&indexed).await.contains("corpus_vectors_dense"), "{}", plan(&indexed).await);
        store.close().await;
    })
    .await;
}

/// Tables of these names that another program created in the same database.
#[tokio::test]
async fn tables_of_others_are_not_touched() {
    let Some(server) = server() else { return };
    let theirs = [
        "CREATE TABLE corpus_vectors (id BIGINT PRIMARY KEY, dense vector(8))",
        "CREATE TABLE corpus_vector_documents (signal_id BIGINT PRIMARY KEY, acl TEXT[], name TEXT)",
        "CREATE TABLE corpus_vector_words (word TEXT, signal_id BIGINT)",
    ];
    for text in theirs {
        testkit::postgres::with_database(&server, move |url| async move {
            let key = EncryptionKey::from_secret(&Secret::new("a test key"));
            let store = SqlStore::open(StoreConfig { url: Secret::new(url), pool_max: 4, key }).await;
            let store = store.expect("PostgreSQL");
            let vectors = PgVectors::open(&store).expect("PostgreSQL");
            vectors.pool.execute("CREATE EXTENSION vector").await.expect("the extension");
            vectors.pool.execute(text).await.expect("their table");
            let table = text.split(' ').nth(2).expect("its name").to_owned();
            let foreign = Err(VectorError::ForeignTable { table: table.clone() });
            let query = VectorQuery { tokens: &[ALL], limit: 3 };
            for refused in [
                vectors.clear().await,
                vectors.prepare(DIMENSION).await,
                vectors.put(document(1)).await,
                vectors.set_acl(SignalId(1), &[ALL]).await,
                vectors.remove(&[SignalId(1)]).await,
                vectors.nearest(query, &vector(1)).await.map(|_| ()),
                vectors.chunk_counts(None, 9).await.map(|_| ()),
                vectors.state().await.map(|_| ()),
            ] {
                assert_eq!(refused, foreign, "{table}");
            }
            let left = sqlx::query_scalar::<_, i64>(
                "SELECT COUNT(*) FROM pg_class WHERE relname LIKE 'corpus_vector%' AND relkind = 'r'",
            );
            assert_eq!(left.fetch_one(&vectors.pool).await.expect("a count"), 1, "{table}");
            store.close().await;
        })
        .await;
    }
}

/// The query plan.
async fn plan(vectors: &PgVectors) -> String {
    let mut tx = vectors.pool.begin().await.expect("a connection");
    tx.execute("SET LOCAL enable_sort = off").await.expect("set");
    let text = sqlx::AssertSqlSafe(format!("EXPLAIN {NEAREST_BY_INDEX}"));
    let lines: Vec<String> = sqlx::query_scalar(text)
        .bind(written(&vector(1)))
        .bind(texts(&[ALL]))
        .bind(20_i64)
        .fetch_all(&mut *tx)
        .await
        .expect("a plan");
    lines.join("\n")
}
