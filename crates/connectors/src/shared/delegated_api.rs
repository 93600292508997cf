//! API of a cloud service, called with the user's own token, which is sent to that API only.

use super::check::{read_notations, valid_notations};
use super::response;
use bytes::Bytes;
use domain::bounded_json::parse_answer;
use domain::ports::{
    ConnectorError, ConnectorErrorKind, HttpMethod, HttpRequest, HttpResponse, Origin, PluginContext,
};
use domain::provider::SearchProvider;
use domain::secret::Secret;
use domain::settings::PluginSettings;
use domain::validation::FieldErrors;
use serde_json::Value;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};
use syntax::query_mappings::QueryMappings;
use url::Url;

/// Most requests for one query to a service that is paged by cursor.
pub const PAGES_MAX: usize = 20;

/// A cloud service.
pub struct Service {
    pub name: &'static str,
    /// The setting with the base URL of its API.
    pub setting: &'static str,
    pub address: fn(&PluginSettings) -> &str,
    /// Classifies an error response.
    pub classify_error: fn(u16, &Value) -> ErrorCause,
}

/// The cause of an error response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorCause {
    /// The token is no longer accepted.
    TokenRejected,
    /// The user did not grant a permission; the service may name it.
    MissingScope(Option<String>),
    /// Rate limited.
    Throttled,
    /// The API is not enabled for the registered application.
    NotEnabled,
    /// Only the status is known.
    Other,
}

impl ErrorCause {
    pub fn of_status(status: u16) -> Self {
        match status {
            401 => Self::TokenRejected,
            403 => Self::MissingScope(None),
            _ => Self::Other,
        }
    }
}

pub struct DelegatedApi {
    service: &'static Service,
    /// The permission that the user must have granted.
    scope: &'static str,
    base: Url,
    origin: Origin,
    token: Option<Secret>,
    context: PluginContext,
}

impl fmt::Debug for DelegatedApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DelegatedApi").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

/// Pages of an API, each of which names the next one.
#[derive(Debug)]
pub struct ReceivedPages {
    pub pages: Vec<Value>,
    /// Why later pages are missing.
    pub missing: Option<ConnectorError>,
}

impl DelegatedApi {
    pub fn new(
        service: &'static Service,
        scope: &'static str,
        provider: &SearchProvider,
        context: &PluginContext,
    ) -> Result<Self, ConnectorError> {
        let wrong = || {
            let message = format!(
                "the setting {} must be an address with http or https, without a user name, ? or #",
                service.setting
            );
            ConnectorError::new(ConnectorErrorKind::ConfigInvalid, message)
        };
        let text = (service.address)(&context.settings).trim();
        let base = Url::parse(text).ok().filter(is_plain).ok_or_else(wrong)?;
        let origin = Origin::trusted(&base).ok_or_else(wrong)?;
        let token = provider.user_token.clone().filter(|token| !token.is_empty());
        Ok(Self { service, scope, base, origin, token, context: context.clone() })
    }

