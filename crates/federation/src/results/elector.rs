//! Elections of document versions for a saved search.

use crate::error::FederationError;
use crate::federation_store::FederationStore;
use domain::corpus::{CANDIDATES_MAX, DecidedBy, VersionStatus, apply_version_statuses, candidates};
use domain::ids::RunId;
use domain::ports::{PluginContext, StoreError, VersionQuery};
use domain::result::{ResultItem, ResultSet};
use domain::search::Search;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How often a write is retried after a concurrent change.
const SAVES_MAX: u32 = 10;

/// Holds elections on request and stores their outcome.
pub struct VersionElector {
    pub(crate) store: Arc<dyn FederationStore>,
    pub(crate) context: PluginContext,
}

impl VersionElector {
    /// Holds the elections of a finished search, also if they are not held at each search, and stores the outcome in
    /// its results. Returns the elections; a pin decides without one. `NotReady` while the search runs.
    pub async fn elect(&self, search: &Search) -> Result<Vec<RunId>, FederationError> {
        if !search.status.is_final() {
            return Err(FederationError::NotReady(search.status));
        }
        let before = self.store.result_sets(search.id).await?;
        let candidates = candidates(&before);
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let query = VersionQuery {
            asker: search.owner,
            search: search.id,
            topic: search.topic(),
            candidates: &candidates,
            records: true,
            on_request: true,
        };
        let statuses = self.context.corpus.versions(query).await;
        let statuses = statuses.map_err(|error| {
            FederationError::Store(StoreError::unreachable(error.message()).caused_by(error))
        })?;
        let mut after = before.clone();
        apply_version_statuses(&mut after, &statuses);
        for item in changed_items(before, after) {
            self.save_item(item).await?;
        }
        let runs: BTreeSet<RunId> = statuses.values().filter_map(election_of).collect();
        Ok(runs.into_iter().collect())
    }

    /// Stores the version status of a result and nothing else, so that concurrent changes of the user are kept.
    async fn save_item(&self, item: ResultItem) -> Result<(), FederationError> {
        for _ in 0..SAVES_MAX {
            match self.save_status(&item).await {
                Ok(()) | Err(StoreError::NotFound) => return Ok(()), // deleted meanwhile, or the search ran again
                Err(StoreError::Stale) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(FederationError::Contended)
    }

    async fn save_status(&self, item: &ResultItem) -> Result<(), StoreError> {
        let newest = self.store.result(item.swirl_id).await?;
        let updated = ResultItem { cache: item.cache.clone(), ..newest.item };
        let at_version = self.store.if_version(newest.version);
        at_version.replace_result(item.swirl_id, updated, self.context.clock.now()).await.map(drop)
    }
}

/// The election behind a status, unless a pin decided.
fn election_of(status: &VersionStatus) -> Option<RunId> {
    let by = status.cluster.as_ref().map(|cluster| cluster.decided_by);
    status.run_id.filter(|_| by.is_some_and(|by| by != Some(DecidedBy::Pin)))
}

/// The results whose status changed, at most as many as were examined.
fn changed_items(before: Vec<ResultSet>, after: Vec<ResultSet>) -> Vec<ResultItem> {
    let items = |sets: Vec<ResultSet>| sets.into_iter().flat_map(|set| set.items);
    let pairs = items(before).zip(items(after)).filter(|(before, after)| before.cache != after.cache);
    pairs.map(|(_, after)| after).take(CANDIDATES_MAX).collect()
}
