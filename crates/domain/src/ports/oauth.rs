//! OAuth: authorization flows, and identities proven by tokens.

use crate::authenticator::{Authenticator, FlowPurpose, ProvenIdentity};
use crate::ids::{AuthenticatorId, UserId};
use crate::ports::{PortError, StoreError};
use async_trait::async_trait;
use url::Url;

/// Errors with messages for users; none contains a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OAuthError {
    /// The state is unknown, was used, has expired, or belongs to another browser or user.
    #[error("this attempt has expired or belongs to another user; please start again")]
    UnknownFlow,
    /// The user or the service declined.
    #[error("{0} declined: {1}")]
    Refused(String, String),
    /// A token does not prove what it should.
    #[error("the token was not accepted: {0}")]
    NotProven(String),
    #[error("{0} cannot be reached now: {1}")]
    Unavailable(String, #[source] ServiceError),
    /// An administrator has to correct the configuration.
    #[error("{0} is not configured correctly: {1}")]
    Misconfigured(String, #[source] ServiceError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is wrong with a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceErrorKind {
    /// There is no answer.
    Unreachable,
    /// The answer is not what it should be.
    Answer,
    /// What is saved about the service.
    Configuration,
    /// The records of what users have connected cannot be read.
    Records,
}

/// Why a service cannot be used.
pub type ServiceError = PortError<ServiceErrorKind>;

impl OAuthError {
    /// An administrator has to correct what is saved about this service.
    pub fn misconfigured(service: &str, reason: impl Into<String>) -> Self {
        Self::Misconfigured(service.to_owned(), ServiceError::new(ServiceErrorKind::Configuration, reason))
    }
}

/// A browser to be sent to a service.
#[derive(Debug, Clone)]
pub struct FlowStart {
    pub authenticator: Authenticator,
    pub purpose: FlowPurpose,
    /// A secret of this browser, which it sends when it returns.
    pub browser: String,
    pub redirect_uri: String,
    /// A local path.
    pub next: String,
}

/// A browser that returned from a service.
#[derive(Debug, Clone, Default)]
pub struct AuthorizationCallback {
    /// The last segment of the path.
    pub callback: String,
    pub state: String,
    pub code: String,
    /// The error that the service reported instead of a code.
    pub error: String,
    /// The issuer that the service reported, if any.
    pub issuer: String,
    /// The browser's secret, if it has one.
    pub browser: String,
    /// The user who is signed in, if any.
    pub user: Option<UserId>,
}

/// Outcome of a flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlowOutcome {
    Connected { name: String, authenticator: AuthenticatorId, next: String },
    SignedIn { identity: ProvenIdentity, next: String },
}

/// What a token is presented for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenUse {
    /// A token of a sign-in authenticator, issued for this service as a client or as an API.
    SignIn,
    /// `Authorization: Bearer`: issued for this service as an API.
    Api,
}

#[async_trait]
pub trait OAuth: Send + Sync {
    /// Stores the flow and returns the URL to which the browser must be sent.
    async fn begin(&self, start: FlowStart) -> Result<Url, OAuthError>;
    /// Completes the flow of a state, once. A connection is stored for the user who began the flow, if the same user
    /// returned; a sign-in must return in the browser that was sent away.
    async fn finish(&self, back: AuthorizationCallback) -> Result<FlowOutcome, OAuthError>;
    /// Removes the connection here immediately, and at the service if possible. False if there was none.
    async fn disconnect(&self, user: UserId, authenticator: &Authenticator) -> Result<bool, OAuthError>;
    /// The identity that a signed token proves. None if no authenticator is responsible for its issuer.
    async fn identity_of(
        &self,
        token: &str,
        shown_for: TokenUse,
    ) -> Result<Option<ProvenIdentity>, OAuthError>;
}
