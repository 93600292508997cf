//! The end of a run: status, times and messages, written with the results as one.

use crate::{Federation, FederationError};
use domain::contracts::FinishedRun;
use domain::ids::{ProviderId, UserId};
use domain::instant::tenths;
use domain::result::{ResultItem, ResultSet};
use domain::search::Search;
use domain::search_run::RunFindings;
use domain::status::SearchStatus;
use std::time::Duration;

/// Results that are offered for each one that may be fetched into the cache: some have no page.
const OFFERED_FOR_EACH: usize = 4;

/// What a run leaves behind.
pub(crate) struct Ended {
    pub status: SearchStatus,
    /// After the pre-query processors.
    pub query: String,
    pub sets: Vec<ResultSet>,
    /// What this run alone found; None when no source was asked.
    pub found: Option<RunFindings>,
    pub messages: Vec<String>,
    pub took: Duration,
}

impl Federation {
    pub(crate) async fn conclude(&self, search: &Search, ended: Ended) -> Result<(), FederationError> {
        let now = self.context.clock.now();
        // Since the search was last written, which is when this run was asked for: waiting counts as well.
        let since_asked = (now - search.date_updated).to_std().unwrap_or_default().max(ended.took);
        let finished = FinishedRun {
            search: search.id,
            run: search.run,
            status: ended.status,
            query_string_processed: ended.query,
            messages: ended.messages,
            time_s: tenths(ended.took),
            sets: ended.sets,
            found: ended.found,
            now,
        };
        self.finish(finished, search.owner, since_asked).await
    }

    /// The search cannot run; its results page says why. What earlier runs found stays.
    pub(crate) async fn conclude_without(
        &self,
        search: &Search,
        status: SearchStatus,
        messages: Vec<String>,
    ) -> Result<(), FederationError> {
        let query = search.spec.query_string.clone();
        let (sets, found, took) = (Vec::new(), None, Duration::ZERO);
        self.conclude(search, Ended { status, query, sets, found, messages, took }).await
    }

    /// The best results of a run, best first, when the cache fetches such by itself.
    pub(crate) fn best_for_cache(&self, sets: &[ResultSet]) -> Vec<(ProviderId, ResultItem)> {
        let settings = &self.context.settings;
        if !settings.eager_federated_promote_enabled || !self.context.corpus.is_open() {
            return Vec::new();
        }
        let most = OFFERED_FOR_EACH.saturating_mul(settings.eager_federated_promote_max as usize);
        best(sets, most)
    }

    async fn finish(
        &self,
        finished: FinishedRun,
        owner: UserId,
        since_asked: Duration,
    ) -> Result<(), FederationError> {
        let FinishedRun { search: id, status, time_s, .. } = finished;
        let retrieved: u64 = finished.sets.iter().map(|set| set.retrieved).sum();
        let providers = finished.sets.len();
        if self.store.finish_run(finished).await?.is_some() {
            let status_name = status.as_str();
            tracing::info!(
                user.id = owner.0,
                search.id = id.0,
                search.status = status_name,
                providers,
                retrieved,
                duration_s = time_s,
                "search {id} of user {owner} ended {status_name} with {retrieved} results in {time_s:.1} s",
            );
            self.observer.search_ended(status, since_asked);
            self.events.status_changed(id, status);
        }
        Ok(())
    }
}

/// By score; those that are part of no list are no results.
fn best(sets: &[ResultSet], most: usize) -> Vec<(ProviderId, ResultItem)> {
    let items = sets.iter().flat_map(|set| set.items.iter().map(|item| (set.provider, item)));
    let mut items: Vec<(ProviderId, &ResultItem)> =
        items.filter(|(_, item)| item.result_block.is_none() && item.cache.is_none()).collect();
    items.sort_by(|(_, one), (_, other)| other.swirl_score.total_cmp(&one.swirl_score));
    items.into_iter().take(most).map(|(provider, item)| (provider, item.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_results_of_all_sources_are_offered() {
        let item = |score: f64, block: Option<&str>| ResultItem {
            swirl_score: score,
            result_block: block.map(str::to_owned),
            ..ResultItem::default()
        };
        let sets = [
            testkit::samples::set(1, "river", vec![item(5.0, None), item(1.0, None)]),
            testkit::samples::set(2, "river", vec![item(9.0, Some("ai_summary")), item(3.0, None)]),
        ];
        let shown = |most: usize| -> Vec<(i64, f64)> {
            best(&sets, most).iter().map(|(provider, item)| (provider.0, item.swirl_score)).collect()
        };
        assert_eq!(shown(9), [(1, 5.0), (2, 3.0), (1, 1.0)]);
        assert_eq!(shown(2), [(1, 5.0), (2, 3.0)]);
        assert!(shown(0).is_empty());
    }
}
