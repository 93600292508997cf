//! Scans and events of one person. Those of others do not exist, also for administrators.

use super::error::EgressError;
use crate::SemanticCache;
use domain::corpus::{EgressEvent, EventStatus, Scan, ScanStatus};
use domain::ids::{EventId, ScanId};
use domain::ports::{EventFilter, Page, ScanEnd, StoreError};
use domain::user::Principal;

impl SemanticCache {
    /// The person's own scans, newest first. They can be read without a license.
    pub async fn scans(&self, by: &Principal, offset: u64, limit: u64) -> Result<Page<Scan>, EgressError> {
        Ok(self.parts.store.scans(by.user, offset, limit).await?)
    }

    pub async fn scan(&self, by: &Principal, id: ScanId) -> Result<Scan, EgressError> {
        let scan = self.parts.store.scan(id).await.map_err(missing)?;
        if scan.user == by.user { Ok(scan) } else { Err(EgressError::NotFound) }
    }

    /// Cancels the scan; what it found stays. A finished scan is returned unchanged.
    pub async fn cancel_scan(&self, by: &Principal, id: ScanId) -> Result<Scan, EgressError> {
        let scan = self.scan(by, id).await?;
        if scan.status.is_over() {
            return Ok(scan);
        }
        let end = ScanEnd {
            status: ScanStatus::Cancelled,
            counts: scan.counts,
            error: String::new(),
            truncated: scan.truncated,
        };
        self.parts.store.end_scan(id, end, self.parts.clock.now()).await?;
        self.scan(by, id).await
    }

    /// The person's own events, most recently sent first. They can be read without a license.
    pub async fn events(
        &self,
        by: &Principal,
        filter: &EventFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<EgressEvent>, EgressError> {
        Ok(self.parts.store.events(by.user, filter, offset, limit).await?)
    }

    /// Stores the person's verdict on a match; it can be changed later, but not back to `candidate`.
    pub async fn decide(
        &self,
        by: &Principal,
        id: EventId,
        status: EventStatus,
    ) -> Result<EgressEvent, EgressError> {
        if status == EventStatus::Candidate {
            let sentence = "Use confirmed or dismissed.".to_owned();
            return Err(EgressError::Invalid("status", sentence));
        }
        if !self.parts.license.opens_cache() {
            return Err(EgressError::Unlicensed);
        }
        self.parts.store.decide_event(id, by.user, status, self.parts.clock.now()).await.map_err(missing)
    }
}

fn missing(error: StoreError) -> EgressError {
    match error {
        StoreError::NotFound => EgressError::NotFound,
        other => EgressError::Store(other),
    }
}
