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

/// The tables with their columns. A table of another program has others.
const COLUMNS: [(&str, &str); 3] = [
    (
        "corpus_vector_documents",
        "signal_id int8, acl _text, provider_id int8, mime text, matter_tags _text, date text, pieces int4",
    ),
    ("corpus_vector_words", "word int4, signal_id int8, number int4, weight float4"),
    (VECTORS, "signal_id int8, number int4, start_char int4, end_char int4, dense vector"),
];
const VECTORS: &str = "corpus_vectors";

/// What is known of the collection without counting.
pub struct Collection {
    pub dimension: usize,
    /// Estimated from the size of the table.
    pub pieces_about: u64,
}

/// None if it does not exist. Tables of another program are refused: they are neither read nor changed.
pub async fn collection(pool: &PgPool) -> Result<Option<Collection>, VectorError> {
    let text = "SELECT relname::TEXT, string_agg(attname || ' ' || typname, ', ' ORDER BY attnum), \
                MAX(atttypmod) FILTER (WHERE attname = 'dense'), pg_table_size(attrelid) \
                FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_type ON pg_type.oid = atttypid \
                WHERE attrelid IN (to_regclass('corpus_vector_documents'), to_regclass('corpus_vector_words'), \
                    to_regclass('corpus_vectors')) AND attnum > 0 AND NOT attisdropped GROUP BY attrelid, relname";
    let tables: Vec<(String, String, Option<i32>, i64)> =
        sqlx::query_as(text).fetch_all(pool).await.map_err(refused)?;
    let mut collection = None;
    for (table, columns, dimension, bytes) in tables {
        if !COLUMNS.contains(&(table.as_str(), columns.as_str())) {
            return Err(VectorError::ForeignTable { table });
        }
        if table == VECTORS {
            let dimension = usize::try_from(dimension.unwrap_or_default()).unwrap_or_default();
            let piece_bytes = PIECE_BYTES + dimension as u64 * NUMBER_BYTES;
            collection = Some(Collection { dimension, pieces_about: bytes.unsigned_abs() / piece_bytes });
        }
    }
    Ok(collection)
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
