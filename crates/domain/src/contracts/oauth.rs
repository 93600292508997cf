//! OAuth: the way of a browser to a service and back, and what the service's tokens prove.

use crate::authenticator::{Authenticator, FlowPurpose, ProvenIdentity};
use crate::contracts::StoreError;
use crate::ids::{AuthenticatorId, UserId};
use async_trait::async_trait;
use url::Url;

/// Sentences for people; none holds a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OAuthError {
    /// The state is unknown, was used, has expired, or belongs to another browser or person.
    #[error("this attempt is over or belongs to somebody else; please begin again")]
    UnknownFlow,
    /// The person or the service said no.
    #[error("{0} did not agree: {1}")]
    Refused(String, String),
    /// A token does not prove what it should.
    #[error("the token was not accepted: {0}")]
    NotProven(String),
    #[error("{0} cannot be reached now: {1}")]
    Unavailable(String, String),
    /// What the administrator has to put right.
    #[error("{0} is not set up rightly: {1}")]
    Misconfigured(String, String),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A browser that shall go to a service.
#[derive(Debug, Clone)]
pub struct FlowStart {
    pub authenticator: Authenticator,
    pub purpose: FlowPurpose,
    /// A secret of this browser that it sends along when it comes back.
    pub browser: String,
    pub redirect_uri: String,
    /// A path of ours.
    pub next: String,
}

/// A browser that came back.
#[derive(Debug, Clone, Default)]
pub struct CameBack {
    /// The last part of the path it came to.
    pub callback: String,
    pub state: String,
    pub code: String,
    /// What the service said instead of a code.
    pub error: String,
    /// Who the service says it is, if it says so.
    pub issuer: String,
    /// The browser's secret, if it has one.
    pub browser: String,
    /// Who is signed in there, if somebody is.
    pub user: Option<UserId>,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FlowOutcome {
    Connected { name: String, authenticator: AuthenticatorId, next: String },
    SignedIn { identity: ProvenIdentity, next: String },
}

/// What a token is shown for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenUse {
    /// A token of an authenticator by which people sign in, made for this service as a client or as an API.
    SignIn,
    /// `Authorization: Bearer`: made for this service as an API.
    Api,
}

#[async_trait]
pub trait OAuth: Send + Sync {
    /// Remembers the flow, and says where the browser has to go.
    async fn begin(&self, start: FlowStart) -> Result<Url, OAuthError>;
    /// Ends the flow of a state, once. A connection is stored for the person who began, if that person came back;
    /// who signs in must come back with the browser that was sent away.
    async fn finish(&self, back: CameBack) -> Result<FlowOutcome, OAuthError>;
    /// Takes the connection away here at once, and at the service if that can be done. False when there was none.
    async fn disconnect(&self, user: UserId, authenticator: &Authenticator) -> Result<bool, OAuthError>;
    /// Whom a signed token proves. None when no authenticator is responsible for its issuer.
    async fn identity_of(
        &self,
        token: &str,
        shown_for: TokenUse,
    ) -> Result<Option<ProvenIdentity>, OAuthError>;
}
