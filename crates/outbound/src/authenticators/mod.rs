//! OAuth and OpenID Connect with external services: sign-in, user tokens and token verification.
//!
//! | Module | Content |
//! |---|---|
//! | `flow` | authorization code flow |
//! | `refresh` | access tokens of users, refreshed once for concurrent callers |
//! | `token_endpoint` | requests to the token endpoint, and user data |
//! | `endpoints`, `endpoint_url`, `discovery` | endpoint URLs, requests to them, and the cache of published documents |
//! | `jwt`, `claims` | token verification, and the identity in the claims |
//! | `context`, `text` | shared dependencies; random and foreign texts |

mod claims;
mod context;
mod discovery;
mod endpoint_url;
mod endpoints;
mod flow;
mod jwt;
mod refresh;
mod text;
mod token_endpoint;

pub use context::OAuthStore;
pub use jwt::verify_token;

use async_trait::async_trait;
use context::OAuthContext;
use discovery::DiscoveryCache;
use domain::authenticator::{Authenticator, ProvenIdentity};
use domain::ids::UserId;
use domain::ports::{
    AuthorizationCallback, Clock, Fetch, FlowOutcome, FlowStart, OAuth, OAuthError, SourceTokenError,
    SourceTokens, TokenUse,
};
use domain::secret::Secret;
use refresh::TokenRefresher;
use std::sync::Arc;
use url::Url;

/// OAuth client for all authenticators.
pub struct Authenticators {
    context: Arc<OAuthContext>,
    refresher: TokenRefresher,
}

impl Authenticators {
    pub fn new(
        store: Arc<dyn OAuthStore>,
        fetch: Arc<dyn Fetch>,
        clock: Arc<dyn Clock>,
        api_audience: String,
    ) -> Self {
        let discovery = DiscoveryCache::new(Arc::clone(&fetch));
        Self {
            context: Arc::new(OAuthContext { store, fetch, clock, discovery, api_audience }),
            refresher: TokenRefresher::default(),
        }
    }

    /// Waits for refreshes in progress, whose new tokens would otherwise be lost.
    pub async fn settle(&self) {
        self.refresher.settle().await;
    }
}

#[async_trait]
impl OAuth for Authenticators {
    async fn begin(&self, start: FlowStart) -> Result<Url, OAuthError> {
        self.context.begin(start).await
    }

    async fn finish(&self, back: AuthorizationCallback) -> Result<FlowOutcome, OAuthError> {
        self.context.finish(back).await
    }

    async fn disconnect(&self, user: UserId, authenticator: &Authenticator) -> Result<bool, OAuthError> {
        self.context.disconnect(user, authenticator).await
    }

    async fn identity_of(
        &self,
        token: &str,
        shown_for: TokenUse,
    ) -> Result<Option<ProvenIdentity>, OAuthError> {
        self.context.identity_of(token, shown_for).await
    }
}

#[async_trait]
impl SourceTokens for Authenticators {
    async fn access_token(&self, user: UserId, authenticator: &str) -> Result<Secret, SourceTokenError> {
        self.refresher.access_token(&self.context, user, authenticator).await
    }
}
