//! PineconeDB connector: nearest records in a Pinecone index.

use crate::shared::check::{Notations, require_notations};
use crate::shared::http_check::without_blanks_to_fill;
use crate::shared::vector_store::metadata_cache::MetadataCache;
use crate::shared::vector_store::source::{item, unreadable};
use crate::shared::vector_store::store::below;
use crate::shared::vector_store::{
    CheckedUrl, KeyLocation, Metric, PagePlan, Paging, Reply, Store, Target, VectorSource, Vendor, Window,
    check_with, extras, path_name, server,
};
use async_trait::async_trait;
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, PluginContext, ResultOrigin,
    TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use url::Url;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "PineconeDB",
    module: "pinecone",
    summary: "A Pinecone index, queried by vector similarity.",
    capability: Capability { page: false, date_sort: true, not: false },
    settings: &[
        "url",
        "credentials",
        "query_mappings",
        "query_template_json",
        "http_request_headers",
        "tags",
        "result_mappings",
        "results_per_query",
    ],
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Web,
    test_target: TestTarget::Fake,
    check,
    build,
};

/// The control plane that resolves index hosts; `api` in the mappings overrides it.
const API: &str = "https://api.pinecone.io";
/// Pinecone's own domain; hosts outside of it never get the key.
const DOMAIN: &str = ".pinecone.io";
/// The API version.
const API_VERSION: (&str, &str) = ("X-Pinecone-Api-Version", "2025-04");
/// Keys allowed in `query_template_json`.
const EXTRAS: &[&str] = &["filter"];

/// Hosts of indexes, by name.
static HOSTS: LazyLock<MetadataCache<String>> = LazyLock::new(MetadataCache::new);

#[derive(Debug)]
struct Pinecone {
    store: Store,
    target: Target,
    /// True if the url is the name of an index whose host must be resolved.
    is_named: bool,
    namespace: Option<String>,
    metric: Metric,
    extras: Map<String, Value>,
}

#[derive(Debug)]
struct Config {
    /// The host of the index, or the control plane that resolves it.
    server: String,
    name: String,
    is_named: bool,
    namespace: Option<String>,
    metric: Metric,
    extras: Map<String, Value>,
    plan: PagePlan,
}

fn check(provider: &SearchProvider) -> FieldErrors {
    check_with(provider, Config::of)
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let config = Config::of(provider, &require_notations(provider)?)?;
    let store = Store::new(provider, &config.server, KeyLocation::HeaderAlways("Api-Key"), context)?;
    let vendor = Pinecone {
        store: store.with_header(API_VERSION.0, API_VERSION.1),
        target: Target { what: "index", name: config.name },
        is_named: config.is_named,
        namespace: config.namespace,
        metric: config.metric,
        extras: config.extras,
    };
    Ok(VectorSource::new(provider, config.plan, vendor).boxed())
}

impl Config {
    fn of(provider: &SearchProvider, notations: &Notations) -> Result<Self, ConnectorError> {
        let mappings = &notations.query_mappings;
        let url = provider.spec.url.trim();
        let is_address = url.contains("://");
        let is_named = !is_address && !without_blanks_to_fill(url).contains('.');
        let (address, name) = match (is_address, is_named) {
            (true, _) => (url.to_owned(), host_name(url)),
            (false, false) => (format!("https://{url}"), url.to_owned()),
            (false, true) => {
                let name = path_name("url", url).map_err(|error| {
                    let sentence = "The name or the host of an index is needed.";
                    ConnectorError::in_field("url", sentence).caused_by(error)
                })?;
                (mappings.get("api").unwrap_or(API).to_owned(), name)
            }
        };
        Ok(Self {
            server: server(&address)?,
            name,
            is_named,
            namespace: mappings.get("namespace").map(|name| path_name("namespace", name)).transpose()?,
            metric: Metric::of(mappings)?,
            extras: extras(provider, EXTRAS)?,
            plan: PagePlan::of(mappings, Paging::OneAnswer)?,
        })
    }
}

fn host_name(url: &str) -> String {
    let url = Url::parse(url).ok();
    url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
}

