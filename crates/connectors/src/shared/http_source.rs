//! A source queried over HTTP: building, sending and reading its requests.

use super::check::{Notations, require_notations};
use super::digest::Challenge;
use super::http_check::{CREDENTIALS_ELSEWHERE, has_same_authority, web_address};
use super::{http_auth, page, response};
use bytes::Bytes;
use domain::known_secrets::KnownSecrets;
use domain::ports::{
    Capability, ConnectorError, ConnectorErrorKind, HttpMethod, HttpRequest, HttpResponse, NormalizedPage,
    Origin, PluginContext, ProviderQuery, TlsOptions,
};
use domain::provider::SearchProvider;
use domain::secret::Secret;
use std::fmt;
use std::time::Instant;
use syntax::credentials::{Login, SourceCredentials};
use syntax::error::SyntaxError;
use syntax::query_mappings::QueryMappings;
use syntax::query_template::{Binding, bind, bind_part, bind_url, dot_segments};
use url::Url;

pub struct HttpSource {
    url: String,
    template: String,
    notations: Notations,
    headers: http_auth::Headers,
    secrets: Vec<Secret>,
    tls: Option<TlsOptions>,
    context: PluginContext,
}

impl fmt::Debug for HttpSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpSource").field("url", &self.url).finish_non_exhaustive()
    }
}

impl HttpSource {
    pub fn new(provider: &SearchProvider, context: &PluginContext) -> Result<Self, ConnectorError> {
        let notations = require_notations(provider)?;
        Ok(Self {
            url: provider.spec.url.trim().to_owned(),
            template: provider.spec.query_template.clone(),
            headers: http_auth::headers(&provider.spec.http_request_headers, &notations.credentials),
            secrets: secrets(provider, &notations.credentials),
            tls: http_auth::tls(&notations.credentials),
            notations,
            context: context.clone(),
        })
    }

    /// The credentials, including the user's session value.
    pub fn credentials(&self) -> &SourceCredentials {
        &self.notations.credentials
    }

    /// Sends the credentials in a vendor-specific header, to the provider's own origin only.
    pub fn carry(&mut self, name: &str, value: Secret) {
        self.headers.secret.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.secrets.push(value.clone());
        self.headers.secret.push((name.to_owned(), value));
    }

    /// Sets how the certificate of the source is verified.
    pub fn set_tls(&mut self, tls: TlsOptions) {
        self.tls = Some(tls);
    }

    pub fn mappings(&self) -> &QueryMappings {
        &self.notations.query_mappings
    }

    pub fn capability(&self) -> Capability {
        let mappings = self.mappings();
        Capability {
            page: mappings.page().is_some(),
            date_sort: mappings.date_sort().is_some(),
            not: mappings.not() || mappings.not_char().is_some(),
        }
    }

    pub fn get(&self, query: &ProviderQuery<'_>) -> Result<HttpRequest, ConnectorError> {
        self.request(query, HttpMethod::Get, None)
    }

    /// A request to a URL that the source itself named. Secrets go to the provider's own origin only.
    pub fn get_url(&self, url: Url, query: &ProviderQuery<'_>) -> Result<HttpRequest, ConnectorError> {
        Ok(HttpRequest { url, ..self.request(query, HttpMethod::Get, None)? })
    }

