//! Counts of scans and events by status, without their owners.

use crate::db::{Db, on_db};
use crate::json::to_count;
use domain::corpus::{EventStatus, ScanStatus};
use domain::ports::{EgressCounts, StoreError};

pub(super) async fn counts(db: &Db) -> Result<EgressCounts, StoreError> {
    const SCANS: &str = "SELECT status, COUNT(*) FROM egress_scans GROUP BY status";
    const EVENTS: &str = "SELECT status, COUNT(*) FROM egress_events GROUP BY status";
    let scans: Vec<(String, i64)> = on_db!(*db, read, db => sqlx::query_as(SCANS).fetch_all(db))?;
    let events: Vec<(String, i64)> = on_db!(*db, read, db => sqlx::query_as(EVENTS).fetch_all(db))?;
    // An unknown status is not counted.
    let scan = |(word, count): &(String, i64)| Some((ScanStatus::parse(word)?, to_count(*count)));
    let event = |(word, count): &(String, i64)| Some((EventStatus::parse(word)?, to_count(*count)));
    Ok(EgressCounts {
        scans: scans.iter().filter_map(scan).collect(),
        events: events.iter().filter_map(event).collect(),
    })
}
