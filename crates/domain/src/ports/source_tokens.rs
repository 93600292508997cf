//! Access tokens of users for sources.

use super::ServiceError;
use crate::ids::UserId;
use crate::secret::Secret;
use async_trait::async_trait;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceTokenError {
    /// Never connected, disconnected, or expired and not renewable.
    #[error("{0} is not connected to your account; connect it and search again")]
    NotConnected(String),
    #[error("there is no active authenticator named '{0}'")]
    UnknownAuthenticator(String),
    /// The service that renews tokens cannot be reached.
    #[error("the token for {0} could not be renewed now: {1}")]
    Unavailable(String, #[source] ServiceError),
}

/// Tokens of the given user only, never of another one.
#[async_trait]
pub trait SourceTokens: Send + Sync {
    /// A token that is valid now; an expired one is renewed first. `authenticator` is the name or the idp of the
    /// record.
    async fn access_token(&self, user: UserId, authenticator: &str) -> Result<Secret, SourceTokenError>;
}
