//! Weaviate connector: nearest objects in a Weaviate collection (class).

use crate::shared::check::{Notations, require_notations};
use crate::shared::vector_store::reply::{is_about_dimensions, words};
use crate::shared::vector_store::source::{item, unreadable};
use crate::shared::vector_store::{
    KeyLocation, Metric, PagePlan, Paging, Reply, Store, Target, VectorAsk, VectorSource, Vendor, Window,
    check_with, extras, list, server, word,
};
use async_trait::async_trait;
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, PluginContext, ResultOrigin,
    TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::validation::FieldErrors;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::time::Duration;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Weaviate",
    module: "weaviate",
    summary: "A Weaviate collection, queried by vector similarity.",
    capability: Capability { page: true, date_sort: true, not: false },
    settings: &[
        "url",
        "credentials",
        "query_mappings",
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

const TENANT_CHARS_MAX: usize = 64;

#[derive(Debug)]
struct Weaviate {
    store: Store,
    target: Target,
    config: Config,
}

/// Everything that goes into the GraphQL document is a checked name or a number.
#[derive(Debug)]
struct Config {
    server: String,
    class: String,
    fields: Vec<String>,
    /// The named vector, for a class with several.
    vector: Option<String>,
    tenant: Option<String>,
    metric: Metric,
    plan: PagePlan,
}

fn check(provider: &SearchProvider) -> FieldErrors {
    check_with(provider, Config::of)
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let config = Config::of(provider, &require_notations(provider)?)?;
    let plan = config.plan.clone();
    let vendor = Weaviate {
        store: Store::new(provider, &config.server, KeyLocation::Bearer, context)?,
        target: Target { what: "class", name: config.class.clone() },
        config,
    };
    Ok(VectorSource::new(provider, plan, vendor).boxed())
}

impl Config {
    fn of(provider: &SearchProvider, notations: &Notations) -> Result<Self, ConnectorError> {
        let mappings = &notations.query_mappings;
        let needed = |sentence: &str| ConnectorError::in_field("query_mappings", sentence);
        let class = mappings.get("class").ok_or_else(|| needed("class=<name> is needed."))?;
        let class = word("class", class)?;
        if !class.starts_with(|c: char| c.is_ascii_uppercase()) {
            return Err(needed("class must begin with an upper-case character."));
        }
        let fields = list(mappings, "fields")?;
        if fields.is_empty() {
            return Err(needed("fields=<names with spaces between them> is needed."));
        }
        extras(provider, &[])?;
        Ok(Self {
            server: server(&provider.spec.url)?,
            class,
            fields,
            vector: mappings.get("vector").map(|name| word("vector", name)).transpose()?,
            tenant: mappings.get("tenant").map(tenant).transpose()?,
            metric: Metric::of(mappings)?,
            plan: PagePlan::of(mappings, Paging::Offset)?,
        })
    }

    fn document(&self, ask: &NearVector) -> String {
        let numbers: Vec<String> = ask.vector.iter().map(|number| f64::from(*number).to_string()).collect();
        let target = self.vector.as_ref().map(|name| format!(", targetVectors: [\"{name}\"]"));
        let tenant = self.tenant.as_ref().map(|name| format!(", tenant: \"{name}\""));
        format!(
            "{{ Get {{ {}(nearVector: {{vector: [{}]{}}}, limit: {}, offset: {}{}) \
             {{ {} _additional {{ id distance }} }} }} }}",
            self.class,
            numbers.join(","),
            target.unwrap_or_default(),
            ask.limit,
            ask.offset,
            tenant.unwrap_or_default(),
            self.fields.join(" "),
        )
    }
}

fn tenant(name: &str) -> Result<String, ConnectorError> {
    let name = name.trim();
    let is_name = (1..=TENANT_CHARS_MAX).contains(&name.len())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    let sentence = || {
        ConnectorError::in_field(
            "query_mappings",
            "tenant may contain only alphanumeric characters, _ and -.",
        )
    };
    is_name.then(|| name.to_owned()).ok_or_else(sentence)
}

/// What the GraphQL document asks for.
#[derive(Debug)]
struct NearVector {
    class: String,
    fields: Vec<String>,
    vector: Vec<f32>,
    limit: u32,
    offset: u32,
}

impl VectorAsk for NearVector {
    fn shown(&self) -> Cow<'_, Value> {
        let Self { class, fields, vector, limit, offset } = self;
        Cow::Owned(json!({
            "class": class,
            "fields": fields,
            "vector": vector,
            "limit": limit,
            "offset": offset,
        }))
    }
}

