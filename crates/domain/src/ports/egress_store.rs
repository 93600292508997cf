//! Storage of egress scans of sent mail and of their findings. Each record belongs to one user.

use super::{Page, StoreError};
use crate::corpus::{EgressEvent, EventStatus, NewEvent, NewScan, Scan, ScanCounts, ScanStatus};
use crate::ids::{EventId, ScanId, SignalId, UserId};
use crate::instant::Instant;
use async_trait::async_trait;
use std::collections::BTreeSet;

/// Outcome of a request for a scan. The database decides between concurrent requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScanOutcome {
    Queued(Scan),
    /// The user has an unfinished scan; nothing changed.
    Busy(Scan),
}

/// Result of a finished scan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanEnd {
    pub status: ScanStatus,
    pub counts: ScanCounts,
    /// Empty unless it failed.
    pub error: String,
    pub truncated: bool,
}

/// Numbers of events that a scan added.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AddedEvents {
    /// Exact matches.
    pub matches: u64,
    pub candidates: u64,
}

/// Filter for events. The default matches all of the user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    pub status: Option<EventStatus>,
    pub signal_id: Option<SignalId>,
    pub scan_id: Option<ScanId>,
}

/// Scans and events of all users by status; a status with none may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EgressCounts {
    pub scans: Vec<(ScanStatus, u64)>,
    pub events: Vec<(EventStatus, u64)>,
}

#[async_trait]
pub trait EgressStore: Send + Sync {
    /// Stores a scan as `queued`. An unfinished one of the same user without progress since `abandoned` is first marked
    /// `failed`. Of each user, the newest hundred scans are kept, and all that found something.
    async fn begin_scan(
        &self,
        wanted: NewScan,
        abandoned: Instant,
        now: Instant,
    ) -> Result<ScanOutcome, StoreError>;
    async fn scan(&self, id: ScanId) -> Result<Scan, StoreError>;
    /// Unfinished scans without progress since `before`, by id.
    async fn unfinished_scans(&self, before: Instant) -> Result<Vec<Scan>, StoreError>;
    /// Newest first.
    async fn scans(&self, user: UserId, offset: u64, limit: u64) -> Result<Page<Scan>, StoreError>;
    /// Records that the scan runs, its progress and its findings, atomically. An event of the same user, document and
    /// message is not created again and keeps its status; returns the numbers of new ones. None if the scan is finished
    /// or was removed: then nothing is written. Events of removed documents are not created. `matches` and `candidates` of a scan are counted from its events, regardless of `counts`.
    async fn add_events(
        &self,
        id: ScanId,
        counts: ScanCounts,
        events: Vec<NewEvent>,
        now: Instant,
    ) -> Result<Option<AddedEvents>, StoreError>;
    /// Finishes a scan; false if it was already finished. Its `matches` and `candidates` are counted from its events.
    async fn end_scan(&self, id: ScanId, end: ScanEnd, now: Instant) -> Result<bool, StoreError>;
    /// Most recently sent first.
    async fn events(
        &self,
        user: UserId,
        filter: &EventFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<EgressEvent>, StoreError>;
    /// Another user's event is `NotFound`.
    async fn decide_event(
        &self,
        id: EventId,
        user: UserId,
        status: EventStatus,
        now: Instant,
    ) -> Result<EgressEvent, StoreError>;
    /// Those of these documents of which any user has a confirmed event.
    async fn shared_externally(&self, signals: &[SignalId]) -> Result<BTreeSet<SignalId>, StoreError>;
    /// Counts over all users.
    async fn egress_counts(&self) -> Result<EgressCounts, StoreError>;
}
