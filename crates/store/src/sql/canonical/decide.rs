//! Decisions on elections: approved, rejected, stale.

use super::pins;
use super::record::{follow, unfollow};
use super::runs::{load, open};
use crate::db::{Db, Tx, on_db, on_tx, rows_affected};
use crate::json::{plain, to_column, to_count};
use crate::sql::corpus;
use domain::corpus::{COMMENT_CHARS_MAX, NewPin, PinVia, RejectReason, Run, RunStatus};
use domain::ids::{RunId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{ExistingPin, PinOutcome, RunOutcome, StoreError, WriteMode};

pub(super) async fn approve(
    db: &Db,
    id: RunId,
    by: UserId,
    comment: &str,
    existing: ExistingPin,
    now: Instant,
) -> Result<RunOutcome, StoreError> {
    let now = to_micros(now);
    let mut tx = corpus::begin(db).await?;
    let run = load(&mut tx, id).await?;
    if !run.status.is_open() {
        return Ok(RunOutcome::NotOpen(Box::new(run)));
    }
    let wanted = NewPin {
        query: run.query.clone(),
        scope: run.scope.clone(),
        signal_id: run.winner_signal_id,
        pinned_by: by,
        via: PinVia::Approval,
        run_id: Some(id),
    };
    let pin = match pins::place(&mut tx, &wanted, existing, now).await? {
        PinOutcome::Made(pin) | PinOutcome::Same(pin) | PinOutcome::Replaced { pin, .. } => pin,
        PinOutcome::Taken(pin) => return Ok(RunOutcome::Taken(pin)),
    };
    follow(&mut tx, run.winner_signal_id, &run.members).await?;
    let run = Run { status: RunStatus::Approved, ..decided(run, by, comment, now) };
    save(&mut tx, &run).await?;
    tx.commit().await?;
    Ok(RunOutcome::Decided(Box::new(run), Some(pin)))
}

pub(super) async fn reject(
    db: &Db,
    id: RunId,
    by: UserId,
    comment: &str,
    reason: RejectReason,
    now: Instant,
) -> Result<RunOutcome, StoreError> {
    const COUNT: &str = "UPDATE signals SET rejections = rejections + 1 WHERE id = $1";
    const NOTE: &str = "INSERT INTO signal_rejections (run_id, signal_id, query_key) VALUES ($1, $2, $3)";
    let mut tx = corpus::begin(db).await?;
    let run = load(&mut tx, id).await?;
    if !run.status.is_open() {
        return Ok(RunOutcome::NotOpen(Box::new(run)));
    }
    let run = Run {
        status: RunStatus::Rejected,
        reject_reason: Some(reason),
        ..decided(run, by, comment, to_micros(now))
    };
    save(&mut tx, &run).await?;
    let winner = run.winner_signal_id.0;
    let found = on_tx!(&mut tx, db => rows_affected(sqlx::query(COUNT).bind(winner).execute(db)))?;
    if found == 0 {
        return Err(StoreError::NotFound);
    }
    on_tx!(&mut tx, db => rows_affected(sqlx::query(NOTE)
        .bind(id.0).bind(winner).bind(run.query_key.as_str()).execute(db)))?;
    unfollow(&mut tx, run.winner_signal_id, &run.members).await?;
    tx.commit().await?;
    Ok(RunOutcome::Decided(Box::new(run), None))
}

pub(super) async fn retire(db: &Db, before: Instant, limit: u64, mode: WriteMode) -> Result<u64, StoreError> {
    const COUNT: &str = concat!(
        "SELECT COUNT(*) FROM (SELECT id FROM canonical_runs WHERE created_at < $1 AND ",
        open!(),
        " LIMIT $2) AS old"
    );
    const RETIRE: &str = concat!(
        "UPDATE canonical_runs SET status = 'stale' WHERE id IN (SELECT id FROM canonical_runs \
         WHERE created_at < $1 AND ",
        open!(),
        " ORDER BY created_at, id LIMIT $2)"
    );
    let (before, limit) = (to_micros(before), to_column(limit));
    if mode == WriteMode::Preview {
        let count: i64 = on_db!(*db, read, db =>
            sqlx::query_scalar(COUNT).bind(before).bind(limit).fetch_one(db))?;
        return Ok(to_count(count));
    }
    let mut tx = corpus::begin(db).await?;
    let rows =
        on_tx!(&mut tx, db => rows_affected(sqlx::query(RETIRE).bind(before).bind(limit).execute(db)))?;
    tx.commit().await?;
    Ok(rows)
}

fn decided(run: Run, by: UserId, comment: &str, now: Instant) -> Run {
    let comment = plain(comment).chars().take(COMMENT_CHARS_MAX).collect();
    Run { decided_by: Some(by), decided_at: Some(now), comment, ..run }
}

async fn save(tx: &mut Tx, run: &Run) -> Result<(), StoreError> {
    const TEXT: &str = "UPDATE canonical_runs SET status = $2, decided_by = $3, decided_at = $4, \
         reject_reason = $5, comment = $6 WHERE id = $1";
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT)
        .bind(run.run_id.0)
        .bind(run.status.as_str())
        .bind(run.decided_by.map(|id| id.0))
        .bind(run.decided_at)
        .bind(run.reject_reason.map(RejectReason::as_str))
        .bind(run.comment.as_str())
        .execute(db)))?;
    Ok(())
}
