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
        self.finish(FinishedRun {
            search: search.id,
            run: search.run,
            status,
            query_string_processed: query,
            messages,
            time_s: tenths(took),
            sets,
            now: self.toolbox.clock.now(),
        })
        .await
    }

    /// The search cannot run; its results page says why.
    pub(crate) async fn conclude_without(
        &self,
        search: &Search,
        status: SearchStatus,
        messages: Vec<String>,
    ) -> Result<(), FederationError> {
        self.finish(FinishedRun {
            search: search.id,
            run: search.run,
            status,
            query_string_processed: search.draft.query_string.clone(),
            messages,
            time_s: 0.0,
            sets: Vec::new(),
            now: self.toolbox.clock.now(),
        })
        .await
    }

    async fn finish(&self, finished: FinishedRun) -> Result<(), FederationError> {
        let FinishedRun { search: id, status, time_s, .. } = finished;
        let retrieved: u64 = finished.sets.iter().map(|set| set.retrieved).sum();
        let providers = finished.sets.len();
        if self.store.finish_run(finished).await?.is_some() {
            let status_name = status.as_str();
            tracing::info!(
                search.id = id.0,
                search.status = status_name,
                providers,
                retrieved,
                duration_s = time_s,
                "search {id} ended {status_name} with {retrieved} results",
            );
            self.events.publish(id, SearchEvent::Status(status));
        }
        Ok(())
    }
}
