//! The records of scans of sent mail, and of what was found in it. Everything here belongs to one person.

use super::{Page, StoreError};
use crate::corpus::{EgressEvent, EventStatus, NewEvent, NewScan, Scan, ScanCounts, ScanStatus};
use crate::ids::{EventId, ScanId, SignalId, UserId};
use crate::instant::Instant;
use async_trait::async_trait;
use std::collections::BTreeSet;

/// What became of the wish for a scan. The database decides among those who wish at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScanOutcome {
    Queued(Scan),
    /// This person has one that is not over; nothing changed.
    Busy(Scan),
}

/// How a scan ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScanEnd {
    pub status: ScanStatus,
    pub counts: ScanCounts,
    /// Empty unless it failed.
    pub error: String,
    pub truncated: bool,
}

/// Which events are wanted. Nothing said: all of that person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventFilter {
    pub status: Option<EventStatus>,
    pub signal_id: Option<SignalId>,
    pub scan_id: Option<ScanId>,
}

/// Scans and events of all people by status; one of which there is none may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EgressCounts {
    pub scans: Vec<(ScanStatus, u64)>,
    pub events: Vec<(EventStatus, u64)>,
}

#[async_trait]
pub trait EgressStore: Send + Sync {
    /// Stores a scan as `queued`. One of the same person that is not over since before `abandoned` becomes `failed` first:
    /// nothing was heard of it since then. The newest hundred scans of a person are kept, and those that found something.
    async fn begin_scan(
        &self,
        wanted: NewScan,
        abandoned: Instant,
        now: Instant,
    ) -> Result<ScanOutcome, StoreError>;
    async fn scan(&self, id: ScanId) -> Result<Scan, StoreError>;
    /// Scans that are not over and of which nothing was heard since `before`, by id.
    async fn unended_scans(&self, before: Instant) -> Result<Vec<Scan>, StoreError>;
    /// Newest first.
    async fn scans(&self, user: UserId, offset: u64, limit: u64) -> Result<Page<Scan>, StoreError>;
    /// Notes that it runs and how far it is, and keeps what was found, as one. An event of the same person, document and
    /// message is not made again and keeps its status; those that are new are counted: exact ones, then candidates. None when
    /// the scan is over or gone: then nothing is written. An event of a document that is gone is not made. `matches` and
    /// `candidates` of a scan are counted from its events, whatever `counts` says of them.
    async fn add_events(
        &self,
        id: ScanId,
        counts: ScanCounts,
        events: Vec<NewEvent>,
        now: Instant,
    ) -> Result<Option<(u64, u64)>, StoreError>;
    /// Ends a scan; False when it is over already. Its `matches` and `candidates` are counted from its events.
    async fn end_scan(&self, id: ScanId, end: ScanEnd, now: Instant) -> Result<bool, StoreError>;
    /// Newest sent first.
    async fn events(
        &self,
        user: UserId,
        filter: &EventFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<EgressEvent>, StoreError>;
    /// `NotFound` also for somebody else's.
    async fn decide_event(
        &self,
        id: EventId,
        user: UserId,
        status: EventStatus,
        now: Instant,
    ) -> Result<EgressEvent, StoreError>;
    /// Those of these documents of which anybody has a confirmed event.
    async fn shared_externally(&self, signals: &[SignalId]) -> Result<BTreeSet<SignalId>, StoreError>;
    /// How many there are of everybody.
    async fn egress_counts(&self) -> Result<EgressCounts, StoreError>;
}
