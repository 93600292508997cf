//! Fake Elasticsearch and OpenSearch with one index `rivers`. Rejects unknown bodies, clauses and sorts, parses query
//! strings with their operators, and enforces the result window.

use super::boolean_query::Expression;
use super::cloud_documents;
use super::engine_documents::{
    EngineState, answer, documents, newest_first, search, search_by, unknown_member, words,
};
use super::http_listener::HttpListener;
use super::lucene;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::post;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub const CREDENTIALS: &str = "reader:river-password";
pub const API_KEY: &str = "ApiKey=river-id:river-secret";
pub const INDEX: &str = "rivers";

const BASIC: &str = "Basic cmVhZGVyOnJpdmVyLXBhc3N3b3Jk";
const KEY: &str = "ApiKey cml2ZXItaWQ6cml2ZXItc2VjcmV0";
const WINDOW: u64 = 10_000;
const BODY: [&str; 10] = [
    "query",
    "from",
    "size",
    "sort",
    "track_scores",
    "timeout",
    "highlight",
    "_source",
    "track_total_hits",
    "min_score",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    Elasticsearch,
    /// It has no API keys, and shorter error messages.
    OpenSearch,
}

pub struct Elastic {
    pub listener: HttpListener,
    pub state: EngineState,
}

impl Elastic {
    pub async fn start(flavour: Flavour) -> Self {
        let state = EngineState::default();
        let router =
            Router::new().route("/{index}/_search", post(handle)).with_state((state.clone(), flavour));
        Self { listener: HttpListener::start(router).await, state }
    }
}

async fn handle(
    State((state, flavour)): State<(EngineState, Flavour)>,
    Path(index): Path<String>,
    headers: HeaderMap,
    body: String,
) -> Response {
    let busy = json!({"error": {"root_cause": [{"type": "circuit_breaking_exception", "reason": "[parent] Data too large"}]}, "status": 429});
    if let Some(response) = state.too_soon(&busy) {
        return response;
    }
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_known = match flavour {
        Flavour::Elasticsearch => [BASIC, KEY].contains(&header("authorization")),
        Flavour::OpenSearch => header("authorization") == BASIC,
    };
    if !is_known {
        return match flavour {
            Flavour::Elasticsearch => refusal(
                401,
                "security_exception",
                "unable to authenticate user [reader] for REST request [/rivers/_search]",
                "",
            ),
            Flavour::OpenSearch => answer(401, &json!("Unauthorized")),
        };
    }
    if !header("content-type").starts_with("application/json") {
        return answer(406, &json!({"error": "Content-Type header [] is not supported", "status": 406}));
    }
    if index != INDEX {
        return refusal(404, "index_not_found_exception", &format!("no such index [{index}]"), &index);
    }
    let Ok(body) = serde_json::from_str::<Value>(&body) else {
        return refusal(400, "json_parse_exception", "Unexpected character", "");
    };
    match found(&body) {
        Ok((seen, hits)) => {
            state.remember(&seen, &body);
            page(&body, &hits)
        }
        Err((kind, reason)) => refusal(400, kind, &reason, ""),
    }
}

fn refusal(status: u16, kind: &str, reason: &str, index: &str) -> Response {
    let cause = json!({"type": kind, "reason": reason, "index": index});
    answer(
        status,
        &json!({"error": {"root_cause": [cause], "type": kind, "reason": reason}, "status": status}),
    )
}

