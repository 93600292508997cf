//! Updates decisions when their documents are removed or merged.

use super::history::{self, Change};
use super::pins::{self, PinRow, columns};
use super::runs::open;
use crate::db::{Tx, on_tx, rows_affected};
use crate::error::failure;
use crate::sql::text::push_list;
use domain::corpus::{Pin, PinAction};
use domain::ids::SignalId;
use domain::instant::{Instant, to_micros};
use domain::ports::StoreError;
use sqlx::QueryBuilder;

/// Before these documents are deleted, few enough for one statement: their pins are removed and recorded in the
/// history; undecided elections that they won are closed. Rejections are deleted with the documents.
pub(in crate::sql) async fn forget(tx: &mut Tx, signals: &[i64]) -> Result<(), StoreError> {
    let pins = on_tx!(&mut *tx, db => async {
        let mut query = QueryBuilder::new(concat!("SELECT ", columns!(), " FROM pins WHERE signal_id IN ("));
        push_list(&mut query, signals.iter().copied());
        query.push(") ORDER BY id");
        query.build_query_as::<PinRow>().fetch_all(db).await
    })?;
    if !pins.is_empty() {
        let change =
            Change { action: PinAction::Removed, before: None, by: None, now: time_of_database(tx).await? };
        for pin in pins {
            history::note(tx, &pin.try_into()?, &change).await?;
        }
    }
    on_tx!(&mut *tx, db => async {
        let mut query = QueryBuilder::new("DELETE FROM pins WHERE signal_id IN (");
        push_list(&mut query, signals.iter().copied());
        query.push(")");
        rows_affected(query.build().execute(db)).await
    })?;
    on_tx!(tx, db => async {
        let mut query =
            QueryBuilder::new(concat!("UPDATE canonical_runs SET status = 'stale' WHERE ", open!()));
        query.push(" AND winner_signal_id IN (");
        push_list(&mut query, signals.iter().copied());
        query.push(")");
        rows_affected(query.build().execute(db)).await
    })?;
    Ok(())
}

/// Moves pins, rejections and egress events of a merged document. Pins need a text.
pub(in crate::sql) async fn move_over(
    tx: &mut Tx,
    from: SignalId,
    into: SignalId,
    now: Instant,
) -> Result<(), StoreError> {
    const HAS_TEXT: &str = "SELECT COUNT(*) FROM signals WHERE id = $1 AND content_hash <> ''";
    const MOVE: &str = "UPDATE pins SET signal_id = $2 WHERE signal_id = $1";
    let has_text: i64 = on_tx!(&mut *tx, db => sqlx::query_scalar(HAS_TEXT).bind(into.0).fetch_one(db))?;
    if has_text > 0 {
        let change =
            Change { action: PinAction::Replaced, before: Some(from), by: None, now: to_micros(now) };
        for pin in pins::stored(tx, from).await? {
            history::note(tx, &Pin { signal_id: into, ..pin }, &change).await?;
        }
        on_tx!(&mut *tx, db => rows_affected(sqlx::query(MOVE).bind(from.0).bind(into.0).execute(db)))?;
        pins::settle(tx, &[into]).await?;
    }
    for text in [
        "UPDATE signal_rejections SET signal_id = $2 WHERE signal_id = $1",
        "UPDATE signals SET rejections = (SELECT COUNT(*) FROM signal_rejections WHERE signal_id = $2) \
         WHERE id = $2 AND id <> $1",
        // A message with both documents is kept once; a confirmation is kept.
        "UPDATE egress_events SET status = 'confirmed' WHERE signal_id = $2 AND EXISTS (SELECT 1 \
         FROM egress_events AS other WHERE other.signal_id = $1 AND other.status = 'confirmed' \
         AND other.user_id = egress_events.user_id AND other.message_key = egress_events.message_key)",
        "DELETE FROM egress_events WHERE signal_id = $1 AND EXISTS (SELECT 1 FROM egress_events AS other \
         WHERE other.signal_id = $2 AND other.user_id = egress_events.user_id \
         AND other.message_key = egress_events.message_key)",
        "UPDATE egress_events SET signal_id = $2 WHERE signal_id = $1",
    ] {
        on_tx!(&mut *tx, db => rows_affected(sqlx::query(text).bind(from.0).bind(into.0).execute(db)))?;
    }
    Ok(())
}

/// For changes that follow from another one, without a time from the caller.
async fn time_of_database(tx: &mut Tx) -> Result<Instant, StoreError> {
    const SQLITE: &str = "SELECT strftime('%Y-%m-%dT%H:%M:%f+00:00', 'now')";
    let time: Instant = match tx {
        Tx::Sqlite(tx) => sqlx::query_scalar(SQLITE).fetch_one(&mut **tx).await,
        Tx::Postgres(tx) => sqlx::query_scalar("SELECT now()").fetch_one(&mut **tx).await,
    }
    .map_err(failure)?;
    Ok(to_micros(time))
}
