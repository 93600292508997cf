//! Vectors in PostgreSQL with pgvector, for installations without a vector server. The access list is a condition of
//! every query.

mod error;
mod tables;
#[cfg(test)]
mod tests;

use super::hybrid::{is_hybrid, set_hybrid, unset_hybrid};
use super::limits::{HITS_MAX, allowed, dimension_of};
use super::math::unit;
use crate::SqlStore;
use crate::db::Db;
use async_trait::async_trait;
use domain::corpus::AclToken;
use domain::ids::SignalId;
use domain::ports::{
    ChunkVector, SignalVectors, SparseVector, VectorError, VectorHit, VectorQuery, VectorState, VectorStore,
};
use error::refused;
use sqlx::{PgPool, Postgres, Transaction};
use tables::Collection;

/// In a collection of up to this many chunks every visible one is compared. Above, the index is used first.
const EXACT_MAX: u64 = 5_000;
/// Chunks that the index considers first.
const LOOKED_AT: usize = 240;
/// And if too few of them, but a good part, are visible. It is the maximum of pgvector.
const LOOKED_AT_MAX: usize = 1_000;

const NEAREST: &str = "SELECT v.signal_id, v.number, -(v.dense <#> (SELECT $1::text::vector)) AS score \
     FROM corpus_vectors v JOIN corpus_vector_documents d ON d.signal_id = v.signal_id \
     WHERE d.acl && $2 ORDER BY score DESC, v.signal_id, v.number LIMIT $3";
/// In index order, which returns only as many as it considered.
const NEAREST_BY_INDEX: &str = "SELECT signal_id, number, score FROM (\
       SELECT v.signal_id, v.number, -(v.dense <#> (SELECT $1::text::vector)) AS score FROM corpus_vectors v \
       WHERE EXISTS (SELECT 1 FROM corpus_vector_documents d WHERE d.signal_id = v.signal_id AND d.acl && $2) \
       ORDER BY v.dense <#> (SELECT $1::text::vector) LIMIT $3\
     ) nearest ORDER BY score DESC, signal_id, number";
/// Rarity is computed over visible chunks only, so that scores reveal nothing about others.
const NEAREST_BY_WORDS: &str = "WITH asked AS (\
       SELECT word, weight FROM UNNEST($1::INTEGER[], $2::REAL[]) AS asked (word, weight)\
     ), visible AS MATERIALIZED (\
       SELECT signal_id, pieces FROM corpus_vector_documents WHERE acl && $3\
     ), found AS MATERIALIZED (\
       SELECT w.word, w.signal_id, w.number, w.weight * a.weight AS weight FROM asked a \
       JOIN corpus_vector_words w ON w.word = a.word JOIN visible v ON v.signal_id = w.signal_id\
     ), total AS (\
       SELECT COALESCE(SUM(pieces), 0)::FLOAT8 AS pieces FROM visible\
     ), rare AS (\
       SELECT word, LN(1 + (GREATEST(total.pieces, having_it) - having_it + 0.5) / (having_it + 0.5)) AS rarity \
       FROM (SELECT word, COUNT(*)::FLOAT8 AS having_it FROM found GROUP BY word) counted, total\
     ) SELECT f.signal_id, f.number, SUM(f.weight * r.rarity)::FLOAT8 AS score \
     FROM found f JOIN rare r ON r.word = f.word GROUP BY f.signal_id, f.number \
     HAVING SUM(f.weight * r.rarity) > 0 ORDER BY score DESC, f.signal_id, f.number LIMIT $4";

pub struct PgVectors {
    pool: PgPool,
    records: SqlStore,
    exact_max: u64,
}

type HitRow = (i64, i32, f64);

impl PgVectors {
    /// In the database of the records, which must be PostgreSQL.
    pub fn open(store: &SqlStore) -> Result<Self, VectorError> {
        match &store.db {
            Db::Postgres(pools) => {
                Ok(Self { pool: pools.write.pool().clone(), records: store.clone(), exact_max: EXACT_MAX })
            }
            Db::Sqlite(_) => Err(VectorError::refused(
                "SVC_VECTOR_BACKEND=pgvector needs the records in PostgreSQL (SVC_DATABASE_URL)",
            )),
        }
    }

