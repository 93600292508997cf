//! Pins: one per query and scope. The database resolves concurrent pins.

use super::history::{self, Change};
use super::pin_filter::push_filter;
use super::topic::topic;
use crate::db::{Db, Tx, on_db, on_tx, rows_affected};
use crate::json::{plain, to_column, to_count};
use crate::row::row;
use crate::sql::corpus;
use crate::sql::text::{in_lists, push_list};
use domain::corpus::{NewPin, Pin, PinAction, PinVia, QUERY_CHARS_MAX, Scope, query_key};
use domain::ids::{PinId, RunId, SignalId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{ExistingPin, Page, PinFilter, PinOutcome, StoreError};
use sqlx::QueryBuilder;

macro_rules! columns {
    () => {
        "id, query_key, query, scope, signal_id, pinned_by, pinned_at, via, run_id"
    };
}
pub(super) use columns;

row! {
    pub(super) struct PinRow {
        id: i64,
        query_key: String,
        query: String,
        scope: String,
        signal_id: i64,
        pinned_by: Option<i64>,
        pinned_at: Instant,
        via: String,
        run_id: Option<i64>,
    }
}

impl TryFrom<PinRow> for Pin {
    type Error = StoreError;

    fn try_from(row: PinRow) -> Result<Self, StoreError> {
        let unreadable = || StoreError::failed(format!("the pin {} is not readable", row.id));
        Ok(Self {
            id: PinId(row.id),
            via: PinVia::parse(&row.via).ok_or_else(unreadable)?,
            scope: Scope::parse(&row.scope).unwrap_or_default(),
            signal_id: SignalId(row.signal_id),
            pinned_by: row.pinned_by.map(UserId),
            pinned_at: row.pinned_at,
            run_id: row.run_id.map(RunId),
            query_key: row.query_key,
            query: row.query,
        })
    }
}

pub(super) async fn pin(
    db: &Db,
    wanted: NewPin,
    existing: ExistingPin,
    now: Instant,
) -> Result<PinOutcome, StoreError> {
    let mut tx = corpus::begin(db).await?;
    let outcome = place(&mut tx, &wanted, existing, to_micros(now)).await?;
    if matches!(outcome, PinOutcome::Made(_) | PinOutcome::Replaced { .. }) {
        tx.commit().await?;
    }
    Ok(outcome)
}

/// Pins within a transaction that holds the corpus lock.
pub(super) async fn place(
    tx: &mut Tx,
    wanted: &NewPin,
    existing: ExistingPin,
    now: Instant,
) -> Result<PinOutcome, StoreError> {
    const TEXT: &str = "SELECT COUNT(*) FROM signals WHERE id = $1 AND content_hash <> ''";
    let has_text: i64 =
        on_tx!(&mut *tx, db => sqlx::query_scalar(TEXT).bind(wanted.signal_id.0).fetch_one(db))?;
    if has_text == 0 {
        return Err(StoreError::NotFound);
    }
    let there = of_topic(tx, &query_key(&plain(&wanted.query)), &wanted.scope).await?;
    let by = Some(wanted.pinned_by);
    match there {
        Some(pin) if pin.signal_id == wanted.signal_id => Ok(PinOutcome::Same(pin)),
        Some(pin) if existing == ExistingPin::Keep => Ok(PinOutcome::Taken(pin)),
        Some(before) => {
            delete(tx, before.id).await?;
            let pin = insert(tx, wanted, now).await?;
            let change = Change { action: PinAction::Replaced, before: Some(before.signal_id), by, now };
            history::note(tx, &pin, &change).await?;
            settle(tx, &[pin.signal_id, before.signal_id]).await?;
            Ok(PinOutcome::Replaced { pin, before })
        }
        None => {
            let pin = insert(tx, wanted, now).await?;
            history::note(tx, &pin, &Change { action: PinAction::Pinned, before: None, by, now }).await?;
            settle(tx, &[pin.signal_id]).await?;
            Ok(PinOutcome::Made(pin))
        }
    }
}

/// In the order of the scopes.
pub(super) async fn of_topics(db: &Db, key: &str, scopes: &[Scope]) -> Result<Vec<Pin>, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM pins WHERE topic = $1");
    let mut pins = Vec::new();
    for scope in scopes {
        let topic = topic(key, scope);
        let row = on_db!(*db, read, db =>
            sqlx::query_as::<_, PinRow>(TEXT).bind(topic.as_str()).fetch_optional(db))?;
        pins.extend(row.map(Pin::try_from).transpose()?);
    }
    Ok(pins)
}

/// By document, then by creation.
pub(super) async fn of_signals(db: &Db, signals: &[SignalId]) -> Result<Vec<Pin>, StoreError> {
    let mut pins = Vec::new();
    for some in in_lists(signals) {
        let rows = on_db!(*db, read, db => async {
            let mut query =
                QueryBuilder::new(concat!("SELECT ", columns!(), " FROM pins WHERE signal_id IN ("));
            push_list(&mut query, some.iter().copied());
            query.push(") ORDER BY signal_id, id");
            query.build_query_as::<PinRow>().fetch_all(db).await
        })?;
        for row in rows {
            pins.push(row.try_into()?);
        }
    }
    Ok(pins)
}

