//! The records of decisions on versions: pins, their history, elections, rejections.

use super::{Page, StoreError};
use crate::corpus::{
    AclToken, NewPin, NewRun, Pin, PinEvent, RejectReason, Rejection, Run, RunStatus, Scope,
};
use crate::ids::{RunId, SignalId, UserId};
use crate::instant::Instant;
use async_trait::async_trait;
use std::collections::BTreeSet;

/// What became of the wish for a pin. The database decides among those who wish at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PinOutcome {
    Made(Pin),
    /// It was pinned already; nothing changed.
    Same(Pin),
    /// It took the place of another document.
    Replaced {
        pin: Pin,
        before: Pin,
    },
    /// Another document is pinned; nothing changed.
    Taken(Pin),
}

/// What became of a decision on a run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunOutcome {
    /// With the pin that an approval made.
    Decided(Box<Run>, Option<Pin>),
    /// It is decided, superseded or stale; nothing changed.
    NotOpen(Box<Run>),
    /// Another document is pinned for its query; nothing changed.
    Taken(Pin),
}

/// Which pins are wanted. Nothing said: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PinFilter {
    pub query_key: Option<String>,
    pub scope: Option<Scope>,
    pub signal_id: Option<SignalId>,
    /// Only those of documents that somebody with these tokens may see; None: all, for work that shows nothing to anybody.
    pub visible_to: Option<Vec<AclToken>>,
}

/// Which elections are wanted. Nothing said: all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only these; None: all.
    pub ids: Option<Vec<RunId>>,
    /// Only those whose winner somebody with these tokens may see; None: all, for work that shows nothing to anybody.
    pub visible_to: Option<Vec<AclToken>>,
    /// Only those that this person's searches came to.
    pub search_owner: Option<UserId>,
    /// Any of these; empty: all.
    pub status: Vec<RunStatus>,
    /// In the query.
    pub words: String,
    pub cluster_key: Option<SignalId>,
}

#[async_trait]
pub trait CanonicalStore: Send + Sync {
    /// Pins a document for a query and scope. Its state becomes `pinned`; the history gets a line, as one. `force` takes the
    /// place of another document, whose state becomes `indexed` when that was its last pin. `NotFound`: the document is
    /// gone, or has no text.
    async fn pin(&self, wanted: NewPin, force: bool, now: Instant) -> Result<PinOutcome, StoreError>;
    /// The pins of a query in these scopes, in their order.
    async fn pins_for(&self, query_key: &str, scopes: &[Scope]) -> Result<Vec<Pin>, StoreError>;
    /// All pins of these documents.
    async fn pins_of(&self, signals: &[SignalId]) -> Result<Vec<Pin>, StoreError>;
    /// Newest first.
    async fn pins(&self, filter: &PinFilter, offset: u64, limit: u64) -> Result<Page<Pin>, StoreError>;
    /// Removes pins of a document: those of one query, of one scope, or all. With the last one its state becomes `indexed`.
    /// How many were removed.
    async fn unpin(
        &self,
        signal: SignalId,
        query_key: Option<&str>,
        scope: Option<&Scope>,
        by: UserId,
        now: Instant,
    ) -> Result<u64, StoreError>;
    /// What happened to pins, newest first.
    async fn pin_history(
        &self,
        filter: &PinFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<PinEvent>, StoreError>;

    /// Writes an election, `auto_elected` or `pending`. The open one of the same query, scope and cluster becomes
    /// `superseded`; when it says the same (members, scores, weights, thresholds, winner, `auto`), nothing is written and that one is
    /// returned. With an `auto_elected` one the other members get the winner as `superseded_by`, as one. The newest twenty that
    /// nobody decided are kept.
    /// Numbers of at most six decimals are read again as they are. `NotFound`: the winner is gone.
    async fn record_run(&self, run: NewRun, now: Instant) -> Result<Run, StoreError>;
    async fn run(&self, id: RunId) -> Result<Run, StoreError>;
    /// True when a search of this person came to it: the one that it was recorded for, or a later one that said the same.
    async fn has_asked(&self, id: RunId, user: UserId) -> Result<bool, StoreError>;
    /// Newest first.
    async fn runs(&self, filter: &RunFilter, offset: u64, limit: u64) -> Result<Page<Run>, StoreError>;
    /// Approves an open run and pins its winner for its query and scope, as one. `force` replaces a pin of another document.
    /// `NotFound`: the run or its winner is gone.
    async fn approve_run(
        &self,
        id: RunId,
        by: UserId,
        comment: &str,
        force: bool,
        now: Instant,
    ) -> Result<RunOutcome, StoreError>;
    /// Rejects an open run: its winner gets a rejection for its query, and unless it is pinned it supersedes the other
    /// members no longer. `NotFound`: the run or its winner is gone.
    async fn reject_run(
        &self,
        id: RunId,
        by: UserId,
        reason: RejectReason,
        comment: &str,
        now: Instant,
    ) -> Result<RunOutcome, StoreError>;
    /// How often and for which queries these documents were rejected; one for each rejection.
    async fn rejections(&self, signals: &[SignalId]) -> Result<Vec<Rejection>, StoreError>;
    /// Which of these runs were rejected.
    async fn rejected_runs(&self, ids: &[RunId]) -> Result<BTreeSet<RunId>, StoreError>;
    /// Open runs that were made before `before` become `stale`, at most `limit`; how many. `is_dry`: only counts.
    async fn retire_runs(&self, before: Instant, limit: u64, is_dry: bool) -> Result<u64, StoreError>;
    /// How many runs there are of each state, and how many pins.
    async fn canonical_counts(&self) -> Result<(Vec<(RunStatus, u64)>, u64), StoreError>;
}
