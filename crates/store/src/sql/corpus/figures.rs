//! Sizes of the corpus, and its key-value settings.

use crate::db::{Db, on_db, rows_affected};
use crate::json::{plain, to_count};
use domain::corpus::{Liveness, SignalState};
use domain::ports::{BodyKey, CorpusCounts, StoreError};

pub(super) async fn counts(db: &Db) -> Result<CorpusCounts, StoreError> {
    const KINDS: &str = "SELECT state, liveness, COUNT(*), CAST(SUM(chunk_count) AS BIGINT) FROM signals \
         GROUP BY state, liveness";
    // Documents with equal texts share one body.
    const BODIES: &str = "SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM (SELECT MAX(body_bytes) AS bytes \
         FROM signals WHERE body_key IS NOT NULL GROUP BY body_key) AS bodies";
    const GRANTS: &str = "SELECT COUNT(*) FROM signal_grants WHERE revoked_at IS NULL";
    let kinds: Vec<(String, String, i64, i64)> =
        on_db!(*db, read, db => sqlx::query_as(KINDS).fetch_all(db))?;
    let body_bytes: i64 = on_db!(*db, read, db => sqlx::query_scalar(BODIES).fetch_one(db))?;
    let grants: i64 = on_db!(*db, read, db => sqlx::query_scalar(GRANTS).fetch_one(db))?;
    let count = |is_it: &dyn Fn(&str, &str) -> bool| {
        kinds.iter().filter(|(state, liveness, ..)| is_it(state, liveness)).map(|row| to_count(row.2)).sum()
    };
    Ok(CorpusCounts {
        by_state: SignalState::ALL
            .iter()
            .map(|one| (*one, count(&|state, _| state == one.as_str())))
            .collect(),
        by_liveness: Liveness::ALL
            .iter()
            .map(|one| (*one, count(&|_, liveness| liveness == one.as_str())))
            .collect(),
        chunks: kinds.iter().map(|row| to_count(row.3)).sum(),
        body_bytes: to_count(body_bytes),
        grants: to_count(grants),
    })
}

pub(super) async fn has_body(db: &Db, key: &BodyKey) -> Result<bool, StoreError> {
    const TEXT: &str = "SELECT COUNT(*) FROM signals WHERE body_key = $1";
    let users: i64 = on_db!(*db, read, db => sqlx::query_scalar(TEXT).bind(key.as_str()).fetch_one(db))?;
    Ok(users > 0)
}

pub(super) async fn value(db: &Db, name: &str) -> Result<Option<String>, StoreError> {
    let name = plain(name);
    on_db!(*db, read, db => sqlx::query_scalar("SELECT value FROM corpus_values WHERE name = $1")
        .bind(name.as_str()).fetch_optional(db))
}

pub(super) async fn set_value(db: &Db, name: &str, value: &str) -> Result<(), StoreError> {
    const TEXT: &str = "INSERT INTO corpus_values (name, value) VALUES ($1, $2) \
         ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    let (name, value) = (plain(name), plain(value));
    on_db!(*db, write, db => rows_affected(
        sqlx::query(TEXT).bind(name.as_str()).bind(value.as_str()).execute(db)))?;
    Ok(())
}

/// Sets a value if there is none; returns the one in effect.
pub(super) async fn claim_value(db: &Db, name: &str, value: &str) -> Result<String, StoreError> {
    const TEXT: &str =
        "INSERT INTO corpus_values (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
    let (wanted, given) = (plain(name), plain(value));
    on_db!(*db, write, db => rows_affected(
        sqlx::query(TEXT).bind(wanted.as_str()).bind(given.as_str()).execute(db)))?;
    self::value(db, name).await?.ok_or(StoreError::NotFound)
}
