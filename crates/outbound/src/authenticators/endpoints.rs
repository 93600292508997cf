//! Endpoint URLs: as configured, else as published by the issuer.

use super::context::OAuthContext;
use super::endpoint_url::EndpointUrl;
use domain::authenticator::Authenticator;
use domain::ports::ServiceErrorKind::Configuration;
use domain::ports::{OAuthError, Origin, ServiceError};
use serde_json::{Map, Value};
use url::{ParseError, Url};

/// Path of the discovery document.
const WELL_KNOWN: &str = "/.well-known/openid-configuration";

/// The endpoints of a service.
#[derive(Debug, Clone, Copy)]
pub(super) enum Endpoint {
    Authorize,
    Token,
    Revoke,
    UserData,
    Keys,
}

impl Endpoint {
    /// The configured URL, and the name of the published one.
    fn names(self, authenticator: &Authenticator) -> (&str, &'static str) {
        let spec = &authenticator.spec;
        match self {
            Self::Authorize => (&spec.auth_uri, "authorization_endpoint"),
            Self::Token => (&spec.token_uri, "token_endpoint"),
            Self::Revoke => (&spec.revoke_uri, "revocation_endpoint"),
            Self::UserData => (&spec.user_data_url, "userinfo_endpoint"),
            Self::Keys => (&spec.jwks_uri, "jwks_uri"),
        }
    }
}

impl OAuthContext {
    /// The URL of an endpoint; None if it is neither configured nor published.
    pub(super) async fn endpoint_url(
        &self,
        authenticator: &Authenticator,
        endpoint: Endpoint,
    ) -> Result<Option<EndpointUrl>, OAuthError> {
        let name = &authenticator.spec.name;
        let broken = |what: &str| ServiceError::new(Configuration, format!("{what} is no address"));
        let misconfigured = |reason| OAuthError::Misconfigured(name.clone(), reason);
        let no_address = |what: &str, error: ParseError| misconfigured(broken(what).caused_by(error));
        let (saved, published) = endpoint.names(authenticator);
        if !saved.is_empty() {
            let url = Url::parse(saved).map_err(|error| no_address(published, error))?;
            return Ok(Some(EndpointUrl { url, is_trusted: true }));
        }
        if authenticator.spec.issuer.is_empty() {
            return Ok(None);
        }
        let issuer = Url::parse(&authenticator.spec.issuer).map_err(|error| no_address("issuer", error))?;
        let document = self.discover(authenticator, &issuer).await?;
        let Some(text) = document.get(published).and_then(Value::as_str) else { return Ok(None) };
        let url = Url::parse(text).map_err(|error| no_address(published, error))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(misconfigured(broken(published)));
        }
        // An issuer may publish other hosts, but cannot make private addresses trusted.
        let is_trusted = Origin::trusted(&url) == Origin::trusted(&issuer);
        Ok(Some(EndpointUrl { url, is_trusted }))
    }

    /// The URL of a required endpoint.
    pub(super) async fn required_endpoint(
        &self,
        authenticator: &Authenticator,
        endpoint: Endpoint,
    ) -> Result<EndpointUrl, OAuthError> {
        let (_, published) = endpoint.names(authenticator);
        self.endpoint_url(authenticator, endpoint).await?.ok_or_else(|| {
            let reason = format!("its issuer publishes no {published}, and none is saved");
            OAuthError::misconfigured(&authenticator.spec.name, reason)
        })
    }

    async fn discover(
        &self,
        authenticator: &Authenticator,
        issuer: &Url,
    ) -> Result<std::sync::Arc<Map<String, Value>>, OAuthError> {
        let (name, said) = (&authenticator.spec.name, &authenticator.spec.issuer);
        let well_known = format!("{}{WELL_KNOWN}", said.trim_end_matches('/'));
        let url = Url::parse(&well_known).map_err(|error| {
            let reason = ServiceError::new(Configuration, "issuer is no address").caused_by(error);
            OAuthError::Misconfigured(name.clone(), reason)
        })?;
        let endpoint = EndpointUrl { url, is_trusted: true };
        let document = self.discovery.get(&endpoint).await;
        let document = document.map_err(|reason| OAuthError::Unavailable(name.clone(), reason))?;
        let claims = document.get("issuer").and_then(Value::as_str).unwrap_or_default();
        if same_issuer(claims, said) {
            Ok(document)
        } else {
            let host = issuer.host_str().unwrap_or_default();
            let reason = format!("{host} publishes another issuer than the one that is saved");
            Err(OAuthError::misconfigured(name, reason))
        }
    }
}

/// Issuers are compared exactly, except for a trailing slash.
pub(super) fn same_issuer(one: &str, other: &str) -> bool {
    !one.is_empty() && one.trim_end_matches('/') == other.trim_end_matches('/')
}
