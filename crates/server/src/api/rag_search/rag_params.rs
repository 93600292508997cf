//! Parameters of a summary in a request, and its outcome in a response.

use crate::error::ApiError;
use crate::state::AppState;
use domain::mixed::AiInfo;
use domain::ports::chain;
use domain::search::Search;
use domain::summary::{SummaryFault, SummaryRequest};
use rag::SummaryError;
use serde::Deserialize;
use std::time::Duration;

/// Range of `rag_timeout`, in seconds.
pub const TIMEOUT_S: std::ops::RangeInclusive<i64> = 1..=180;

/// A requested summary and its time limit.
#[derive(Debug, Clone)]
pub struct RagRequest {
    pub summary: SummaryRequest,
    pub time_max: Duration,
}

/// A parameter that is true if it is present, unless its value says otherwise. Every value is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LenientBool(pub bool);

impl<'de> Deserialize<'de> for LenientBool {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self(!["false", "0", "no", "off"].contains(&text.trim().to_ascii_lowercase().as_str())))
    }
}

/// How long the summary may take: as in the request, otherwise as in the settings.
pub fn time_max(state: &AppState, given: Option<i64>) -> Result<Duration, ApiError> {
    match given {
        None => Ok(state.settings.rag_timeout.0),
        Some(seconds) if TIMEOUT_S.contains(&seconds) => Ok(Duration::from_secs(seconds.unsigned_abs())),
        Some(_) => {
            let (least, most) = (TIMEOUT_S.start(), TIMEOUT_S.end());
            Err(ApiError::invalid_field("rag_timeout", format!("Use {least} to {most} seconds.")))
        }
    }
}

/// Generates a summary beside results; a failure never loses the results.
pub async fn summarize(state: &AppState, search: &Search, rag_request: &RagRequest) -> AiInfo {
    match state.summaries.answer(search, &rag_request.summary, rag_request.time_max).await {
        Ok(_) => AiInfo::ok(),
        Err(SummaryError::Fault { fault, message }) => AiInfo::error(fault.code(), message),
        Err(error) => {
            let (id, refusal) = (search.id, ApiError::from(error.clone()));
            tracing::warn!(
                search.id = id.0,
                %error,
                "search {id} could not be summarized: {}",
                chain(&error)
            );
            AiInfo::error(refusal.code(), refusal.detail())
        }
    }
}

/// For a request of the summary alone: a lack of sources is reported in the response, everything else is an error.
pub fn missing_summary(error: SummaryError) -> Result<AiInfo, ApiError> {
    match error {
        SummaryError::Fault {
            fault: fault @ (SummaryFault::NoRelevantResults | SummaryFault::NoSourceText),
            message,
        } => Ok(AiInfo::error(fault.code(), message)),
        error => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn true_unless_the_value_says_otherwise() {
        for (text, on) in [
            ("true", true),
            ("1", true),
            ("yes", true),
            ("on", true),
            ("", true),
            ("perhaps", true),
            ("False", false),
            ("0", false),
            ("no", false),
            ("OFF", false),
        ] {
            let value = serde_json::Value::String(text.to_owned());
            assert_eq!(
                serde_json::from_value::<LenientBool>(value).expect("any text"),
                LenientBool(on),
                "{text}"
            );
        }
    }
}
