//! The end of a run: status, times and messages, written with the results as one.

use crate::{Federation, FederationError, SearchEvent};
use domain::contracts::FinishedRun;
use domain::instant::tenths;
use domain::message;
use domain::result::ResultSet;
use domain::search::{Search, Sort};
use domain::status::SearchStatus;
use std::time::Duration;

impl Federation {
    /// FULL only when every provider delivered.
    pub(crate) async fn conclude(
        &self,
        search: &Search,
        query: String,
        sets: Vec<ResultSet>,
        mut messages: Vec<String>,
        took: Duration,
    ) -> Result<(), FederationError> {
        let all_delivered = sets.iter().all(|set| set.status.has_delivered());
        let status = SearchStatus::ready(search.status == SearchStatus::UpdateSearch, all_delivered);
        if search.draft.sort == Sort::Date {
            messages.insert(0, self.stamped(message::date_sort_requested()));
        }
        self.finish(search, status, query, sets, messages, took).await
    }

    /// The search cannot run; its results page says why.
    pub(crate) async fn conclude_without(
        &self,
        search: &Search,
        status: SearchStatus,
        messages: Vec<String>,
    ) -> Result<(), FederationError> {
        self.finish(search, status, search.draft.query_string.clone(), Vec::new(), messages, Duration::ZERO)
            .await
    }

    async fn finish(
        &self,
        search: &Search,
        status: SearchStatus,
        query: String,
        sets: Vec<ResultSet>,
        messages: Vec<String>,
        took: Duration,
    ) -> Result<(), FederationError> {
        let retrieved: u64 = sets.iter().map(|set| set.retrieved).sum();
        let providers = sets.len();
        let finished = FinishedRun {
            search: search.id,
            run: search.run,
            status,
            query_string_processed: query,
            messages,
            time_s: tenths(took),
            sets,
            now: self.toolbox.clock.now(),
        };
        if self.store.finish_run(finished).await?.is_some() {
            tracing::info!(
                search.id = search.id.0,
                search.status = status.as_str(),
                providers,
                retrieved,
                duration_ms = took.as_millis() as u64,
                "search {} ended {} with {retrieved} results",
                search.id,
                status.as_str(),
            );
            self.events.publish(search.id, SearchEvent::Status(status));
        }
        Ok(())
    }
}
