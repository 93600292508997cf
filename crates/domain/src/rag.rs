//! Selection of the results for a summary: the values of the settings and of a provider's `config.swirl.rag`.

use crate::result::ResultItem;
use crate::validation::FieldErrors;
use serde_json::{Map, Value};
use syntax::suggest;

/// How results are distributed over their sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// The best results above the threshold.
    #[default]
    Sorted,
    /// An equal number from each source, in its own order.
    Distributed,
    /// One from each source in turn, in its own order.
    RoundRobin,
    /// Round robin over the results above the threshold.
    RoundRobinThreshold,
}

impl Strategy {
    pub const ALL: [Self; 4] = [Self::Sorted, Self::Distributed, Self::RoundRobin, Self::RoundRobinThreshold];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sorted => "sorted",
            Self::Distributed => "distributed",
            Self::RoundRobin => "roundrobin",
            Self::RoundRobinThreshold => "roundrobinthreshold",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str().eq_ignore_ascii_case(name.trim()))
    }
}

/// The score that is compared with the threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InclusionField {
    #[default]
    Confidence,
    Score,
}

impl InclusionField {
    pub const ALL: [Self; 2] = [Self::Confidence, Self::Score];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Confidence => "swirl_confidence_score",
            Self::Score => "swirl_score",
        }
    }

    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.as_str().eq_ignore_ascii_case(name.trim()))
    }

    pub fn of(self, item: &ResultItem) -> f64 {
        match self {
            Self::Confidence => item.swirl_confidence_score,
            Self::Score => item.swirl_score,
        }
    }
}

/// `config.swirl.rag` of one provider.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RagOverrides {
    pub max_to_consider: Option<u32>,
    /// Seconds.
    pub fetch_timeout: Option<f64>,
    pub threshold: Option<f64>,
    pub strategy: Option<Strategy>,
    pub field: Option<InclusionField>,
}

/// Maximum `swirl_rag_fetch_timeout`, in seconds.
const FETCH_TIMEOUT_MAX: f64 = 600.0;

impl RagOverrides {
    /// Invalid values are reported and otherwise ignored, because they are rejected when the provider is saved.
    pub(crate) fn read(config: &Map<String, Value>, errors: &mut FieldErrors) -> Self {
        let Some(block) = config.get("swirl").and_then(|swirl| swirl.get("rag")) else {
            return Self::default();
        };
        let mut wrong = |key: &str, what: String| errors.add("config", format!("swirl.rag.{key}: {what}"));
        let number = |key: &str| block.get(key).map(|value| value.as_f64());
        let max_to_consider = block.get("swirl_rag_max_to_consider").and_then(|value| {
            let read = value.as_u64().and_then(|number| u32::try_from(number).ok());
            if read.is_none() {
                wrong("swirl_rag_max_to_consider", "a whole number is needed.".to_owned());
            }
            read
        });
        let fetch_timeout = number("swirl_rag_fetch_timeout").and_then(|read| {
            let read = read.filter(|seconds| (0.0..=FETCH_TIMEOUT_MAX).contains(seconds));
            if read.is_none() {
                wrong(
                    "swirl_rag_fetch_timeout",
                    format!("seconds from 0 to {FETCH_TIMEOUT_MAX} are needed."),
                );
            }
            read
        });
        let threshold = number("swirl_rag_score_inclusion_threshold").and_then(|read| {
            if read.is_none() {
                wrong("swirl_rag_score_inclusion_threshold", "a number is needed.".to_owned());
            }
            read
        });
        let text = |key: &str| block.get(key).map(|value| value.as_str().unwrap_or_default());
        let strategy = text("swirl_rag_distribution_strategy").and_then(|name| {
            let read = Strategy::of_name(name);
            if read.is_none() {
                let known = Strategy::ALL.map(Strategy::as_str);
                wrong("swirl_rag_distribution_strategy", suggest::unknown("strategy", name, known));
            }
            read
        });
        let field = text("swirl_rag_inclusion_field").and_then(|name| {
            let read = InclusionField::of_name(name);
            if read.is_none() {
                let known = InclusionField::ALL.map(InclusionField::as_str);
                wrong("swirl_rag_inclusion_field", suggest::unknown("field", name, known));
            }
            read
        });
        Self { max_to_consider, fetch_timeout, threshold, strategy, field }
    }
}

