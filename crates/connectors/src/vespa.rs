//! Vespa connector: a Vespa application, queried with YQL; the words are passed as a separate parameter.

use crate::shared::search_engine::{
    Engine, KeyHeader, check as check_engine, configured, date_field, has_operators, item, mappings, members,
    missing, names_inside, pages, plain_name, query_value, seconds, source_error, unreadable,
};
use domain::corpus::SourceKind;
use domain::ports::{
    Capability, Connector, ConnectorError, ConnectorErrorKind, ConnectorKind, HttpRequest, HttpResponse,
    NormalizedPage, PluginContext, ProviderQuery, ResultOrigin, TestTarget, TypedConnector,
};
use domain::provider::SearchProvider;
use domain::search::Sort;
use domain::validation::FieldErrors;
use serde_json::{Map, Value};
use syntax::query_filter::refuse_filter;
use syntax::query_mappings::QueryMappings;

pub const KIND: ConnectorKind = ConnectorKind {
    name: "Vespa",
    module: "vespa",
    summary: "The documents of a Vespa application, queried with YQL.",
    capability: Capability { page: true, date_sort: true, not: true },
    settings: &[
        "url",
        "query_template",
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
/// The engine skips no more than 1000 hits (`maxOffset`).
const WINDOW: u32 = 1_100;

const OURS: [&str; 4] = ["hits", "offset", "timeout", "ranking.sorting"];
const BESIDE: [&str; 3] = ["id", "relevance", "source"];
/// The operators through which a statement takes the words.
const PLACES: [&str; 2] = ["userQuery()", "@query"];

/// Codes of the engine's errors, by its own names. An illegal query is about the words, such as one that only excludes;
/// what is wrong with the statement, a rank profile or a field to sort by is an invalid parameter.
const NULL_QUERY: u64 = 1;
const ILLEGAL_QUERY: u64 = 3;
const INVALID_QUERY_PARAMETER: u64 = 4;
const RESULT_HAS_ERRORS: u64 = 8;
const TIMEOUT: u64 = 12;

#[derive(Debug)]
struct Vespa {
    engine: Engine,
    members: Map<String, Value>,
    date_field: Option<String>,
    knows_not: bool,
    is_raw: bool,
}

fn check(provider: &SearchProvider) -> FieldErrors {
    check_engine(provider, &KEY, read)
}

fn build(provider: &SearchProvider, context: &PluginContext) -> Result<Box<dyn Connector>, ConnectorError> {
    let mappings = mappings(provider)?;
    let (path, members) = read(provider, &mappings)?;
    Ok(Vespa {
        engine: Engine::new(provider, context, &path, &KEY)?,
        knows_not: has_operators(&mappings) && mappings.not_char() == Some("-"),
        members,
        date_field: date_field(&mappings)?,
        is_raw: names_inside(provider, "fields"),
    }
    .boxed())
}

fn read(
    provider: &SearchProvider,
    mappings: &QueryMappings,
) -> Result<(String, Map<String, Value>), ConnectorError> {
    let mut asked = members(provider, mappings, "query", &OURS)?;
    let (field, yql) = match asked.get("yql").and_then(Value::as_str) {
        Some(yql) => ("query_template_json", yql.to_owned()),
        None => ("query_template", statement(provider, mappings)?),
    };
    if !PLACES.iter().any(|place| yql.contains(place)) {
        return Err(ConnectorError::in_field(
            field,
            "The statement must take the words with userQuery() or userInput(@query).",
        ));
    }
    let lower = yql.to_lowercase();
    if let Some(clause) = [" limit ", " offset ", " order by "].iter().find(|clause| lower.contains(**clause))
    {
        return Err(ConnectorError::in_field(
            field,
            format!("Leave out '{}': the connector sets it.", clause.trim()),
        ));
    }
    asked.insert("yql".to_owned(), yql.into());
    // The words contain no operators, unless the provider enables them.
    let grammar = if has_operators(mappings) { "web" } else { "tokenize" };
    let mut set = |name: &str, value: &str| {
        if !asked.contains_key(name) {
            asked.insert(name.to_owned(), value.into());
        }
    };
    set("model.type", grammar);
    if let Some(name) = mappings.get("default_field") {
        set("model.defaultIndex", plain_name("default_field", name, &[])?);
    }
    if let Some(name) = mappings.get("ranking") {
        set("ranking", plain_name("ranking", name, &[])?);
    }
    date_field(mappings)?;
    Ok(("/search/".to_owned(), asked))
}

/// The provider's own statement, or the default one for its schema.
fn statement(provider: &SearchProvider, mappings: &QueryMappings) -> Result<String, ConnectorError> {
    let given = provider.spec.query_template.trim();
    // The default template of a new provider; `{url}` and similar placeholders belong to other connectors.
    if given.is_empty() || given.starts_with("{url}") {
        let schema = match mappings.get("index_name") {
            Some(name) => plain_name("index_name", name, &[])?,
            None => "*",
        };
        return Ok(format!("select * from sources {schema} where userQuery()"));
    }
    if given.contains("{query_string}") {
        let sentence = "The words must not be part of the statement: use userQuery() or userInput(@query).";
        return Err(ConnectorError::in_field("query_template", sentence));
    }
    refuse_filter(given).map_err(|error| ConnectorError::of_syntax("query_template", error))?;
    configured(given, mappings, "").map_err(|error| ConnectorError::of_syntax("query_template", error))
}

impl TypedConnector for Vespa {
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
        body.insert("query".to_owned(), query_value(&self.members, "query", query.text));
        body.insert("offset".to_owned(), offset.into());
        let hits = query.results_wanted.saturating_sub(offset).clamp(1, HITS_PER_PAGE);
        body.insert("hits".to_owned(), hits.into());
        body.insert("timeout".to_owned(), format!("{}s", seconds(query)).into());
        if let (Sort::Date, Some(field)) = (query.sort, &self.date_field) {
            body.insert("ranking.sorting".to_owned(), format!("-{field}").into());
        }
        self.engine.post(query, &Value::Object(body))
    }

    async fn execute(&self, request: &HttpRequest) -> Result<HttpResponse, ConnectorError> {
        self.engine.send(request).await
    }

    fn normalize(&self, response: HttpResponse) -> Result<NormalizedPage, ConnectorError> {
        let answer = self.engine.answer(&response, refused)?;
        let root = answer.get("root").filter(|root| root.is_object()).ok_or_else(|| unreadable("root"))?;
        // A response without hits has no `children`.
        let children = root.get("children").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let reported = read_root_error(root)
            .map(|(kind, sentence)| source_error(kind.unwrap_or(ConnectorErrorKind::Unavailable), &sentence));
        let missing = match reported {
            Some(error) if children.is_empty() => return Err(error),
            Some(error) => Some(error),
            None => missing::of_coverage(root),
        };
        // Groups have no fields; they are not documents.
        let hits = children.iter().filter(|child| child.get("fields").is_some());
        let items: Vec<Value> = hits.map(|hit| item(hit, "fields", &BESIDE, self.is_raw)).collect();
        Ok(NormalizedPage {
            found: root.pointer("/fields/totalCount").and_then(Value::as_u64),
            retrieved: Some(items.len() as u64),
            items,
            missing,
        })
    }
}

fn refused(_status: u16, body: &Value) -> Option<(Option<ConnectorErrorKind>, String)> {
    read_root_error(body.get("root")?)
}

/// The first error of a response.
fn read_root_error(root: &Value) -> Option<(Option<ConnectorErrorKind>, String)> {
    let error = root.pointer("/errors/0")?;
    let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let sentence = if text("message").is_empty() { text("summary") } else { text("message") };
    let kind = match error.get("code").and_then(Value::as_u64) {
        Some(_) if sentence.contains("Could not resolve source ref") => {
            Some(ConnectorErrorKind::PlaceUnknown)
        }
        Some(NULL_QUERY | ILLEGAL_QUERY) => Some(ConnectorErrorKind::QueryInvalid),
        Some(INVALID_QUERY_PARAMETER) => Some(ConnectorErrorKind::ConfigInvalid),
        Some(RESULT_HAS_ERRORS) => Some(ConnectorErrorKind::SourceError),
        Some(TIMEOUT) => Some(ConnectorErrorKind::Timeout),
        _ => None,
    };
    Some((kind, sentence.to_owned()))
}
