//! Fake Meilisearch with one index `rivers`, sortable by `published`. Rejects unknown members.

use super::engine_documents::{EngineState, answer, newest_first, search, unknown_member, words};
use super::http_listener::HttpListener;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::post;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub const KEY: &str = "meili-key-41c9";
pub const INDEX: &str = "rivers";
/// `pagination.maxTotalHits`.
const TOTAL_MAX: usize = 1_000;
const MEMBERS: [&str; 9] = [
    "q",
    "limit",
    "offset",
    "sort",
    "filter",
    "attributesToHighlight",
    "attributesToRetrieve",
    "attributesToCrop",
    "matchingStrategy",
];

pub struct Meilisearch {
    pub listener: HttpListener,
    pub state: EngineState,
}

impl Meilisearch {
    pub async fn start() -> Self {
        let state = EngineState::default();
        let router = Router::new().route("/indexes/{uid}/search", post(handle)).with_state(state.clone());
        Self { listener: HttpListener::start(router).await, state }
    }
}

fn refusal(status: u16, code: &str, message: &str) -> Response {
    answer(
        status,
        &json!({"message": message, "code": code, "type": "invalid_request", "link": "https://docs.meilisearch.com/errors"}),
    )
}

async fn handle(
    State(state): State<EngineState>,
    Path(uid): Path<String>,
    headers: HeaderMap,
    body: String,
) -> Response {
    let busy = json!({"message": "Too many search requests running at the same time.", "code": "too_many_search_requests"});
    if let Some(response) = state.too_soon(&busy) {
        return response;
    }
    match headers.get("authorization").and_then(|value| value.to_str().ok()) {
        None => return refusal(401, "missing_authorization_header", "The Authorization header is missing."),
        Some(header) if header != format!("Bearer {KEY}") => {
            return refusal(403, "invalid_api_key", "The provided API key is invalid.");
        }
        Some(_) => {}
    }
    if headers.get("content-type").is_none_or(|value| value != "application/json") {
        return refusal(415, "invalid_content_type", "The Content-Type is not supported.");
    }
    if uid != INDEX {
        return refusal(404, "index_not_found", &format!("Index `{uid}` not found."));
    }
    let Ok(body) = serde_json::from_str::<Value>(&body) else {
        return refusal(400, "malformed_payload", "The json payload provided is malformed.");
    };
    if let Some(name) = unknown_member(&body, &MEMBERS) {
        return refusal(400, "bad_request", &format!("Unknown field `{name}`"));
    }
    let number =
        |name: &str, usual: usize| body.get(name).map_or(Some(usual), |value| Some(value.as_u64()? as usize));
    let (Some(q), Some(limit), Some(offset)) = (body["q"].as_str(), number("limit", 20), number("offset", 0))
    else {
        return refusal(400, "invalid_search_limit", "Invalid value type.");
    };
    let mut hits = search(&words(q), &BTreeSet::new());
    match body.get("sort").map(|sort| sort.as_array().map_or(&[][..], Vec::as_slice)) {
        None => {}
        Some([Value::String(rule)]) if rule == "published:desc" => newest_first(&mut hits, "published"),
        Some(_) => {
            let message =
                "Index `rivers`: Attribute is not sortable. Available sortable attributes are: `published`.";
            return refusal(400, "invalid_search_sort", message);
        }
    }
    state.remember(q, &body);
    let marked = body["attributesToHighlight"].as_array().is_some_and(|list| list.contains(&json!("title")));
    let found = hits.len();
    let shown: Vec<Value> = hits
        .into_iter()
        .take(TOTAL_MAX)
        .skip(offset)
        .take(limit)
        .map(|mut document| {
            if marked {
                let title = format!("<em>{}</em>", document["title"].as_str().unwrap_or_default());
                document["_formatted"] = json!({"title": title, "url": document["url"]});
            }
            document
        })
        .collect();
    answer(
        200,
        &json!({"hits": shown, "query": q, "processingTimeMs": 1, "limit": limit, "offset": offset, "estimatedTotalHits": found}),
    )
}
