//! Why a request cannot be authorized.

use domain::ports::{FetchError, HttpResponse};
use syntax::error::SyntaxError;

/// Messages contain no part of a key or token; that of `Rejected` does not contain the vendor's text.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AuthError {
    /// The configured key, or the addresses in it.
    #[error("{}", .0.message())]
    Key(SyntaxError),
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The code of the vendor, and its description.
    #[error("the token request was rejected")]
    Rejected { code: String, description: Option<String> },
    #[error("the response to the token request contains no access token")]
    NoToken,
    #[error("the token request was answered with status {}", .0.status)]
    Status(HttpResponse),
}

impl From<SyntaxError> for AuthError {
    fn from(error: SyntaxError) -> Self {
        Self::Key(error)
    }
}