    /// A request with a JSON body; the provider's own `Content-Type` takes precedence.
    pub fn post(&self, query: &ProviderQuery<'_>, body: &[u8]) -> Result<HttpRequest, ConnectorError> {
        let body = Bytes::copy_from_slice(body);
        let mut request = self.request(query, HttpMethod::Post, Some(body))?;
        if !request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            request.headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        }
        Ok(request)
    }

    /// Sends a request. With digest authentication it is sent again with the answer to the source's challenge.
    pub async fn send(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        let started = Instant::now();
        let answer = self.context.fetch.fetch(request).await?;
        let SourceCredentials::Digest(login) = &self.notations.credentials else { return Ok(answer) };
        let Some(mut again) = answered(request, &answer, login) else { return Ok(answer) };
        // The first response is no longer needed, and it may be large.
        drop(answer);
        again.time_max = request.time_max.saturating_sub(started.elapsed());
        Ok(self.context.fetch.fetch(&again).await?)
    }

    pub fn normalize(&self, answer: &HttpResponse) -> Result<NormalizedPage, ConnectorError> {
        let answer = response::read(answer, self.context.clock.now())?;
        page::take_apart(answer, &self.notations.response_mappings)
    }

    pub fn binding<'a>(&'a self, query: &ProviderQuery<'_>, text: &'a str) -> Binding<'a> {
        Binding {
            url: &self.url,
            mappings: &self.notations.query_mappings,
            credentials: self.notations.credentials.pairs(),
            query: text,
            sort_snippet: query.sort.snippet(&self.notations.query_mappings),
            page: query.page,
        }
    }

    fn request(
        &self,
        query: &ProviderQuery<'_>,
        method: HttpMethod,
        body: Option<Bytes>,
    ) -> Result<HttpRequest, ConnectorError> {
        let bound = bind_url(&self.template, &self.binding(query, query.text)).map_err(config_invalid)?;
        // Most queries are a parameter, which cannot change the address.
        if !bound.has_fixed_path {
            self.check_path(query, &bound.text)?;
        }
        let url = web_address(&bound.text).map_err(config_invalid)?;
        if !bound.has_fixed_path {
            self.check_host(query, &url)?;
        }
        let origin = self.origin(query, &bound.text, &url)?;
        if bound.has_credentials && !origin.is_of(&url) {
            return Err(config_invalid(CREDENTIALS_ELSEWHERE));
        }
        Ok(HttpRequest {
            method,
            url,
            headers: self.headers.open.clone(),
            secret_headers: self.headers.secret.clone(),
            body,
            origin,
            secrets: self.secrets.clone(),
            time_max: query.time_max,
            tls: self.tls.clone(),
        })
    }

    fn check_path(&self, query: &ProviderQuery<'_>, bound: &str) -> Result<(), ConnectorError> {
        let without = bind(&self.template, &self.binding(query, "x")).map_err(config_invalid)?;
        if dot_segments(bound) != dot_segments(&without) {
            let message = "the query would change the path of the request";
            return Err(ConnectorError::new(ConnectorErrorKind::QueryInvalid, message));
        }
        Ok(())
    }

    /// A query that changes the host would send the secrets in the URL to it.
    fn check_host(&self, query: &ProviderQuery<'_>, url: &Url) -> Result<(), ConnectorError> {
        let steady = address(bind(&self.template, &self.binding(query, "")))?;
        if url.origin() != steady.origin() {
            let message = "the query would change the host of the request";
            return Err(ConnectorError::new(ConnectorErrorKind::QueryInvalid, message));
        }
        Ok(())
    }

    /// The origin that the credentials belong to: that of the provider's url, or of its template without a query. Most
    /// requests go there.
    fn origin(&self, query: &ProviderQuery<'_>, bound: &str, url: &Url) -> Result<Origin, ConnectorError> {
        let template = if self.url.is_empty() { self.template.as_str() } else { "{url}" };
        let own = bind_part(template, &self.binding(query, "")).map_err(config_invalid)?;
        let origin = if has_same_authority(&own, bound) {
            Origin::trusted(url)
        } else {
            Origin::trusted(&address(Ok(own))?)
        };
        origin.ok_or_else(|| config_invalid("The address has no host."))
    }
}

/// Every secret to redact: those of the credentials and keys in other fields. The longest first.
fn secrets(provider: &SearchProvider, credentials: &SourceCredentials) -> Vec<Secret> {
    let mut all = http_auth::secrets(credentials);
    all.extend_from_slice(KnownSecrets::of(provider).secrets());
    all.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
    all.dedup();
    all
}

/// The error for an invalid configuration of a saved provider.
pub fn config_invalid(error: impl Into<SyntaxError>) -> ConnectorError {
    let error = error.into();
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, error.message()).caused_by(error)
}

/// The request with the answer to a digest challenge, if the source sent a supported one.
fn answered(request: &HttpRequest, answer: &HttpResponse, login: &Login) -> Option<HttpRequest> {
    let challenge = (answer.status == 401).then(|| Challenge::strongest(&answer.headers))??;
    let header = challenge.answer(login, request.method, &request.url);
    let mut again = request.clone();
    again.secret_headers.push(("Authorization".to_owned(), header));
    Some(again)
}

fn address(bound: Result<String, SyntaxError>) -> Result<Url, ConnectorError> {
    web_address(&bound.map_err(config_invalid)?).map_err(config_invalid)
}
