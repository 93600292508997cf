//! Meilisearch connector: a Meilisearch index.

use crate::shared::search_engine::{
    Engine, KeyHeader, check as check_engine, date_field, mappings, members, mentions, pages, query_value,
    required_name, unreadable,
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
    name: "Meilisearch",
    module: "meilisearch",
    summary: "A Meilisearch index.",
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

const KEY: KeyHeader = KeyHeader { name: "Authorization", prefix: "Bearer ", has_users: false };

/// Hits per request.
const HITS_PER_PAGE: u32 = 100;
/// The engine returns no more than this (`pagination.maxTotalHits`).
const WINDOW: u32 = 1_000;

/// Members set by the connector; paging by page number would contradict them.
const OURS: [&str; 4] = ["limit", "offset", "page", "hitsPerPage"];

#[derive(Debug)]
struct Meilisearch {
    engine: Engine,
    members: Map<String, Value>,
    date_field: Option<String>,
    knows_not: bool,
}

fn check(provider: &SearchProvider) -> FieldErrors {
    check_engine(provider, &KEY, read)
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let mappings = mappings(provider)?;
    let (path, members) = read(provider, &mappings)?;
    Ok(Meilisearch {
        engine: Engine::new(provider, context, &path, &KEY)?,
        members,
        date_field: date_field(&mappings)?,
        knows_not: mappings.not_char().is_some(),
    }
    .boxed())
}

fn read(
    provider: &SearchProvider,
    mappings: &QueryMappings,
) -> Result<(String, Map<String, Value>), ConnectorError> {
    let index = required_name(mappings, "index_name", &[])?;
    date_field(mappings)?;
    Ok((format!("/indexes/{index}/search"), members(provider, mappings, "q", &OURS)?))
}

impl TypedConnector for Meilisearch {
    type Request = HttpRequest;
    type Response = HttpResponse;

    fn capability(&self) -> Capability {
        Capability { page: true, date_sort: self.date_field.is_some(), not: self.knows_not }
    }

    fn pages(&self, results_wanted: u32) -> u32 {
        pages(results_wanted, HITS_PER_PAGE, WINDOW)
    }

    fn construct(&self, query: &ProviderQuery<'_>) -> Result<HttpRequest, ConnectorError> {
        let mut body = self.members.clone();
        let offset = query.page.saturating_mul(HITS_PER_PAGE);
        body.insert("q".to_owned(), query_value(&self.members, "q", query.text));
        body.insert("offset".to_owned(), offset.into());
        let limit = query.results_wanted.saturating_sub(offset).clamp(1, HITS_PER_PAGE);
        body.insert("limit".to_owned(), limit.into());
        if let (Sort::Date, Some(field)) = (query.sort, &self.date_field) {
            body.insert("sort".to_owned(), json!([format!("{field}:desc")]));
        }
        self.engine.post(query, &Value::Object(body))
    }

    async fn execute(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        self.engine.send(request).await
    }

    fn normalize(&self, response: HttpResponse) -> Result<NormalizedPage, ConnectorError> {
        let answer = self.engine.answer(&response, refused)?;
        let hits = answer.get("hits").and_then(Value::as_array).ok_or_else(|| unreadable("hits"))?;
        let found = ["estimatedTotalHits", "totalHits"].iter().find_map(|name| answer.get(name)?.as_u64());
        let items = hits.iter().map(|hit| self.item(hit)).collect();
        Ok(NormalizedPage { found, retrieved: Some(hits.len() as u64), items, missing: None })
    }
}

impl Meilisearch {
    /// `_formatted` repeats every attribute; only those that contain a highlight tag are highlights.
    fn item(&self, hit: &Value) -> Value {
        let mut item = hit.clone();
        let is_marked = self.members.contains_key("attributesToHighlight");
        let tag = self.members.get("highlightPreTag").and_then(Value::as_str).unwrap_or("<em>");
        if let Some(formatted) =
            item.get_mut("_formatted").and_then(Value::as_object_mut).filter(|_| is_marked)
        {
            formatted.retain(|_, value| mentions(value, tag));
        }
        item
    }
}

/// Reads the error of a rejected request.
fn refused(_status: u16, body: &Value) -> Option<(Option<ConnectorErrorKind>, String)> {
    let code = body.get("code")?.as_str()?;
    let kind = match code {
        "index_not_found" => Some(ConnectorErrorKind::PlaceUnknown),
        "invalid_search_q" | "payload_too_large" => Some(ConnectorErrorKind::QueryInvalid),
        "too_many_search_requests" => Some(ConnectorErrorKind::RateLimited),
        _ if code.starts_with("invalid_") || code == "bad_request" => Some(ConnectorErrorKind::ConfigInvalid),
        _ => None,
    };
    Some((kind, body.get("message")?.as_str()?.to_owned()))
}