/// The URL of the host that the service named for an index, if the key may go there, and whether the provider's
/// configuration vouches for it: Pinecone's own domain, or the host that was queried.
fn index_address(host: &str, api: &Url) -> Result<CheckedUrl, ConnectorError> {
    let unreadable = || unreadable("host that can be used");
    let host = host.trim();
    if host.contains(['/', '@', '?', '#', '\\']) {
        return Err(unreadable());
    }
    let named =
        Url::parse(&format!("{}://{host}", api.scheme())).map_err(|error| unreadable().caused_by(error))?;
    let name = named.host_str().ok_or_else(unreadable)?.to_ascii_lowercase();
    if Some(name.as_str()) == api.host_str() {
        return Ok(CheckedUrl { url: named, is_trusted: true });
    }
    if name.ends_with(DOMAIN) && named.scheme() == "https" {
        return Ok(CheckedUrl { url: named, is_trusted: false });
    }
    let message =
        format!("the index is at {name}, which is not a host of the service and does not get the key");
    Err(ConnectorError::new(ConnectorErrorKind::AddressRefused, message))
}

#[async_trait]
impl Vendor for Pinecone {
    type Ask = Value;

    fn ask(&self, vector: &[f32], window: Window) -> Value {
        let mut ask = self.extras.clone();
        ask.insert("vector".to_owned(), json!(vector));
        ask.insert("topK".to_owned(), json!(window.limit));
        ask.insert("includeMetadata".to_owned(), json!(true));
        ask.insert("includeValues".to_owned(), json!(false));
        if let Some(namespace) = &self.namespace {
            ask.insert("namespace".to_owned(), json!(namespace));
        }
        Value::Object(ask)
    }

    async fn send(&self, ask: &Value, time_max: Duration) -> Result<Reply, ConnectorError> {
        if !self.is_named {
            return self.store.post(&["query"], ask, time_max).await;
        }
        let started = Instant::now();
        let key = self.store.key(&[&self.target.name]);
        let host = match HOSTS.get(&key) {
            Some(cached) => cached,
            None => self.host(time_max).await?,
        };
        let CheckedUrl { url, is_trusted } = index_address(&host, &self.store.server()?)?;
        let address = CheckedUrl { url: below(url, &["query"])?, is_trusted };
        let time_left = time_max.saturating_sub(started.elapsed());
        let reply = self.store.send(address, Some(ask), time_left).await?;
        match reply.status {
            // The index may have been recreated on another host.
            404 => HOSTS.forget(&key),
            _ => HOSTS.put(key, &host),
        }
        Ok(reply)
    }

    fn items(&self, reply: Reply, dimensions: usize) -> Result<Vec<Value>, ConnectorError> {
        let body = reply.good(&self.target, dimensions)?;
        let matches = body.get("matches").and_then(Value::as_array).ok_or_else(|| unreadable("matches"))?;
        let read = |one: &Value| {
            let similarity = one["score"].as_f64().map(|score| self.metric.similarity_of_score(score));
            item(one.get("metadata"), one["id"].clone(), similarity)
        };
        Ok(matches.iter().map(read).collect())
    }

    fn target_name(&self) -> &str {
        &self.target.name
    }
}

impl Pinecone {
    /// The host of the index, as reported by the service.
    async fn host(&self, time_max: Duration) -> Result<String, ConnectorError> {
        let reply = self.store.get(&["indexes", &self.target.name], time_max).await?;
        let found = reply.good(&self.target, 0)?;
        let host = found.get("host").and_then(Value::as_str).ok_or_else(|| unreadable("host"))?;
        Ok(host.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_not_sent_elsewhere() {
        let table = [
            ("https://api.pinecone.io", "movies-x1.svc.aped-4627.pinecone.io", Some(false)),
            ("https://api.pinecone.io", "MOVIES.PINECONE.IO:443", Some(false)),
            ("https://api.pinecone.io", "evilpinecone.io", None),
            ("https://api.pinecone.io", "pinecone.io.evil.test", None),
            ("https://api.pinecone.io", "pinecone.io", None),
            ("https://api.pinecone.io", "evil.test/.pinecone.io", None),
            ("https://api.pinecone.io", "evil.test#.pinecone.io", None),
            ("https://api.pinecone.io", "evil.test\\.pinecone.io", None),
            ("https://api.pinecone.io", "x.pinecone.io@evil.test", None),
            ("https://api.pinecone.io", "127.0.0.1", None),
            ("https://api.pinecone.io", "", None),
            ("http://127.0.0.1:5080", "127.0.0.1:5081", Some(true)),
            ("http://127.0.0.1:5080", "127.0.0.2:5081", None),
            ("http://127.0.0.1:5080", "x.pinecone.io", None), // no key without TLS
        ];
        for (api, host, want) in table {
            let found = index_address(host, &Url::parse(api).expect("an address"));
            assert_eq!(found.ok().map(|address| address.is_trusted), want, "{api} {host}");
        }
    }
}