/// How the best window of a page is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WindowMethod {
    #[default]
    TermCount,
    TermVector,
}

/// `config.swirl.fetch_url_body` of one provider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FetchUrlBody {
    /// Bodies with fewer words are filled.
    pub min_tokens: usize,
    /// Length of the window in words.
    pub token_length: usize,
    /// Number of words from the beginning, if no window matches the query.
    pub fallback_token_length: usize,
    pub method: WindowMethod,
    /// Time limit for fetch and extraction, in seconds.
    pub timeout: f64,
}

/// Maximum number of words of a filled body.
const TOKEN_LENGTH_MAX: u64 = 2000;
/// Maximum `body_pagefetch_text_extract_timeout`, in seconds.
const EXTRACT_TIMEOUT_MAX: f64 = 600.0;

impl FetchUrlBody {
    /// None if the provider has no such block. Invalid values are reported and replaced by the defaults.
    pub(crate) fn read(config: &Map<String, Value>, errors: &mut FieldErrors) -> Option<Self> {
        let block = config.get("swirl")?.get("fetch_url_body")?.as_object()?;
        let mut wrong =
            |key: &str, what: String| errors.add("config", format!("swirl.fetch_url_body.{key}: {what}"));
        let mut words = |key: &str, default: u64| match block.get(key).map(Value::as_u64) {
            None => default as usize,
            Some(Some(number)) if number <= TOKEN_LENGTH_MAX => number as usize,
            Some(_) => {
                wrong(key, format!("a whole number from 0 to {TOKEN_LENGTH_MAX} is needed."));
                default as usize
            }
        };
        let min_tokens = words("body_pagefetch_min_tokens", 5);
        let token_length = words("body_pagefetch_token_length", 64);
        let fallback_token_length = words("body_pagefetch_fallback_token_length", 128);
        let method = match block.get("body_pagefetch_generation_method").map(Value::as_str) {
            None | Some(Some("TERM_COUNT")) => WindowMethod::TermCount,
            Some(Some("TERM_VECTOR")) => WindowMethod::TermVector,
            Some(_) => {
                wrong("body_pagefetch_generation_method", "TERM_COUNT or TERM_VECTOR is needed.".to_owned());
                WindowMethod::TermCount
            }
        };
        let timeout = match block.get("body_pagefetch_text_extract_timeout").map(Value::as_f64) {
            None => 30.0,
            Some(Some(seconds)) if (0.0..=EXTRACT_TIMEOUT_MAX).contains(&seconds) => seconds,
            Some(_) => {
                let needed = format!("seconds from 0 to {EXTRACT_TIMEOUT_MAX} are needed.");
                wrong("body_pagefetch_text_extract_timeout", needed);
                30.0
            }
        };
        Some(Self { min_tokens, token_length, fallback_token_length, method, timeout })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::ProviderSpec;
    use crate::provider_config::ProviderConfig;
    use serde_json::json;

    fn with(block: &str, values: Value) -> ProviderSpec {
        let config = serde_json::from_value(json!({"swirl": {block: values}})).unwrap();
        ProviderSpec { name: "A".to_owned(), config, ..ProviderSpec::default() }
    }

    #[test]
    fn a_provider_has_rules_of_its_own() {
        let given = with(
            "rag",
            json!({"swirl_rag_max_to_consider": 4, "swirl_rag_fetch_timeout": 10,
                "swirl_rag_score_inclusion_threshold": 0.5, "swirl_rag_distribution_strategy": "RoundRobin",
                "swirl_rag_inclusion_field": "swirl_score"}),
        );
        assert!(given.check().is_empty());
        let read = RagOverrides {
            max_to_consider: Some(4),
            fetch_timeout: Some(10.0),
            threshold: Some(0.5),
            strategy: Some(Strategy::RoundRobin),
            field: Some(InclusionField::Score),
        };
        assert_eq!(given.config.rag, read);
        assert_eq!(ProviderConfig::default().rag, RagOverrides::default());
    }

    #[test]
    fn defaults_of_a_block_that_says_little() {
        let read = with("fetch_url_body", json!({})).config.fetch_url_body.unwrap();
        let method = WindowMethod::TermCount;
        let expected = FetchUrlBody {
            min_tokens: 5,
            token_length: 64,
            fallback_token_length: 128,
            method,
            timeout: 30.0,
        };
        assert_eq!(read, expected);
        assert_eq!(ProviderConfig::default().fetch_url_body, None);
    }

    #[test]
    fn a_value_of_a_wrong_type_is_ignored() {
        let nothing = RagOverrides::default();
        let counting = |count| RagOverrides { max_to_consider: Some(count), ..nothing };
        for (block, expected) in [
            (json!(null), nothing),
            (json!("sorted"), nothing),
            (json!([4]), nothing),
            (json!({"swirl_rag_max_to_consider": 0}), counting(0)),
            (json!({"swirl_rag_max_to_consider": u32::MAX}), counting(u32::MAX)),
            (json!({"swirl_rag_max_to_consider": u64::MAX}), nothing),
            (json!({"swirl_rag_max_to_consider": "4", "swirl_rag_fetch_timeout": "10"}), nothing),
            (
                json!({"swirl_rag_fetch_timeout": 600, "swirl_rag_distribution_strategy": 7}),
                RagOverrides { fetch_timeout: Some(600.0), ..nothing },
            ),
            (json!({"swirl_rag_fetch_timeout": 1e300, "swirl_rag_inclusion_field": null}), nothing),
            (
                json!({"swirl_rag_score_inclusion_threshold": -1e300, "swirl_rag_max_to_consider": null}),
                RagOverrides { threshold: Some(-1e300), ..nothing },
            ),
            (json!({"swirl_rag_score_inclusion_threshold": "0.5"}), nothing),
        ] {
            assert_eq!(with("rag", block.clone()).config.rag, expected, "{block}");
        }
        let usual = with("fetch_url_body", json!({})).config.fetch_url_body;
        let counting = |min_tokens| usual.map(|usual| FetchUrlBody { min_tokens, ..usual });
        for (block, expected) in [
            (json!(null), None),
            (json!(true), None),
            (json!([5]), None),
            (json!({"body_pagefetch_min_tokens": 0}), counting(0)),
            (json!({"body_pagefetch_min_tokens": 2000}), counting(2000)),
            (json!({"body_pagefetch_min_tokens": u64::MAX}), usual),
            (json!({"body_pagefetch_min_tokens": "7", "body_pagefetch_token_length": null}), usual),
            (json!({"body_pagefetch_text_extract_timeout": "9"}), usual),
            (json!({"body_pagefetch_text_extract_timeout": 1e300}), usual),
            (json!({"body_pagefetch_generation_method": 7}), usual),
        ] {
            assert_eq!(with("fetch_url_body", block.clone()).config.fetch_url_body, expected, "{block}");
        }
    }

    #[test]
    fn wrong_values_are_named() {
        for (block, key, value) in [
            ("rag", "swirl_rag_max_to_consider", json!("4")),
            ("rag", "swirl_rag_fetch_timeout", json!(601)),
            ("rag", "swirl_rag_score_inclusion_threshold", json!("high")),
            ("rag", "swirl_rag_distribution_strategy", json!("fair")),
            ("rag", "swirl_rag_inclusion_field", json!("score")),
            ("fetch_url_body", "body_pagefetch_min_tokens", json!(-1)),
            ("fetch_url_body", "body_pagefetch_token_length", json!(2001)),
            ("fetch_url_body", "body_pagefetch_fallback_token_length", json!("x")),
            ("fetch_url_body", "body_pagefetch_generation_method", json!("TERM")),
            ("fetch_url_body", "body_pagefetch_text_extract_timeout", json!(601)),
        ] {
            let errors = with(block, json!({key: value})).check().to_string();
            assert!(errors.contains(&format!("swirl.{block}.{key}: ")), "{key} {value}: {errors}");
        }
    }
}
