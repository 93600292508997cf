//! Fake Box: file search with AND, OR and NOT; adjacent words mean any of them.

use super::boolean_query::{BOX, parse};
use super::cloud_documents::{Document, by_relevance, documents, newest_first};
use super::cloud_state::{CloudState, json_of};
use super::http_listener::HttpListener;
use axum::Router;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use serde_json::{Value, json};

pub const SCOPE: &str = "root_readwrite";

pub struct BoxStorage {
    pub listener: HttpListener,
    pub state: CloudState,
}

impl BoxStorage {
    pub async fn start() -> Self {
        let state = CloudState::new(&[SCOPE]);
        let router = Router::new().route("/2.0/search", get(search)).with_state(state.clone());
        Self { listener: HttpListener::start(router).await, state }
    }
}

async fn search(
    State(state): State<CloudState>,
    headers: HeaderMap,
    Query(given): Query<Vec<(String, String)>>,
) -> Response {
    if let Err(answer) = state.admit(&headers, SCOPE, |status, _| told(status, "refused")) {
        return *answer;
    }
    found(&given, &state)
        .map_or_else(|message| json_of(400, &told(400, &message)), |answer| json_of(200, &answer))
}

fn told(status: u16, message: &str) -> Value {
    json!({"type": "error", "status": status, "code": "bad_request", "message": message})
}

fn found(given: &[(String, String)], state: &CloudState) -> Result<Value, String> {
    const KNOWN: [&str; 7] = ["query", "type", "limit", "offset", "fields", "sort", "direction"];
    if let Some((name, _)) = given.iter().find(|(name, _)| !KNOWN.contains(&name.as_str())) {
        return Err(format!("unknown parameter {name}"));
    }
    let value = |name: &str| given.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    let number = |name: &str| {
        value(name).and_then(|text| text.parse::<usize>().ok()).ok_or(format!("{name}: a number"))
    };
    let (limit, offset) = (number("limit")?, number("offset")?);
    if !(1..=200).contains(&limit) || offset > 10_000 || value("type") != Some("file") {
        return Err("limit, offset or type is not valid".to_owned());
    }
    let query = parse(value("query").ok_or("query is needed")?, &BOX)?;
    state.lock().seen = Some(query.texts().join(" "));
    let mut all: Vec<Document> =
        documents().into_iter().filter(|one| !one.is_folder && query.holds(one)).collect();
    match (value("sort"), value("direction")) {
        (None | Some("relevance"), None) => by_relevance(&mut all),
        (Some("modified_at"), Some("DESC")) => newest_first(&mut all),
        _ => return Err("sort or direction is not valid".to_owned()),
    }
    let entries: Vec<Value> = all.iter().skip(offset).take(limit).map(file).collect();
    Ok(json!({"total_count": all.len(), "limit": limit, "offset": offset, "entries": entries}))
}

fn file(document: &Document) -> Value {
    json!({
        "type": "file",
        "id": document.number.to_string(),
        "etag": "1",
        "name": document.title,
        "description": "",
        "created_at": document.date_text(),
        "modified_at": document.date_text(),
        "owned_by": {"type": "user", "name": "Ann Reed", "login": "ann@example.org"},
        "size": 10,
        "path_collection": {"total_count": 1, "entries": [{"type": "folder", "id": "0", "name": "All Files"}]},
    })
}
