//! Fake Gmail: a search returns ids, newest first; each message is fetched separately.

use super::access::{Parameters, SCOPES, admit, checked, invalid, page, size, told};
use crate::boolean_query::{GMAIL, parse};
use crate::cloud_documents::{Document, documents, newest_first};
use crate::cloud_state::{CloudState, json_of};
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};
use std::time::Duration;

/// Gmail may return fewer messages than requested.
const PAGE: usize = 20;
/// How long a message takes, so that several are fetched concurrently.
const READING: Duration = Duration::from_millis(5);

pub async fn list(State(state): State<CloudState>, headers: HeaderMap, Query(given): Parameters) -> Response {
    if let Err(answer) = admit(&state, &headers, SCOPES[1]) {
        return *answer;
    }
    found(&given, &state).map_or_else(|reason| invalid(&reason), |answer| json_of(200, &answer))
}

fn found(given: &[(String, String)], state: &CloudState) -> Result<Value, String> {
    let value = checked(given, &["q", "maxResults", "pageToken"])?;
    let size = size(value("maxResults"), 500)?;
    let query = parse(value("q").unwrap_or_default(), &GMAIL)?;
    state.lock().seen = Some(query.texts().join(" "));
    let mut all: Vec<Document> =
        documents().into_iter().filter(|one| !one.is_folder && query.holds(one)).collect();
    newest_first(&mut all);
    let (found, next) = page(&all, value("pageToken"), size.min(PAGE))?;
    let ids = found.iter().map(|one| json!({"id": format!("m{}", one.number), "threadId": "t1"}));
    let ids: Vec<Value> = ids.collect();
    Ok(json!({"messages": ids, "nextPageToken": next, "resultSizeEstimate": 201}))
}

pub async fn message(
    State(state): State<CloudState>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Query(given): Parameters,
) -> Response {
    if let Err(answer) = admit(&state, &headers, SCOPES[1]) {
        return *answer;
    }
    if given.first().is_none_or(|(name, value)| name != "format" || value != "metadata")
        || given[1..].iter().any(|(name, _)| name != "metadataHeaders")
    {
        return invalid("invalidArgument");
    }
    {
        let mut state = state.lock();
        state.now_open += 1;
        state.most_open = state.most_open.max(state.now_open);
    }
    tokio::time::sleep(READING).await;
    state.lock().now_open -= 1;
    let number = id.strip_prefix('m').and_then(|number| number.parse::<usize>().ok());
    let all = documents();
    let Some(document) = number.and_then(|number| all.get(number)) else {
        return json_of(404, &told(404, "notFound"));
    };
    let header = |name: &str| match name {
        "Subject" => document.title.clone(),
        "From" => "Ann Reed <ann@example.org>".to_owned(),
        "To" => "bo@example.org".to_owned(),
        _ => document.date.to_rfc2822(),
    };
    let pairs: Vec<Value> =
        given[1..].iter().map(|(_, name)| json!({"name": name, "value": header(name)})).collect();
    let message = json!({
        "id": id, "threadId": "t1", "labelIds": ["INBOX"], "snippet": "It rained &amp; rained",
        "internalDate": document.date.timestamp_millis().to_string(), "payload": {"headers": pairs},
    });
    json_of(200, &message)
}
