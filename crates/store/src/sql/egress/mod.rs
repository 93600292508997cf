//! Records of egress scans and events.

mod events;
mod figures;
mod scans;

use crate::SqlStore;
use async_trait::async_trait;
use domain::corpus::{EgressEvent, EventStatus, NewEvent, NewScan, Scan, ScanCounts};
use domain::ids::{EventId, ScanId, SignalId, UserId};
use domain::instant::Instant;
use domain::ports::{
    AddedEvents, EgressCounts, EgressStore, EventFilter, Page, ScanEnd, ScanOutcome, StoreError,
};
use std::collections::BTreeSet;

#[async_trait]
impl EgressStore for SqlStore {
    async fn begin_scan(
        &self,
        wanted: NewScan,
        abandoned: Instant,
        now: Instant,
    ) -> Result<ScanOutcome, StoreError> {
        scans::begin(&self.db, wanted, abandoned, now).await
    }

    async fn scan(&self, id: ScanId) -> Result<Scan, StoreError> {
        scans::scan(&self.db, id).await
    }

    async fn unfinished_scans(&self, before: Instant) -> Result<Vec<Scan>, StoreError> {
        scans::unended(&self.db, before).await
    }

    async fn scans(&self, user: UserId, offset: u64, limit: u64) -> Result<Page<Scan>, StoreError> {
        scans::list(&self.db, user, offset, limit).await
    }

    async fn add_events(
        &self,
        id: ScanId,
        counts: ScanCounts,
        events: Vec<NewEvent>,
        now: Instant,
    ) -> Result<Option<AddedEvents>, StoreError> {
        events::add(&self.db, id, counts, events, now).await
    }

    async fn end_scan(&self, id: ScanId, end: ScanEnd, now: Instant) -> Result<bool, StoreError> {
        scans::end(&self.db, id, end, now).await
    }

    async fn events(
        &self,
        user: UserId,
        filter: &EventFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<EgressEvent>, StoreError> {
        events::list(&self.db, user, filter, offset, limit).await
    }

    async fn decide_event(
        &self,
        id: EventId,
        user: UserId,
        status: EventStatus,
        now: Instant,
    ) -> Result<EgressEvent, StoreError> {
        events::decide(&self.db, id, user, status, now).await
    }

    async fn shared_externally(&self, signals: &[SignalId]) -> Result<BTreeSet<SignalId>, StoreError> {
        events::shared(&self.db, signals).await
    }

    async fn egress_counts(&self) -> Result<EgressCounts, StoreError> {
        figures::counts(&self.db).await
    }
}
