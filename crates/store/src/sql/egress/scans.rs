//! Scans: a person has at most one unfinished scan.

use crate::db::{Db, Tx, first_row, on_db, on_tx, rows_affected};
use crate::json::{to_column, to_count};
use crate::row::row;
use crate::sql::corpus::line;
use chrono::NaiveDate;
use domain::corpus::{Channel, NewScan, Scan, ScanCounts, ScanStatus};
use domain::ids::{ScanId, UserId};
use domain::instant::{Instant, to_micros};
use domain::ports::{Page, ScanEnd, ScanOutcome, StoreError};

/// Most scans of a person that are kept; older ones only if they found something.
const SCANS_KEPT: i64 = 100;
/// Most attempts if the blocking scan finishes at that moment.
const TRIES: u32 = 5;
/// Error of a scan without progress.
const ABANDONED: &str = "The scan stopped responding.";

macro_rules! columns {
    () => {
        "id, user_id, channel, status, matter_tag, date_from, date_to, messages_seen, messages_external, matches, \
         candidates, created_at, started_at, finished_at, error, truncated"
    };
}

/// The matches of a scan, counted from its events, so that an interrupted scan is counted correctly.
macro_rules! found {
    () => {
        "matches = (SELECT COUNT(*) FROM egress_events WHERE scan_id = $1 \
         AND method IN ('link_exact', 'attachment_hash', 'attachment_id')), \
         candidates = (SELECT COUNT(*) FROM egress_events WHERE scan_id = $1 \
         AND method IN ('filename_size', 'content_similarity'))"
    };
}

macro_rules! running {
    () => {
        "status IN ('queued', 'running')"
    };
}

row! {
    struct ScanRow {
        id: i64,
        user_id: i64,
        channel: String,
        status: String,
        matter_tag: String,
        date_from: Option<String>,
        date_to: Option<String>,
        messages_seen: i64,
        messages_external: i64,
        matches: i64,
        candidates: i64,
        created_at: Instant,
        started_at: Option<Instant>,
        finished_at: Option<Instant>,
        error: String,
        truncated: bool,
    }
}

impl TryFrom<ScanRow> for Scan {
    type Error = StoreError;

    fn try_from(row: ScanRow) -> Result<Self, StoreError> {
        let scan_id = ScanId(row.id);
        let unreadable = || StoreError::failed(format!("the scan {scan_id} is not readable"));
        let day = |text: Option<String>| text.map(|text| text.parse::<NaiveDate>()).transpose();
        Ok(Self {
            scan_id,
            user: UserId(row.user_id),
            channel: Channel::parse(&row.channel).ok_or_else(unreadable)?,
            status: ScanStatus::parse(&row.status).ok_or_else(unreadable)?,
            date_from: day(row.date_from).map_err(|error| unreadable().caused_by(error))?,
            date_to: day(row.date_to).map_err(|error| unreadable().caused_by(error))?,
            matter_tag: row.matter_tag,
            counts: ScanCounts {
                messages_seen: to_count(row.messages_seen),
                messages_external: to_count(row.messages_external),
                matches: to_count(row.matches),
                candidates: to_count(row.candidates),
            },
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
            error: row.error,
            truncated: row.truncated,
        })
    }
}

pub(super) async fn begin(
    db: &Db,
    wanted: NewScan,
    abandoned: Instant,
    now: Instant,
) -> Result<ScanOutcome, StoreError> {
    const ABANDON: &str = concat!(
        "UPDATE egress_scans SET status = 'failed', finished_at = $3, error = $4 \
         WHERE user_id = $1 AND touched_at < $2 AND ",
        running!()
    );
    const OPEN: &str =
        concat!("SELECT ", columns!(), " FROM egress_scans WHERE user_id = $1 AND ", running!());
    let now = to_micros(now);
    let user = wanted.user.0;
    for _ in 0..TRIES {
        let mut tx = db.begin().await?;
        on_tx!(&mut tx, db => rows_affected(sqlx::query(ABANDON)
            .bind(user).bind(to_micros(abandoned)).bind(now).bind(ABANDONED).execute(db)))?;
        if let Some(scan) = insert(&mut tx, &wanted, now).await? {
            drop_oldest(&mut tx, wanted.user).await?;
            tx.commit().await?;
            return Ok(ScanOutcome::Queued(scan));
        }
        let open = on_tx!(&mut tx, db =>
            sqlx::query_as::<_, ScanRow>(OPEN).bind(user).fetch_optional(db))?;
        if let Some(open) = open {
            return Ok(ScanOutcome::Busy(open.try_into()?));
        }
    }
    Err(StoreError::unreachable("scans begin and end too fast"))
}

pub(super) async fn scan(db: &Db, id: ScanId) -> Result<Scan, StoreError> {
    const TEXT: &str = concat!("SELECT ", columns!(), " FROM egress_scans WHERE id = $1");
    on_db!(*db, read, db => sqlx::query_as::<_, ScanRow>(TEXT).bind(id.0).fetch_one(db))?.try_into()
}

pub(super) async fn unended(db: &Db, before: Instant) -> Result<Vec<Scan>, StoreError> {
    const TEXT: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM egress_scans WHERE touched_at < $1 AND ",
        running!(),
        " ORDER BY id"
    );
    let rows = on_db!(*db, read, db =>
        sqlx::query_as::<_, ScanRow>(TEXT).bind(to_micros(before)).fetch_all(db))?;
    rows.into_iter().map(Scan::try_from).collect()
}

