//! QdrantDB connector: nearest points in a Qdrant collection.

use crate::shared::check::{Notations, require_notations};
use crate::shared::http_check::without_blanks_to_fill;
use crate::shared::vector_store::source::{item, unreadable};
use crate::shared::vector_store::{
    CheckedUrl, KeyLocation, Metric, PagePlan, Paging, Reply, Store, Target, VectorSource, Vendor, Window,
    check_with, extras, path_name, server,
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
use std::time::Duration;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "QdrantDB",
    module: "qdrant",
    summary: "A Qdrant collection, queried by vector similarity.",
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

/// Keys allowed in `query_template_json`.
const EXTRAS: &[&str] = &["filter", "params", "score_threshold", "with_payload"];

#[derive(Debug)]
struct Qdrant {
    store: Store,
    target: Target,
    /// The named vector, for a collection with several.
    using: Option<String>,
    metric: Metric,
    extras: Map<String, Value>,
}

/// The configuration of the provider.
#[derive(Debug)]
struct Config {
    server: String,
    collection: String,
    using: Option<String>,
    metric: Metric,
    extras: Map<String, Value>,
    plan: PagePlan,
}

fn check(provider: &SearchProvider) -> FieldErrors {
    check_with(provider, Config::of)
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let config = Config::of(provider, &require_notations(provider)?)?;
    let vendor = Qdrant {
        store: Store::new(provider, &config.server, KeyLocation::Header("api-key"), context)?,
        target: Target { what: "collection", name: config.collection },
        using: config.using,
        metric: config.metric,
        extras: config.extras,
    };
    Ok(VectorSource::new(provider, config.plan, vendor).boxed())
}

impl Config {
    fn of(provider: &SearchProvider, notations: &Notations) -> Result<Self, ConnectorError> {
        let mappings = &notations.query_mappings;
        let (address, collection) = match mappings.get("collection") {
            Some(name) => (provider.spec.url.as_str(), path_name("collection", name)?),
            None => parted(&provider.spec.url)?,
        };
        let using = mappings.get("vector").map(|name| path_name("vector", name)).transpose()?;
        Ok(Self {
            server: server(address)?,
            collection,
            using,
            metric: Metric::of(mappings)?,
            extras: extras(provider, EXTRAS)?,
            plan: PagePlan::of(mappings, Paging::Offset)?,
        })
    }
}

/// `<server>-<collection>`, split at the last `-`, because a host name may contain one.
fn parted(url: &str) -> Result<(&str, String), ConnectorError> {
    let is_name = |name: &str| {
        let filled = without_blanks_to_fill(name);
        !filled.is_empty() && filled.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    let parted = url.trim().rsplit_once('-').filter(|(_, name)| is_name(name));
    let (server, name) = parted.ok_or_else(|| {
        let sentence =
            "The collection is missing: <server>-<collection>, or collection=<name> in query_mappings.";
        ConnectorError::in_field("url", sentence)
    })?;
    Ok((server, name.to_owned()))
}

#[async_trait]
impl Vendor for Qdrant {
    type Ask = Value;

    fn ask(&self, vector: &[f32], window: Window) -> Value {
        let mut ask = self.extras.clone();
        ask.entry("with_payload").or_insert(Value::Bool(true));
        ask.insert("query".to_owned(), json!(vector));
        ask.insert("limit".to_owned(), json!(window.limit));
        ask.insert("offset".to_owned(), json!(window.offset));
        if let Some(using) = &self.using {
            ask.insert("using".to_owned(), json!(using));
        }
        Value::Object(ask)
    }

    async fn send(&self, ask: &Value, time_max: Duration) -> Result<Reply, ConnectorError> {
        let mut url = self.store.at(&["collections", &self.target.name, "points", "query"])?;
        // The server aborts the query after this time.
        let seconds = time_max.as_secs().max(1).to_string();
        url.query_pairs_mut().append_pair("timeout", &seconds);
        self.store.send(CheckedUrl { url, is_trusted: true }, Some(ask), time_max).await
    }

    fn items(&self, reply: Reply, dimensions: usize) -> Result<Vec<Value>, ConnectorError> {
        let body = reply.good(&self.target, dimensions)?;
        let points = body.pointer("/result/points").and_then(Value::as_array);
        let points = points.ok_or_else(|| unreadable("result.points"))?;
        let read = |point: &Value| {
            let similarity = point["score"].as_f64().map(|score| self.metric.similarity_of_score(score));
            item(point.get("payload"), point["id"].clone(), similarity)
        };
        Ok(points.iter().map(read).collect())
    }

    fn target_name(&self) -> &str {
        &self.target.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_dash_parts() {
        let table = [
            ("http://localhost:6333-rivers", Some(("http://localhost:6333", "rivers"))),
            (
                "https://my-own-host.example:6333-my_docs",
                Some(("https://my-own-host.example:6333", "my_docs")),
            ),
            ("https://<qdrant-host>:6333-<collection>", Some(("https://<qdrant-host>:6333", "<collection>"))),
            ("https://my-host.example:6333", None),
            ("https://my-host.example", None),
            ("http://localhost:6333", None),
            ("http://localhost:6333-", None),
        ];
        for (url, want) in table {
            let found = parted(url).ok();
            assert_eq!(found.as_ref().map(|(server, name)| (*server, name.as_str())), want, "{url}");
        }
    }
}
