//! How many scans and events there are, by status. Counts alone, never whose.

use crate::db::{Db, on_db};
use crate::json::to_count;
use domain::contracts::{EgressCounts, StoreError};
use domain::corpus::{EventStatus, ScanStatus};

pub(super) async fn counts(db: &Db) -> Result<EgressCounts, StoreError> {
    const SCANS: &str = "SELECT status, COUNT(*) FROM egress_scans GROUP BY status";
    const EVENTS: &str = "SELECT status, COUNT(*) FROM egress_events GROUP BY status";
    let scans: Vec<(String, i64)> = on_db!(*db, read, db => sqlx::query_as(SCANS).fetch_all(db))?;
    let events: Vec<(String, i64)> = on_db!(*db, read, db => sqlx::query_as(EVENTS).fetch_all(db))?;
    // A status that this version does not know counts nowhere.
    let scan = |(word, count): &(String, i64)| Some((ScanStatus::parse(word)?, to_count(*count)));
    let event = |(word, count): &(String, i64)| Some((EventStatus::parse(word)?, to_count(*count)));
    Ok(EgressCounts {
        scans: scans.iter().filter_map(scan).collect(),
        events: events.iter().filter_map(event).collect(),
    })
}
