//! Records of decisions on versions. Writers hold the corpus lock: a document and the decisions on it change together,
//! and history ids follow the commit order.

mod decide;
mod history;
mod on_document_removed;
mod pin_filter;
mod pins;
mod record;
mod runs;
mod topic;

pub(super) use on_document_removed::{forget, move_over};

use crate::SqlStore;
use async_trait::async_trait;
use domain::corpus::{NewPin, NewRun, Pin, PinEvent, RejectReason, Rejection, Run, Scope};
use domain::ids::{RunId, SignalId, UserId};
use domain::instant::Instant;
use domain::ports::{
    CanonicalCounts, CanonicalStore, ExistingPin, Page, PinFilter, PinOutcome, RunFilter, RunOutcome,
    StoreError, WriteMode,
};
use std::collections::BTreeSet;

#[async_trait]
impl CanonicalStore for SqlStore {
    async fn pin(
        &self,
        wanted: NewPin,
        existing: ExistingPin,
        now: Instant,
    ) -> Result<PinOutcome, StoreError> {
        pins::pin(&self.db, wanted, existing, now).await
    }

    async fn pins_for(&self, query_key: &str, scopes: &[Scope]) -> Result<Vec<Pin>, StoreError> {
        pins::of_topics(&self.db, query_key, scopes).await
    }

    async fn pins_of(&self, signals: &[SignalId]) -> Result<Vec<Pin>, StoreError> {
        pins::of_signals(&self.db, signals).await
    }

    async fn pins(&self, filter: &PinFilter, offset: u64, limit: u64) -> Result<Page<Pin>, StoreError> {
        pins::list(&self.db, filter, offset, limit).await
    }

    async fn unpin(
        &self,
        signal: SignalId,
        query_key: Option<&str>,
        scope: Option<&Scope>,
        by: UserId,
        now: Instant,
    ) -> Result<u64, StoreError> {
        let wanted = pins::Unwanted { signal, query_key, scope };
        pins::unpin(&self.db, wanted, by, now).await
    }

    async fn pin_history(
        &self,
        filter: &PinFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<PinEvent>, StoreError> {
        history::list(&self.db, filter, offset, limit).await
    }

    async fn record_run(&self, run: NewRun, now: Instant) -> Result<Run, StoreError> {
        record::record(&self.db, run, now).await
    }

    async fn run(&self, id: RunId) -> Result<Run, StoreError> {
        runs::run(&self.db, id).await
    }

    async fn run_concerns_user(&self, id: RunId, user: UserId) -> Result<bool, StoreError> {
        runs::run_concerns_user(&self.db, id, user).await
    }

    async fn runs(&self, filter: &RunFilter, offset: u64, limit: u64) -> Result<Page<Run>, StoreError> {
        runs::list(&self.db, filter, offset, limit).await
    }

    async fn approve_run(
        &self,
        id: RunId,
        by: UserId,
        comment: &str,
        existing: ExistingPin,
        now: Instant,
    ) -> Result<RunOutcome, StoreError> {
        decide::approve(&self.db, id, by, comment, existing, now).await
    }

    async fn reject_run(
        &self,
        id: RunId,
        by: UserId,
        reason: RejectReason,
        comment: &str,
        now: Instant,
    ) -> Result<RunOutcome, StoreError> {
        decide::reject(&self.db, id, by, comment, reason, now).await
    }

    async fn rejections(&self, signals: &[SignalId]) -> Result<Vec<Rejection>, StoreError> {
        runs::rejections(&self.db, signals).await
    }

    async fn rejected_runs(&self, ids: &[RunId]) -> Result<BTreeSet<RunId>, StoreError> {
        runs::rejected(&self.db, ids).await
    }

    async fn expire_runs(&self, before: Instant, limit: u64, mode: WriteMode) -> Result<u64, StoreError> {
        decide::retire(&self.db, before, limit, mode).await
    }

    async fn canonical_counts(&self) -> Result<CanonicalCounts, StoreError> {
        runs::counts(&self.db).await
    }
}
