//! Fake Typesense with one collection `rivers`, sortable by `day`. Rejects pages larger than 250.

use super::engine_documents::{EngineState, answer, newest_first, search, unknown_member, words};
use super::http_listener::HttpListener;
use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::post;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub const KEY: &str = "typesense-key-8d20";
pub const COLLECTION: &str = "rivers";
const PER_PAGE_MAX: u64 = 250;
const MEMBERS: [&str; 9] = [
    "collection",
    "q",
    "query_by",
    "per_page",
    "page",
    "sort_by",
    "filter_by",
    "search_cutoff_ms",
    "highlight_full_fields",
];

pub struct Typesense {
    pub listener: HttpListener,
    pub state: EngineState,
}

impl Typesense {
    pub async fn start() -> Self {
        let state = EngineState::default();
        let router = Router::new().route("/multi_search", post(handle)).with_state(state.clone());
        Self { listener: HttpListener::start(router).await, state }
    }
}

async fn handle(State(state): State<EngineState>, headers: HeaderMap, body: String) -> Response {
    if let Some(response) = state.too_soon(&json!({"message": "Rate limit exceeded or blocked"})) {
        return response;
    }
    if headers.get("x-typesense-api-key").is_none_or(|value| value != KEY) {
        let message = "Forbidden - a valid `x-typesense-api-key` header must be sent.";
        return answer(401, &json!({"message": message}));
    }
    let body = serde_json::from_str::<Value>(&body).unwrap_or_default();
    let searches = body["searches"].as_array().filter(|_| unknown_member(&body, &["searches"]).is_none());
    let Some([asked]) = searches.map(Vec::as_slice) else {
        return answer(400, &json!({"message": "Missing `searches` array."}));
    };
    let result = match result(asked) {
        Ok(result) => {
            state.remember(asked["q"].as_str().unwrap_or_default(), asked);
            result
        }
        // A failed search inside a multi-search response.
        Err((code, error)) => json!({"code": code, "error": error}),
    };
    answer(200, &json!({"results": [result]}))
}

fn result(asked: &Value) -> Result<Value, (u16, String)> {
    if let Some(name) = unknown_member(asked, &MEMBERS) {
        return Err((400, format!("Parameter `{name}` is not known.")));
    }
    if asked["collection"] != COLLECTION {
        return Err((404, "Not found.".to_owned()));
    }
    let Some(q) = asked["q"].as_str() else { return Err((400, "Parameter `q` is required.".to_owned())) };
    match asked["query_by"].as_str() {
        None => return Err((400, "No search fields specified for the query.".to_owned())),
        Some("title") => {}
        Some(name) => return Err((404, format!("Could not find a field named `{name}` in the schema."))),
    }
    let number = |name: &str, usual: u64| asked.get(name).map_or(Some(usual), Value::as_u64);
    let (Some(per_page), Some(page)) = (number("per_page", 10), number("page", 1)) else {
        return Err((400, "Parameter `per_page` must be an unsigned integer.".to_owned()));
    };
    if per_page > PER_PAGE_MAX {
        return Err((422, format!("Only upto {PER_PAGE_MAX} hits can be fetched per page.")));
    }
    if page == 0 {
        return Err((422, "Page must be an integer of value greater than 0.".to_owned()));
    }
    let mut hits = search(&words(q), &BTreeSet::new());
    match asked["sort_by"].as_str() {
        None => {}
        Some("day:desc") => newest_first(&mut hits, "day"),
        Some(rule) => {
            let name = rule.split(':').next().unwrap_or_default();
            return Err((404, format!("Could not find a field named `{name}` in the schema for sorting.")));
        }
    }
    let found = hits.len();
    let shown: Vec<Value> = hits
        .into_iter()
        .skip(((page - 1) * per_page) as usize)
        .take(per_page as usize)
        .map(|document| {
            let snippet = format!("<mark>{}</mark>", document["title"].as_str().unwrap_or_default());
            json!({"document": document, "highlight": {"title": {"snippet": snippet}}, "text_match": 578_730})
        })
        .collect();
    Ok(json!({"found": found, "hits": shown, "out_of": 300, "page": page, "search_time_ms": 1}))
}