pub(super) async fn list(db: &Db, user: UserId, offset: u64, limit: u64) -> Result<Page<Scan>, StoreError> {
    const COUNT: &str = "SELECT COUNT(*) FROM egress_scans WHERE user_id = $1";
    const TEXT: &str = concat!(
        "SELECT ",
        columns!(),
        " FROM egress_scans WHERE user_id = $1 ORDER BY id DESC LIMIT $2 OFFSET $3"
    );
    let total: i64 = on_db!(*db, read, db => sqlx::query_scalar(COUNT).bind(user.0).fetch_one(db))?;
    let rows = on_db!(*db, read, db => sqlx::query_as::<_, ScanRow>(TEXT)
        .bind(user.0).bind(to_column(limit)).bind(to_column(offset)).fetch_all(db))?;
    let items = rows.into_iter().map(Scan::try_from).collect::<Result<_, _>>()?;
    Ok(Page { items, total: to_count(total) })
}

/// Stores progress and returns the owner. None if the scan is finished or deleted.
pub(super) async fn progress(
    tx: &mut Tx,
    id: ScanId,
    counts: ScanCounts,
    now: Instant,
) -> Result<Option<(UserId, Channel)>, StoreError> {
    const TEXT: &str = concat!(
        "UPDATE egress_scans SET status = 'running', started_at = COALESCE(started_at, $2), touched_at = $2, \
         messages_seen = $3, messages_external = $4, ",
        found!(),
        " WHERE id = $1 AND ",
        running!(),
        " RETURNING ",
        columns!()
    );
    let row = on_tx!(tx, db => first_row(sqlx::query_as::<_, ScanRow>(TEXT)
        .bind(id.0)
        .bind(now)
        .bind(to_column(counts.messages_seen))
        .bind(to_column(counts.messages_external))
        .fetch_all(db)))?;
    let scan = row.map(Scan::try_from).transpose()?;
    Ok(scan.map(|scan| (scan.user, scan.channel)))
}

/// A status that is not final is the caller's mistake, and ends nothing.
pub(super) async fn end(db: &Db, id: ScanId, end: ScanEnd, now: Instant) -> Result<bool, StoreError> {
    const TEXT: &str = concat!(
        "UPDATE egress_scans SET status = $2, finished_at = $3, touched_at = $3, messages_seen = $4, \
         messages_external = $5, error = $6, truncated = $7, ",
        found!(),
        " WHERE id = $1 AND ",
        running!()
    );
    if !end.status.is_over() {
        return Err(StoreError::failed(format!("a scan does not end as {}", end.status.as_str())));
    }
    let rows = on_db!(*db, write, db => rows_affected(sqlx::query(TEXT)
        .bind(id.0)
        .bind(end.status.as_str())
        .bind(to_micros(now))
        .bind(to_column(end.counts.messages_seen))
        .bind(to_column(end.counts.messages_external))
        .bind(line(&end.error))
        .bind(end.truncated)
        .execute(db)))?;
    Ok(rows > 0)
}

/// None if this person has an unfinished scan.
async fn insert(tx: &mut Tx, wanted: &NewScan, now: Instant) -> Result<Option<Scan>, StoreError> {
    const TEXT: &str = concat!(
        "INSERT INTO egress_scans (user_id, channel, status, created_at, touched_at, date_from, date_to, matter_tag) \
         VALUES ($1, $2, 'queued', $3, $3, $4, $5, $6) ON CONFLICT (user_id) WHERE ",
        running!(),
        " DO NOTHING RETURNING ",
        columns!()
    );
    let row = on_tx!(tx, db => first_row(sqlx::query_as::<_, ScanRow>(TEXT)
        .bind(wanted.user.0)
        .bind(wanted.channel.as_str())
        .bind(now)
        .bind(wanted.date_from.map(|day| day.to_string()))
        .bind(wanted.date_to.map(|day| day.to_string()))
        .bind(line(&wanted.matter_tag))
        .fetch_all(db)))?;
    row.map(Scan::try_from).transpose()
}

async fn drop_oldest(tx: &mut Tx, user: UserId) -> Result<(), StoreError> {
    const TEXT: &str = "DELETE FROM egress_scans WHERE id IN (SELECT id FROM egress_scans WHERE user_id = $1 \
         ORDER BY id DESC LIMIT 1000 OFFSET $2) AND NOT EXISTS (SELECT 1 FROM egress_events \
         WHERE egress_events.scan_id = egress_scans.id)";
    on_tx!(tx, db => rows_affected(sqlx::query(TEXT).bind(user.0).bind(SCANS_KEPT).execute(db)))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use domain::corpus::{EventStatus, MatchMethod};

    #[test]
    fn every_method_counts_as_what_it_is_born_as() {
        let (exact, candidates) = found!().split_once("candidates").expect("two counts");
        for method in MatchMethod::ALL {
            let is_exact = method.initial_status() == EventStatus::Confirmed;
            let word = format!("'{}'", method.as_str());
            assert_eq!((exact.contains(&word), candidates.contains(&word)), (is_exact, !is_exact), "{word}");
        }
    }
}
