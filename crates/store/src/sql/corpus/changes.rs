//! Change log of the corpus, numbered in commit order, so that indexes can follow it.

use crate::db::{Db, Tx, on_db, on_tx, rows_affected};
use crate::error::failure;
use crate::json::to_column;
use crate::sql::text::LIST_MAX;
use domain::ids::SignalId;
use domain::ports::{CorpusChange, StoreError};
use sqlx::QueryBuilder;

/// The advisory lock of corpus writers in PostgreSQL; an arbitrary unique number.
const LOCK: i64 = 0x7472_6962_636f_7270;
/// Fewest changes that are kept.
const KEPT: i64 = 20_000;
/// Older ones are deleted in batches of this size.
const DROPPED_TOGETHER: i64 = 1_000;

/// Starts a transaction that is the only corpus writer until it ends.
pub(in crate::sql) async fn begin(db: &Db) -> Result<Tx, StoreError> {
    let mut tx = db.begin().await?;
    hold(&mut tx).await?;
    Ok(tx)
}

/// Makes this transaction the only corpus writer. In SQLite it already is.
pub(in crate::sql) async fn hold(tx: &mut Tx) -> Result<(), StoreError> {
    if let Tx::Postgres(tx) = tx {
        let lock = sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK);
        lock.execute(&mut **tx).await.map_err(failure)?;
    }
    Ok(())
}

/// Records that these documents changed.
pub(super) async fn note(tx: &mut Tx, signals: &[i64]) -> Result<(), StoreError> {
    const NEWEST: &str = "SELECT COALESCE(MAX(sequence), 0) FROM corpus_changes";
    if signals.is_empty() {
        return Ok(());
    }
    let before: i64 = on_tx!(&mut *tx, db => sqlx::query_scalar(NEWEST).fetch_one(db))?;
    let mut newest = before;
    for some in signals.chunks(LIST_MAX) {
        on_tx!(&mut *tx, db => async {
            let mut query = QueryBuilder::new("INSERT INTO corpus_changes (sequence, signal_id) ");
            query.push_values((newest + 1..).zip(some), |mut row, (sequence, signal)| {
                row.push_bind(sequence).push_bind(*signal);
            });
            rows_affected(query.build().execute(db)).await
        })?;
        newest += some.len() as i64;
    }
    if before / DROPPED_TOGETHER < newest / DROPPED_TOGETHER {
        const DROP: &str = "DELETE FROM corpus_changes WHERE sequence <= $1";
        on_tx!(tx, db => rows_affected(sqlx::query(DROP).bind(newest - KEPT).execute(db)))?;
    }
    Ok(())
}

/// None if changes after this number are no longer kept, or the number is from another database.
pub(super) async fn after(
    db: &Db,
    sequence: i64,
    limit: u64,
) -> Result<Option<Vec<CorpusChange>>, StoreError> {
    const ENDS: &str = "SELECT COALESCE(MIN(sequence), 1), COALESCE(MAX(sequence), 0) FROM corpus_changes";
    const TEXT: &str =
        "SELECT sequence, signal_id FROM corpus_changes WHERE sequence > $1 ORDER BY sequence LIMIT $2";
    // Rows are read first: what is deleted between the two statements is then detected as missing.
    let rows: Vec<(i64, i64)> = on_db!(*db, read, db =>
        sqlx::query_as(TEXT).bind(sequence).bind(to_column(limit)).fetch_all(db))?;
    let (oldest, newest): (i64, i64) = on_db!(*db, read, db => sqlx::query_as(ENDS).fetch_one(db))?;
    if sequence.saturating_add(1) < oldest || sequence > newest {
        return Ok(None);
    }
    let change = |(sequence, signal)| CorpusChange { sequence, signal_id: SignalId(signal) };
    Ok(Some(rows.into_iter().map(change).collect()))
}

pub(super) async fn newest(db: &Db) -> Result<i64, StoreError> {
    on_db!(*db, read, db =>
        sqlx::query_scalar("SELECT COALESCE(MAX(sequence), 0) FROM corpus_changes").fetch_one(db))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::secret::Secret;

    #[tokio::test]
    async fn the_newest_changes_are_kept() {
        let db = Db::open(&Secret::new("sqlite::memory:"), 1, crate::STATEMENT_MAX).await.expect("opens");
        crate::migrations::run(&db).await.expect("tables");
        let more = KEPT + DROPPED_TOGETHER;
        for count in [KEPT - 1, DROPPED_TOGETHER, 1] {
            let mut tx = begin(&db).await.expect("begun");
            note(&mut tx, &vec![7; usize::try_from(count).expect("a count")]).await.expect("noted");
            tx.commit().await.expect("kept");
        }
        assert_eq!(newest(&db).await, Ok(more), "numbers have no gaps");
        let count = async |place| {
            let told = after(&db, place, u64::MAX).await.expect("read")?;
            Some(told.len() as i64)
        };
        assert_eq!(count(0).await, None, "all must be read again");
        assert_eq!(count(DROPPED_TOGETHER - 1).await, None);
        assert_eq!(count(DROPPED_TOGETHER).await, Some(KEPT));
        assert_eq!(count(more - 1).await, Some(1));
        assert_eq!(count(more).await, Some(0));
    }
}