    /// A URL of the API. Each part of the path is one segment, whatever it contains.
    pub fn address(&self, path: &[&str], parameters: &[(&str, &str)]) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        if !parameters.is_empty() {
            url.query_pairs_mut().extend_pairs(parameters);
        }
        url
    }

    pub fn get(&self, url: Url, time_max: Duration) -> HttpRequest {
        self.request(HttpMethod::Get, url, None, time_max)
    }

    pub fn post(&self, path: &[&str], body: &Value, time_max: Duration) -> HttpRequest {
        let body = Bytes::from(body.to_string());
        let mut request = self.request(HttpMethod::Post, self.address(path, &[]), Some(body), time_max);
        request.headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        request
    }

    pub async fn send(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        if self.token.is_none() {
            let name = self.service.name;
            let message = format!("{name} is not connected to your account; connect it and search again");
            return Err(ConnectorError::new(ConnectorErrorKind::NotConnected, message));
        }
        // Nobody is waiting for the response any more.
        if request.time_max.is_zero() {
            let message = format!("{} did not answer in time", self.service.name);
            return Err(ConnectorError::new(ConnectorErrorKind::Timeout, message));
        }
        Ok(self.context.fetch.fetch(request).await?)
    }

    pub async fn ask(&self, request: &HttpRequest) -> Result<Value, ConnectorError> {
        let answer = self.send(request).await?;
        let read = response::read_beside(answer.clone(), self.context.clock.now()).await;
        self.understood(&answer, read)
    }

    /// Requests one page after the other, because each names the next one. Pages received before a failure are kept,
    /// with the failure.
    pub async fn ask_all(
        &self,
        first: HttpRequest,
        next: impl Fn(&Value) -> Option<HttpRequest>,
        is_enough: impl Fn(&[Value]) -> bool,
    ) -> Result<ReceivedPages, ConnectorError> {
        let (started, time_max) = (Instant::now(), first.time_max);
        let (mut request, mut pages, mut missing) = (first, Vec::new(), None);
        while pages.len() < PAGES_MAX {
            request.time_max = time_max.saturating_sub(started.elapsed());
            let page = match self.ask(&request).await {
                Ok(page) => page,
                Err(error) if !pages.is_empty() => {
                    missing = Some(error);
                    break;
                }
                Err(error) => return Err(error),
            };
            let following = next(&page);
            pages.push(page);
            match following {
                Some(following) if !is_enough(&pages) => request = following,
                _ => break,
            }
        }
        Ok(ReceivedPages { pages, missing })
    }

    /// The body of a response, or the error for the user.
    pub fn read(&self, answer: &HttpResponse) -> Result<Value, ConnectorError> {
        self.understood(answer, response::read(answer, self.context.clock.now()))
    }

    fn understood(
        &self,
        answer: &HttpResponse,
        read: Result<Value, ConnectorError>,
    ) -> Result<Value, ConnectorError> {
        read.map_err(|error| match answer.status {
            200..=299 => error,
            _ => self.judged(answer, error),
        })
    }

    /// A link from a response, if it points to this API.
    pub fn own_link(&self, link: &str) -> Result<Url, ConnectorError> {
        match Url::parse(link).ok().filter(|url| self.origin.is_of(url) && is_without_login(url)) {
            Some(url) => Ok(url),
            None => {
                let host = Url::parse(link).ok().and_then(|url| url.host_str().map(str::to_owned));
                let host = host.unwrap_or_else(|| "no host".to_owned());
                let message =
                    format!("the response of {} links to {host}, which is not its API", self.service.name);
                Err(ConnectorError::new(ConnectorErrorKind::AddressRefused, message))
            }
        }
    }

    /// The address without secrets, for display.
    pub fn display_address(&self, path: &[&str]) -> String {
        self.address(path, &[]).to_string()
    }

    fn request(&self, method: HttpMethod, url: Url, body: Option<Bytes>, time_max: Duration) -> HttpRequest {
        let bearer =
            |token: &Secret| ("Authorization".to_owned(), Secret::new(format!("Bearer {}", token.expose())));
        HttpRequest {
            method,
            url,
            headers: vec![("Accept".to_owned(), "application/json".to_owned())],
            secret_headers: self.token.iter().map(bearer).collect(),
            body,
            origin: self.origin.clone(),
            secrets: self.token.iter().cloned().collect(),
            time_max,
            tls: None,
        }
    }

    fn judged(&self, answer: &HttpResponse, error: ConnectorError) -> ConnectorError {
        let name = self.service.name;
        let words = parse_answer(&answer.body).unwrap_or(Value::Null);
        let (kind, message) = match (self.service.classify_error)(answer.status, &words) {
            ErrorCause::TokenRejected => (
                ConnectorErrorKind::NotConnected,
                format!("your connection to {name} has expired; connect it again"),
            ),
            ErrorCause::MissingScope(named) => {
                let scope = named.filter(|scope| is_scope(scope));
                let scope = scope.as_deref().unwrap_or(self.scope);
                let message = format!(
                    "your connection to {name} lacks the permission {scope}; connect it again and grant it"
                );
                (ConnectorErrorKind::Denied, message)
            }
            ErrorCause::Throttled => {
                (ConnectorErrorKind::RateLimited, format!("{name} asks for fewer requests"))
            }
            ErrorCause::NotEnabled => (
                ConnectorErrorKind::Denied,
                format!("the API of {name} is not enabled for the authenticator's application"),
            ),
            ErrorCause::Other if answer.status == 404 => (
                ConnectorErrorKind::PlaceUnknown,
                format!("there is no such API of {name} at its address; check {}", self.service.setting),
            ),
            // A `Retry-After` means rate limiting, whatever the status is.
            ErrorCause::Other if error.retry_after.is_some() => {
                (ConnectorErrorKind::RateLimited, error.message.clone())
            }
            ErrorCause::Other => (error.kind, error.message.clone()),
        };
        ConnectorError { kind, message, ..error }
    }
}

