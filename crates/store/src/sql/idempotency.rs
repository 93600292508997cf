//! Idempotency keys.

use super::{searches, tasks};
use crate::SqlStore;
use crate::db::{Tx, on_db, on_tx, rows_affected};
use crate::json::{JsonText, plain, to_column};
use async_trait::async_trait;
use domain::idempotency::{CreatedSearch, IdempotencyKey, KEPT_FOR, StoredResponse};
use domain::ids::{SearchId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{IdempotencyStore, StoreError};
use domain::search::Search;
use serde_json::Value;
use sqlx::types::Json;

type KeyRow = (String, Instant, Option<Json<Value>>);

#[async_trait]
impl IdempotencyStore for SqlStore {
    async fn create_search_once(
        &self,
        mut search: Search,
        request: Option<&str>,
        key: &IdempotencyKey,
    ) -> Result<Option<Search>, StoreError> {
        let now = to_micros(search.date_created);
        (search.date_created, search.date_updated) = (now, now);
        let mut tx = self.db.begin().await?;
        search.id = searches::insert(&mut tx, &search).await?;
        let answer = Some((search.id, JsonText::of(&CreatedSearch::of(&search))?));
        if !insert(&mut tx, search.owner, key, answer, now).await? {
            tx.rollback().await?;
            return Ok(None);
        }
        tasks::push(&mut tx, search.run_task(request), now).await?;
        tx.commit().await?;
        Ok(Some(search))
    }

    async fn stored_response(
        &self,
        owner: UserId,
        key: &str,
        now: Instant,
    ) -> Result<Option<StoredResponse>, StoreError> {
        const TEXT: &str = "SELECT fingerprint, created, answer FROM idempotency_keys \
             WHERE owner = $1 AND idempotency_key = $2 AND created > $3";
        let row = on_db!(self.db, read, db => sqlx::query_as::<_, KeyRow>(TEXT)
            .bind(owner.0).bind(plain(key)).bind(too_old(now)).fetch_optional(db))?;
        Ok(row.map(|(fingerprint, created, answer)| StoredResponse {
            fingerprint,
            created,
            answer: answer.map(|Json(value)| value),
        }))
    }

    async fn claim_key(&self, owner: UserId, key: &IdempotencyKey, now: Instant) -> Result<bool, StoreError> {
        let mut tx = self.db.begin().await?;
        let is_free = insert(&mut tx, owner, key, None, to_micros(now)).await?;
        tx.commit().await?;
        Ok(is_free)
    }

    async fn store_response(
        &self,
        owner: UserId,
        key: &IdempotencyKey,
        answer: &Value,
    ) -> Result<bool, StoreError> {
        const TEXT: &str = "UPDATE idempotency_keys SET answer = $4 \
             WHERE owner = $1 AND idempotency_key = $2 AND fingerprint = $3 AND answer IS NULL";
        let answer = JsonText::of(answer)?;
        let rows = on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(owner.0).bind(plain(&key.key)).bind(&key.fingerprint).bind(answer.clone()).execute(db)))?;
        Ok(rows == 1)
    }

    async fn expire_keys(&self, now: Instant, per_user_max: u64) -> Result<(), StoreError> {
        const TOO_OLD: &str = "DELETE FROM idempotency_keys WHERE created <= $1";
        const TOO_MANY: &str = "SELECT owner FROM idempotency_keys GROUP BY owner HAVING COUNT(*) > $1";
        const OLDEST: &str = "DELETE FROM idempotency_keys WHERE owner = $1 AND created <= \
             (SELECT created FROM idempotency_keys WHERE owner = $1 ORDER BY created DESC LIMIT 1 OFFSET $2)";
        on_db!(self.db, write, db => rows_affected(sqlx::query(TOO_OLD).bind(too_old(now)).execute(db)))?;
        let max = to_column(per_user_max);
        let owners: Vec<i64> =
            on_db!(self.db, read, db => sqlx::query_scalar(TOO_MANY).bind(max).fetch_all(db))?;
        for owner in owners {
            on_db!(self.db, write, db => rows_affected(sqlx::query(OLDEST).bind(owner).bind(max).execute(db)))?;
        }
        Ok(())
    }
}

/// Stores a key, with its search if there is one: the key is deleted with the search. False if it is taken. Waits for
/// another transaction with the same key.
async fn insert(
    tx: &mut Tx,
    owner: UserId,
    key: &IdempotencyKey,
    answer: Option<(SearchId, JsonText)>,
    now: Instant,
) -> Result<bool, StoreError> {
    const INSERT: &str = "INSERT INTO idempotency_keys \
             (owner, idempotency_key, fingerprint, created, search_id, answer) \
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (owner, idempotency_key) DO UPDATE \
         SET fingerprint = excluded.fingerprint, created = excluded.created, search_id = excluded.search_id, \
             answer = excluded.answer \
         WHERE idempotency_keys.created <= $7";
    let (search, answer) = answer.map(|(search, answer)| (search.0, answer)).unzip();
    let rows = on_tx!(tx, db => rows_affected(sqlx::query(INSERT)
        .bind(owner.0).bind(plain(&key.key)).bind(&key.fingerprint).bind(now).bind(search).bind(answer.clone())
        .bind(too_old(now)).execute(db)))?;
    Ok(rows == 1)
}

/// Keys older than this are deleted.
fn too_old(now: Instant) -> Instant {
    to_micros(now - KEPT_FOR)
}
