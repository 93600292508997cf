//! Summaries of the latest runs of a search, written when a run ends.

use super::status::parse_status;
use crate::SqlStore;
use crate::db::{Tx, on_db, on_tx, rows_affected};
use crate::json::{to_column, to_count};
use crate::json_column::JsonValue;
use crate::row::row;
use async_trait::async_trait;
use domain::ids::{RunNumber, SearchId};
use domain::instant::{Instant, to_micros};
use domain::ports::{FinishedRun, SearchRunStore, StoreError};
use domain::search_run::{RUNS_KEPT, RunEntry, RunFindings, SearchRun, compare};

/// The columns of an ended run, in the order in which every statement inserts their values.
macro_rules! run_columns {
    () => {
        "search_id, run, status, ended, retrieved, added, gone, entries"
    };
}
pub(super) use run_columns;

row! {
    struct RunRow {
        run: i64,
        status: String,
        ended: Instant,
        retrieved: i64,
        added: i64,
        gone: i64,
    }
}

#[async_trait]
impl SearchRunStore for SqlStore {
    async fn search_runs(&self, search: SearchId) -> Result<Vec<SearchRun>, StoreError> {
        const TEXT: &str = "SELECT run, status, ended, retrieved, added, gone FROM search_runs \
             WHERE search_id = $1 ORDER BY run DESC LIMIT $2";
        let rows = on_db!(self.db, read, db =>
            sqlx::query_as::<_, RunRow>(TEXT).bind(search.0).bind(RUNS_KEPT).fetch_all(db))?;
        let run = |row: RunRow| {
            Ok(SearchRun {
                run: RunNumber(row.run),
                status: parse_status(search.0, &row.status)?,
                date: row.ended,
                retrieved: to_count(row.retrieved),
                added: to_count(row.added),
                gone: to_count(row.gone),
            })
        };
        rows.into_iter().map(run).collect()
    }

    async fn run_entries(
        &self,
        search: SearchId,
        run: RunNumber,
    ) -> Result<Option<Vec<RunEntry>>, StoreError> {
        const TEXT: &str = "SELECT entries FROM search_runs WHERE search_id = $1 AND run = $2";
        let entries = on_db!(self.db, read, db =>
            sqlx::query_scalar::<_, JsonValue<Vec<RunEntry>>>(TEXT).bind(search.0).bind(run.0).fetch_optional(db))?;
        Ok(entries.map(|entries| entries.0))
    }
}

/// Records a finished run, and deletes the oldest. A first run costs one statement.
pub(super) async fn note(tx: &mut Tx, finished: &mut FinishedRun) -> Result<(), StoreError> {
    const TEXT: &str = concat!(
        "INSERT INTO search_runs (",
        run_columns!(),
        ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (search_id, run) DO UPDATE SET \
         status = excluded.status, ended = excluded.ended, retrieved = excluded.retrieved, \
         added = excluded.added, gone = excluded.gone, entries = excluded.entries"
    );
    let previous = previous(tx, finished).await?;
    let retrieved = finished.found.as_ref().map_or(0, |found| found.entries.len());
    let entries = RunFindings::after(finished.found.take(), previous.as_deref().unwrap_or_default());
    // The first recorded run has nothing to compare with.
    let diff = previous.map(|previous| compare(&previous, &entries)).unwrap_or_default();
    let entries = tx.json_writer()?.write_entries(&entries)?;
    on_tx!(&mut *tx, db => rows_affected(sqlx::query(TEXT)
        .bind(finished.search.0)
        .bind(finished.run.0)
        .bind(finished.status.as_str())
        .bind(to_micros(finished.now))
        .bind(to_column(retrieved as u64))
        .bind(to_column(diff.added.len() as u64))
        .bind(to_column(diff.gone.len() as u64))
        .bind(entries.clone())
        .execute(db)))?;
    if finished.run.0 > RUNS_KEPT {
        const DROP: &str = "DELETE FROM search_runs WHERE search_id = $1 AND run <= $2";
        on_tx!(tx, db => rows_affected(sqlx::query(DROP)
            .bind(finished.search.0).bind(finished.run.0 - RUNS_KEPT).execute(db)))?;
    }
    Ok(())
}

/// The entries of the previous run, if recorded.
async fn previous(tx: &mut Tx, finished: &FinishedRun) -> Result<Option<Vec<RunEntry>>, StoreError> {
    const TEXT: &str =
        "SELECT entries FROM search_runs WHERE search_id = $1 AND run < $2 ORDER BY run DESC LIMIT 1";
    if finished.run <= RunNumber::FIRST {
        return Ok(None);
    }
    let entries = on_tx!(tx, db => sqlx::query_scalar::<_, JsonValue<Vec<RunEntry>>>(TEXT)
        .bind(finished.search.0).bind(finished.run.0).fetch_optional(db))?;
    Ok(entries.map(|entries| entries.0))
}
