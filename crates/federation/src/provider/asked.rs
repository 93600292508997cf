//! Who was asked, and for what: enough to tell of a provider whose run never came back.

use super::failed_inside;
use domain::contracts::ConnectorErrorKind;
use domain::ids::ProviderId;
use domain::instant::{self, Instant as Time};
use domain::message;
use domain::provider::SearchProvider;
use domain::result::{ProviderFault, ResultSet};
use domain::search::Search;
use domain::status::ProviderStatus;
use std::sync::Arc;
use std::time::Duration;

/// A provider that was asked, and for what.
pub(crate) struct Asked {
    pub(super) search: Arc<Search>,
    pub(super) provider: Arc<SearchProvider>,
    pub(super) query: String,
    pub(super) query_processors: Vec<String>,
    pub(super) result_processors: Vec<String>,
}

impl Asked {
    pub fn provider_id(&self) -> ProviderId {
        self.provider.id
    }

    /// A set with nothing in it yet.
    pub(super) fn empty(&self, now: Time) -> ResultSet {
        ResultSet {
            search: self.search.id,
            provider: self.provider.id,
            provider_name: self.provider.spec.name.clone(),
            status: ProviderStatus::NoResults,
            error: None,
            found: 0,
            retrieved: 0,
            query_string_to_provider: self.query.clone(),
            query_to_provider: String::new(),
            query_processors: self.query_processors.clone(),
            result_processors: self.result_processors.clone(),
            messages: Vec::new(),
            time_s: 0.0,
            items: Vec::new(),
            date_created: now,
            date_updated: now,
        }
    }

    /// The deadline struck before it answered.
    pub fn timed_out(&self, now: Time, waited: Duration) -> ResultSet {
        let waited_s = instant::tenths(waited);
        let line = message::provider_timed_out(&self.provider.spec.name, waited_s);
        let fault = ProviderFault {
            code: ConnectorErrorKind::Timeout.code().to_owned(),
            message: format!("it did not answer within {waited_s:.1} s"),
        };
        ResultSet {
            status: ProviderStatus::Timeout,
            error: Some(fault),
            messages: vec![message::at(now, &line)],
            time_s: waited_s,
            ..self.empty(now)
        }
    }

    /// Our own code failed; the cause is in the log.
    pub fn failed_inside(&self, now: Time) -> ResultSet {
        let error = failed_inside();
        let line = message::provider_failed(&self.provider.spec.name, &error.message);
        ResultSet {
            status: ProviderStatus::Error,
            error: Some(ProviderFault { code: error.kind.code().to_owned(), message: error.message }),
            messages: vec![message::at(now, &line)],
            ..self.empty(now)
        }
    }
}
