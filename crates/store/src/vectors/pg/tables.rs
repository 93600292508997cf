//! The tables of the vectors. They are not in the migrations: they need an extension that most databases do not have,
//! and their dimension is that of the embedding model.

use super::error::refused;
use domain::ports::VectorError;
use sqlx::{AssertSqlSafe, PgPool};

/// pgvector can index vectors up to this dimension; wider ones are compared one by one.
const INDEXED_DIMENSION_MAX: usize = 2_000;
/// Advisory lock of processes that create or drop the tables.
const LOCK: i64 = 0x7665_6374_6f72;

/// Bytes per number, and overhead of a row.
const NUMBER_BYTES: u64 = 4;
const PIECE_BYTES: u64 = 60;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS corpus_vector_documents (
    signal_id BIGINT PRIMARY KEY,
    acl TEXT[] NOT NULL,
    provider_id BIGINT,
    mime TEXT NOT NULL,
    matter_tags TEXT[] NOT NULL,
    date TEXT NOT NULL,
    pieces INTEGER NOT NULL
);
CREATE INDEX IF NOT EXISTS corpus_vector_documents_acl ON corpus_vector_documents USING gin (acl);
CREATE TABLE IF NOT EXISTS corpus_vectors (
    signal_id BIGINT NOT NULL REFERENCES corpus_vector_documents (signal_id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    start_char INTEGER NOT NULL,
    end_char INTEGER NOT NULL,
    dense vector(DIMENSION) NOT NULL,
    PRIMARY KEY (signal_id, number)
);
CREATE TABLE IF NOT EXISTS corpus_vector_words (
    word INTEGER NOT NULL,
    signal_id BIGINT NOT NULL REFERENCES corpus_vector_documents (signal_id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    weight REAL NOT NULL,
    PRIMARY KEY (word, signal_id, number)
);
CREATE INDEX IF NOT EXISTS corpus_vector_words_signal ON corpus_vector_words (signal_id);
";
const INDEX: &str = "CREATE INDEX IF NOT EXISTS corpus_vectors_dense ON corpus_vectors \
     USING hnsw (dense vector_ip_ops) WITH (m = 16, ef_construction = 64)";

/// What is known of the collection without counting.
pub struct Collection {
    pub dimension: usize,
    /// Estimated from the size of the table.
    pub pieces_about: u64,
}

/// None if it does not exist.
pub async fn collection(pool: &PgPool) -> Result<Option<Collection>, VectorError> {
    let text = "SELECT atttypmod, pg_table_size(attrelid) FROM pg_attribute \
                WHERE attrelid = to_regclass('corpus_vectors') AND attname = 'dense'";
    let made: Option<(i32, i64)> = sqlx::query_as(text).fetch_optional(pool).await.map_err(refused)?;
    Ok(made.map(|(dimension, bytes)| {
        let dimension = usize::try_from(dimension).unwrap_or_default();
        let piece_bytes = PIECE_BYTES + dimension as u64 * NUMBER_BYTES;
        Collection { dimension, pieces_about: bytes.unsigned_abs() / piece_bytes }
    }))
}

/// Creates what is missing.
pub async fn make(pool: &PgPool, dimension: usize) -> Result<(), VectorError> {
    let mut tx = pool.begin().await.map_err(refused)?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *tx).await.map_err(refused)?;
    let extension = "SELECT COUNT(*) FROM pg_extension WHERE extname = 'vector'";
    let there: i64 = sqlx::query_scalar(extension).fetch_one(&mut *tx).await.map_err(refused)?;
    if there == 0 {
        sqlx::query("CREATE EXTENSION IF NOT EXISTS vector").execute(&mut *tx).await.map_err(missing)?;
    }
    let mut text = TABLES.replace("DIMENSION", &dimension.to_string());
    if dimension <= INDEXED_DIMENSION_MAX {
        text.push_str(INDEX);
    }
    // Only a number of ours was inserted.
    sqlx::raw_sql(AssertSqlSafe(text)).execute(&mut *tx).await.map_err(refused)?;
    tx.commit().await.map_err(refused)
}

pub async fn drop(pool: &PgPool) -> Result<(), VectorError> {
    let mut tx = pool.begin().await.map_err(refused)?;
    sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *tx).await.map_err(refused)?;
    let text = "DROP TABLE IF EXISTS corpus_vector_words, corpus_vectors, corpus_vector_documents";
    sqlx::query(text).execute(&mut *tx).await.map_err(refused)?;
    tx.commit().await.map_err(refused)
}

fn missing(error: sqlx::Error) -> VectorError {
    match refused(error) {
        VectorError::Refused { message, source } => {
            let message = format!(
                "PostgreSQL has no pgvector ({message}): install the extension on the database server and have its \
                 administrator run CREATE EXTENSION vector, or use another SVC_VECTOR_BACKEND"
            );
            VectorError::Refused { message, source }
        }
        other => other,
    }
}
