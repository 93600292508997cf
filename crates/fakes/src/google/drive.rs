//! Fake Google Drive. A full-text search is sorted by relevance, and any other order is rejected.

use super::access::{Parameters, SCOPES, admit, checked, invalid, page, size};
use super::drive_query;
use crate::cloud_documents::{Document, by_relevance, documents};
use crate::cloud_state::{CloudState, json_of};
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};

/// Drive may return fewer files than requested.
const PAGE: usize = 20;

pub async fn list(State(state): State<CloudState>, headers: HeaderMap, Query(given): Parameters) -> Response {
    if let Err(answer) = admit(&state, &headers, SCOPES[0]) {
        return *answer;
    }
    found(&given, &state).map_or_else(|reason| invalid(&reason), |answer| json_of(200, &answer))
}

fn found(given: &[(String, String)], state: &CloudState) -> Result<Value, String> {
    const KNOWN: [&str; 8] = [
        "q",
        "pageSize",
        "pageToken",
        "fields",
        "spaces",
        "includeItemsFromAllDrives",
        "supportsAllDrives",
        "orderBy",
    ];
    let value = checked(given, &KNOWN)?;
    let size = size(value("pageSize"), 1000)?;
    let query = drive_query::parse(value("q").unwrap_or_default())?;
    if value("orderBy").is_some() && !query.texts().is_empty() {
        return Err("Sorting is not supported for queries with fullText terms.".to_owned());
    }
    if value("spaces") != Some("drive") || value("includeItemsFromAllDrives") != value("supportsAllDrives") {
        return Err("Invalid spaces or drives".to_owned());
    }
    state.lock().seen = Some(query.texts().join(" "));
    let mut all: Vec<Document> = documents().into_iter().filter(|one| query.holds(one)).collect();
    by_relevance(&mut all);
    let (files, next) = page(&all, value("pageToken"), size.min(PAGE))?;
    let files: Vec<Value> = files.iter().map(file).collect();
    Ok(json!({"files": files, "nextPageToken": next}))
}

fn file(document: &Document) -> Value {
    json!({
        "id": format!("f{}", document.number),
        "name": document.title,
        "mimeType": "text/plain",
        "webViewLink": format!("https://drive.google.com/file/d/f{}/view", document.number),
        "createdTime": document.date_text(),
        "modifiedTime": document.date_text(),
        "owners": [{"displayName": "Ann Reed", "emailAddress": "ann@example.org"}],
    })
}
