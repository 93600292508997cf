//! Where a service is found: what the administrator saved, else what its issuer publishes.

use super::Desk;
use domain::authenticator::Authenticator;
use domain::contracts::{HttpMethod, HttpRequest, OAuthError, Origin};
use domain::secret::Secret;
use serde_json::{Map, Value};
use std::time::Duration;
use url::Url;

/// How long one request to such a service may take.
pub(super) const TIME_MAX: Duration = Duration::from_secs(8);
/// Where an issuer publishes its addresses.
const WELL_KNOWN: &str = "/.well-known/openid-configuration";

/// An address and whether an administrator vouches for it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub url: Url,
    pub is_trusted: bool,
}

/// What of a service is asked for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Endpoint {
    Authorize,
    Token,
    Revoke,
    UserData,
    Keys,
}

impl Endpoint {
    /// The saved address, and the name of the published one.
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

impl Desk {
    /// The place of an endpoint; None when neither the record nor the issuer names one.
    pub(super) async fn place(
        &self,
        authenticator: &Authenticator,
        endpoint: Endpoint,
    ) -> Result<Option<Place>, OAuthError> {
        let name = &authenticator.spec.name;
        let broken = |what: &str| OAuthError::Misconfigured(name.clone(), format!("{what} is no address"));
        let (saved, published) = endpoint.names(authenticator);
        if !saved.is_empty() {
            let url = Url::parse(saved).map_err(|_| broken(published))?;
            return Ok(Some(Place { url, is_trusted: true }));
        }
        if authenticator.spec.issuer.is_empty() {
            return Ok(None);
        }
        let issuer = Url::parse(&authenticator.spec.issuer).map_err(|_| broken("issuer"))?;
        let document = self.discover(authenticator, &issuer).await?;
        let Some(text) = document.get(published).and_then(Value::as_str) else { return Ok(None) };
        let url = Url::parse(text).map_err(|_| broken(published))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(broken(published));
        }
        // An issuer may name other hosts, but it does not vouch for the machines of this network.
        let is_trusted = Origin::of(&url, true) == Origin::of(&issuer, true);
        Ok(Some(Place { url, is_trusted }))
    }

    /// The place of an endpoint that must be there.
    pub(super) async fn needed(
        &self,
        authenticator: &Authenticator,
        endpoint: Endpoint,
    ) -> Result<Place, OAuthError> {
        let (_, published) = endpoint.names(authenticator);
        self.place(authenticator, endpoint).await?.ok_or_else(|| {
            let reason = format!("its issuer publishes no {published}, and none is saved");
            OAuthError::Misconfigured(authenticator.spec.name.clone(), reason)
        })
    }

    async fn discover(
        &self,
        authenticator: &Authenticator,
        issuer: &Url,
    ) -> Result<std::sync::Arc<Map<String, Value>>, OAuthError> {
        let (name, said) = (&authenticator.spec.name, &authenticator.spec.issuer);
        let well_known = format!("{}{WELL_KNOWN}", said.trim_end_matches('/'));
        let url = Url::parse(&well_known)
            .map_err(|_| OAuthError::Misconfigured(name.clone(), "issuer is no address".to_owned()))?;
        let place = Place { url, is_trusted: true };
        let document = self
            .documents
            .kept(&place)
            .await
            .map_err(|reason| OAuthError::Unavailable(name.clone(), reason))?;
        let claims = document.get("issuer").and_then(Value::as_str).unwrap_or_default();
        if same_issuer(claims, said) {
            Ok(document)
        } else {
            let host = issuer.host_str().unwrap_or_default();
            let reason = format!("{host} publishes another issuer than the one that is saved");
            Err(OAuthError::Misconfigured(name.clone(), reason))
        }
    }
}

/// Issuers are compared letter by letter, but for a slash at the end.
pub(super) fn same_issuer(one: &str, other: &str) -> bool {
    !one.is_empty() && one.trim_end_matches('/') == other.trim_end_matches('/')
}

/// A request to a place, without anything in it.
pub(super) fn request(place: &Place, method: HttpMethod) -> Result<HttpRequest, OAuthError> {
    let origin = Origin::of(&place.url, place.is_trusted).ok_or_else(|| {
        OAuthError::Misconfigured("the authenticator".to_owned(), "an address has no host".to_owned())
    })?;
    Ok(HttpRequest {
        method,
        url: place.url.clone(),
        headers: vec![("Accept".to_owned(), "application/json".to_owned())],
        secret_headers: Vec::<(String, Secret)>::new(),
        body: None,
        origin,
        secrets: Vec::new(),
        time_max: TIME_MAX,
        tls: None,
    })
}
