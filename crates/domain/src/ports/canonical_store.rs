//! Storage of decisions on versions: pins, their history, elections, rejections.

use super::{Page, StoreError};
use crate::corpus::{
    NewPin, NewRun, OwnedVisibility, Pin, PinEvent, RejectReason, Rejection, Run, RunStatus, Scope,
};
use crate::ids::{RunId, SignalId, UserId};
use crate::instant::Instant;
use crate::owner_scope::OwnerScope;
use async_trait::async_trait;
use std::collections::BTreeSet;

/// Elections by status, and pins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CanonicalCounts {
    /// Every status, also those without an election.
    pub runs: Vec<(RunStatus, u64)>,
    pub pins: u64,
}

/// Outcome of a request to pin a document. The database decides between concurrent requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinOutcome {
    Made(Pin),
    /// It was already pinned; nothing changed.
    Same(Pin),
    /// It replaced the pin of another document.
    Replaced {
        pin: Pin,
        before: Pin,
    },
    /// Another document is pinned; nothing changed.
    Taken(Pin),
}

/// What happens if another document is pinned for the same query and scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingPin {
    Keep,
    Replace,
}

impl ExistingPin {
    /// As the field `force` of a request asks.
    pub fn of_force(force: bool) -> Self {
        if force { Self::Replace } else { Self::Keep }
    }
}

/// Outcome of a decision on an election.
#[derive(Debug, Clone, PartialEq)]
pub enum RunOutcome {
    /// With the pin that an approval created.
    Decided(Box<Run>, Option<Pin>),
    /// The election is already decided, superseded or stale; nothing changed.
    NotOpen(Box<Run>),
    /// Another document is pinned for its query; nothing changed.
    Taken(Pin),
}

/// Whether maintenance changes anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// Only counts what would change.
    Preview,
    Apply,
}

/// Filter for pins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinFilter {
    pub query_key: Option<String>,
    /// Words of the query; empty: all.
    pub words: String,
    pub scope: Option<Scope>,
    pub signal_id: Option<SignalId>,
    /// Of the pinned document.
    pub visible_to: OwnedVisibility,
}

impl PinFilter {
    pub fn visible_to(visible_to: OwnedVisibility) -> Self {
        Self { query_key: None, words: String::new(), scope: None, signal_id: None, visible_to }
    }
}

/// Filter for elections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFilter {
    /// Only these; None: all.
    pub ids: Option<Vec<RunId>>,
    /// Of the winner.
    pub visible_to: OwnedVisibility,
    /// Only elections that searches of these users led to.
    pub search_owner: OwnerScope,
    /// Any of these; empty: all.
    pub status: Vec<RunStatus>,
    /// Words of the query.
    pub words: String,
    pub cluster_key: Option<SignalId>,
}

impl RunFilter {
    pub fn visible_to(visible_to: OwnedVisibility, search_owner: OwnerScope) -> Self {
        Self {
            ids: None,
            visible_to,
            search_owner,
            status: Vec::new(),
            words: String::new(),
            cluster_key: None,
        }
    }
}

#[async_trait]
pub trait CanonicalStore: Send + Sync {
    /// Pins a document for a query and scope, sets its state to `pinned` and adds an entry to the history, atomically.
    /// A document that it replaces becomes `indexed` if that was its last pin. `NotFound`: the document was removed or
    /// has no text.
    async fn pin(
        &self,
        wanted: NewPin,
        existing: ExistingPin,
        now: Instant,
    ) -> Result<PinOutcome, StoreError>;
    /// The pins of a query in these scopes, in the order of the scopes.
    async fn pins_for(&self, query_key: &str, scopes: &[Scope]) -> Result<Vec<Pin>, StoreError>;
    /// All pins of these documents.
    async fn pins_of(&self, signals: &[SignalId]) -> Result<Vec<Pin>, StoreError>;
    /// Newest first.
    async fn pins(&self, filter: &PinFilter, offset: u64, limit: u64) -> Result<Page<Pin>, StoreError>;
    /// Removes pins of a document: those of one query, of one scope, or all. Its state becomes `indexed` when the last
    /// one is removed. Returns the number of removed pins.
    async fn unpin(
        &self,
        signal: SignalId,
        query_key: Option<&str>,
        scope: Option<&Scope>,
        by: UserId,
        now: Instant,
    ) -> Result<u64, StoreError>;
    /// History of pins, newest first.
    async fn pin_history(
        &self,
        filter: &PinFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<PinEvent>, StoreError>;

    /// Records an election as `auto_elected` or `pending`. The open one of the same query, scope and cluster becomes
    /// `superseded`; if it is equal (members, scores, weights, thresholds, winner, `auto`), nothing is written and it
    /// is returned instead. With an `auto_elected` one, the other members get the winner as `superseded_by`, in the
    /// same transaction. The newest twenty undecided ones are kept. Numbers with at most six decimals are read back
    /// exactly. `NotFound`: the winner was removed.
    async fn record_run(&self, run: NewRun, now: Instant) -> Result<Run, StoreError>;
    async fn run(&self, id: RunId) -> Result<Run, StoreError>;
    /// True if a search of this user led to the election: the one that it was recorded for, or a later one with an
    /// equal result.
    async fn run_concerns_user(&self, id: RunId, user: UserId) -> Result<bool, StoreError>;
    /// Newest first.
    async fn runs(&self, filter: &RunFilter, offset: u64, limit: u64) -> Result<Page<Run>, StoreError>;
    /// Approves an open election and pins its winner for its query and scope, atomically. `NotFound`: the election or
    /// its winner was removed.
    async fn approve_run(
        &self,
        id: RunId,
        by: UserId,
        comment: &str,
        existing: ExistingPin,
        now: Instant,
    ) -> Result<RunOutcome, StoreError>;
    /// Rejects an open election: its winner gets a rejection for its query and, unless it is pinned, no longer
    /// supersedes the other members. `NotFound`: the election or its winner was removed.
    async fn reject_run(
        &self,
        id: RunId,
        by: UserId,
        reason: RejectReason,
        comment: &str,
        now: Instant,
    ) -> Result<RunOutcome, StoreError>;
    /// The rejections of these documents, each with its query.
    async fn rejections(&self, signals: &[SignalId]) -> Result<Vec<Rejection>, StoreError>;
    /// Which of these elections were rejected.
    async fn rejected_runs(&self, ids: &[RunId]) -> Result<BTreeSet<RunId>, StoreError>;
    /// Marks at most `limit` open elections that were created before `before` as `stale`; returns their number.
    async fn expire_runs(&self, before: Instant, limit: u64, mode: WriteMode) -> Result<u64, StoreError>;
    async fn canonical_counts(&self) -> Result<CanonicalCounts, StoreError>;
}
