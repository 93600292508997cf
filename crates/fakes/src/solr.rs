//! Fake Apache Solr with one collection `rivers` behind a login, and the date in `date`. Rejects unknown parameters,
//! handlers and sort fields.

use super::engine_documents::{EngineState, answer, newest_first, search, words};
use super::http_listener::HttpListener;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

pub const CREDENTIALS: &str = "HTTPBasicAuth('reader','river-password')";
pub const COLLECTION: &str = "rivers";
const BASIC: &str = "Basic cmVhZGVyOnJpdmVyLXBhc3N3b3Jk";
const PARAMETERS: [&str; 6] = ["wt", "defType", "rows", "start", "sort", "q"];

pub struct Solr {
    pub listener: HttpListener,
    pub state: EngineState,
}

impl Solr {
    pub async fn start() -> Self {
        let state = EngineState::default();
        let router = Router::new().route("/solr/{collection}/select", get(handle)).with_state(state.clone());
        Self { listener: HttpListener::start(router).await, state }
    }
}

fn refusal(code: u16, msg: &str) -> Response {
    answer(code, &json!({"responseHeader": {"status": code}, "error": {"msg": msg, "code": code}}))
}

async fn handle(
    State(state): State<EngineState>,
    Path(collection): Path<String>,
    Query(given): Query<Vec<(String, String)>>,
    headers: HeaderMap,
) -> Response {
    if let Some(response) = state.too_soon(&json!({"error": {"code": 429}})) {
        return response;
    }
    if headers.get("authorization").is_none_or(|value| value != BASIC) {
        return refusal(401, "Bad credentials");
    }
    if collection != COLLECTION {
        return refusal(404, "not found");
    }
    let parameters: BTreeMap<&str, &str> =
        given.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    if parameters.len() != given.len() || !parameters.keys().all(|name| PARAMETERS.contains(name)) {
        return refusal(400, "a parameter is not known or given twice");
    }
    let number =
        |name: &str, usual: usize| parameters.get(name).map_or(Some(usual), |text| text.parse().ok());
    let (Some(rows), Some(start)) = (number("rows", 10), number("start", 0)) else {
        return refusal(400, "For input string");
    };
    let q = parameters.get("q").copied().unwrap_or_default();
    if parameters.get("wt") != Some(&"json") || parameters.get("defType") != Some(&"edismax") {
        return refusal(400, "unknown writer or query parser");
    }
    let mut found = search(&words(q), &BTreeSet::new());
    match parameters.get("sort").copied() {
        None => {}
        Some("date desc") => newest_first(&mut found, "published"),
        Some(other) => return refusal(400, &format!("sort param field can't be found: {other}")),
    }
    state.remember(q, &Value::Null);
    let total = found.len();
    let docs: Vec<Value> = found
        .into_iter()
        .skip(start)
        .take(rows)
        .map(|document| json!({"id": document["id"], "title": [document["title"]], "date": [format!("{}T00:00:00Z", document["published"].as_str().unwrap_or_default())], "url": [document["url"]]}))
        .collect();
    answer(
        200,
        &json!({"responseHeader": {"status": 0, "QTime": 1}, "response": {"numFound": total, "start": start, "numFoundExact": true, "docs": docs}}),
    )
}
