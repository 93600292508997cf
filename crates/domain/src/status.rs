//! `Search.status` and the status of one provider's run, and which of them are final.

use serde::{Deserialize, Serialize};

/// Declares the statuses: name, name on the wire, stage. One row each, so that none is in two stages or in none.
macro_rules! search_statuses {
    ($($name:ident $text:literal $stage:ident,)*) => {
        /// Status of a search. The interface names four; the others are intermediate or errors.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
        #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
        pub enum SearchStatus {
            $($name,)*
        }

        impl SearchStatus {
            pub const ALL: &[SearchStatus] = &[$(Self::$name,)*];

            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }

            fn stage(self) -> Stage {
                match self {
                    $(Self::$name => Stage::$stage,)*
                }
            }
        }
    };
}

/// Where a search stands in its run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The run waits or is under way.
    Open,
    /// The run ended with results, perhaps zero.
    Ready,
    /// The run ended without results.
    Failed,
}

search_statuses! {
    NewSearch "NEW_SEARCH" Open,
    UpdateSearch "UPDATE_SEARCH" Open,
    PreProcessing "PRE_PROCESSING" Open,
    PreQueryProcessing "PRE_QUERY_PROCESSING" Open,
    Federating "FEDERATING" Open,
    PostResultProcessing "POST_RESULT_PROCESSING" Open,
    FullResultsReady "FULL_RESULTS_READY" Ready,
    PartialResultsReady "PARTIAL_RESULTS_READY" Ready,
    FullUpdateReady "FULL_UPDATE_READY" Ready,
    PartialUpdateReady "PARTIAL_UPDATE_READY" Ready,
    ErrNoQueryString "ERR_NO_QUERY_STRING" Failed,
    ErrNoSearchproviders "ERR_NO_SEARCHPROVIDERS" Failed,
    ErrPreQueryProcessing "ERR_PRE_QUERY_PROCESSING" Failed,
    ErrRunFailed "ERR_RUN_FAILED" Failed,
}

impl SearchStatus {
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|status| status.as_str() == text)
    }

    /// Results can be read.
    pub fn is_ready(self) -> bool {
        self.stage() == Stage::Ready
    }

    /// Every selected provider delivered.
    pub fn is_full(self) -> bool {
        matches!(self, Self::FullResultsReady | Self::FullUpdateReady)
    }

    /// The search ended without results and will not continue by itself.
    pub fn is_error(self) -> bool {
        self.stage() == Stage::Failed
    }

    /// Nothing more happens without a request.
    pub fn is_final(self) -> bool {
        self.stage() != Stage::Open
    }

    /// The ready status of a run.
    pub fn ready(kind: RunKind, delivery: Delivery) -> Self {
        match (kind, delivery) {
            (RunKind::New, Delivery::Full) => Self::FullResultsReady,
            (RunKind::New, Delivery::Partial) => Self::PartialResultsReady,
            (RunKind::Update, Delivery::Full) => Self::FullUpdateReady,
            (RunKind::Update, Delivery::Partial) => Self::PartialUpdateReady,
        }
    }
}

/// What a run does with the results of the runs before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunKind {
    /// It replaces them.
    New,
    /// It keeps them and adds new ones.
    Update,
}

/// Whether every queried provider delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    Full,
    Partial,
}

/// Outcome of one provider's part of a search, as in `info.<provider>.status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProviderStatus {
    /// It delivered results.
    Ok,
    /// It delivered zero results.
    NoResults,
    /// It delivered results, but a later page failed; `error` describes how.
    Partial,
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
    /// It delivered everything. Zero results count as delivered; a failure does not.
    pub fn has_delivered(self) -> bool {
        matches!(self, Self::Ok | Self::NoResults)
    }

    /// It delivered everything or a part.
    pub fn has_responded(self) -> bool {
        self.has_delivered() || self == Self::Partial
    }

    /// The status in a record. Earlier versions do not know partial deliveries: they read `ok`, with an error beside it.
    pub fn to_stored(self) -> Self {
        if self == Self::Partial { Self::Ok } else { self }
    }

    /// The status of a record, which may have an error.
    pub fn from_stored(self, has_error: bool) -> Self {
        if has_error && self.has_delivered() { Self::Partial } else { self }
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
    fn every_status_is_open_ready_or_an_error() {
        for status in SearchStatus::ALL {
            let sets = [!status.is_final(), status.is_ready(), status.is_error()];
            assert_eq!(sets.into_iter().filter(|is_in| *is_in).count(), 1, "{status:?}");
            assert!(status.is_ready() || !status.is_full(), "{status:?}");
        }
        // Clients tell final statuses by their names.
        for status in SearchStatus::ALL {
            let name = status.as_str();
            assert_eq!(status.is_ready(), name.ends_with("_READY"), "{name}");
            assert_eq!(status.is_error(), name.starts_with("ERR_"), "{name}");
        }
    }

    #[test]
    fn full_means_all_delivered() {
        assert_eq!(SearchStatus::ready(RunKind::New, Delivery::Full), FullResultsReady);
        assert_eq!(SearchStatus::ready(RunKind::New, Delivery::Partial), PartialResultsReady);
        assert_eq!(SearchStatus::ready(RunKind::Update, Delivery::Full), FullUpdateReady);
        assert_eq!(SearchStatus::ready(RunKind::Update, Delivery::Partial), PartialUpdateReady);
        assert!(ProviderStatus::NoResults.has_delivered());
        assert!(!ProviderStatus::Timeout.has_delivered());
        assert!(!ProviderStatus::Partial.has_delivered());
    }

    #[test]
    fn a_partial_delivery_is_stored_as_ok_with_an_error() {
        let failures = [
            ProviderStatus::Partial,
            ProviderStatus::Timeout,
            ProviderStatus::Error,
            ProviderStatus::Suspended,
        ];
        for status in failures {
            assert_eq!(status.to_stored().from_stored(true), status);
        }
        for status in [ProviderStatus::Ok, ProviderStatus::NoResults] {
            assert_eq!(status.to_stored().from_stored(false), status);
        }
        assert_eq!(ProviderStatus::Partial.to_stored(), ProviderStatus::Ok);
    }
}
