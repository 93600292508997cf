//! Fake Vespa with the schema `rivers` and the attribute `published`. Rejects unknown statements, parameters and
//! sources, and too many hits or too large an offset.

use super::engine_documents::{EngineState, answer, newest_first, search, unknown_member, words};
use super::http_listener::HttpListener;
use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::post;
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub const TOKEN: &str = "vespa-token-55ab";
pub const SCHEMA: &str = "rivers";
const HITS_MAX: u64 = 400;
const OFFSET_MAX: u64 = 1_000;
const MEMBERS: [&str; 9] = [
    "yql",
    "query",
    "model.type",
    "model.defaultIndex",
    "ranking",
    "ranking.sorting",
    "hits",
    "offset",
    "timeout",
];

pub struct Vespa {
    pub listener: HttpListener,
    pub state: EngineState,
}

impl Vespa {
    pub async fn start() -> Self {
        let state = EngineState::default();
        let router = Router::new().route("/search/", post(handle)).with_state(state.clone());
        Self { listener: HttpListener::start(router).await, state }
    }
}

async fn handle(State(state): State<EngineState>, headers: HeaderMap, body: String) -> Response {
    if let Some(response) =
        state.too_soon(&json!({"root": {"errors": [{"code": 2, "summary": "Overloaded"}]}}))
    {
        return response;
    }
    if headers.get("authorization").is_none_or(|value| *value != format!("Bearer {TOKEN}")) {
        return answer(401, &json!({"message": "Unauthorized"}));
    }
    if headers.get("content-type").is_none_or(|value| value != "application/json") {
        return answer(415, &json!({"message": "Unsupported media type"}));
    }
    let body = serde_json::from_str::<Value>(&body).unwrap_or_default();
    match root(&body) {
        Ok(root) => {
            state.remember(body["query"].as_str().unwrap_or_default(), &body);
            answer(200, &json!({"root": root}))
        }
        Err((code, summary, message)) => {
            let error = json!({"code": code, "summary": summary, "source": "rivers", "message": message});
            answer(
                400,
                &json!({"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 0}, "errors": [error]}}),
            )
        }
    }
}

type Refused = (u16, &'static str, String);

fn parameter(message: &str) -> Refused {
    (4, "Invalid query parameter", message.to_owned())
}

fn root(body: &Value) -> Result<Value, Refused> {
    if let Some(name) = unknown_member(body, &MEMBERS) {
        return Err(parameter(&format!("Could not set '{name}'")));
    }
    let yql = body["yql"].as_str().unwrap_or_default();
    let source = yql
        .strip_prefix("select * from sources ")
        .and_then(|rest| rest.split_once(" where "))
        .filter(|(_, condition)| ["userQuery()", "userInput(@query)"].contains(condition));
    let Some((source, _)) = source else {
        return Err(parameter(&format!(
            "Could not create query from YQL: query:L1:0 no viable alternative at input '{yql}'"
        )));
    };
    if ![SCHEMA, "*"].contains(&source) {
        return Err(parameter(&format!(
            "Could not resolve source ref '{source}'. Valid source refs are rivers."
        )));
    }
    if !["tokenize", "web", "weakAnd", "all", "any"]
        .contains(&body["model.type"].as_str().unwrap_or("weakAnd"))
    {
        return Err(parameter("No query type"));
    }
    let query = body["query"].as_str().ok_or_else(|| parameter("No query"))?;
    let number = |name: &str, usual: u64| body.get(name).map_or(Some(usual), Value::as_u64);
    let (Some(hits), Some(offset)) = (number("hits", 10), number("offset", 0)) else {
        return Err(parameter("hits and offset are numbers"));
    };
    if hits > HITS_MAX || offset > OFFSET_MAX {
        return Err(parameter(&format!(
            "{hits} hits requested at {offset}, configured limits: {HITS_MAX}, {OFFSET_MAX}."
        )));
    }
    let mut found = search(&words(query), &BTreeSet::new());
    match body.get("ranking.sorting").map(|sorting| sorting.as_str().unwrap_or_default()) {
        None => {}
        Some("-published") => newest_first(&mut found, "published"),
        Some(field) => {
            return Err((
                4,
                "Invalid query parameter",
                format!("The attribute '{field}' is not known for sorting"),
            ));
        }
    }
    let total = found.len();
    let children: Vec<Value> = found
        .into_iter()
        .skip(offset as usize)
        .take(hits as usize)
        .map(|mut fields| {
            let id = fields.as_object_mut().and_then(|own| own.remove("id")).unwrap_or_default();
            json!({"id": format!("id:mine:rivers::{}", id.as_str().unwrap_or_default()), "relevance": 0.4, "source": SCHEMA, "fields": fields})
        })
        .collect();
    let mut root = json!({"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": total}});
    // A response without hits has no such member.
    if !children.is_empty() {
        root["children"] = children.into();
    }
    Ok(root)
}
