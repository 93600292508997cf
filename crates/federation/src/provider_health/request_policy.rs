//! Request policy of a provider: rate, timeout, retries.

use domain::provider::SearchProvider;
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
        let configured = &provider.spec.config.connector_use;
        Self {
            rate: configured.rate_limit,
            timeout: configured.timeout.filter(|timeout| !timeout.is_zero()),
            retries: configured.retry_count,
            backoff: configured.backoff.unwrap_or(BACKOFF_DEFAULT),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::UserId;
    use domain::provider::ProviderSpec;
    use serde_json::{Value, json};

    fn policy(block: &Value) -> RequestPolicy {
        let config = serde_json::from_value(json!({"swirl": {"connector_use": block}})).unwrap();
        let spec = ProviderSpec { config, ..ProviderSpec::default() };
        RequestPolicy::of(&SearchProvider::unsaved(spec, UserId(1), Default::default()))
    }

    #[test]
    fn values_that_are_missing_or_wrong_have_defaults() {
        let usual = RequestPolicy { rate: None, timeout: None, retries: 0, backoff: BACKOFF_DEFAULT };
        let set = RequestPolicy {
            rate: Some(Rate { count: 15, per: Duration::from_secs(60) }),
            timeout: Some(Duration::from_millis(2500)),
            retries: 2,
            backoff: Duration::ZERO,
        };
        let table = [
            (json!(null), usual.clone()),
            (json!({}), usual.clone()),
            (json!({"rate_limit": "15/minute", "timeout": 2.5, "retry_count": 2, "backoff_seconds": 0}), set),
            (
                json!({"rate_limit": 15, "timeout": "2", "retry_count": "2", "backoff_seconds": "0"}),
                usual.clone(),
            ),
            (
                json!({"rate_limit": "often", "timeout": -1, "retry_count": -1, "backoff_seconds": -1}),
                usual.clone(),
            ),
            (json!({"timeout": 0, "backoff_seconds": 1e300}), usual.clone()),
            (json!({"retry_count": u64::MAX}), RequestPolicy { retries: 5, ..usual }),
        ];
        for (block, expected) in table {
            assert_eq!(policy(&block), expected, "{block}");
        }
    }
}
