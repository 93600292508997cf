//! Typesense connector: a Typesense collection.

use crate::shared::search_engine::{
    Engine, KeyHeader, check as check_engine, date_field, item, mappings, members, names_inside, pages,
    query_value, required_name, seconds, source_error, unreadable,
};
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, HttpRequest, HttpResponse,
    NormalizedPage, PluginContext, ProviderQuery, ResultOrigin, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::search::Sort;
use domain::validation::FieldErrors;
use serde_json::{Map, Value, json};
use syntax::query_mappings::QueryMappings;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Typesense",
    module: "typesense",
    summary: "A Typesense collection.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: &[
        "url",
        "query_template_json",
        "query_mappings",
        "result_mappings",
        "credentials",
        "eval_credentials",
        "http_request_headers",
        "results_per_query",
    ],
    authenticator: None,
    origin: ResultOrigin::Live,
    source_kind: SourceKind::Web,
    test_target: TestTarget::Fake,
    check,
    build,
};

const KEY: KeyHeader = KeyHeader { name: "X-TYPESENSE-API-KEY", prefix: "", has_users: false };

/// The engine rejects larger pages (`max-per-page`).
const HITS_PER_PAGE: u32 = 250;
/// Most results of one query.
const WINDOW: u32 = 10_000;

const OURS: [&str; 6] = ["collection", "page", "per_page", "offset", "limit", "search_cutoff_ms"];
const BESIDE: [&str; 3] = ["text_match", "highlight", "highlights"];

#[derive(Debug)]
struct Typesense {
    engine: Engine,
    /// The request without the words and the page.
    search: Map<String, Value>,
    date_field: Option<String>,
    knows_not: bool,
    is_raw: bool,
}

fn check(provider: &SearchProvider) -> FieldErrors {
    check_engine(provider, &KEY, read)
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let mappings = mappings(provider)?;
    let (path, search) = read(provider, &mappings)?;
    Ok(Typesense {
        engine: Engine::new(provider, context, &path, &KEY)?,
        search,
        date_field: date_field(&mappings)?,
        knows_not: mappings.not_char() == Some("-"),
        is_raw: names_inside(provider, "document"),
    }
    .boxed())
}

fn read(
    provider: &SearchProvider,
    mappings: &QueryMappings,
) -> Result<(String, Map<String, Value>), ConnectorError> {
    let mut search = members(provider, mappings, "q", &OURS)?;
    let collection = required_name(mappings, "index_name", &[])?;
    search.insert("collection".to_owned(), collection.into());
    date_field(mappings)?;
    // A mapping cannot hold several fields, so the template may name them.
    let fields = mappings.get("default_field").map(|name| Value::from(name.replace(['|', ' '], ",")));
    if let Some(fields) = fields.filter(|_| !search.contains_key("query_by")) {
        search.insert("query_by".to_owned(), fields);
    }
    if !search.contains_key("query_by") {
        let sentence = "Set default_field=<field>, or query_by in query_template_json.";
        return Err(ConnectorError::in_field("query_mappings", sentence));
    }
    Ok(("/multi_search".to_owned(), search))
}

impl TypedConnector for Typesense {
    type Request = HttpRequest;
    type Response = HttpResponse;

    fn capability(&self) -> Capability {
        Capability { page: true, date_sort: self.date_field.is_some(), not: self.knows_not }
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        pages(results_wanted, HITS_PER_PAGE, WINDOW)
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<HttpRequest, ConnectorError> {
        let mut search = self.search.clone();
        search.insert("q".to_owned(), query_value(&self.search, "q", query.text));
        // Pages are numbered by their size, so all pages have the same size.
        search.insert("per_page".to_owned(), query.results_wanted.clamp(1, HITS_PER_PAGE).into());
        search.insert("page".to_owned(), query.page.saturating_add(1).into());
        search.insert("search_cutoff_ms".to_owned(), (seconds(query) * 1000).into());
        if let (Sort::Date, Some(field)) = (query.sort, &self.date_field) {
            search.insert("sort_by".to_owned(), format!("{field}:desc").into());
        }
        self.engine.post(query, &json!({"searches": [search]}))
    }

    async fn execute(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        self.engine.send(request).await
    }

    fn normalize(&self, response: HttpResponse) -> Result<NormalizedPage, ConnectorError> {
        let answer = self.engine.answer(&response, refused)?;
        let result = answer.pointer("/results/0").ok_or_else(|| unreadable("results"))?;
        if let Some(sentence) = result.get("error").and_then(Value::as_str) {
            let status = result.get("code").and_then(Value::as_u64).unwrap_or_default();
            return Err(source_error(kind_of(status, sentence), sentence));
        }
        let hits = result.get("hits").and_then(Value::as_array).ok_or_else(|| unreadable("hits"))?;
        // Since version 0.23: the time limit of the search ended it.
        let missing = (result.get("search_cutoff") == Some(&Value::Bool(true))).then(|| {
            source_error(
                ConnectorErrorKind::Timeout,
                "the search was cut off before all documents were searched",
            )
        });
        Ok(NormalizedPage {
            found: result.get("found").and_then(Value::as_u64),
            retrieved: Some(hits.len() as u64),
            items: hits.iter().map(|hit| item(hit, "document", &BESIDE, self.is_raw)).collect(),
            missing,
        })
    }
}

/// Reads the error of a rejected request.
fn refused(status: u16, body: &Value) -> Option<(Option<ConnectorErrorKind>, String)> {
    let sentence = body.get("message")?.as_str()?;
    let kind = (status < 500).then(|| kind_of(status.into(), sentence));
    Some((kind, sentence.to_owned()))
}

/// A failed search inside a multi-search response has its own status.
fn kind_of(status: u64, sentence: &str) -> ConnectorErrorKind {
    match status {
        401 | 403 => ConnectorErrorKind::Denied,
        // Unknown fields and unknown collections have the same status.
        404 if !sentence.contains("field") => ConnectorErrorKind::PlaceUnknown,
        400 | 404 | 422 => ConnectorErrorKind::ConfigInvalid,
        408 => ConnectorErrorKind::Timeout,
        429 => ConnectorErrorKind::RateLimited,
        _ => ConnectorErrorKind::Unavailable,
    }
}
