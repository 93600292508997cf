//! Documents found in sent mail: unique per person, document and message.

use super::scans::progress;
use crate::db::{Db, Tx, first_row, on_db, on_tx, rows_affected};
use crate::json::{JsonText, plain, to_column, to_count};
use crate::row::row;
use crate::sql::corpus::{self, line};
use crate::sql::text::{in_lists, push_list};
use domain::corpus::{Channel, EgressEvent, EventStatus, MatchMethod, NewEvent, ScanCounts};
use domain::ids::{EventId, ScanId, SignalId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{AddedEvents, EventFilter, Page, StoreError};
use sqlx::QueryBuilder;
use sqlx::types::Json;
use std::collections::BTreeSet;

macro_rules! columns {
    () => {
        "id, user_id, scan_id, signal_id, signal_title, external_domains, channel, sent_at, method, status, decided_at"
    };
}

row! {
    struct EventRow {
        id: i64,
        user_id: i64,
        scan_id: i64,
        signal_id: Option<i64>,
        signal_title: String,
        external_domains: Json<Vec<String>>,
        channel: String,
        sent_at: Instant,
        method: String,
        status: String,
        decided_at: Option<Instant>,
    }
}

impl TryFrom<EventRow> for EgressEvent {
    type Error = StoreError;

    fn try_from(row: EventRow) -> Result<Self, StoreError> {
        let event_id = EventId(row.id);
        let unreadable = || StoreError::failed(format!("the find {event_id} in sent mail is not readable"));
        let match_method = MatchMethod::parse(&row.method).ok_or_else(unreadable)?;
        Ok(Self {
            event_id,
            scan_id: ScanId(row.scan_id),
            signal_id: row.signal_id.map(SignalId),
            signal_title: row.signal_title,
            external_domains: row.external_domains.0,
            channel: Channel::parse(&row.channel).ok_or_else(unreadable)?,
            sent_at: row.sent_at,
            match_method,
            confidence: match_method.confidence(),
            status: EventStatus::parse(&row.status).ok_or_else(unreadable)?,
            decided_at: row.decided_at,
            user: UserId(row.user_id),
        })
    }
}

/// Holds the corpus lock, so that no document is deleted while its event is written.
pub(super) async fn add(
    db: &Db,
    id: ScanId,
    counts: ScanCounts,
    events: Vec<NewEvent>,
    now: Instant,
) -> Result<Option<AddedEvents>, StoreError> {
    let now = to_micros(now);
    let mut tx = corpus::begin(db).await?;
    let Some((user, channel)) = progress(&mut tx, id, counts, now).await? else { return Ok(None) };
    let mut added = AddedEvents::default();
    for event in &events {
        if insert(&mut tx, id, user, channel, event).await? {
            match event.method.initial_status() {
                EventStatus::Confirmed => added.matches += 1,
                EventStatus::Candidate | EventStatus::Dismissed => added.candidates += 1,
            }
        }
    }
    if added != AddedEvents::default() {
        progress(&mut tx, id, counts, now).await?;
    }
    tx.commit().await?;
    Ok(Some(added))
}

pub(super) async fn list(
    db: &Db,
    user: UserId,
    filter: &EventFilter,
    offset: u64,
    limit: u64,
) -> Result<Page<EgressEvent>, StoreError> {
    let total: i64 = on_db!(*db, read, db => async {
        let mut query = QueryBuilder::new("SELECT COUNT(*) FROM egress_events WHERE user_id = ");
        query.push_bind(user.0);
        push_filter(&mut query, filter);
        query.build_query_scalar().fetch_one(db).await
    })?;
    let rows = on_db!(*db, read, db => async {
        let mut query =
            QueryBuilder::new(concat!("SELECT ", columns!(), " FROM egress_events WHERE user_id = "));
        query.push_bind(user.0);
        push_filter(&mut query, filter);
        query.push(" ORDER BY sent_at DESC, id DESC LIMIT ").push_bind(to_column(limit));
        query.push(" OFFSET ").push_bind(to_column(offset));
        query.build_query_as::<EventRow>().fetch_all(db).await
    })?;
    let items = rows.into_iter().map(EgressEvent::try_from).collect::<Result<_, _>>()?;
    Ok(Page { items, total: to_count(total) })
}

pub(super) async fn decide(
    db: &Db,
    id: EventId,
    user: UserId,
    status: EventStatus,
    now: Instant,
) -> Result<EgressEvent, StoreError> {
    const TEXT: &str = concat!(
        "UPDATE egress_events SET status = $3, decided_at = $4 WHERE id = $1 AND user_id = $2 RETURNING ",
        columns!()
    );
    on_db!(*db, write, db => first_row(sqlx::query_as::<_, EventRow>(TEXT)
        .bind(id.0).bind(user.0).bind(status.as_str()).bind(to_micros(now)).fetch_all(db)))?
    .ok_or(StoreError::NotFound)?
    .try_into()
}

pub(super) async fn shared(db: &Db, signals: &[SignalId]) -> Result<BTreeSet<SignalId>, StoreError> {
    let mut found = BTreeSet::new();
    for some in in_lists(signals) {
        let ids: Vec<i64> = on_db!(*db, read, db => async {
            let mut query = QueryBuilder::new(
                "SELECT DISTINCT signal_id FROM egress_events WHERE status = 'confirmed' AND signal_id IN (",
            );
            push_list(&mut query, some.iter().copied());
            query.push(")");
            query.build_query_scalar().fetch_all(db).await
        })?;
        found.extend(ids.into_iter().map(SignalId));
    }
    Ok(found)
}

/// False if the event exists, or the document was deleted.
async fn insert(
    tx: &mut Tx,
    scan: ScanId,
    user: UserId,
    channel: Channel,
    event: &NewEvent,
) -> Result<bool, StoreError> {
    const TEXT: &str = "INSERT INTO egress_events (user_id, signal_id, message_key, scan_id, status, method, channel, \
         sent_at, signal_title, external_domains) SELECT CAST($1 AS BIGINT), id, CAST($3 AS TEXT), \
         CAST($4 AS BIGINT), CAST($5 AS TEXT), CAST($6 AS TEXT), CAST($7 AS TEXT), $8, CAST($9 AS TEXT), $10 \
         FROM signals WHERE id = $2 ON CONFLICT (user_id, signal_id, message_key) DO NOTHING";
    let domains = JsonText::of(&event.external_domains)?;
    let rows = on_tx!(tx, db => rows_affected(sqlx::query(TEXT)
        .bind(user.0)
        .bind(event.signal_id.0)
        .bind(plain(&event.message_key))
        .bind(scan.0)
        .bind(event.method.initial_status().as_str())
        .bind(event.method.as_str())
        .bind(channel.as_str())
        .bind(to_micros(event.sent_at))
        .bind(line(&event.signal_title))
        .bind(domains.clone())
        .execute(db)))?;
    Ok(rows > 0)
}

fn push_filter<'a, D>(query: &mut QueryBuilder<D>, filter: &EventFilter)
where
    D: sqlx::Database,
    i64: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
    String: sqlx::Encode<'a, D> + sqlx::Type<D> + 'a,
{
    if let Some(status) = filter.status {
        query.push(" AND status = ").push_bind(status.as_str().to_owned());
    }
    if let Some(signal) = filter.signal_id {
        query.push(" AND signal_id = ").push_bind(signal.0);
    }
    if let Some(scan) = filter.scan_id {
        query.push(" AND scan_id = ").push_bind(scan.0);
    }
}
