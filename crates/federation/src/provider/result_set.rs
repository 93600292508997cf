//! Builds empty and failed result sets, also for a provider whose run did not return.

use super::errors::internal_error;
use domain::ids::ProviderId;
use domain::instant::{self, Instant as Time};
use domain::notice::{Notice, NoticeKind, reason};
use domain::ports::ConnectorErrorKind;
use domain::provider::SearchProvider;
use domain::result::{ProviderError, ResultSet};
use domain::search::Search;
use domain::status::ProviderStatus;
use std::sync::Arc;
use std::time::Duration;

/// The provider and the query of a result set.
pub(crate) struct ResultSetTemplate {
    pub(super) search: Arc<Search>,
    pub(super) provider: Arc<SearchProvider>,
    pub(super) query: String,
    pub(super) query_processors: Vec<String>,
    pub(super) result_processors: Vec<String>,
}

/// Ends the set of a provider that did not respond in time. What was sent to it stays known.
pub(super) fn end_at_deadline(set: &mut ResultSet, now: Time, waited: Duration) {
    let waited_s = instant::tenths(waited);
    let provider = set.provider_name.clone();
    set.notices.push(Notice::new(now, NoticeKind::ProviderTimedOut { provider, waited_s }));
    set.status = ProviderStatus::Timeout;
    set.error = Some(ProviderError {
        code: ConnectorErrorKind::Timeout.code().to_owned(),
        message: format!("no response within {waited_s:.1} s"),
    });
    set.time_s = waited_s;
    (set.found, set.retrieved) = (0, 0);
    set.items.clear();
}

impl ResultSetTemplate {
    pub fn provider_id(&self) -> ProviderId {
        self.provider.id
    }

    /// An empty result set.
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
            notices: Vec::new(),
            time_s: 0.0,
            items: Vec::new(),
            date_created: now,
            date_updated: now,
        }
    }

    /// The result set of a provider that did not respond before the deadline.
    pub fn timed_out(&self, now: Time, waited: Duration) -> ResultSet {
        let mut set = self.empty(now);
        end_at_deadline(&mut set, now, waited);
        set
    }

    /// The result set of a provider that waited for others until no time was left. Nothing was sent to it.
    pub fn not_asked(&self, now: Time) -> ResultSet {
        let (provider, reason) = (self.provider.spec.name.clone(), reason::no_time_left().to_owned());
        let code = ConnectorErrorKind::Suspended.code().to_owned();
        ResultSet {
            status: ProviderStatus::Suspended,
            error: Some(ProviderError { code, message: reason.clone() }),
            notices: vec![Notice::new(now, NoticeKind::ProviderNotAsked { provider, reason })],
            ..self.empty(now)
        }
    }

    /// The result set after a failure of our own code; the cause is in the log.
    pub fn internal_error(&self, now: Time) -> ResultSet {
        let error = internal_error();
        let reason = error.to_string();
        let kind = NoticeKind::provider_failed(&self.provider.spec.name, &reason);
        ResultSet {
            status: ProviderStatus::Error,
            error: Some(ProviderError { code: error.kind.code().to_owned(), message: reason }),
            notices: vec![Notice::new(now, kind)],
            ..self.empty(now)
        }
    }
}
