//! The versions among the saved results of a search: looked at again on request, and undecided again where the election that
//! chose was rejected.

use crate::{Federation, FederationError};
use domain::contracts::{StoreError, VersionsAsked};
use domain::corpus::{CANDIDATES_MAX, CacheMark, DecidedBy, Standing, candidates, stand};
use domain::ids::RunId;
use domain::result::{ResultItem, ResultSet};
use domain::search::Search;
use std::collections::BTreeSet;

/// How often a result is written again because somebody else was quicker.
const SAVES_MAX: u32 = 10;

impl Federation {
    /// Holds the elections of a search that has ended, also where they are not held at each search, and writes on its saved
    /// results how they stand. The elections that were held; where a pin decides there is none. `NotReady` while the search
    /// runs.
    pub async fn elect(&self, search: &Search) -> Result<Vec<RunId>, FederationError> {
        if !search.status.is_final() {
            return Err(FederationError::NotReady(search.status));
        }
        let before = self.store.result_sets(search.id).await?;
        let candidates = candidates(&before);
        if candidates.is_empty() {
            return Ok(Vec::new());
        }
        let asked = VersionsAsked {
            asker: search.owner,
            search: search.id,
            topic: search.topic(),
            candidates: &candidates,
            records: true,
            on_request: true,
        };
        let standings = self.context.corpus.versions(asked).await;
        let standings =
            standings.map_err(|error| FederationError::Store(StoreError::Unreachable(error.0)))?;
        let mut after = before.clone();
        stand(&mut after, &standings);
        for item in changed(before, after) {
            self.save(item).await?;
        }
        let runs: BTreeSet<RunId> = standings.values().filter_map(held).collect();
        Ok(runs.into_iter().collect())
    }

    /// What rejected elections chose does not count any more. When that cannot be asked, the results stay as they are.
    pub(crate) async fn take_back_rejected(&self, items: Vec<&mut ResultItem>) {
        let marks = items.into_iter().filter_map(|item| item.cache.as_deref_mut());
        let mut elected: Vec<(RunId, &mut CacheMark)> =
            marks.filter_map(|mark| Some((mark.elected_by()?, mark))).collect();
        let runs: BTreeSet<RunId> = elected.iter().map(|(run, _)| *run).collect();
        if runs.is_empty() {
            return;
        }
        let runs: Vec<RunId> = runs.into_iter().collect();
        match self.context.corpus.rejected(&runs).await {
            Ok(rejected) => {
                let taken_back = elected.iter_mut().filter(|(run, _)| rejected.contains(run));
                taken_back.for_each(|(_, mark)| mark.take_back_election());
            }
            Err(error) => tracing::warn!("it is not known which elections were rejected: {error}"),
        }
    }

    /// Writes how a result stands, and nothing else of it: what a person changed meanwhile stays changed.
    async fn save(&self, item: ResultItem) -> Result<(), FederationError> {
        for _ in 0..SAVES_MAX {
            match self.save_standing(&item).await {
                Ok(()) | Err(StoreError::NotFound) => return Ok(()), // deleted meanwhile, or the search ran again
                Err(StoreError::Stale) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(FederationError::Contended)
    }

    async fn save_standing(&self, item: &ResultItem) -> Result<(), StoreError> {
        let newest = self.store.result(item.swirl_id).await?;
        let standing = ResultItem { cache: item.cache.clone(), ..newest.item };
        let at_version = self.store.if_version(newest.version);
        at_version.replace_result(item.swirl_id, standing, self.context.clock.now()).await.map(drop)
    }
}

/// The election behind a standing, unless a pin decided.
fn held(standing: &Standing) -> Option<RunId> {
    let by = standing.cluster.as_ref().map(|cluster| cluster.decided_by);
    standing.run_id.filter(|_| by.is_some_and(|by| by != Some(DecidedBy::Pin)))
}

/// The results that now say something else; at most as many as were looked at.
fn changed(before: Vec<ResultSet>, after: Vec<ResultSet>) -> Vec<ResultItem> {
    let items = |sets: Vec<ResultSet>| sets.into_iter().flat_map(|set| set.items);
    let pairs = items(before).zip(items(after)).filter(|(before, after)| before.cache != after.cache);
    pairs.map(|(_, after)| after).take(CANDIDATES_MAX).collect()
}
