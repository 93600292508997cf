//! SourceTokens: what a person connected, as a token for one source.

use crate::ids::UserId;
use crate::secret::Secret;
use async_trait::async_trait;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceTokenError {
    /// Nothing was connected, it was taken back, or it ended and could not be renewed.
    #[error("{0} is not connected to your account; connect it and search again")]
    NotConnected(String),
    #[error("there is no active authenticator named '{0}'")]
    UnknownAuthenticator(String),
    /// The service that renews tokens cannot be reached now.
    #[error("the token for {0} could not be renewed now: {1}")]
    Unavailable(String, String),
}

/// Strictly the caller's own token: never another person's, and none at all rather than a wrong one.
#[async_trait]
pub trait SourceTokens: Send + Sync {
    /// A token that is valid now; renewed on the way when it has ended. `authenticator` is the record's name or idp.
    async fn access_token(&self, user: UserId, authenticator: &str) -> Result<Secret, SourceTokenError>;
}
