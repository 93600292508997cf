//! Chroma connector: nearest documents in a Chroma collection.

use crate::shared::check::{Notations, require_notations};
use crate::shared::vector_store::metadata_cache::{Key, MetadataCache};
use crate::shared::vector_store::source::{item, unreadable};
use crate::shared::vector_store::{
    KeyLocation, Metric, PagePlan, Paging, Reply, Store, Target, VectorSource, Vendor, Window, check_with,
    extras, path_name, server,
};
use async_trait::async_trait;
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorKind, PluginContext, ResultOrigin, TestTarget,
    TypedConnector,
};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Chroma",
    module: "chroma",
    summary: "A Chroma collection, queried by vector similarity.",
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
    test_target: TestTarget::Product("Chroma"),
    check,
    build,
};

/// Keys allowed in `query_template_json`.
const EXTRAS: &[&str] = &["where", "where_document"];

/// Collection ids by name. An id is stable until the collection is recreated.
static COLLECTIONS: LazyLock<MetadataCache<String>> = LazyLock::new(MetadataCache::new);

#[derive(Debug)]
struct Chroma {
    store: Store,
    target: Target,
    config: Config,
}

#[derive(Debug)]
struct Config {
    server: String,
    tenant: String,
    database: String,
    collection: String,
    metric: Metric,
    extras: Map<String, Value>,
    plan: PagePlan,
}

fn check(provider: &SearchProvider) -> FieldErrors {
    check_with(provider, Config::of)
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let config = Config::of(provider, &require_notations(provider)?)?;
    let plan = config.plan.clone();
    let vendor = Chroma {
        store: Store::new(provider, &config.server, KeyLocation::Header("X-Chroma-Token"), context)?,
        target: Target { what: "collection", name: config.collection.clone() },
        config,
    };
    Ok(VectorSource::new(provider, plan, vendor).boxed())
}

impl Config {
    fn of(provider: &SearchProvider, notations: &Notations) -> Result<Self, ConnectorError> {
        let mappings = &notations.query_mappings;
        let name = |key: &str, usual: &str| path_name(key, mappings.get(key).unwrap_or(usual));
        if mappings.get("collection").is_none() {
            return Err(ConnectorError::in_field("query_mappings", "collection=<name> is needed."));
        }
        Ok(Self {
            server: server(&provider.spec.url)?,
            tenant: name("tenant", "default_tenant")?,
            database: name("database", "default_database")?,
            collection: name("collection", "")?,
            metric: Metric::of(mappings)?,
            extras: extras(provider, EXTRAS)?,
            plan: PagePlan::of(mappings, Paging::OneAnswer)?,
        })
    }

    fn path<'a>(&'a self, rest: &[&'a str]) -> Vec<&'a str> {
        let start = ["api", "v2", "tenants", &self.tenant, "databases", &self.database, "collections"];
        start.into_iter().chain(rest.iter().copied()).collect()
    }
}

#[async_trait]
impl Vendor for Chroma {
    type Ask = Value;

    fn ask(&self, vector: &[f32], window: Window) -> Value {
        let mut ask = self.config.extras.clone();
        ask.insert("query_embeddings".to_owned(), json!([vector]));
        ask.insert("n_results".to_owned(), json!(window.limit));
        ask.insert("include".to_owned(), json!(["metadatas", "documents", "distances", "uris"]));
        Value::Object(ask)
    }

    async fn send(&self, ask: &Value, time_max: Duration) -> Result<Reply, ConnectorError> {
        let started = Instant::now();
        let key = self.store.key(&self.config.path(&[&self.config.collection]));
        if let Some(id) = COLLECTIONS.get(&key) {
            let reply = self.query(&id, ask, time_max).await?;
            if reply.status != 404 {
                return Ok(reply);
            }
            // The collection was recreated under the same name.
            COLLECTIONS.forget(&key);
        }
        let time_left = time_max.saturating_sub(started.elapsed());
        let id = self.look_up(key, time_left).await?;
        self.query(&id, ask, time_max.saturating_sub(started.elapsed())).await
    }

    fn items(&self, reply: Reply, dimensions: usize) -> Result<Vec<Value>, ConnectorError> {
        let body = reply.good(&self.target, dimensions)?;
        // The response has one list per query vector; one vector was sent.
        let column = |name: &str| body.get(name)?.get(0)?.as_array();
        let ids = column("ids").ok_or_else(|| unreadable("ids"))?;
        let read = |(at, id): (usize, &Value)| {
            let cell = |name: &str| column(name).and_then(|list| list.get(at)).filter(|cell| !cell.is_null());
            let mut fields = cell("metadatas").and_then(Value::as_object).cloned().unwrap_or_default();
            for (name, value) in
                [("document", cell("documents")), ("uri", cell("uris")), ("distance", cell("distances"))]
            {
                fields.extend(value.map(|value| (name.to_owned(), value.clone())));
            }
            let distance = cell("distances").and_then(Value::as_f64);
            let similarity = distance.map(|distance| self.config.metric.similarity(distance));
            item(Some(&Value::Object(fields)), id.clone(), similarity)
        };
        Ok(ids.iter().enumerate().map(read).collect())
    }

    fn target_name(&self) -> &str {
        &self.target.name
    }
}

impl Chroma {
    /// The id of the collection; Chroma accepts no name here.
    async fn look_up(&self, key: Key, time_max: Duration) -> Result<String, ConnectorError> {
        let path = self.config.path(&[&self.config.collection]);
        let found = self.store.get(&path, time_max).await?.good(&self.target, 0)?;
        let id = found.get("id").and_then(Value::as_str).ok_or_else(|| unreadable("id"))?;
        // The id becomes a path segment.
        let id = path_name("id", id).map_err(|error| unreadable("id that can be used").caused_by(error))?;
        COLLECTIONS.put(key, &id);
        Ok(id)
    }

    async fn query(&self, id: &str, ask: &Value, time_max: Duration) -> Result<Reply, ConnectorError> {
        self.store.post(&self.config.path(&[id, "query"]), ask, time_max).await
    }
}
