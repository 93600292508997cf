//! The steps of one provider: query, fetch, results.

use super::errors::loggable_causes;
use super::fetch::PageFetcher;
use super::provider_run::ProviderRun;
use super::result_set::end_at_deadline;
use crate::provider_health::{Admission, whole_seconds};
use domain::instant;
use domain::known_secrets::KnownSecrets;
use domain::notice::{NoticeKind, reason};
use domain::ports::{Connector, ConnectorError, ConnectorErrorKind};
use domain::result::{ProviderError, ResultSet};
use domain::status::ProviderStatus;
use std::sync::Arc;
use tokio::time::{Instant, timeout_at};

impl ProviderRun {
    /// Runs all steps. Never fails: an error is recorded in the result set and in the provider's health.
    pub async fn run(self) -> ResultSet {
        let started = Instant::now();
        let provider_health = self.health.provider(self.provider.id);
        let mut set = self.result_set_template().empty(self.context.clock.now());
        if let Some(reason) = suspension_reason(provider_health.admit()) {
            self.fail(&mut set, &ConnectorError::new(ConnectorErrorKind::Suspended, reason));
            return set;
        }
        match self.run_steps(&mut set).await {
            Ok(missing) => {
                provider_health.succeeded();
                if let Some(error) = missing {
                    provider_health.failed(&error, self.backoff);
                    note_missing(&mut set, &error);
                }
            }
            Err(error) => {
                provider_health.failed(&error, self.backoff);
                // A timeout of the request is reported like the deadline of the search.
                if error.kind == ConnectorErrorKind::Timeout && !error.is_reported {
                    let waited = started.elapsed().min(self.deadline.saturating_duration_since(started));
                    end_at_deadline(&mut set, self.context.clock.now(), waited);
                    return set;
                }
                self.fail(&mut set, &error);
            }
        }
        set.time_s = instant::tenths(started.elapsed());
        set
    }

    fn fail(&self, set: &mut ResultSet, error: &ConnectorError) {
        let (provider, reason) = (&set.provider_name, error.to_string());
        let (status, kind) = match error.kind {
            ConnectorErrorKind::NotConnected => {
                (ProviderStatus::NotConnected, NoticeKind::provider_failed(provider, &reason))
            }
            ConnectorErrorKind::Suspended => {
                (ProviderStatus::Suspended, NoticeKind::provider_suspended(provider, &reason))
            }
            ConnectorErrorKind::Timeout => {
                (ProviderStatus::Timeout, NoticeKind::provider_failed(provider, &reason))
            }
            _ => (ProviderStatus::Error, NoticeKind::provider_failed(provider, &reason)),
        };
        set.notices.push(self.notice(kind));
        set.status = status;
        set.error = Some(fault(error));
        (set.found, set.retrieved) = (0, 0);
        set.items.clear();
    }

    /// Runs the steps until the deadline and masks the secrets that a provider repeats in notices and errors. Returns why
    /// results are missing, if some are.
    async fn run_steps(&self, set: &mut ResultSet) -> Result<Option<ConnectorError>, ConnectorError> {
        let (connector, secrets) = self.build_connector().await?;
        // The deadline is met here, so that what was done until then stays in the set.
        let steps = timeout_at(self.deadline, self.fetch_and_process(set, &connector, &secrets));
        let mut outcome = steps.await.unwrap_or_else(|_| Err(past_deadline()));
        for notice in &mut set.notices {
            notice.kind.change_texts(|text| secrets.mask_in_place(text));
        }
        if let Ok(Some(error)) | Err(error) = &mut outcome {
            secrets.mask_in_place(&mut error.message);
            if let Some(causes) = loggable_causes(error, &secrets, &set.query_string_to_provider) {
                let name = &set.provider_name;
                tracing::debug!(error = error.kind.code(), "{name} failed because of: {causes}");
            }
        }
        outcome
    }

    async fn fetch_and_process(
        &self,
        set: &mut ResultSet,
        connector: &Arc<dyn Connector>,
        secrets: &Arc<KnownSecrets>,
    ) -> Result<Option<ConnectorError>, ConnectorError> {
        let query = self.process_query(&mut set.notices).await?;
        set.query_string_to_provider.clone_from(&query);
        let query_input = self.query_input(connector, query).await?;
        let fetcher = PageFetcher { run: self, connector, query_input: &query_input, secrets };
        let fetching = self.timer.begin_fetch();
        let mut fetched = fetcher.fetch_items(set).await?;
        drop(fetching);
        let remarks = connector.remarks().into_iter();
        set.notices.extend(remarks.map(|remark| self.notice(NoticeKind::ProviderRemark { remark })));
        let _until_returned = self.timer.begin_processing();
        let missing = fetched.missing.take();
        self.process_results(set, fetched, secrets).await?;
        Ok(missing)
    }
}

/// Records that results are missing. Those that were received stay.
fn note_missing(set: &mut ResultSet, error: &ConnectorError) {
    set.status = ProviderStatus::Partial;
    set.error = Some(fault(error));
}

pub(crate) fn past_deadline() -> ConnectorError {
    ConnectorError::new(ConnectorErrorKind::Timeout, "the deadline")
}

fn fault(error: &ConnectorError) -> ProviderError {
    ProviderError { code: error.kind.code().to_owned(), message: error.to_string() }
}

/// Why the provider may not be queried now; None if it may.
fn suspension_reason(admission: Admission) -> Option<String> {
    match admission {
        Admission::Allowed => None,
        Admission::Paused(left) => Some(reason::resting(whole_seconds(left))),
        Admission::Open(left) => Some(reason::breaker_open(whole_seconds(left))),
    }
}
