//! What a request says about the answer it wants, and how it is told what came of it.

use crate::AppState;
use crate::error::ApiError;
use answers::AnswerError;
use domain::answer::{AnswerFault, AnswerWish};
use domain::mixed::AiInfo;
use domain::search::Search;
use serde::Deserialize;
use std::time::Duration;

/// What `rag_timeout` may be, in seconds.
const TIMEOUT_S: std::ops::RangeInclusive<i64> = 1..=180;

/// An answer that somebody wants.
#[derive(Debug, Clone)]
pub struct Asked {
    pub wish: AnswerWish,
    pub time_max: Duration,
}

/// A parameter that counts as on when it is there, unless it says otherwise. No value is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted(pub bool);

impl<'de> Deserialize<'de> for Wanted {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(Self(!["false", "0", "no", "off"].contains(&text.trim().to_ascii_lowercase().as_str())))
    }
}

/// How long the answer may take: as the request says, else as the settings do.
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

/// Asks for an answer beside results, which are never lost by it.
pub async fn answered(state: &AppState, search: &Search, asked: &Asked) -> AiInfo {
    match state.answers.answer(search, &asked.wish, asked.time_max).await {
        Ok(_) => AiInfo::ok(),
        Err(AnswerError::Fault { fault, message }) => AiInfo::error(fault.code(), message),
        Err(error) => {
            let (id, refusal) = (search.id, ApiError::from(error.clone()));
            tracing::warn!(search.id = id.0, %error, "search {id} could not be answered: {error}");
            AiInfo::error(refusal.code(), refusal.detail())
        }
    }
}

/// Where the answer is all that was asked for: nothing to answer from is an answer, everything else a refusal.
pub fn why(error: AnswerError) -> Result<AiInfo, ApiError> {
    match error {
        AnswerError::Fault {
            fault: fault @ (AnswerFault::NoRelevantResults | AnswerFault::NoSourceText),
            message,
        } => Ok(AiInfo::error(fault.code(), message)),
        error => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_unless_it_says_otherwise() {
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
            assert_eq!(serde_json::from_value::<Wanted>(value).expect("any text"), Wanted(on), "{text}");
        }
    }
}
