//! Errors of fetching a page, and what users read about them.

use domain::ports::{Cause, FetchError, PageError, chain};

/// Why there is no text.
pub struct FetchFailure {
    pub error: PageError,
    /// A fallback service could not do better, or must not learn the URL.
    pub is_last: bool,
}

impl FetchFailure {
    pub fn last(why: impl Into<String>) -> Self {
        Self { error: PageError::failed(why), is_last: true }
    }

    pub fn maybe(why: impl Into<String>) -> Self {
        Self { error: PageError::failed(why), is_last: false }
    }

    /// Keeps the error behind it.
    #[must_use]
    pub fn caused_by(self, cause: impl Into<Cause>) -> Self {
        Self { error: self.error.caused_by(cause), ..self }
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
            tracing::info!("a page was not fetched: {}", chain(&error));
            PageError::Unreachable
        }
        other => PageError::failed(other.to_string()).caused_by(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;
    use std::io;

    #[test]
    fn network_details_are_for_the_log_and_other_causes_are_kept() {
        let failed = FetchError::broken("a.example", "damaged").caused_by(io::Error::other("bad gzip"));
        let error = to_page_error(failed.clone());
        assert_eq!((error.to_string(), chain(&error)), (failed.to_string(), chain(&failed)));
        assert!(error.source().is_some_and(|cause| cause.is::<FetchError>()), "{error:?}");
        let host = "intranet".to_owned();
        let unreachable = to_page_error(FetchError::UnknownHost { host });
        assert_eq!(unreachable, PageError::Unreachable);
        assert!(!chain(&unreachable).contains("intranet"));
    }
}
