//! `config.swirl.connector_use`: how a provider may be queried.

use super::field::ConfigField;
use crate::validation::FieldErrors;
use serde::Deserialize;
use std::time::Duration;
use syntax::rate::Rate;

/// Maximum number of retries of one request.
pub const RETRIES_MAX: u32 = 5;
/// Maximum `timeout` and `backoff_seconds`, in seconds.
const SECONDS_MAX: f64 = 3600.0;

/// `config.swirl.connector_use` of one provider. A value above its limit is rejected when the provider is saved, but a
/// stored one may still be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ConnectorUse {
    pub rate_limit: Option<Rate>,
    /// Timeout of one request. Zero means none.
    pub timeout: Option<Duration>,
    /// Wait before the first retry.
    pub backoff: Option<Duration>,
    /// At most `RETRIES_MAX`.
    pub retry_count: u32,
    /// Number of results to request if a search has only this provider.
    pub single_provider_results_requested: Option<u32>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct ConnectorUseBlock {
    rate_limit: ConfigField<String>,
    timeout: ConfigField<f64>,
    backoff_seconds: ConfigField<f64>,
    retry_count: ConfigField<u64>,
    single_provider_results_requested: ConfigField<u64>,
}

impl ConnectorUse {
    /// Invalid values are reported and otherwise ignored: an invalid rate limit would silently be no limit.
    pub(super) fn read(block: ConnectorUseBlock, errors: &mut FieldErrors) -> Self {
        let mut wrong = |key: &str, what: &str| {
            errors.add("config", format!("swirl.connector_use.{key}: {what}"));
        };
        if block.rate_limit.is_invalid() {
            wrong("rate_limit", "a text such as 15/minute is needed.");
        }
        let rate_limit = block.rate_limit.valid().and_then(|text| {
            Rate::parse(&text).unwrap_or_else(|mistake| {
                wrong("rate_limit", &format!("{mistake}."));
                None
            })
        });
        for (key, field) in [("timeout", block.timeout), ("backoff_seconds", block.backoff_seconds)] {
            if !field.is_missing_or(|seconds| (0.0..=SECONDS_MAX).contains(seconds)) {
                wrong(key, "seconds from 0 to 3600 are needed.");
            }
        }
        let (retries, results) = (block.retry_count, block.single_provider_results_requested);
        for (key, field, most) in
            [("retry_count", retries, RETRIES_MAX), ("single_provider_results_requested", results, u32::MAX)]
        {
            if !field.is_missing_or(|number| *number <= u64::from(most)) {
                wrong(key, &format!("a whole number from 0 to {most} is needed."));
            }
        }
        let seconds =
            |field: ConfigField<f64>| field.valid().and_then(|all| Duration::try_from_secs_f64(all).ok());
        let number =
            |field: ConfigField<u64>| field.valid().map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        Self {
            rate_limit,
            timeout: seconds(block.timeout),
            backoff: seconds(block.backoff_seconds),
            retry_count: number(retries).unwrap_or(0).min(RETRIES_MAX),
            single_provider_results_requested: number(results),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider_config::ProviderConfig;
    use serde_json::{Value, json};

    fn read(block: Value) -> (ConnectorUse, String) {
        let config: ProviderConfig =
            serde_json::from_value(json!({"swirl": {"connector_use": block}})).unwrap();
        let mut errors = FieldErrors::default();
        config.check(&mut errors);
        (config.connector_use, errors.to_string())
    }

    fn seconds(count: u64) -> Option<Duration> {
        Some(Duration::from_secs(count))
    }

    #[test]
    fn a_block_without_values_sets_nothing() {
        for block in [json!({}), json!(null), json!({"other": 1})] {
            assert_eq!(read(block.clone()), (ConnectorUse::default(), String::new()), "{block}");
        }
    }

    #[test]
    fn values_are_read_and_wrong_ones_named() {
        let nothing = ConnectorUse::default();
        let rate = Some(Rate { count: 15, per: Duration::from_secs(60) });
        let needs = |key: &str, what: &str| format!("config: swirl.connector_use.{key}: {what} needed.");
        let text = || needs("rate_limit", "a text such as 15/minute is");
        let time = |key: &str| needs(key, "seconds from 0 to 3600 are");
        let number = |key: &str, most: u32| needs(key, &format!("a whole number from 0 to {most} is"));
        let (timeout, retries) = (|| time("timeout"), || number("retry_count", RETRIES_MAX));
        let single = "single_provider_results_requested";
        let with_results = |count| ConnectorUse {
            single_provider_results_requested: Some(count),
            ..ConnectorUse::default()
        };
        let table = [
            (json!({"rate_limit": "15/minute"}), ConnectorUse { rate_limit: rate, ..nothing }, String::new()),
            (json!({"rate_limit": "none"}), nothing, String::new()),
            (json!({"rate_limit": 15}), nothing, text()),
            (json!({"rate_limit": null}), nothing, text()),
            (
                json!({"rate_limit": "often"}),
                nothing,
                "config: swirl.connector_use.rate_limit: 'often' is not a rate; write it like 15/minute."
                    .to_owned(),
            ),
            (json!({"timeout": 2}), ConnectorUse { timeout: seconds(2), ..nothing }, String::new()),
            (json!({"timeout": 0}), ConnectorUse { timeout: seconds(0), ..nothing }, String::new()),
            (json!({"timeout": "2"}), nothing, timeout()),
            (json!({"timeout": -1}), nothing, timeout()),
            (json!({"timeout": 3601}), ConnectorUse { timeout: seconds(3601), ..nothing }, timeout()),
            (json!({"timeout": 1e300}), nothing, timeout()),
            (json!({"backoff_seconds": 0}), ConnectorUse { backoff: seconds(0), ..nothing }, String::new()),
            (json!({"backoff_seconds": true}), nothing, time("backoff_seconds")),
            (json!({"backoff_seconds": -1e300}), nothing, time("backoff_seconds")),
            (json!({"retry_count": 5}), ConnectorUse { retry_count: 5, ..nothing }, String::new()),
            (json!({"retry_count": 6}), ConnectorUse { retry_count: 5, ..nothing }, retries()),
            (json!({"retry_count": u64::MAX}), ConnectorUse { retry_count: 5, ..nothing }, retries()),
            (json!({"retry_count": "2"}), nothing, retries()),
            (json!({"retry_count": 2.0}), nothing, retries()),
            (json!({"retry_count": -1}), nothing, retries()),
            (json!({single: 0}), with_results(0), String::new()),
            (json!({single: u32::MAX}), with_results(u32::MAX), String::new()),
            (json!({single: u64::MAX}), with_results(u32::MAX), number(single, u32::MAX)),
            (json!({single: "many"}), nothing, number(single, u32::MAX)),
        ];
        for (block, expected, errors) in table {
            assert_eq!(read(block.clone()), (expected, errors), "{block}");
        }
    }

    #[test]
    fn a_wrong_value_leaves_the_others() {
        let (read, errors) = read(json!({"rate_limit": 15, "timeout": 2, "retry_count": "x"}));
        assert_eq!(read, ConnectorUse { timeout: seconds(2), ..ConnectorUse::default() });
        let places = ["rate_limit", "retry_count"].map(|key| errors.find(key));
        assert!(places[0] < places[1] && places[0].is_some(), "{errors}");
    }
}
