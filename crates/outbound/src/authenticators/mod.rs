//! Authenticators: the way of a browser to a service and back, people's own tokens, and what signed tokens prove.
//!
//! | Module | What lives there |
//! |---|---|
//! | `flow` | a browser is sent away and comes back |
//! | `renewal` | a person's token, renewed once however many ask |
//! | `exchange` | what is asked of a service that gives tokens |
//! | `endpoints`, `documents` | where a service is found, and what it publishes |
//! | `jwt`, `person` | signed tokens, and whom they prove |

mod documents;
mod endpoints;
mod exchange;
mod flow;
mod jwt;
mod person;
mod renewal;

pub use jwt::verify_token;

use async_trait::async_trait;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use documents::Documents;
use domain::authenticator::{Authenticator, ProvenIdentity};
use domain::contracts::{
    CameBack, Clock, Fetch, FlowOutcome, FlowStart, OAuth, OAuthError, SourceTokenError, SourceTokens, Store,
    TokenUse,
};
use domain::ids::UserId;
use domain::secret::Secret;
use renewal::Renewals;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use url::Url;

/// All that has to do with services which sign people in or give out their tokens.
pub struct Authenticators {
    desk: Arc<Desk>,
    renewals: Renewals,
}

/// What the parts share.
struct Desk {
    store: Arc<dyn Store>,
    fetch: Arc<dyn Fetch>,
    clock: Arc<dyn Clock>,
    documents: Documents,
    /// The audience of tokens for the API, where an authenticator has none of its own.
    api_audience: String,
}

impl Authenticators {
    pub fn new(
        store: Arc<dyn Store>,
        fetch: Arc<dyn Fetch>,
        clock: Arc<dyn Clock>,
        api_audience: String,
    ) -> Self {
        let documents = Documents::new(Arc::clone(&fetch));
        Self {
            desk: Arc::new(Desk { store, fetch, clock, documents, api_audience }),
            renewals: Renewals::default(),
        }
    }

    /// Waits for renewals that have begun: their new tokens would be lost.
    pub async fn settle(&self) {
        self.renewals.settle().await;
    }
}

#[async_trait]
impl OAuth for Authenticators {
    async fn begin(&self, start: FlowStart) -> Result<Url, OAuthError> {
        self.desk.begin(start).await
    }

    async fn finish(&self, back: CameBack) -> Result<FlowOutcome, OAuthError> {
        self.desk.finish(back).await
    }

    async fn disconnect(&self, user: UserId, authenticator: &Authenticator) -> Result<bool, OAuthError> {
        self.desk.disconnect(user, authenticator).await
    }

    async fn identity_of(
        &self,
        token: &str,
        shown_for: TokenUse,
    ) -> Result<Option<ProvenIdentity>, OAuthError> {
        self.desk.identity_of(token, shown_for).await
    }
}

#[async_trait]
impl SourceTokens for Authenticators {
    async fn access_token(&self, user: UserId, authenticator: &str) -> Result<Secret, SourceTokenError> {
        self.renewals.access_token(&self.desk, user, authenticator).await
    }
}

/// 32 random bytes as 43 characters that are safe everywhere.
fn random_text() -> String {
    BASE64_URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>())
}

/// SHA-256 in base64: how random texts are kept, and the challenge of PKCE.
fn digest(text: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(text.as_bytes()))
}

/// A foreign text for people: one line, not long.
fn one_line(text: &str) -> String {
    const CHARS_MAX: usize = 200;
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_the_standard() {
        // RFC 7636, appendix B.
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(digest(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
        assert_eq!(random_text().len(), 43);
        assert_ne!(random_text(), random_text());
        assert_eq!(one_line(&"a\nb".repeat(100)).len(), 200);
    }
}