    /// The collection, if it has this dimension. None if there is none.
    async fn made_for(&self, ours: usize) -> Result<Option<Collection>, VectorError> {
        match tables::collection(&self.pool).await? {
            Some(made) if made.dimension != ours => {
                Err(VectorError::Dimension { there: made.dimension, ours })
            }
            made => Ok(made),
        }
    }

    async fn is_made(&self) -> Result<bool, VectorError> {
        Ok(tables::collection(&self.pool).await?.is_some())
    }

    /// The nearest by the index. None if so little is visible that comparing each chunk is better.
    async fn by_index(
        &self,
        asked: &str,
        tokens: &[String],
        limit: usize,
    ) -> Result<Option<Vec<HitRow>>, VectorError> {
        let mut looked_at = LOOKED_AT;
        loop {
            let rows = self.among(asked, tokens, limit, looked_at).await?;
            if rows.len() == limit {
                return Ok(Some(rows));
            }
            if looked_at == LOOKED_AT_MAX || rows.len() * (LOOKED_AT_MAX / looked_at) < limit {
                return Ok(None);
            }
            looked_at = LOOKED_AT_MAX;
        }
    }

    /// The visible ones of so many nearest chunks.
    async fn among(
        &self,
        asked: &str,
        tokens: &[String],
        limit: usize,
        looked_at: usize,
    ) -> Result<Vec<HitRow>, VectorError> {
        let mut tx = self.pool.begin().await.map_err(refused)?;
        // Otherwise the planner may prefer sorting to the index.
        let settings = format!("SET LOCAL hnsw.ef_search = {looked_at}; SET LOCAL enable_sort = off");
        sqlx::raw_sql(sqlx::AssertSqlSafe(settings)).execute(&mut *tx).await.map_err(refused)?;
        let rows: Vec<HitRow> = sqlx::query_as(NEAREST_BY_INDEX)
            .bind(asked)
            .bind(tokens)
            .bind(limit as i64)
            .fetch_all(&mut *tx)
            .await
            .map_err(refused)?;
        tx.rollback().await.map_err(refused)?;
        Ok(rows)
    }
}

#[async_trait]
impl VectorStore for PgVectors {
    async fn put(&self, vectors: SignalVectors) -> Result<(), VectorError> {
        let Some(dimension) = dimension_of(vectors.chunks.iter().map(|chunk| chunk.dense.as_slice()))? else {
            return self.remove(&[vectors.signal]).await;
        };
        self.prepare(dimension).await?;
        let is_hybrid = is_hybrid(&self.records).await?;
        let mut tx = self.pool.begin().await.map_err(refused)?;
        // The document's row comes first, so that writers of one document are serialized.
        put_document(&mut tx, &vectors).await.map_err(refused)?;
        put_pieces(&mut tx, vectors.signal, &vectors.chunks).await.map_err(refused)?;
        if is_hybrid {
            put_words(&mut tx, vectors.signal, &vectors.chunks).await.map_err(refused)?;
        }
        tx.commit().await.map_err(refused)
    }

    async fn set_acl(&self, signal: SignalId, acl: &[AclToken]) -> Result<(), VectorError> {
        if !self.is_made().await? {
            return Ok(());
        }
        let text = "UPDATE corpus_vector_documents SET acl = $2 WHERE signal_id = $1";
        let query = sqlx::query(text).bind(signal.0).bind(texts(acl));
        query.execute(&self.pool).await.map_err(refused)?;
        Ok(())
    }

    async fn remove(&self, signals: &[SignalId]) -> Result<(), VectorError> {
        if !self.is_made().await? {
            return Ok(());
        }
        let ids: Vec<i64> = signals.iter().map(|signal| signal.0).collect();
        let text = "DELETE FROM corpus_vector_documents WHERE signal_id = ANY($1)";
        sqlx::query(text).bind(ids).execute(&self.pool).await.map_err(refused)?;
        Ok(())
    }

