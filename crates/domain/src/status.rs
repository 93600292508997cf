//! `Search.status` and the status of one provider's run, and which of them are final.

use serde::{Deserialize, Serialize};

/// Status of a search. The interface names four; the others are intermediate or errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SearchStatus {
    NewSearch,
    UpdateSearch,
    PreProcessing,
    PreQueryProcessing,
    Federating,
    PostResultProcessing,
    FullResultsReady,
    PartialResultsReady,
    FullUpdateReady,
    PartialUpdateReady,
    ErrNoQueryString,
    ErrNoSearchproviders,
    ErrPreQueryProcessing,
    ErrRunFailed,
}

impl SearchStatus {
    pub const ALL: &[SearchStatus] = &[
        Self::NewSearch,
        Self::UpdateSearch,
        Self::PreProcessing,
        Self::PreQueryProcessing,
        Self::Federating,
        Self::PostResultProcessing,
        Self::FullResultsReady,
        Self::PartialResultsReady,
        Self::FullUpdateReady,
        Self::PartialUpdateReady,
        Self::ErrNoQueryString,
        Self::ErrNoSearchproviders,
        Self::ErrPreQueryProcessing,
        Self::ErrRunFailed,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::NewSearch => "NEW_SEARCH",
            Self::UpdateSearch => "UPDATE_SEARCH",
            Self::PreProcessing => "PRE_PROCESSING",
            Self::PreQueryProcessing => "PRE_QUERY_PROCESSING",
            Self::Federating => "FEDERATING",
            Self::PostResultProcessing => "POST_RESULT_PROCESSING",
            Self::FullResultsReady => "FULL_RESULTS_READY",
            Self::PartialResultsReady => "PARTIAL_RESULTS_READY",
            Self::FullUpdateReady => "FULL_UPDATE_READY",
            Self::PartialUpdateReady => "PARTIAL_UPDATE_READY",
            Self::ErrNoQueryString => "ERR_NO_QUERY_STRING",
            Self::ErrNoSearchproviders => "ERR_NO_SEARCHPROVIDERS",
            Self::ErrPreQueryProcessing => "ERR_PRE_QUERY_PROCESSING",
            Self::ErrRunFailed => "ERR_RUN_FAILED",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|status| status.as_str() == text)
    }

    /// Results can be read.
    pub fn is_ready(self) -> bool {
        matches!(
            self,
            Self::FullResultsReady
                | Self::PartialResultsReady
                | Self::FullUpdateReady
                | Self::PartialUpdateReady
        )
    }

    /// The search ended without results and will not continue by itself.
    pub fn is_error(self) -> bool {
        matches!(
            self,
            Self::ErrNoQueryString
                | Self::ErrNoSearchproviders
                | Self::ErrPreQueryProcessing
                | Self::ErrRunFailed
        )
    }

    /// Nothing more happens without a request.
    pub fn is_final(self) -> bool {
        self.is_ready() || self.is_error()
    }

    /// The ready status of a run: FULL only if every selected provider delivered.
    pub fn ready(is_update: bool, all_delivered: bool) -> Self {
        match (is_update, all_delivered) {
            (false, true) => Self::FullResultsReady,
            (false, false) => Self::PartialResultsReady,
            (true, true) => Self::FullUpdateReady,
            (true, false) => Self::PartialUpdateReady,
        }
    }
}

/// Outcome of one provider's part of a search, as in `info.<provider>.status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderStatus {
    /// It delivered results.
    Ok,
    /// It delivered zero results.
    NoResults,
    /// It did not respond before the deadline.
    Timeout,
    /// It failed; `error` describes how.
    Error,
    /// It was not queried, because it asked for a pause.
    Suspended,
    /// The user has not connected it.
    NotConnected,
}

impl ProviderStatus {
    /// Zero results count as delivered; a failure does not.
    pub fn has_delivered(self) -> bool {
        matches!(self, Self::Ok | Self::NoResults)
    }
}

#[cfg(test)]
mod tests {
    use super::SearchStatus::*;
    use super::*;

    #[test]
    fn names_round_trip() {
        for status in SearchStatus::ALL {
            assert_eq!(SearchStatus::parse(status.as_str()), Some(*status));
            let json = serde_json::to_string(status).expect("a status serialises");
            assert_eq!(json, format!("\"{}\"", status.as_str()));
        }
    }

    #[test]
    fn full_means_all_delivered() {
        assert_eq!(SearchStatus::ready(false, true), FullResultsReady);
        assert_eq!(SearchStatus::ready(false, false), PartialResultsReady);
        assert_eq!(SearchStatus::ready(true, true), FullUpdateReady);
        assert_eq!(SearchStatus::ready(true, false), PartialUpdateReady);
        assert!(ProviderStatus::NoResults.has_delivered());
        assert!(!ProviderStatus::Timeout.has_delivered());
    }
}
