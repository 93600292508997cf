//! The API of a cloud service, asked with the asking person's own token. The token goes to that API alone.

use super::check::{config_error, read_notations};
use super::response;
use bytes::Bytes;
use domain::bounded_json::parse_answer;
use domain::contracts::{
    ConnectorError, ConnectorErrorKind, HttpMethod, HttpRequest, HttpResponse, Origin, PluginContext,
};
use domain::notation::query_mappings::QueryMappings;
use domain::provider::SearchProvider;
use domain::secret::Secret;
use domain::settings::Settings;
use domain::validation::FieldErrors;
use serde_json::Value;
use std::fmt;
use std::time::{Duration, Instant};
use url::Url;

/// Most requests for one question to a service that is read page after page.
pub const PAGES_MAX: usize = 20;

/// A service of the cloud, as far as its API differs from others.
pub struct Service {
    pub name: &'static str,
    /// The setting that says where its API is.
    pub setting: &'static str,
    pub address: fn(&Settings) -> &str,
    /// Reads the service's own words in a refusal.
    pub verdict: fn(u16, &Value) -> Verdict,
}

/// What a refusal means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The token is not taken any more.
    Ended,
    /// The person did not agree to this; the service may say to what.
    MissingScope(Option<String>),
    /// The service counts this as too many requests.
    Throttled,
    /// Whoever registered the application did not switch the API on.
    NotEnabled,
    /// Nothing beyond its status.
    Other,
}

impl Verdict {
    pub fn of_status(status: u16) -> Self {
        match status {
            401 => Self::Ended,
            403 => Self::MissingScope(None),
            _ => Self::Other,
        }
    }
}

pub struct PersonalApi {
    service: &'static Service,
    /// What the person must have agreed to.
    scope: &'static str,
    base: Url,
    origin: Origin,
    token: Option<Secret>,
    context: PluginContext,
}

impl fmt::Debug for PersonalApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PersonalApi").field("base", &self.base.as_str()).finish_non_exhaustive()
    }
}

impl PersonalApi {
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
        let origin = Origin::of(&base, true).ok_or_else(wrong)?;
        let token = provider.user_token.clone().filter(|token| !token.is_empty());
        Ok(Self { service, scope, base, origin, token, context: context.clone() })
    }

    /// An address of the API; what is put in stays within its segment.
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
        // Nobody would wait for the answer, so that nothing is sent.
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

    /// Page after page, because each names the one after it. What came before a failure is kept.
    pub async fn ask_all(
        &self,
        first: HttpRequest,
        next: impl Fn(&Value) -> Option<HttpRequest>,
        is_enough: impl Fn(&[Value]) -> bool,
    ) -> Result<Vec<Value>, ConnectorError> {
        let (started, time_max) = (Instant::now(), first.time_max);
        let (mut request, mut pages) = (first, Vec::new());
        while pages.len() < PAGES_MAX {
            request.time_max = time_max.saturating_sub(started.elapsed());
            let page = match self.ask(&request).await {
                Ok(page) => page,
                Err(_) if !pages.is_empty() => break,
                Err(error) => return Err(error),
            };
            let following = next(&page);
            pages.push(page);
            match following {
                Some(following) if !is_enough(&pages) => request = following,
                _ => break,
            }
        }
        Ok(pages)
    }

    /// The data of an answer, or what the refusal means for the person who asks.
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

    /// A link that an answer holds, when it leads to this API.
    pub fn own_link(&self, link: &str) -> Result<Url, ConnectorError> {
        match Url::parse(link).ok().filter(|url| self.origin.is_of(url) && is_without_login(url)) {
            Some(url) => Ok(url),
            None => {
                let host = Url::parse(link).ok().and_then(|url| url.host_str().map(str::to_owned));
                let host = host.unwrap_or_else(|| "no host".to_owned());
                let message =
                    format!("the answer of {} leads to {host}, which was not asked", self.service.name);
                Err(ConnectorError::new(ConnectorErrorKind::AddressRefused, message))
            }
        }
    }

    /// Where it is asked, as it may be shown.
    pub fn place(&self, path: &[&str]) -> String {
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
        let (kind, message) = match (self.service.verdict)(answer.status, &words) {
            Verdict::Ended => (
                ConnectorErrorKind::NotConnected,
                format!("your connection to {name} has ended; connect it again"),
            ),
            Verdict::MissingScope(named) => {
                let scope = named.filter(|scope| is_scope(scope));
                let scope = scope.as_deref().unwrap_or(self.scope);
                let message = format!(
                    "your connection to {name} lacks the permission {scope}; connect it again and agree to it"
                );
                (ConnectorErrorKind::Denied, message)
            }
            Verdict::Throttled => {
                (ConnectorErrorKind::RateLimited, format!("{name} asks for fewer requests"))
            }
            Verdict::NotEnabled => (
                ConnectorErrorKind::Denied,
                format!("the API of {name} is not switched on for the application of the authenticator"),
            ),
            Verdict::Other if answer.status == 404 => (
                ConnectorErrorKind::PlaceUnknown,
                format!("there is no such API of {name} at its address; check {}", self.service.setting),
            ),
            // A rest that is asked for is a rest, whatever the status is.
            Verdict::Other if error.retry_after.is_some() => {
                (ConnectorErrorKind::RateLimited, error.message.clone())
            }
            Verdict::Other => (error.kind, error.message.clone()),
        };
        ConnectorError { kind, message, retry_after: error.retry_after }
    }
}