type Refused = (&'static str, String);

/// The parsed query, and the hits in order.
fn found(body: &Value) -> Result<(String, Vec<Value>), Refused> {
    if let Some(name) = unknown_member(body, &BODY) {
        return Err(("parsing_exception", format!("unknown key [{name}] for a START_OBJECT in [{name}].")));
    }
    let number = |name: &str, usual: u64| body.get(name).map_or(Some(usual), Value::as_u64);
    let (Some(from), Some(size)) = (number("from", 0), number("size", 10)) else {
        return Err(("parsing_exception", "from and size are numbers".to_owned()));
    };
    if from + size > WINDOW {
        let reason = format!(
            "Result window is too large, from + size must be less than or equal to: [{WINDOW}] but was [{}].",
            from + size
        );
        return Err(("illegal_argument_exception", reason));
    }
    let asked = clause(&body["query"])?;
    let mut hits = match &asked.matcher {
        Matcher::Nothing => Vec::new(),
        Matcher::Everything => documents(),
        Matcher::Words(wanted) => search(wanted, &BTreeSet::new()),
        Matcher::Expression(expression) => {
            search_by(|title| expression.holds_words(&cloud_documents::words(title), false))
        }
    };
    if let Some(sort) = body.get("sort") {
        let field = sort
            .pointer("/0")
            .and_then(Value::as_object)
            .and_then(|entry| entry.iter().next())
            .filter(|(_, order)| **order == json!({"order": "desc"}))
            .map(|(field, _)| field.clone())
            .ok_or(("parsing_exception", "malformed sort".to_owned()))?;
        match field.as_str() {
            "published" | "day" => newest_first(&mut hits, &field),
            "title" => {
                return Err((
                    "illegal_argument_exception",
                    "Fielddata is disabled on [title] in [rivers].".to_owned(),
                ));
            }
            _ => {
                return Err((
                    "query_shard_exception",
                    format!("No mapping found for [{field}] in order to sort on"),
                ));
            }
        }
    }
    Ok((asked.seen, hits))
}

fn page(body: &Value, hits: &[Value]) -> Response {
    let number = |name: &str, usual: u64| body[name].as_u64().unwrap_or(usual) as usize;
    let marked = body["highlight"]["fields"].as_object();
    let shown: Vec<Value> = hits
        .iter()
        .skip(number("from", 0))
        .take(number("size", 10))
        .map(|document| {
            let mut hit = json!({"_index": INDEX, "_id": document["id"], "_score": 1.5, "_source": document});
            if marked.is_some_and(|fields| fields.contains_key("title")) {
                hit["highlight"] = json!({"title": [format!("<em>{}</em>", document["title"].as_str().unwrap_or_default())]});
            }
            hit
        })
        .collect();
    let total = json!({"value": hits.len(), "relation": "eq"});
    let shards = json!({"total": 1, "successful": 1, "skipped": 0, "failed": 0});
    answer(
        200,
        &json!({"took": 3, "timed_out": false, "_shards": shards, "hits": {"total": total, "max_score": 1.5, "hits": shown}}),
    )
}

struct Asked {
    /// The words of the clause that contained any, without escapes.
    seen: String,
    matcher: Matcher,
}

/// Which documents a clause matches.
enum Matcher {
    Nothing,
    Everything,
    Words(BTreeSet<String>),
    Expression(Expression),
}

fn clause(query: &Value) -> Result<Asked, Refused> {
    let clauses = query.as_object().filter(|object| object.len() == 1);
    let Some((name, inside)) = clauses.and_then(|object| object.iter().next()) else {
        return Err(("parsing_exception", "[query] malformed query, expected one clause".to_owned()));
    };
    match name.as_str() {
        "query_string" => query_string(inside),
        "match" => {
            let value =
                inside.get("title").ok_or(("parsing_exception", "[match] needs a field".to_owned()))?;
            text(value.as_str().or_else(|| value["query"].as_str()))
        }
        "multi_match" => match unknown_member(inside, &["query", "fields", "type", "operator"]) {
            Some(name) => {
                Err(("parsing_exception", format!("[multi_match] query does not support [{name}]")))
            }
            None => text(inside["query"].as_str()),
        },
        "match_all" => Ok(Asked { seen: String::new(), matcher: Matcher::Everything }),
        _ => Err(("parsing_exception", format!("unknown query [{name}]"))),
    }
}

fn text(text: Option<&str>) -> Result<Asked, Refused> {
    let text = text.ok_or(("parsing_exception", "a text is needed".to_owned()))?;
    Ok(Asked { seen: text.to_owned(), matcher: Matcher::Words(words(text)) })
}

fn query_string(inside: &Value) -> Result<Asked, Refused> {
    if let Some(name) = unknown_member(inside, &["query", "default_field", "fields", "default_operator"]) {
        return Err(("parsing_exception", format!("[query_string] query does not support [{name}]")));
    }
    let field = inside["default_field"].as_str().unwrap_or("title");
    let query = inside["query"]
        .as_str()
        .ok_or(("parsing_exception", "[query_string] must be provided with a [query]".to_owned()))?;
    let read = lucene::read(query)
        .map_err(|()| ("query_shard_exception", format!("Failed to parse query [{query}]")))?;
    let matcher = match field {
        "title" if read.is_everything => Matcher::Everything,
        "title" => Matcher::Expression(read.expression),
        _ => Matcher::Nothing,
    };
    Ok(Asked { seen: read.text, matcher })
}
