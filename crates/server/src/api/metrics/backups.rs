//! The time of the last backup in the audit log, scheduled or by a command.

use super::limits::COLLECT_TIME_MAX;
use crate::state::AppState;
use domain::audit::{Action, AuditFilter, Kind};
use domain::instant::Instant;

pub async fn collect(state: &AppState) -> Option<Instant> {
    let filter = AuditFilter {
        kind: Some(Kind::Database.as_str().to_owned()),
        action: Some(Action::BackedUp.as_str().to_owned()),
        ..AuditFilter::default()
    };
    let entries = state.store.audit_entries(&filter, 0, 1);
    let newest = tokio::time::timeout(COLLECT_TIME_MAX, entries).await.ok()?.ok()?;
    newest.items.first().map(|entry| entry.time)
}
