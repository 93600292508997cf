//! HTTP client of a vector store; credentials go to its server only.

use super::metadata_cache::{Key, key};
use super::reply::Reply;
use crate::shared::check::require_notations;
use crate::shared::http_auth::{self, Headers};
use crate::shared::http_check::web_address;
use crate::shared::http_source::config_invalid;
use crate::shared::response;
use bytes::Bytes;
use domain::ports::{ConnectorError, HttpMethod, HttpRequest, Origin, PluginContext, TlsOptions};
use domain::provider::SearchProvider;
use domain::secret::Secret;
use serde_json::Value;
use std::fmt;
use std::time::Duration;
use syntax::credentials::SourceCredentials;
use url::Url;

/// How the key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyLocation {
    Header(&'static str),
    /// In this header for every form of credentials, including a bearer token.
    HeaderAlways(&'static str),
    Bearer,
}

/// A URL that may get the credentials.
#[derive(Debug, PartialEq, Eq)]
pub struct CheckedUrl {
    pub url: Url,
    /// Saved by an administrator: it may be a loopback or private address.
    pub is_trusted: bool,
}

pub struct Store {
    server: String,
    headers: Headers,
    secrets: Vec<Secret>,
    tls: Option<TlsOptions>,
    context: PluginContext,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Store {
    pub fn new(
        provider: &SearchProvider,
        server: &str,
        key_location: KeyLocation,
        context: &PluginContext,
    ) -> Result<Self, ConnectorError> {
        let credentials = require_notations(provider)?.credentials;
        Ok(Self {
            server: server.trim().trim_end_matches('/').to_owned(),
            headers: headers(provider, &credentials, key_location),
            secrets: http_auth::secrets(&credentials),
            tls: http_auth::tls(&credentials),
            context: context.clone(),
        })
    }

    /// Adds a header to every request.
    pub fn with_header(mut self, name: &str, value: &str) -> Self {
        self.headers.open.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The URL of the server.
    pub fn server(&self) -> Result<Url, ConnectorError> {
        web_address(&self.server).map_err(config_invalid)
    }

    /// A URL below the server's; each part is one segment, whatever it contains.
    pub fn at(&self, parts: &[&str]) -> Result<Url, ConnectorError> {
        below(self.server()?, parts)
    }

    /// Cache key for metadata of the server, which may depend on the credentials.
    pub fn key(&self, parts: &[&str]) -> Key {
        let headers = self.headers.secret.iter().flat_map(|(name, value)| [name.as_str(), value.expose()]);
        key(std::iter::once(self.server.as_str()).chain(headers).chain(parts.iter().copied()))
    }

    /// Sends a GET request to the provider's server.
    pub async fn get(&self, parts: &[&str], time_max: Duration) -> Result<Reply, ConnectorError> {
        self.send(self.checked(parts)?, None, time_max).await
    }

    pub async fn post(
        &self,
        parts: &[&str],
        body: &Value,
        time_max: Duration,
    ) -> Result<Reply, ConnectorError> {
        self.send(self.checked(parts)?, Some(body), time_max).await
    }

    fn checked(&self, parts: &[&str]) -> Result<CheckedUrl, ConnectorError> {
        Ok(CheckedUrl { url: self.at(parts)?, is_trusted: true })
    }

    /// Sends a request to a URL that the caller has checked; the credentials go to its origin.
    pub async fn send(
        &self,
        address: CheckedUrl,
        body: Option<&Value>,
        time_max: Duration,
    ) -> Result<Reply, ConnectorError> {
        let CheckedUrl { url, is_trusted } = address;
        let origin =
            Origin::of(&url, is_trusted).ok_or_else(|| config_invalid("The address has no host."))?;
        let mut headers = self.headers.open.clone();
        if body.is_some() && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        }
        let request = HttpRequest {
            method: if body.is_some() { HttpMethod::Post } else { HttpMethod::Get },
            url,
            headers,
            secret_headers: self.headers.secret.clone(),
            body: body.map(|body| Bytes::from(body.to_string())),
            origin,
            secrets: self.secrets.clone(),
            time_max,
            tls: self.tls.clone(),
        };
        let answer = self.context.fetch.fetch(&request).await?;
        let now = self.context.clock.now();
        response::beside(answer.body.len(), move || Reply::of(&answer, now)).await?
    }
}

/// Appends path segments to a URL.
pub fn below(mut url: Url, parts: &[&str]) -> Result<Url, ConnectorError> {
    let no_path = || config_invalid("The address can have no path.");
    url.path_segments_mut().map_err(|()| no_path())?.pop_if_empty().extend(parts);
    Ok(url)
}

fn headers(provider: &SearchProvider, credentials: &SourceCredentials, location: KeyLocation) -> Headers {
    let given = &provider.spec.http_request_headers;
    let key = match credentials {
        SourceCredentials::Plain(key) | SourceCredentials::ApiKeyHeader(key) => key,
        SourceCredentials::Pairs(pairs) if pairs.len() == 1 => &pairs[0].1,
        SourceCredentials::Bearer { token, .. } if matches!(location, KeyLocation::HeaderAlways(_)) => token,
        other => return http_auth::headers(given, other),
    };
    let (name, value) = match location {
        KeyLocation::Header(name) | KeyLocation::HeaderAlways(name) => (name, key.clone()),
        KeyLocation::Bearer => ("Authorization", Secret::new(format!("Bearer {}", key.expose()))),
    };
    let mut headers = http_auth::headers(given, &SourceCredentials::None);
    headers.secret.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
    headers.secret.push((name.to_owned(), value));
    headers
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::provider::ProviderSpec;

    #[test]
    fn a_key_goes_where_the_store_wants_it() {
        let table = [
            ("abc", KeyLocation::Header("api-key"), ("api-key", "abc")),
            ("X-Api-Key=abc", KeyLocation::Header("api-key"), ("api-key", "abc")),
            ("api_key=abc", KeyLocation::Header("api-key"), ("api-key", "abc")),
            ("bearer=abc", KeyLocation::Header("api-key"), ("Authorization", "Bearer abc")),
            ("bearer=abc", KeyLocation::HeaderAlways("Api-Key"), ("Api-Key", "abc")),
            ("root:Milvus", KeyLocation::Bearer, ("Authorization", "Bearer root:Milvus")),
            ("HTTPBasicAuth('u','p')", KeyLocation::Bearer, ("Authorization", "Basic dTpw")),
        ];
        for (text, location, (name, value)) in table {
            let credentials = SourceCredentials::parse(&Secret::new(text)).expect("credentials");
            let spec = ProviderSpec {
                http_request_headers: [(name.to_lowercase(), "old".to_owned())].into(),
                ..ProviderSpec::default()
            };
            let provider = SearchProvider::unsaved(spec, Default::default(), Default::default());
            let found = headers(&provider, &credentials, location).secret;
            assert_eq!(found, [(name.to_owned(), Secret::new(value))], "{text} {location:?}");
        }
    }

    #[test]
    fn a_name_is_one_part_of_the_path() {
        let server = Url::parse("https://h.example/base/").expect("an address");
        let url = below(server, &["collections", "a/../b?c d", "points"]).expect("an address");
        assert_eq!(url.as_str(), "https://h.example/base/collections/a%2F..%2Fb%3Fc%20d/points");
    }
}
