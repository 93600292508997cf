//! Operator diagnostics: pins and elections, and whether each election can be reproduced. Documents are named by id
//! only.

use crate::SemanticCache;
use crate::versions::election::replay;
use domain::corpus::{OwnedVisibility, Pin, Run, RunStatus, query_key};
use domain::ids::RunId;
use domain::owner_scope::OwnerScope;
use domain::ports::{CanonicalStore, PinFilter, RunFilter, StoreError};

/// Records per batch.
const BATCH: u64 = 200;
/// Most pins and open elections that are listed; all elections are replayed.
const TOLD_MAX: usize = 1_000;

/// What to diagnose. Default: everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiagnosisQuery {
    /// In any form.
    pub query: Option<String>,
    pub run: Option<RunId>,
}

/// An election whose outcome cannot be reproduced from its stored inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differing {
    pub run_id: RunId,
    /// One sentence per difference.
    pub what: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diagnosis {
    /// Runs by status, over all queries.
    pub by_status: Vec<(RunStatus, u64)>,
    /// All pins, over all queries.
    pub pins_total: u64,
    /// The requested pins, newest first.
    pub pins: Vec<Pin>,
    /// The requested open elections, oldest first.
    pub open: Vec<Run>,
    /// Elections that were replayed.
    pub replayed: u64,
    pub differing: Vec<Differing>,
}

impl SemanticCache {
    /// Loads what was requested and replays each election. `NotFound`: there is no such run.
    pub async fn diagnose(&self, asked: &DiagnosisQuery) -> Result<Diagnosis, StoreError> {
        let store = &*self.parts.store;
        let counts = store.canonical_counts().await?;
        let mut found = Diagnosis { by_status: counts.runs, pins_total: counts.pins, ..Diagnosis::default() };
        if let Some(id) = asked.run {
            let run = CanonicalStore::run(store, id).await?;
            let filter = PinFilter {
                query_key: Some(run.query_key.clone()),
                scope: Some(run.scope.clone()),
                ..PinFilter::visible_to(OwnedVisibility::Unrestricted)
            };
            found.pins = store.pins(&filter, 0, BATCH).await?.items;
            found.look_at(run);
            return Ok(found);
        }
        let key = asked.query.as_deref().map(query_key).filter(|key| !key.is_empty());
        let filter =
            PinFilter { query_key: key.clone(), ..PinFilter::visible_to(OwnedVisibility::Unrestricted) };
        found.pins = store.pins(&filter, 0, TOLD_MAX as u64).await?.items;
        let mut offset = 0;
        loop {
            let page = CanonicalStore::runs(
                store,
                &RunFilter::visible_to(OwnedVisibility::Unrestricted, OwnerScope::Everyone),
                offset,
                BATCH,
            )
            .await?;
            offset += page.items.len() as u64;
            let is_last = page.items.is_empty() || offset >= page.total;
            let wanted =
                page.items.into_iter().filter(|run| key.as_ref().is_none_or(|key| run.query_key == *key));
            wanted.for_each(|run| found.look_at(run));
            if is_last {
                break;
            }
        }
        found.open.sort_by_key(|run| (run.created_at, run.run_id));
        found.open.truncate(TOLD_MAX);
        Ok(found)
    }
}

impl Diagnosis {
    fn look_at(&mut self, run: Run) {
        self.replayed += 1;
        let what = replay(&run);
        if !what.is_empty() {
            self.differing.push(Differing { run_id: run.run_id, what });
        }
        if run.status.is_open() {
            self.open.push(run);
        }
        // They are read newest first, but the oldest are listed.
        if self.open.len() > 2 * TOLD_MAX {
            self.open.drain(..TOLD_MAX);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::DateTime;
    use domain::corpus::{Scope, Thresholds, Weights};
    use domain::ids::{SearchId, SignalId};

    #[test]
    fn the_oldest_open_elections_are_kept() {
        let mut found = Diagnosis::default();
        for id in (1..=2 * TOLD_MAX as i64 + 1).rev() {
            found.look_at(Run {
                run_id: RunId(id),
                query: String::new(),
                query_key: String::new(),
                scope: Scope::Firm,
                cluster_key: SignalId(1),
                status: RunStatus::Pending,
                auto: false,
                winner_signal_id: SignalId(1),
                margin: 0.0,
                members: Vec::new(),
                weights: Weights::default(),
                thresholds: Thresholds { relevance_min: 0.1, relevance_ratio: 0.6 },
                created_at: DateTime::default(),
                decided_by: None,
                decided_at: None,
                reject_reason: None,
                comment: String::new(),
                search_id: SearchId(1),
                search_owner: None,
            });
        }
        assert_eq!((found.open.len(), found.replayed), (TOLD_MAX + 1, 2 * TOLD_MAX as u64 + 1));
        assert_eq!(found.open.last().map(|run| run.run_id), Some(RunId(1)));
        assert_eq!(found.differing.len() as u64, found.replayed, "a winner that is no member is none");
    }
}
