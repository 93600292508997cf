//! Shared fixtures: a fetcher that replays a response and a fixed clock.

use async_trait::async_trait;
use bytes::Bytes;
use domain::instant::Instant;
use domain::ports::{
    AddressResolver, Clock, Connector, ConnectorKind, Fetch, FetchError, HttpRequest, HttpResponse, Origin,
    PluginContext, PreparedRequest, ProviderQuery, RequestDescription,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::search::Sort;
use domain::settings::PluginSettings;
use outbound::{ClientLimits, GuardedClient};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A connector kind by its name.
pub fn kind(name: &str) -> &'static ConnectorKind {
    connectors::CATALOGUE.iter().find(|kind| kind.name == name).expect("a kind")
}

/// The spec of a provider called Rivers.
pub fn provider_spec(connector: &str, url: &str, credentials: &str, query_mappings: &str) -> ProviderSpec {
    ProviderSpec {
        name: "Rivers".into(),
        connector: connector.into(),
        url: url.into(),
        credentials: credentials.into(),
        query_mappings: query_mappings.into(),
        ..ProviderSpec::default()
    }
}

/// PluginSettings with all cloud services at one address.
pub fn all_services_at(address: &str) -> PluginSettings {
    PluginSettings {
        microsoft_graph_url: address.to_owned(),
        google_api_url: address.to_owned(),
        box_api_url: address.to_owned(),
        dropbox_api_url: address.to_owned(),
        ..PluginSettings::default()
    }
}

/// Answers every request with the same response.
pub struct Replay(pub HttpResponse);

#[async_trait]
impl Fetch for Replay {
    async fn fetch(&self, _request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        Ok(self.0.clone())
    }
}

/// Returns its responses one after the other and records the requests.
pub struct Script {
    answers: Mutex<VecDeque<HttpResponse>>,
    pub asked: Mutex<Vec<HttpRequest>>,
}

impl Script {
    pub fn of(answers: impl IntoIterator<Item = HttpResponse>) -> Arc<Self> {
        Arc::new(Self { answers: Mutex::new(answers.into_iter().collect()), asked: Mutex::default() })
    }

    pub fn context(self: &Arc<Self>) -> PluginContext {
        PluginContext { fetch: Arc::<Self>::clone(self), ..context(answer("", "")) }
    }
}

#[async_trait]
impl Fetch for Script {
    async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
        self.asked.lock().expect("a list").push(request.clone());
        let next = self.answers.lock().expect("a list").pop_front();
        next.ok_or_else(|| FetchError::Timeout { host: "the script".to_owned() })
    }
}

struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> Instant {
        "2024-03-05T10:00:00Z".parse().expect("a time")
    }
}

pub fn answer(media_type: &str, body: impl Into<Bytes>) -> HttpResponse {
    let headers = vec![("content-type".to_owned(), media_type.to_owned())];
    HttpResponse { status: 200, headers, body: body.into() }
}

pub fn context(response: HttpResponse) -> PluginContext {
    PluginContext::new(Arc::new(Replay(response)), Arc::new(StoppedClock), settings())
}

/// The default settings, with every SQLite file of the machine allowed.
fn settings() -> Arc<PluginSettings> {
    Arc::new(PluginSettings { sqlite_allow: vec!["/".to_owned()], ..PluginSettings::default() })
}

/// The real HTTP client, which reaches trusted addresses only.
pub fn guarded_context() -> PluginContext {
    let limits = ClientLimits {
        connect: Duration::from_secs(5),
        read: Duration::from_secs(10),
        body_bytes_max: 16 * 1024 * 1024,
        redirects_max: 5,
        allow: Vec::new(),
    };
    let guarded_context = Arc::new(GuardedClient::new(limits).expect("a client"));
    let fetch: Arc<dyn Fetch> = guarded_context.clone();
    let context = PluginContext::new(fetch, Arc::new(StoppedClock), settings());
    PluginContext { resolver: guarded_context, ..context }
}

/// Rejects every address.
pub struct Closed;

#[async_trait]
impl AddressResolver for Closed {
    async fn admit(&self, origin: &Origin) -> Result<Vec<SocketAddr>, FetchError> {
        Err(FetchError::Refused { place: origin.host.clone() })
    }
}

/// Resolves every host to one address.
pub struct Open;

#[async_trait]
impl AddressResolver for Open {
    async fn admit(&self, origin: &Origin) -> Result<Vec<SocketAddr>, FetchError> {
        let address =
            origin.host.parse().map_err(|_| FetchError::UnknownHost { host: origin.host.clone() })?;
        Ok(vec![SocketAddr::new(address, origin.port)])
    }
}

pub fn provider(spec: ProviderSpec) -> SearchProvider {
    SearchProvider::unsaved(spec, Default::default(), Default::default())
}

/// Validates and builds the connector that the spec names.
pub fn connector(spec: ProviderSpec, context: &PluginContext) -> Box<dyn Connector> {
    let kind =
        connectors::CATALOGUE.iter().find(|kind| kind.name == spec.connector).expect("a known connector");
    let provider = provider(spec);
    let errors = (kind.check)(&provider);
    assert!(errors.is_empty(), "{errors}");
    (kind.build)(&provider, context).expect("a connector")
}

pub fn query(text: &str) -> ProviderQuery<'_> {
    ProviderQuery {
        text,
        sort: Sort::Relevancy,
        page: 0,
        results_wanted: 10,
        asker: domain::ids::UserId(1),
        topic: domain::corpus::Topic::default(),
        vector: None,
        time_max: Duration::from_secs(5),
    }
}

/// The HTTP request behind a prepared one.
pub fn request(prepared: Box<dyn PreparedRequest>) -> HttpRequest {
    match prepared.description() {
        RequestDescription::Http(request) => request.clone(),
        other => panic!("{other:?} is no HTTP request"),
    }
}
