//! Mail: a search gives ids, newest first; each message is read by its own.

use super::{Parameters, SCOPES, admit, checked, invalid, page, size, told};
use crate::vendors::boolean_query::{GMAIL, parse};
use crate::vendors::cloud_desk::{CloudDesk, json_of};
use crate::vendors::library::{Document, documents, newest_first};
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};
use std::time::Duration;

/// Gmail may give fewer messages than were asked for.
const PAGE: usize = 20;
/// How long a message takes, so that several are read at once.
const READING: Duration = Duration::from_millis(5);

pub async fn list(State(desk): State<CloudDesk>, headers: HeaderMap, Query(given): Parameters) -> Response {
    if let Err(answer) = admit(&desk, &headers, SCOPES[1]) {
        return *answer;
    }
    found(&given, &desk).map_or_else(|reason| invalid(&reason), |answer| json_of(200, &answer))
}

fn found(given: &[(String, String)], desk: &CloudDesk) -> Result<Value, String> {
    let value = checked(given, &["q", "maxResults", "pageToken"])?;
    let size = size(value("maxResults"), 500)?;
    let query = parse(value("q").unwrap_or_default(), &GMAIL)?;
    desk.lock().seen = Some(query.texts().join(" "));
    let mut all: Vec<Document> =
        documents().into_iter().filter(|one| !one.is_folder && query.holds(one)).collect();
    newest_first(&mut all);
    let (found, next) = page(&all, value("pageToken"), size.min(PAGE))?;
    let ids = found.iter().map(|one| json!({"id": format!("m{}", one.number), "threadId": "t1"}));
    let ids: Vec<Value> = ids.collect();
    Ok(json!({"messages": ids, "nextPageToken": next, "resultSizeEstimate": 201}))
}

pub async fn message(
    State(desk): State<CloudDesk>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Query(given): Parameters,
) -> Response {
    if let Err(answer) = admit(&desk, &headers, SCOPES[1]) {
        return *answer;
    }
    if given.first().is_none_or(|(name, value)| name != "format" || value != "metadata")
        || given[1..].iter().any(|(name, _)| name != "metadataHeaders")
    {
        return invalid("invalidArgument");
    }
    {
        let mut desk = desk.lock();
        desk.now_open += 1;
        desk.most_open = desk.most_open.max(desk.now_open);
    }
    tokio::time::sleep(READING).await;
    desk.lock().now_open -= 1;
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
