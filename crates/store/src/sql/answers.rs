//! AI summaries: at most one per search, and the lease for writing it.

use super::versions;
use crate::SqlStore;
use crate::db::{Db, Tx, on_db, on_tx, rows_affected};
use crate::json::{JsonText, finite, plain};
use crate::row::row;
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::ids::{ProviderId, ResultId, RunNumber, SearchId};
use domain::instant::{Instant, to_micros};
use domain::ports::{StoreError, SummaryStore};
use domain::result::{ResultItem, SavedResult};
use domain::summary::{StoredSummary, SummaryRequest};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;

/// A longer lease was granted before the clock was set back.
const RIGHT_MAX: TimeDelta = TimeDelta::hours(1);

macro_rules! columns {
    () => {
        "search_id, run, date_created, date_updated, detail, item"
    };
}

row! {
    struct AnswerRow {
        search_id: i64,
        run: i64,
        date_created: Instant,
        date_updated: Instant,
        detail: Json<Detail>,
        item: Json<ResultItem>,
    }
}

/// The details of a summary; one JSON column.
#[derive(Serialize, Deserialize)]
struct Detail {
    #[serde(rename = "wish")]
    request: SummaryRequest,
    prompt: Option<String>,
}

impl From<AnswerRow> for StoredSummary {
    fn from(row: AnswerRow) -> Self {
        Self {
            search: SearchId(row.search_id),
            run: RunNumber(row.run),
            request: row.detail.0.request,
            row: row.item.0,
            prompt: row.detail.0.prompt,
            date_created: row.date_created,
        }
    }
}

impl From<AnswerRow> for SavedResult {
    /// Not from a provider.
    fn from(row: AnswerRow) -> Self {
        Self {
            search: SearchId(row.search_id),
            provider: ProviderId(0),
            notices: Vec::new(),
            version: versions::of_item(&row.item.0),
            item: row.item.0,
            date_created: row.date_created,
            date_updated: row.date_updated,
        }
    }
}

#[async_trait]
impl SummaryStore for SqlStore {
    async fn summary(&self, search: SearchId) -> Result<Option<StoredSummary>, StoreError> {
        const TEXT: &str = concat!("SELECT ", columns!(), " FROM answers WHERE search_id = $1");
        let row = on_db!(self.db, read, db =>
            sqlx::query_as::<_, AnswerRow>(TEXT).bind(search.0).fetch_optional(db))?;
        Ok(row.map(StoredSummary::from))
    }

    async fn begin_summary(
        &self,
        search: SearchId,
        writer: &str,
        until: Instant,
        now: Instant,
    ) -> Result<bool, StoreError> {
        const TEXT: &str = "INSERT INTO answer_writers (search_id, writer, until) \
             SELECT id, $2, $3 FROM searches WHERE id = $1 \
             ON CONFLICT (search_id) DO UPDATE SET writer = excluded.writer, until = excluded.until \
             WHERE answer_writers.until <= $4 OR answer_writers.until > $5";
        let now = to_micros(now);
        let rows = on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(search.0)
            .bind(plain(writer))
            .bind(to_micros(until))
            .bind(now)
            .bind(now + RIGHT_MAX)
            .execute(db)))?;
        Ok(rows == 1)
    }

    async fn renew_summary(
        &self,
        search: SearchId,
        writer: &str,
        until: Instant,
    ) -> Result<bool, StoreError> {
        const TEXT: &str = "UPDATE answer_writers SET until = $3 WHERE search_id = $1 AND writer = $2";
        let rows = on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT)
            .bind(search.0).bind(plain(writer)).bind(to_micros(until)).execute(db)))?;
        Ok(rows == 1)
    }

    async fn save_summary(
        &self,
        mut answer: StoredSummary,
        writer: &str,
    ) -> Result<Option<StoredSummary>, StoreError> {
        // Changes nothing, but locks the search until the end of the transaction, like finishing a run.
        const HOLD: &str = "UPDATE searches SET run = run WHERE id = $1 AND run = $2";
        let search = answer.search.0;
        if answer.row.swirl_id.0 == 0 {
            answer.row.swirl_id = ResultId(self.result_ids.take(&self.db, 1).await?);
        }
        let mut tx = self.db.begin().await?;
        let is_newest = on_tx!(&mut tx, db => rows_affected(sqlx::query(HOLD).bind(search).bind(answer.run.0).execute(db)))?
            == 1;
        if !is_newest || !give_back(&mut tx, answer.search, writer).await? {
            tx.rollback().await?;
            return Ok(None);
        }
        answer.row.swirl_score = finite(answer.row.swirl_score);
        answer.row.swirl_confidence_score = finite(answer.row.swirl_confidence_score);
        answer.date_created = to_micros(answer.date_created);
        put(&mut tx, &answer).await?;
        tx.commit().await?;
        Ok(Some(answer))
    }

    async fn end_summary(&self, search: SearchId, writer: &str) -> Result<(), StoreError> {
        const TEXT: &str = "DELETE FROM answer_writers WHERE search_id = $1 AND writer = $2";
        on_db!(self.db, write, db => rows_affected(
            sqlx::query(TEXT).bind(search.0).bind(plain(writer)).execute(db)))?;
        Ok(())
    }

    async fn cancel_summary(&self, search: SearchId) -> Result<bool, StoreError> {
        const TEXT: &str = "DELETE FROM answer_writers WHERE search_id = $1";
        let rows = on_db!(self.db, write, db => rows_affected(sqlx::query(TEXT).bind(search.0).execute(db)))?;
        Ok(rows == 1)
    }

    async fn is_summary_in_progress(&self, search: SearchId, now: Instant) -> Result<bool, StoreError> {
        const TEXT: &str =
            "SELECT COUNT(*) FROM answer_writers WHERE search_id = $1 AND until > $2 AND until <= $3";
        let now = to_micros(now);
        let rows: i64 = on_db!(self.db, read, db => sqlx::query_scalar(TEXT)
            .bind(search.0).bind(now).bind(now + RIGHT_MAX).fetch_one(db))?;
        Ok(rows == 1)
    }
}