#[async_trait]
impl Vendor for Weaviate {
    type Ask = NearVector;

    fn ask(&self, vector: &[f32], window: Window) -> NearVector {
        NearVector {
            class: self.config.class.clone(),
            fields: self.config.fields.clone(),
            vector: vector.to_vec(),
            limit: window.limit,
            offset: window.offset,
        }
    }

    async fn send(&self, ask: &NearVector, time_max: Duration) -> Result<Reply, ConnectorError> {
        let body = json!({"query": self.config.document(ask)});
        self.store.post(&["v1", "graphql"], &body, time_max).await
    }

    fn items(&self, reply: Reply, dimensions: usize) -> Result<Vec<Value>, ConnectorError> {
        if reply.body.pointer("/errors/0").is_some() || reply.status == 422 {
            return Err(self.refusal(&words(&reply.body), dimensions));
        }
        let body = reply.good(&self.target, dimensions)?;
        let objects = body.pointer("/data/Get").and_then(|get| get.get(&self.config.class));
        let objects = objects.and_then(Value::as_array).ok_or_else(|| unreadable("data.Get.<class>"))?;
        Ok(objects.iter().map(|object| self.item(object)).collect())
    }

    fn target_name(&self) -> &str {
        &self.target.name
    }
}

impl Weaviate {
    fn item(&self, object: &Value) -> Value {
        let mut fields = object.as_object().cloned().unwrap_or_default();
        let additional = fields.remove("_additional").unwrap_or_default();
        let distance = additional["distance"].as_f64();
        if let Some(distance) = distance {
            fields.insert("distance".to_owned(), json!(distance));
        }
        let similarity = distance.map(|distance| self.config.metric.similarity(distance));
        item(Some(&Value::Object(fields)), additional["id"].clone(), similarity)
    }

    /// Weaviate reports the cause only in the message.
    fn refusal(&self, words: &str, dimensions: usize) -> ConnectorError {
        let class = format!("\"{}\" on type \"GetObjectsObj\"", self.config.class);
        let (field, other) = (words.contains("Cannot query field"), words.contains("no graphql provider"));
        if is_about_dimensions(words) {
            return self.target.other_dimensions(words, dimensions);
        }
        if other || (field && words.contains(&class)) || words.contains("could not find class") {
            return self.target.unknown();
        }
        if words.contains("tenant not found") {
            let name = self.config.tenant.as_deref().unwrap_or_default();
            let message = format!("the tenant '{name}' does not exist");
            return ConnectorError::new(ConnectorErrorKind::PlaceUnknown, message);
        }
        self.target.refused(words, 422)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::check::read_notations;
    use domain::provider::ProviderSpec;

    fn config(mappings: &str) -> Result<Config, ConnectorError> {
        let spec = ProviderSpec {
            url: "https://weaviate.example".into(),
            query_mappings: mappings.into(),
            ..ProviderSpec::default()
        };
        let provider = SearchProvider::unsaved(spec, Default::default(), Default::default());
        Config::of(&provider, &read_notations(&provider, &mut FieldErrors::default()))
    }

    #[test]
    fn the_document_is_made_of_names_and_numbers() {
        let ask = NearVector {
            class: "River".into(),
            fields: vec!["title".into()],
            vector: vec![0.5, -(2f32.powi(-24)), 3.0],
            limit: 10,
            offset: 20,
        };
        let plain = config("class=River,fields=title body").expect("a config");
        let document = "{ Get { River(nearVector: {vector: [0.5,-0.00000005960464477539063,3]}, limit: 10, offset: 20) \
                        { title body _additional { id distance } } } }";
        assert_eq!(plain.document(&ask), document);
        let more = config("class=River,fields=title,vector=title_v,tenant=north-1").expect("a config");
        let document = more.document(&ask);
        assert!(document.contains(r#", targetVectors: ["title_v"]}"#), "{document}");
        assert!(document.contains(r#", offset: 20, tenant: "north-1") { title _additional"#), "{document}");
    }

    #[test]
    fn other_names_are_refused() {
        for mappings in [
            "",
            "class=River",
            "fields=title",
            "class=river,fields=title",
            "class=River{x},fields=title",
            "class=River,fields=title) { x }",
            "class=River,fields=title,vector=a\"b",
            "class=River,fields=title,tenant=a\"b",
            "class=River,fields=title,tenant=",
        ] {
            assert_eq!(config(mappings).expect_err(mappings).field, Some("query_mappings"));
        }
        let long = format!("class=River,fields=title,tenant={}", "x".repeat(TENANT_CHARS_MAX + 1));
        assert!(config(&long).is_err());
    }
}
