//! The end of a run: status, times and messages, written with the results as one.

use crate::{Federation, FederationError};
use domain::contracts::FinishedRun;
use domain::ids::UserId;
use domain::instant::tenths;
use domain::result::ResultSet;
use domain::search::Search;
use domain::search_run::RunFindings;
use domain::status::SearchStatus;
use std::time::Duration;

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
        let now = self.toolbox.clock.now();
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
        let query = search.draft.query_string.clone();
        let (sets, found, took) = (Vec::new(), None, Duration::ZERO);
        self.conclude(search, Ended { status, query, sets, found, messages, took }).await
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
