//! Request policy of a provider: rate, timeout, retries.

use domain::provider::{RETRIES_MAX, SearchProvider};
use serde_json::Value;
use std::time::Duration;
use syntax::rate::Rate;

/// Request policy of a provider: `config.swirl.connector_use`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RequestPolicy {
    pub rate: Option<Rate>,
    /// Timeout of one request.
    pub timeout: Option<Duration>,
    pub retries: u32,
    pub backoff: Duration,
}

const BACKOFF_DEFAULT: Duration = Duration::from_millis(500);

impl RequestPolicy {
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
