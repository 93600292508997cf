//! The history of pins; each entry is written with its change.

use super::pin_filter::push_filter;
use super::topic::topic;
use crate::db::{Db, Tx, on_db, on_tx, rows_affected};
use crate::json::{to_column, to_count};
use crate::row::row;
use domain::corpus::{Pin, PinAction, PinEvent, PinVia, Scope};
use domain::ids::{RunId, SignalId, UserId};
use domain::instant::Instant;
use domain::ports::{Page, PinFilter, StoreError};
use sqlx::QueryBuilder;

row! {
    struct EventRow {
        id: i64,
        action: String,
        query_key: String,
        scope: String,
        signal_id: i64,
        before_id: Option<i64>,
        changed_by: Option<i64>,
        changed_at: Instant,
        via: String,
        run_id: Option<i64>,
    }
}

impl TryFrom<EventRow> for PinEvent {
    type Error = StoreError;

    fn try_from(row: EventRow) -> Result<Self, StoreError> {
        let unreadable = || StoreError::failed(format!("line {} of the pins is not readable", row.id));
        Ok(Self {
            id: row.id,
            action: PinAction::parse(&row.action).ok_or_else(unreadable)?,
            via: PinVia::parse(&row.via).ok_or_else(unreadable)?,
            scope: Scope::parse(&row.scope).unwrap_or_default(),
            signal_id: SignalId(row.signal_id),
            before: row.before_id.map(SignalId),
            by: row.changed_by.map(UserId),
            at: row.changed_at,
            run_id: row.run_id.map(RunId),
            query_key: row.query_key,
        })
    }
}

/// Author, time and previously pinned document of a change.
pub(super) struct Change {
    pub(super) action: PinAction,
    pub(super) before: Option<SignalId>,
    pub(super) by: Option<UserId>,
    pub(super) now: Instant,
}

pub(super) async fn note(tx: &mut Tx, pin: &Pin, change: &Change) -> Result<(), StoreError> {
    const TEXT: &str = "INSERT INTO pin_history (action, topic, signal_id, before_id, changed_by, changed_at, via, \
         run_id, scope, query_key) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT)
        .bind(change.action.as_str())
        .bind(topic(&pin.query_key, &pin.scope))
        .bind(pin.signal_id.0)
        .bind(change.before.map(|id| id.0))
        .bind(change.by.map(|id| id.0))
        .bind(change.now)
        .bind(pin.via.as_str())
        .bind(pin.run_id.map(|id| id.0))
        .bind(pin.scope.to_string())
        .bind(pin.query_key.as_str())
        .execute(db)))?;
    Ok(())
}

pub(super) async fn list(
    db: &Db,
    filter: &PinFilter,
    offset: u64,
    limit: u64,
) -> Result<Page<PinEvent>, StoreError> {
    let total: i64 = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new("SELECT COUNT(*) FROM pin_history AS decided");
        push_filter(&mut query, filter);
        query.build_query_scalar().fetch_one(db).await
    })?;
    let rows = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new(
            "SELECT id, action, query_key, scope, signal_id, before_id, changed_by, changed_at, via, run_id \
             FROM pin_history AS decided",
        );
        push_filter(&mut query, filter);
        query.push(" ORDER BY id DESC LIMIT ").push_bind(to_column(limit));
        query.push(" OFFSET ").push_bind(to_column(offset));
        query.build_query_as::<EventRow>().fetch_all(db).await
    })?;
    let items = rows.into_iter().map(PinEvent::try_from).collect::<Result<_, _>>()?;
    Ok(Page { items, total: to_count(total) })
}
