//! Milvus connector: nearest entities in a collection of Milvus or Zilliz Cloud.

use crate::shared::check::{Notations, require_notations};
use crate::shared::vector_store::reply::{is_about_dimensions, words};
use crate::shared::vector_store::source::{item, unreadable};
use crate::shared::vector_store::{
    KeyLocation, Metric, PagePlan, Paging, Reply, Store, Target, VectorSource, Vendor, Window, check_with,
    extras, list, path_name, server, word,
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
use std::time::Duration;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Milvus",
    module: "milvus",
    summary: "A Milvus or Zilliz Cloud collection, queried by vector similarity.",
    capability: Capability { page: true, date_sort: true, not: false },
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

/// The usual name of the primary key. Older servers call every primary key so in their answers.
const ID: &str = "id";
/// Keys allowed in `query_template_json`.
const EXTRAS: &[&str] = &["filter", "partitionNames", "searchParams", "consistencyLevel"];

#[derive(Debug)]
struct Milvus {
    store: Store,
    target: Target,
    config: Config,
}

#[derive(Debug)]
struct Config {
    server: String,
    collection: String,
    database: Option<String>,
    /// The vector field.
    vector: String,
    /// The field of the primary key.
    id: String,
    /// The fields to return; empty for all.
    fields: Vec<String>,
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
    let vendor = Milvus {
        store: Store::new(provider, &config.server, KeyLocation::Bearer, context)?,
        target: Target { what: "collection", name: config.collection.clone() },
        config,
    };
    Ok(VectorSource::new(provider, plan, vendor).boxed())
}

impl Config {
    fn of(provider: &SearchProvider, notations: &Notations) -> Result<Self, ConnectorError> {
        let mappings = &notations.query_mappings;
        let name = |key: &str| mappings.get(key).map(|name| path_name(key, name)).transpose();
        Ok(Self {
            server: server(&provider.spec.url)?,
            collection: name("collection")?
                .ok_or_else(|| ConnectorError::in_field("query_mappings", "collection=<name> is needed."))?,
            database: name("database")?,
            vector: word("vector", mappings.get("vector").unwrap_or("vector"))?,
            id: word("id", mappings.get("id").unwrap_or(ID))?,
            fields: list(mappings, "fields")?,
            metric: Metric::of(mappings)?,
            extras: extras(provider, EXTRAS)?,
            plan: PagePlan::of(mappings, Paging::Offset)?,
        })
    }
}

#[async_trait]
impl Vendor for Milvus {
    type Ask = Value;

    fn ask(&self, vector: &[f32], window: Window) -> Value {
        let config = &self.config;
        let mut ask = config.extras.clone();
        let fields = if config.fields.is_empty() { json!(["*"]) } else { json!(config.fields) };
        for (key, value) in [
            ("collectionName", json!(config.collection)),
            ("data", json!([vector])),
            ("annsField", json!(config.vector)),
            ("limit", json!(window.limit)),
            ("offset", json!(window.offset)),
            ("outputFields", fields),
        ] {
            ask.insert(key.to_owned(), value);
        }
        if let Some(database) = &config.database {
            ask.insert("dbName".to_owned(), json!(database));
        }
        Value::Object(ask)
    }

    async fn send(&self, ask: &Value, time_max: Duration) -> Result<Reply, ConnectorError> {
        self.store.post(&["v2", "vectordb", "entities", "search"], ask, time_max).await
    }

    fn items(&self, reply: Reply, dimensions: usize) -> Result<Vec<Value>, ConnectorError> {
        // Except for a few statuses, the code in the body is more precise: older servers always answer 200.
        let code = reply.body.get("code").and_then(Value::as_i64);
        let code = code.filter(|_| !matches!(reply.status, 401 | 403 | 429));
        if let Some(error) = code.and_then(|code| self.refusal(code, &words(&reply.body), dimensions)) {
            return Err(error);
        }
        let body = reply.good(&self.target, dimensions)?;
        let entities = body.get("data").and_then(Value::as_array).ok_or_else(|| unreadable("data"))?;
        Ok(entities.iter().map(|entity| self.item(entity)).collect())
    }

    fn target_name(&self) -> &str {
        &self.target.name
    }
}

impl Milvus {
    fn item(&self, entity: &Value) -> Value {
        let mut fields = entity.as_object().cloned().unwrap_or_default();
        fields.remove(&self.config.vector);
        let distance = fields.get("distance").and_then(Value::as_f64);
        // For cosine and inner product, Milvus returns the similarity under this name.
        let similarity = distance.map(|number| self.config.metric.similarity_of_score(number));
        let id = fields.get(&self.config.id).or_else(|| fields.get(ID)).cloned().unwrap_or_default();
        item(Some(&Value::Object(fields)), id, similarity)
    }

    fn refusal(&self, code: i64, words: &str, dimensions: usize) -> Option<ConnectorError> {
        let error = |kind, sentence: &str| ConnectorError::new(kind, sentence.to_owned());
        Some(match code {
            // Older servers report success as 200.
            0 | 200 => return None,
            100 => self.target.unknown(),
            800 => {
                let name = self.config.database.as_deref().unwrap_or("default");
                error(ConnectorErrorKind::PlaceUnknown, &format!("the database '{name}' does not exist"))
            }
            101 => error(
                ConnectorErrorKind::Unavailable,
                &format!("the collection '{}' is not loaded", self.target.name),
            ),
            1400 | 1401 | 1800 | 80001 => {
                error(ConnectorErrorKind::Denied, "the source refused the credentials")
            }
            4 | 8 | 9 | 1807 => error(ConnectorErrorKind::RateLimited, "the source asks for fewer requests"),
            _ if is_about_dimensions(words) => self.target.other_dimensions(words, dimensions),
            1..=99 => error(ConnectorErrorKind::Unavailable, &format!("the source failed: {words}")),
            _ => self.target.refused(words, 200),
        })
    }
}