/// A new run starts: the summary of the previous run is deleted, and its writer loses the lease.
pub(super) async fn forget(tx: &mut Tx, search: SearchId) -> Result<(), StoreError> {
    for text in
        ["DELETE FROM answer_writers WHERE search_id = $1", "DELETE FROM answers WHERE search_id = $1"]
    {
        on_tx!(&mut *tx, db => rows_affected(sqlx::query(text).bind(search.0).execute(db)))?;
    }
    Ok(())
}

/// The result item of a summary by its id.
pub(super) async fn result(db: &Db, id: ResultId) -> Result<SavedResult, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM answers WHERE result_id = $1");
    on_db!(*db, read, db => sqlx::query_as::<_, AnswerRow>(TEXT).bind(id.0).fetch_one(db))
        .map(SavedResult::from)
}

/// Locks a summary by the id of its item until the transaction ends; returns the version of the item.
pub(super) async fn lock_result(tx: &mut Tx, id: ResultId) -> Result<i64, StoreError> {
    const TEXT: &str = "UPDATE answers SET run = run WHERE result_id = $1 RETURNING item";
    let item: Json<ResultItem> = on_tx!(tx, db => sqlx::query_scalar(TEXT).bind(id.0).fetch_one(db))?;
    Ok(versions::of_item(&item.0))
}

/// Replaces the item of a summary; the rest stays.
pub(super) async fn replace_result(
    tx: &mut Tx,
    item: &ResultItem,
    now: Instant,
) -> Result<SavedResult, StoreError> {
    const TEXT: &str = concat!(
        "UPDATE answers SET item = $2, date_updated = $3 WHERE result_id = $1 RETURNING ",
        columns!()
    );
    let text = JsonText::of(item)?;
    on_tx!(tx, db => sqlx::query_as::<_, AnswerRow>(TEXT)
        .bind(item.swirl_id.0).bind(text.clone()).bind(to_micros(now)).fetch_one(db))
    .map(SavedResult::from)
}

/// Deletes a summary by the id of its item.
pub(super) async fn delete_result(tx: &mut Tx, id: ResultId) -> Result<(), StoreError> {
    const TEXT: &str = "DELETE FROM answers WHERE result_id = $1";
    let rows = on_tx!(tx, db => rows_affected(sqlx::query(TEXT).bind(id.0).execute(db)))?;
    if rows == 0 { Err(StoreError::NotFound) } else { Ok(()) }
}

/// False if the writer does not hold the lease.
async fn give_back(tx: &mut Tx, search: SearchId, writer: &str) -> Result<bool, StoreError> {
    const TEXT: &str = "DELETE FROM answer_writers WHERE search_id = $1 AND writer = $2";
    let rows =
        on_tx!(tx, db => rows_affected(sqlx::query(TEXT).bind(search.0).bind(plain(writer)).execute(db)))?;
    Ok(rows == 1)
}

async fn put(tx: &mut Tx, answer: &StoredSummary) -> Result<(), StoreError> {
    const TEXT: &str = "INSERT INTO answers (search_id, result_id, run, date_created, date_updated, detail, item) \
         VALUES ($1, $2, $3, $4, $4, $5, $6) ON CONFLICT (search_id) DO UPDATE SET \
         result_id = excluded.result_id, run = excluded.run, date_created = excluded.date_created, \
         date_updated = excluded.date_updated, detail = excluded.detail, item = excluded.item";
    let detail = Detail { request: answer.request.clone(), prompt: answer.prompt.clone() };
    let (detail, item) = (JsonText::of(&detail)?, JsonText::of(&answer.row)?);
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT)
        .bind(answer.search.0)
        .bind(answer.row.swirl_id.0)
        .bind(answer.run.0)
        .bind(answer.date_created)
        .bind(detail.clone())
        .bind(item.clone())
        .execute(db)))?;
    Ok(())
}
