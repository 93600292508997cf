//! Finishes a run: stores status, times, notices and results in one transaction.

use crate::error::FederationError;
use crate::search::ended_runs::EndedRun;
use crate::search::runner::SearchRunner;
use domain::ids::{ProviderId, UserId};
use domain::instant::tenths;
use domain::notice::Notice;
use domain::ports::FinishedRun;
use domain::preferences::Preferences;
use domain::result::{ResultItem, ResultSet};
use domain::search::Search;
use domain::search_run::RunFindings;
use domain::status::SearchStatus;
use std::time::Duration;

/// Candidates per document that may be fetched into the corpus: some have no page.
const CANDIDATES_PER_SLOT: usize = 4;

/// Outcome of a run.
pub(crate) struct RunOutcome {
    pub status: SearchStatus,
    /// After the pre-query processors.
    pub query: String,
    pub sets: Vec<ResultSet>,
    /// None if no provider was queried.
    pub results: Option<RunResults>,
    pub notices: Vec<Notice>,
    pub took: Duration,
}

/// What a run found, apart from its sets.
pub(crate) struct RunResults {
    /// The findings of this run alone.
    pub found: RunFindings,
    /// The owner's preferences when the run began.
    pub preferences: Preferences,
}

impl SearchRunner {
    pub(crate) async fn finish(&self, search: &Search, outcome: RunOutcome) -> Result<(), FederationError> {
        let now = self.context.clock.now();
        // The search was last written when this run was requested: waiting counts as well.
        let since_requested = (now - search.date_updated).to_std().unwrap_or_default().max(outcome.took);
        let (found, preferences) =
            outcome.results.map(|RunResults { found, preferences }| (found, preferences)).unzip();
        let finished = FinishedRun {
            search: search.id,
            run: search.run,
            status: outcome.status,
            query_string_processed: outcome.query,
            notices: outcome.notices,
            time_s: tenths(outcome.took),
            sets: outcome.sets,
            found,
            now,
        };
        self.store_run(finished, search.owner, preferences, since_requested).await
    }

    /// Ends a search that cannot run, with the reason in its notices. Results of earlier runs stay.
    pub(crate) async fn finish_without_run(
        &self,
        search: &Search,
        status: SearchStatus,
        notices: Vec<Notice>,
    ) -> Result<(), FederationError> {
        let query = search.spec.query_string.clone();
        let (sets, results, took) = (Vec::new(), None, Duration::ZERO);
        self.finish(search, RunOutcome { status, query, sets, results, notices, took }).await
    }

    /// The best results of a run in order, if the corpus fetches such results automatically.
    pub(crate) fn best_for_cache(&self, sets: &[ResultSet]) -> Vec<(ProviderId, ResultItem)> {
        let settings = &self.settings;
        if !settings.eager_federated_promote_enabled || !self.context.corpus.is_open() {
            return Vec::new();
        }
        let count_max = CANDIDATES_PER_SLOT.saturating_mul(settings.eager_federated_promote_max as usize);
        best(sets, count_max)
    }

    async fn store_run(
        &self,
        finished: FinishedRun,
        owner: UserId,
        preferences: Option<Preferences>,
        since_requested: Duration,
    ) -> Result<(), FederationError> {
        let FinishedRun { search: id, status, time_s, .. } = finished;
        let retrieved: u64 = finished.sets.iter().map(|set| set.retrieved).sum();
        let providers = finished.sets.len();
        if let Some(run) = self.store.finish_run(finished).await? {
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
            self.observer.search_ended(status, since_requested);
            // Without a run, the results of earlier ones stay, and they are not here.
            if let Some(preferences) = preferences {
                self.ended_runs.put(EndedRun { run, preferences });
            }
            self.progress.status_changed(id, status);
        }
        Ok(())
    }
}

/// The best results by score, without those of a block.
fn best(sets: &[ResultSet], count_max: usize) -> Vec<(ProviderId, ResultItem)> {
    let items = sets.iter().flat_map(|set| set.items.iter().map(|item| (set.provider, item)));
    let mut items: Vec<(ProviderId, &ResultItem)> = items
        .filter(|(_, item)| item.result_block.is_none() && item.cache.is_none() && !item.is_copy())
        .collect();
    items.sort_by(|(_, one), (_, other)| other.swirl_score.total_cmp(&one.swirl_score));
    items.into_iter().take(count_max).map(|(provider, item)| (provider, item.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::builders::{item, result_set};

    #[test]
    fn the_best_results_of_all_providers_are_selected() {
        let block = ResultItem { result_block: Some("ai_summary".to_owned()), ..item("").score(9.0).build() };
        let sets = [
            result_set(1).items([5.0, 1.0].map(|score| item("").score(score))).build(),
            result_set(2).item(block).item(item("").score(3.0)).build(),
        ];
        let shown = |count_max: usize| -> Vec<(i64, f64)> {
            best(&sets, count_max).iter().map(|(provider, item)| (provider.0, item.swirl_score)).collect()
        };
        assert_eq!(shown(9), [(1, 5.0), (2, 3.0), (1, 1.0)]);
        assert_eq!(shown(2), [(1, 5.0), (2, 3.0)]);
        assert!(shown(0).is_empty());
    }
}