/// What a provider of such a service may set.
pub const SETTINGS: &[&str] =
    &["authenticator", "query_mappings", "result_mappings", "result_grouping_field", "results_per_query"];

/// Checks the notations that are read.
pub fn check(provider: &SearchProvider) -> FieldErrors {
    let mut errors = FieldErrors::default();
    read_notations(&without_credentials(provider), &mut errors);
    errors
}

/// The query mappings of a provider that was checked before.
pub fn query_mappings(provider: &SearchProvider) -> Result<QueryMappings, ConnectorError> {
    let mut errors = FieldErrors::default();
    let notations = read_notations(&without_credentials(provider), &mut errors);
    if errors.is_empty() { Ok(notations.query_mappings) } else { Err(config_error(&errors)) }
}

/// The provider without its credentials: they are not read, so that they cannot be wrong.
pub fn without_credentials(provider: &SearchProvider) -> SearchProvider {
    let mut plain = provider.clone();
    plain.credentials = Secret::default();
    plain.spec.eval_credentials = String::new();
    plain
}

pub fn other_kind() -> ConnectorError {
    let message = "this is a query of another kind of source";
    ConnectorError::new(ConnectorErrorKind::ConfigInvalid, message)
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

/// What a service calls a permission is repeated in a sentence, so that it must be a plain word.
fn is_scope(text: &str) -> bool {
    (1..=100).contains(&text.len()) && text.chars().all(|c| c.is_ascii_alphanumeric() || "._-:/".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::contracts::{Clock, Nothing};
    use domain::provider::ProviderSpec;
    use std::sync::Arc;

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
        verdict: |status, words| match words["error"].as_str() {
            Some("slow") => Verdict::Throttled,
            Some("off") => Verdict::NotEnabled,
            Some(scope) => Verdict::MissingScope(Some(scope.to_owned())),
            None => Verdict::of_status(status),
        },
    };

    fn api(address: &str) -> Result<PersonalApi, ConnectorError> {
        let settings = Settings { microsoft_graph_url: address.to_owned(), ..Settings::default() };
        let context = PluginContext::new(Arc::new(Nothing), Arc::new(Never), Arc::new(settings));
        let mut provider =
            SearchProvider::unsaved(ProviderSpec::default(), Default::default(), Default::default());
        provider.user_token = Some(Secret::new("canary-token"));
        PersonalApi::new(&CLOUD, "Mail.Read", &provider, &context)
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
            (401, "", None, ConnectorErrorKind::NotConnected, "has ended"),
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
            (403, r#"{"error": "off"}"#, None, ConnectorErrorKind::Denied, "not switched on"),
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
