//! What is known of each source while this process runs: its rest, its breaker, its budget, its open calls.

mod breaker;
mod budget;
mod calls;

pub(crate) use breaker::{Breaker, Verdict, whole_seconds};
pub(crate) use budget::Budget;
pub(crate) use calls::Calls;

use domain::contracts::{ConnectorError, ConnectorErrorKind};
use domain::ids::ProviderId;
use domain::notation::rate::Rate;
use domain::provider::{RETRIES_MAX, SearchProvider};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How a provider wants to be asked: `config.swirl.connector_use`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Usage {
    pub rate: Option<Rate>,
    /// Time for one request.
    pub timeout: Option<Duration>,
    pub retries: u32,
    pub backoff: Duration,
}

const BACKOFF_DEFAULT: Duration = Duration::from_millis(500);

impl Usage {
    pub fn of(provider: &SearchProvider) -> Self {
        let value = |key: &str| provider.config_value("connector_use", key);
        let seconds = |key: &str| {
            value(key).and_then(Value::as_f64).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        };
        let retries = value("retry_count").and_then(Value::as_u64).unwrap_or(0);
        Self {
            rate: value("rate_limit")
                .and_then(Value::as_str)
                .and_then(|text| Rate::parse(text).ok().flatten()),
            timeout: seconds("timeout").filter(|timeout| !timeout.is_zero()),
            retries: u32::try_from(retries).unwrap_or(RETRIES_MAX).min(RETRIES_MAX),
            backoff: seconds("backoff_seconds").unwrap_or(BACKOFF_DEFAULT),
        }
    }
}

/// How a source stands, for answers and pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceState {
    /// `closed` (asked as usual), `open` (not asked), `half_open` (one probe at a time), `suspended` (asked for a rest).
    pub state: &'static str,
    /// Seconds until it may be asked again.
    pub retry_in_s: u64,
    pub failures_in_a_row: u32,
}

impl SourceState {
    /// Every state there is.
    pub const ALL: [&str; 4] = ["closed", "open", "half_open", "suspended"];
}

/// All sources that this process has asked.
#[derive(Default)]
pub(crate) struct Sources {
    known: Mutex<HashMap<ProviderId, Arc<Source>>>,
    pub calls: Calls,
}

/// One source.
#[derive(Default)]
pub(crate) struct Source {
    breaker: Mutex<Breaker>,
    budget: Budget,
    /// The last search did not ask it.
    was_suspended: AtomicBool,
}

impl Sources {
    pub fn source(&self, provider: ProviderId) -> Arc<Source> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(known.entry(provider).or_default())
    }

    /// How the source of a provider stands; None when it was never asked.
    pub fn state(&self, provider: ProviderId) -> Option<SourceState> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let source = known.get(&provider)?;
        Some(lock(&source.breaker).state(Instant::now()))
    }

    /// Forgets what is known of a source, so that it is asked again at once.
    pub fn reset(&self, provider: ProviderId) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).remove(&provider);
    }
}

impl Source {
    /// May it be asked now? A refusal says for how long.
    pub fn admit(&self) -> Verdict {
        lock(&self.breaker).admit(Instant::now())
    }

    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    pub fn succeeded(&self) {
        lock(&self.breaker).succeeded();
    }

    /// Notes whether a search asked the source; whether that is new.
    pub fn note_suspended(&self, is_suspended: bool) -> bool {
        self.was_suspended.swap(is_suspended, Ordering::Relaxed) != is_suspended
    }

    /// Notes a failure. Only what the source did counts: a wrong query or a wrong configuration does not.
    pub fn failed(&self, error: &ConnectorError, rest_default: Duration) {
        let mut breaker = lock(&self.breaker);
        match error.kind {
            ConnectorErrorKind::RateLimited => {
                breaker.rest(Instant::now(), error.retry_after.unwrap_or(rest_default));
            }
            ConnectorErrorKind::Timeout
            | ConnectorErrorKind::Unavailable
            | ConnectorErrorKind::Untrusted
            | ConnectorErrorKind::Unreadable => {
                breaker.failed(Instant::now());
            }
            ConnectorErrorKind::ConfigInvalid
            | ConnectorErrorKind::QueryInvalid
            | ConnectorErrorKind::AddressRefused
            | ConnectorErrorKind::Denied
            | ConnectorErrorKind::SecretsUnreadable
            | ConnectorErrorKind::NotConnected
            | ConnectorErrorKind::PlaceUnknown
            | ConnectorErrorKind::Suspended => breaker.give_back_probe(),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
