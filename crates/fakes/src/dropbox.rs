//! Fake Dropbox: search over names and contents, paged by a cursor.

use super::cloud_documents::{Document, by_relevance, documents, newest_first, words};
use super::cloud_state::{CloudState, is_json, json_of, unknown_member};
use super::http_listener::HttpListener;
use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::post;
use serde_json::{Value, json};

pub const SCOPE: &str = "files.metadata.read";

/// Dropbox may return fewer matches than requested.
const PAGE: usize = 10;

pub struct Dropbox {
    pub listener: HttpListener,
    pub state: CloudState,
}

impl Dropbox {
    pub async fn start() -> Self {
        let state = CloudState::new(&[SCOPE]);
        let router = Router::new()
            .route("/2/files/search_v2", post(search))
            .route("/2/files/search/continue_v2", post(more))
            .with_state(state.clone());
        Self { listener: HttpListener::start(router).await, state }
    }
}

async fn search(State(state): State<CloudState>, headers: HeaderMap, body: String) -> Response {
    answer(&state, &headers, &body, |body| {
        let query = first_page(body)?;
        state.lock().seen = Some(query.0.clone());
        page(&query.0, query.1, 0)
    })
}

async fn more(State(state): State<CloudState>, headers: HeaderMap, body: String) -> Response {
    answer(&state, &headers, &body, |body| {
        let cursor = body["cursor"].as_str().filter(|_| unknown_member(body, &["cursor"]).is_none());
        let parts: Vec<&str> = cursor.unwrap_or_default().splitn(3, '|').collect();
        let [at, is_newest, query] = parts[..] else { return Err("cursor: is not known".to_owned()) };
        page(query, is_newest == "true", at.parse().map_err(|_| "cursor: is not known")?)
    })
}

fn answer(
    state: &CloudState,
    headers: &HeaderMap,
    body: &str,
    found: impl Fn(&Value) -> Result<Value, String>,
) -> Response {
    // Dropbox answers 401 to a token that lacks a scope, and names the scope.
    if let Err(mut answer) = state.admit(headers, SCOPE, told) {
        if answer.status() == 403 {
            *answer.status_mut() = axum::http::StatusCode::UNAUTHORIZED;
        }
        return *answer;
    }
    let body = serde_json::from_str(body)
        .ok()
        .filter(|_| is_json(headers))
        .ok_or("request body: not JSON".to_owned());
    body.and_then(|body| found(&body))
        .map_or_else(|message| json_of(400, &json!(message)), |answer| json_of(200, &answer))
}

fn told(status: u16, scope: Option<&'static str>) -> Value {
    match (status, scope) {
        (_, Some(scope)) => {
            json!({"error_summary": "missing_scope/..", "error": {".tag": "missing_scope", "required_scope": scope}})
        }
        (401, None) => {
            json!({"error_summary": "invalid_access_token/..", "error": {".tag": "invalid_access_token"}})
        }
        _ => {
            json!({"error_summary": "too_many_requests/..", "error": {"reason": {".tag": "too_many_requests"}}})
        }
    }
}

fn first_page(body: &Value) -> Result<(String, bool), String> {
    let options = &body["options"];
    let unknown = unknown_member(body, &["query", "options", "match_field_options"])
        .or_else(|| unknown_member(options, &["max_results", "order_by", "file_status", "filename_only"]))
        .or_else(|| unknown_member(&body["match_field_options"], &["include_highlights"]));
    if let Some(unknown) = unknown {
        return Err(format!("request body: unknown field '{unknown}'"));
    }
    if !options["max_results"].as_u64().is_some_and(|count| (1..=1000).contains(&count)) {
        return Err("request body: options: max_results: 1 to 1000".to_owned());
    }
    let is_newest = match options["order_by"].as_str() {
        Some("relevance") => false,
        Some("last_modified_time") => true,
        _ => return Err("request body: options: order_by".to_owned()),
    };
    let query = body["query"].as_str().filter(|query| query.chars().count() <= 1000);
    Ok((query.ok_or("request body: query: a text of at most 1000 characters")?.to_owned(), is_newest))
}

fn page(query: &str, is_newest: bool, start: usize) -> Result<Value, String> {
    let wanted = words(query);
    let mut all: Vec<Document> = documents().into_iter().filter(|one| one.holds(&wanted)).collect();
    if is_newest {
        newest_first(&mut all);
    } else {
        by_relevance(&mut all);
    }
    let end = (start + PAGE).min(all.len());
    let matches: Vec<Value> = all.get(start..end).unwrap_or_default().iter().map(found).collect();
    let has_more = end < all.len();
    let cursor = has_more.then(|| format!("{end}|{is_newest}|{query}"));
    Ok(json!({"matches": matches, "has_more": has_more, "cursor": cursor}))
}

fn found(document: &Document) -> Value {
    let path = format!("/Plans/{}", document.number);
    let mut metadata = json!({".tag": "folder", "name": document.title, "id": format!("id:{}", document.number), "path_display": path});
    if !document.is_folder {
        metadata[".tag"] = json!("file");
        metadata["server_modified"] = json!(document.date_text());
        metadata["client_modified"] = json!(document.date_text());
        metadata["size"] = json!(10);
    }
    let spans = json!([{"highlight_str": "about ", "is_highlighted": false}, {"highlight_str": "it", "is_highlighted": true}]);
    json!({"metadata": {".tag": "metadata", "metadata": metadata}, "match_type": {".tag": "filename"}, "highlight_spans": spans})
}