    async fn nearest(&self, asking: VectorQuery<'_>, dense: &[f32]) -> Result<Vec<VectorHit>, VectorError> {
        let limit = asking.limit.min(HITS_MAX);
        let made = self.made_for(dense.len()).await?;
        let Some(made) = made.filter(|_| !asking.tokens.is_empty() && limit > 0) else {
            return Ok(Vec::new());
        };
        let (asked, tokens) = (written(&unit(dense)), texts(asking.tokens));
        if made.pieces_about > self.exact_max
            && let Some(rows) = self.by_index(&asked, &tokens, limit).await?
        {
            return Ok(hits(rows));
        }
        let query = sqlx::query_as(NEAREST).bind(asked).bind(tokens).bind(limit as i64);
        query.fetch_all(&self.pool).await.map(hits).map_err(refused)
    }

    async fn nearest_by_words(
        &self,
        asking: VectorQuery<'_>,
        words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError> {
        if !is_hybrid(&self.records).await? {
            return Err(VectorError::MissingSparse);
        }
        let limit = asking.limit.min(HITS_MAX);
        if asking.tokens.is_empty() || limit == 0 || !self.is_made().await? {
            return Ok(Vec::new());
        }
        let numbers: Vec<i32> = words.indices.iter().map(|word| word.cast_signed()).collect();
        let query = sqlx::query_as(NEAREST_BY_WORDS)
            .bind(numbers)
            .bind(&words.values)
            .bind(texts(asking.tokens))
            .bind(limit as i64);
        query.fetch_all(&self.pool).await.map(hits).map_err(refused)
    }

    async fn chunk_counts(
        &self,
        after: Option<SignalId>,
        limit: usize,
    ) -> Result<Vec<(SignalId, u32)>, VectorError> {
        if !self.is_made().await? {
            return Ok(Vec::new());
        }
        // Counted and not read from the column, because this is used to find inconsistencies.
        let text = "SELECT d.signal_id, (SELECT COUNT(*) FROM corpus_vectors v WHERE v.signal_id = d.signal_id) \
                    FROM corpus_vector_documents d WHERE $1::BIGINT IS NULL OR d.signal_id > $1 \
                    ORDER BY d.signal_id LIMIT $2";
        let rows: Vec<(i64, i64)> = sqlx::query_as(text)
            .bind(after.map(|signal| signal.0))
            .bind(i64::try_from(limit).unwrap_or(i64::MAX))
            .fetch_all(&self.pool)
            .await
            .map_err(refused)?;
        Ok(rows.into_iter().map(|(signal, pieces)| (SignalId(signal), pieces as u32)).collect())
    }

    async fn state(&self) -> Result<VectorState, VectorError> {
        let is_hybrid = is_hybrid(&self.records).await?;
        let Some(made) = tables::collection(&self.pool).await? else {
            return Ok(VectorState { dimension: None, chunks: 0, is_hybrid });
        };
        let text = "SELECT COALESCE(SUM(pieces), 0)::BIGINT FROM corpus_vector_documents";
        let chunks: i64 = sqlx::query_scalar(text).fetch_one(&self.pool).await.map_err(refused)?;
        Ok(VectorState { dimension: Some(made.dimension), chunks: chunks.unsigned_abs(), is_hybrid })
    }

    async fn prepare(&self, dimension: usize) -> Result<(), VectorError> {
        let ours = allowed(dimension)?;
        if self.made_for(ours).await?.is_none() {
            tables::make(&self.pool, ours).await?;
            // Another process may have created them with another dimension.
            self.made_for(ours).await?;
        }
        Ok(())
    }

    async fn make_hybrid(&self) -> Result<(), VectorError> {
        set_hybrid(&self.records).await
    }

    async fn clear(&self) -> Result<(), VectorError> {
        // Tables of another program are refused.
        self.is_made().await?;
        tables::drop(&self.pool).await?;
        unset_hybrid(&self.records).await
    }
}

async fn put_document(
    tx: &mut Transaction<'static, Postgres>,
    vectors: &SignalVectors,
) -> Result<(), sqlx::Error> {
    let text = "INSERT INTO corpus_vector_documents \
                (signal_id, acl, provider_id, mime, matter_tags, date, pieces) VALUES ($1, $2, $3, $4, $5, $6, $7) \
                ON CONFLICT (signal_id) DO UPDATE SET acl = EXCLUDED.acl, provider_id = EXCLUDED.provider_id, \
                mime = EXCLUDED.mime, matter_tags = EXCLUDED.matter_tags, date = EXCLUDED.date, \
                pieces = EXCLUDED.pieces";
    sqlx::query(text)
        .bind(vectors.signal.0)
        .bind(texts(&vectors.acl))
        .bind(vectors.provider.map(|provider| provider.0))
        .bind(&vectors.mime)
        .bind(&vectors.matter_tags)
        .bind(&vectors.date)
        .bind(vectors.chunks.len() as i32)
        .execute(&mut **tx)
        .await?;
    for text in [
        "DELETE FROM corpus_vectors WHERE signal_id = $1",
        "DELETE FROM corpus_vector_words WHERE signal_id = $1",
    ] {
        sqlx::query(text).bind(vectors.signal.0).execute(&mut **tx).await?;
    }
    Ok(())
}

async fn put_pieces(
    tx: &mut Transaction<'static, Postgres>,
    signal: SignalId,
    chunks: &[ChunkVector],
) -> Result<(), sqlx::Error> {
    let text = "INSERT INTO corpus_vectors (signal_id, number, start_char, end_char, dense) \
                SELECT $1, number, start_char, end_char, dense::vector \
                FROM UNNEST($2::INTEGER[], $3::INTEGER[], $4::INTEGER[], $5::TEXT[]) \
                AS piece (number, start_char, end_char, dense)";
    let column = |of: fn(&ChunkVector) -> u32| -> Vec<i32> {
        chunks.iter().map(|chunk| i32::try_from(of(chunk)).unwrap_or(i32::MAX)).collect()
    };
    sqlx::query(text)
        .bind(signal.0)
        .bind(column(|chunk| chunk.number))
        .bind(column(|chunk| chunk.start))
        .bind(column(|chunk| chunk.end))
        .bind(chunks.iter().map(|chunk| written(&chunk.dense)).collect::<Vec<String>>())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

async fn put_words(
    tx: &mut Transaction<'static, Postgres>,
    signal: SignalId,
    chunks: &[ChunkVector],
) -> Result<(), sqlx::Error> {
    let text = "INSERT INTO corpus_vector_words (signal_id, number, word, weight) SELECT $1, number, word, weight \
                FROM UNNEST($2::INTEGER[], $3::INTEGER[], $4::REAL[]) AS entry (number, word, weight)";
    let (mut numbers, mut words, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for chunk in chunks {
        let Some(sparse) = &chunk.sparse else { continue };
        for (word, weight) in sparse.indices.iter().zip(&sparse.values) {
            numbers.push(i32::try_from(chunk.number).unwrap_or(i32::MAX));
            words.push(word.cast_signed());
            weights.push(*weight);
        }
    }
    let query = sqlx::query(text).bind(signal.0).bind(numbers).bind(words).bind(weights);
    query.execute(&mut **tx).await?;
    Ok(())
}

/// A vector in pgvector's notation. NaN and infinity count as 0, as in memory.
fn written(vector: &[f32]) -> String {
    let mut text = String::with_capacity(vector.len() * 12 + 2);
    text.push('[');
    for (place, value) in vector.iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        let value = if value.is_finite() { *value } else { 0.0 };
        text.push_str(&value.to_string());
    }
    text.push(']');
    text
}

fn texts(tokens: &[AclToken]) -> Vec<String> {
    tokens.iter().map(ToString::to_string).collect()
}

fn hits(rows: Vec<HitRow>) -> Vec<VectorHit> {
    let hit = |(signal, chunk, score): HitRow| VectorHit {
        signal: SignalId(signal),
        chunk: chunk as u32,
        score: score as f32,
    };
    rows.into_iter().map(hit).collect()
}