/// The provider fields that such a connector reads.
pub const SETTINGS: &[&str] =
    &["authenticator", "query_mappings", "result_mappings", "result_grouping_field", "results_per_query"];

/// Validates the mappings of a provider.
pub fn check(provider: &SearchProvider) -> FieldErrors {
    let mut errors = FieldErrors::default();
    read_notations(&without_credentials(provider), &mut errors);
    errors
}

/// The query mappings of a valid provider.
pub fn query_mappings(provider: &SearchProvider) -> Result<Arc<QueryMappings>, ConnectorError> {
    Ok(valid_notations(&without_credentials(provider))?.query_mappings)
}

/// The provider without its credentials, which are not used and therefore not validated.
pub fn without_credentials(provider: &SearchProvider) -> SearchProvider {
    let mut plain = provider.clone();
    plain.credentials = Secret::default();
    plain.spec.eval_credentials = String::new();
    plain
}

fn is_plain(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
        && url.host_str().is_some_and(|host| !host.is_empty())
        && is_without_login(url)
        && url.query().is_none()
        && url.fragment().is_none()
}

fn is_without_login(url: &Url) -> bool {
    url.username().is_empty() && url.password().is_none()
}

/// The name of a permission is repeated in an error message, so it must be a plain word.
fn is_scope(text: &str) -> bool {
    (1..=100).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-:/".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ports::{Clock, Unavailable};
    use domain::provider::ProviderSpec;

    struct Never;

    impl Clock for Never {
        fn now(&self) -> domain::instant::Instant {
            domain::instant::Instant::default()
        }
    }

    static CLOUD: Service = Service {
        name: "Cloud",
        setting: "SVC_MICROSOFT_GRAPH_URL",
        address: |settings| &settings.microsoft_graph_url,
        classify_error: |status, words| match words["error"].as_str() {
            Some("slow") => ErrorCause::Throttled,
            Some("off") => ErrorCause::NotEnabled,
            Some(scope) => ErrorCause::MissingScope(Some(scope.to_owned())),
            None => ErrorCause::of_status(status),
        },
    };

    fn api(address: &str) -> Result<DelegatedApi, ConnectorError> {
        let settings =
            PluginSettings { microsoft_graph_url: address.to_owned(), ..PluginSettings::default() };
        let context = PluginContext::new(Arc::new(Unavailable), Arc::new(Never), Arc::new(settings));
        let mut provider =
            SearchProvider::unsaved(ProviderSpec::default(), Default::default(), Default::default());
        provider.user_token = Some(Secret::new("canary-token"));
        DelegatedApi::new(&CLOUD, "Mail.Read", &provider, &context)
    }

    #[test]
    fn the_address_is_checked() {
        for address in [
            "",
            "graph.microsoft.com",
            "ftp://graph.microsoft.com",
            "https://a:b@graph/",
            "https://g/?x=1",
            "https://g/#x",
        ] {
            let error = api(address).expect_err(address);
            assert_eq!(error.kind, ConnectorErrorKind::ConfigInvalid);
            assert!(error.message.contains("SVC_MICROSOFT_GRAPH_URL"), "{error}");
        }
        for (address, want) in [
            ("https://graph.microsoft.com", "https://graph.microsoft.com/v1.0/a%2F..%3Fb?q=x+%26+y"),
            ("https://proxy.example/graph/", "https://proxy.example/graph/v1.0/a%2F..%3Fb?q=x+%26+y"),
        ] {
            let url = api(address).expect(address).address(&["v1.0", "a/..?b"], &[("q", "x & y")]);
            assert_eq!(url.as_str(), want);
        }
    }

    #[test]
    fn links_that_lead_elsewhere_are_refused_and_named() {
        let api = api("https://graph.microsoft.com").expect("an API");
        assert!(api.own_link("https://graph.microsoft.com/v1.0/me?$skip=10").is_ok());
        let table = [
            ("https://graph.microsoft.com.evil.test/v1.0", "graph.microsoft.com.evil.test"),
            ("https://evilgraph.microsoft.com/v1.0", "evilgraph.microsoft.com"),
            ("https://graph.microsoft.com@evil.test/v1.0", "evil.test"),
            ("https://user@graph.microsoft.com/v1.0", "graph.microsoft.com"),
            ("http://graph.microsoft.com/v1.0", "graph.microsoft.com"),
            ("https://graph.microsoft.com:8443/v1.0", "graph.microsoft.com"),
            ("/v1.0/me", "no host"),
            ("javascript:alert(1)", "no host"),
        ];
        for (link, host) in table {
            let error = api.own_link(link).expect_err(link);
            assert_eq!(error.kind, ConnectorErrorKind::AddressRefused, "{link}");
            assert!(error.message.contains(host), "{link}: {error}");
        }
    }

    #[test]
    fn refusals_are_told() {
        let api = api("https://graph.microsoft.com").expect("an API");
        let table = [
            (401, "", None, ConnectorErrorKind::NotConnected, "has expired"),
            (403, "", None, ConnectorErrorKind::Denied, "Mail.Read"),
            (
                403,
                r#"{"error": "files.metadata.read"}"#,
                None,
                ConnectorErrorKind::Denied,
                "files.metadata.read",
            ),
            (403, r#"{"error": "<b> evil words"}"#, None, ConnectorErrorKind::Denied, "Mail.Read"),
            (403, r#"{"error": "slow"}"#, None, ConnectorErrorKind::RateLimited, "fewer requests"),
            (403, r#"{"error": "off"}"#, None, ConnectorErrorKind::Denied, "not enabled"),
            (404, "", None, ConnectorErrorKind::PlaceUnknown, "SVC_MICROSOFT_GRAPH_URL"),
            (429, "", Some("7"), ConnectorErrorKind::RateLimited, "fewer requests"),
            (503, "", Some("7"), ConnectorErrorKind::RateLimited, "503"),
            (503, "", None, ConnectorErrorKind::Unavailable, "503"),
            (500, "", None, ConnectorErrorKind::Unavailable, "500"),
            (400, "", None, ConnectorErrorKind::QueryInvalid, "400"),
            (200, "<html", None, ConnectorErrorKind::Unreadable, "answer"),
        ];
        for (status, body, rest, kind, words) in table {
            let headers = rest.map(|rest| ("retry-after".to_owned(), rest.to_owned())).into_iter().collect();
            let error =
                api.read(&HttpResponse { status, headers, body: body.into() }).expect_err("a refusal");
            assert_eq!(error.kind, kind, "{status} {body}: {error}");
            assert!(error.message.contains(words), "{status} {body}: {error}");
            assert_eq!(error.retry_after, rest.map(|_| Duration::from_secs(7)), "{status} {body}");
        }
    }

    #[test]
    fn a_request_shows_no_token() {
        let api = api("https://graph.microsoft.com").expect("an API");
        let request = api.get(api.address(&["v1.0"], &[("q", "canary-token")]), Duration::from_secs(1));
        assert!(!format!("{request:?} {api:?}").contains("canary-token"));
        assert_eq!(request.secret_headers[0].1.expose(), "Bearer canary-token");
    }
}
