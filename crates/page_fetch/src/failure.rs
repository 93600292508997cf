//! Errors of fetching a page, and what users read about them.

use domain::ports::{FetchError, PageError};

/// Why there is no text.
pub struct FetchFailure {
    pub error: PageError,
    /// A fallback service could not do better, or must not learn the URL.
    pub is_last: bool,
}

impl FetchFailure {
    pub fn last(why: impl Into<String>) -> Self {
        Self { error: PageError::Failed(why.into()), is_last: true }
    }

    pub fn maybe(why: impl Into<String>) -> Self {
        Self { error: PageError::Failed(why.into()), is_last: false }
    }
}

impl From<PageError> for FetchFailure {
    fn from(error: PageError) -> Self {
        Self { error, is_last: true }
    }
}

impl From<FetchError> for FetchFailure {
    fn from(error: FetchError) -> Self {
        let is_last = matches!(error, FetchError::Refused { .. } | FetchError::Invalid { .. });
        Self { error: to_page_error(error), is_last }
    }
}

/// The error shown to users. Network details are logged only.
pub fn to_page_error(error: FetchError) -> PageError {
    match error {
        FetchError::Refused { .. } | FetchError::UnknownHost { .. } | FetchError::Connect { .. } => {
            tracing::info!("a page was not fetched: {error}");
            PageError::Unreachable
        }
        other => PageError::Failed(other.to_string()),
    }
}
