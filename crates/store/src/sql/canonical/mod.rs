//! The records of decisions on versions. Whoever writes holds the lock of the cache: what a document is and what was
//! decided of it change together, and history is numbered in the order in which it is committed.

mod deciding;
mod history;
mod leaving;
mod pins;
mod recording;
mod runs;

pub(super) use leaving::{forget, move_over};

use crate::SqlStore;
use crate::json::plain;
use async_trait::async_trait;
use domain::contracts::{CanonicalStore, Page, PinFilter, PinOutcome, RunFilter, RunOutcome, StoreError};
use domain::corpus::{NewPin, NewRun, Pin, PinEvent, RejectReason, Rejection, Run, RunStatus, Scope};
use domain::ids::{RunId, SignalId, UserId};
use domain::instant::Instant;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

#[async_trait]
impl CanonicalStore for SqlStore {
    async fn pin(&self, wanted: NewPin, force: bool, now: Instant) -> Result<PinOutcome, StoreError> {
        pins::pin(&self.db, wanted, force, now).await
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
        recording::record(&self.db, run, now).await
    }

    async fn run(&self, id: RunId) -> Result<Run, StoreError> {
        runs::run(&self.db, id).await
    }

    async fn has_asked(&self, id: RunId, user: UserId) -> Result<bool, StoreError> {
        runs::has_asked(&self.db, id, user).await
    }

    async fn runs(&self, filter: &RunFilter, offset: u64, limit: u64) -> Result<Page<Run>, StoreError> {
        runs::list(&self.db, filter, offset, limit).await
    }

    async fn approve_run(
        &self,
        id: RunId,
        by: UserId,
        comment: &str,
        force: bool,
        now: Instant,
    ) -> Result<RunOutcome, StoreError> {
        deciding::approve(&self.db, id, by, (comment, force), now).await
    }

    async fn reject_run(
        &self,
        id: RunId,
        by: UserId,
        reason: RejectReason,
        comment: &str,
        now: Instant,
    ) -> Result<RunOutcome, StoreError> {
        deciding::reject(&self.db, id, by, (comment, reason), now).await
    }

    async fn rejections(&self, signals: &[SignalId]) -> Result<Vec<Rejection>, StoreError> {
        runs::rejections(&self.db, signals).await
    }

    async fn rejected_runs(&self, ids: &[RunId]) -> Result<BTreeSet<RunId>, StoreError> {
        runs::rejected(&self.db, ids).await
    }

    async fn retire_runs(&self, before: Instant, limit: u64, is_dry: bool) -> Result<u64, StoreError> {
        deciding::retire(&self.db, before, limit, is_dry).await
    }

    async fn canonical_counts(&self) -> Result<(Vec<(RunStatus, u64)>, u64), StoreError> {
        runs::counts(&self.db).await
    }
}

/// What a query and a scope are found by: both may be longer than an index takes.
fn topic(query_key: &str, scope: &Scope) -> String {
    let (key, scope) = (plain(query_key), plain(&scope.to_string()));
    let digest = Sha256::new().chain_update(key).chain_update(b"\0").chain_update(scope);
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_and_scope_has_a_topic_of_its_own() {
        let acme = Scope::Matter("acme".to_owned());
        let topics =
            [topic("q", &Scope::Firm), topic("q", &acme), topic("q2", &acme), topic("", &Scope::Firm)];
        for (number, one) in topics.iter().enumerate() {
            assert_eq!(one.len(), 64);
            assert!(!topics[number + 1..].contains(one), "{number}");
        }
        assert_eq!(topics[1], topic("q", &Scope::read("matter:acme")));
    }
}
