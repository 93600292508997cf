//! The URL of an endpoint, and requests to it.

use domain::ports::{HttpMethod, HttpRequest, OAuthError, Origin};
use domain::secret::Secret;
use std::time::Duration;
use url::Url;

/// Time limit of one request.
const TIME_MAX: Duration = Duration::from_secs(8);

/// A URL and whether an administrator trusts it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct EndpointUrl {
    pub url: Url,
    pub is_trusted: bool,
}

/// An empty request to an endpoint.
pub(super) fn request(endpoint: &EndpointUrl, method: HttpMethod) -> Result<HttpRequest, OAuthError> {
    let origin = Origin::of(&endpoint.url, endpoint.is_trusted)
        .ok_or_else(|| OAuthError::misconfigured("the authenticator", "an address has no host"))?;
    Ok(HttpRequest {
        method,
        url: endpoint.url.clone(),
        headers: vec![("Accept".to_owned(), "application/json".to_owned())],
        secret_headers: Vec::<(String, Secret)>::new(),
        body: None,
        origin,
        secrets: Vec::new(),
        time_max: TIME_MAX,
        tls: None,
    })
}