pub(super) async fn list(
    db: &Db,
    filter: &PinFilter,
    offset: u64,
    limit: u64,
) -> Result<Page<Pin>, StoreError> {
    let total: i64 = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new("SELECT COUNT(*) FROM pins AS decided");
        push_filter(&mut query, filter);
        query.build_query_scalar().fetch_one(db).await
    })?;
    let rows = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new(concat!("SELECT ", columns!(), " FROM pins AS decided"));
        push_filter(&mut query, filter);
        query.push(" ORDER BY id DESC LIMIT ").push_bind(to_column(limit));
        query.push(" OFFSET ").push_bind(to_column(offset));
        query.build_query_as::<PinRow>().fetch_all(db).await
    })?;
    let items = rows.into_iter().map(Pin::try_from).collect::<Result<_, _>>()?;
    Ok(Page { items, total: to_count(total) })
}

/// Which pins of a document to remove. Default: all.
pub(super) struct Unwanted<'a> {
    pub(super) signal: SignalId,
    pub(super) query_key: Option<&'a str>,
    pub(super) scope: Option<&'a Scope>,
}

pub(super) async fn unpin(
    db: &Db,
    unwanted: Unwanted<'_>,
    by: UserId,
    now: Instant,
) -> Result<u64, StoreError> {
    let mut tx = corpus::begin(db).await?;
    let mut removed = 0;
    for pin in stored(&mut tx, unwanted.signal).await? {
        let is_query = unwanted.query_key.is_none_or(|key| plain(key) == query_key(&pin.query));
        let is_scope = unwanted.scope.is_none_or(|scope| *scope == pin.scope);
        if is_query && is_scope {
            delete(&mut tx, pin.id).await?;
            let change =
                Change { action: PinAction::Unpinned, before: None, by: Some(by), now: to_micros(now) };
            history::note(&mut tx, &pin, &change).await?;
            removed += 1;
        }
    }
    settle(&mut tx, &[unwanted.signal]).await?;
    tx.commit().await?;
    Ok(removed)
}

/// The pins of a document within this transaction.
pub(super) async fn stored(tx: &mut Tx, signal: SignalId) -> Result<Vec<Pin>, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM pins WHERE signal_id = $1 ORDER BY id");
    let rows = on_tx!(tx, db => sqlx::query_as::<_, PinRow>(TEXT).bind(signal.0).fetch_all(db))?;
    rows.into_iter().map(Pin::try_from).collect()
}

/// Documents with a text are `pinned` while they have a pin, and `indexed` otherwise.
pub(super) async fn settle(tx: &mut Tx, signals: &[SignalId]) -> Result<(), StoreError> {
    const TEXT: &str = "UPDATE signals SET state = CASE WHEN EXISTS (SELECT 1 FROM pins WHERE signal_id = $1) \
         THEN 'pinned' ELSE 'indexed' END WHERE id = $1 AND content_hash <> ''";
    for id in signals {
        on_tx!(&mut *tx, db => rows_affected(sqlx::query(TEXT).bind(id.0).execute(db)))?;
    }
    Ok(())
}

async fn of_topic(tx: &mut Tx, key: &str, scope: &Scope) -> Result<Option<Pin>, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM pins WHERE topic = $1");
    let topic = topic(key, scope);
    on_tx!(tx, db => sqlx::query_as::<_, PinRow>(TEXT).bind(topic.as_str()).fetch_optional(db))?
        .map(Pin::try_from)
        .transpose()
}

async fn insert(tx: &mut Tx, wanted: &NewPin, now: Instant) -> Result<Pin, StoreError> {
    const TEXT: &str = concat!(
        "INSERT INTO pins (topic, signal_id, pinned_by, pinned_at, via, run_id, scope, query_key, query) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ",
        columns!()
    );
    let query: String = plain(&wanted.query).chars().take(QUERY_CHARS_MAX).collect();
    let key = query_key(&plain(&wanted.query));
    on_tx!(tx, db => sqlx::query_as::<_, PinRow>(TEXT)
        .bind(topic(&key, &wanted.scope))
        .bind(wanted.signal_id.0)
        .bind(wanted.pinned_by.0)
        .bind(now)
        .bind(wanted.via.as_str())
        .bind(wanted.run_id.map(|id| id.0))
        .bind(plain(&wanted.scope.to_string()))
        .bind(key.as_str())
        .bind(query.as_str())
        .fetch_one(db))?
    .try_into()
}

async fn delete(tx: &mut Tx, id: PinId) -> Result<(), StoreError> {
    on_tx!(tx, db => rows_affected(sqlx::query("DELETE FROM pins WHERE id = $1").bind(id.0).execute(db)))?;
    Ok(())
}
