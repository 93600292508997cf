//! Fake Google Calendar: events between two times, oldest first.

use super::access::{Parameters, SCOPES, admit, checked, invalid, page, size};
use crate::cloud_documents::{Document, documents, words};
use crate::cloud_state::{CloudState, json_of};
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use chrono::DateTime;
use serde_json::{Value, json};

/// Calendar may return fewer events than requested.
const PAGE: usize = 20;

pub async fn list(State(state): State<CloudState>, headers: HeaderMap, Query(given): Parameters) -> Response {
    if let Err(answer) = admit(&state, &headers, SCOPES[2]) {
        return *answer;
    }
    found(&given, &state).map_or_else(|reason| invalid(&reason), |answer| json_of(200, &answer))
}

fn found(given: &[(String, String)], state: &CloudState) -> Result<Value, String> {
    const KNOWN: [&str; 8] =
        ["q", "timeMin", "timeMax", "singleEvents", "orderBy", "maxResults", "pageToken", "fields"];
    let value = checked(given, &KNOWN)?;
    let size = size(value("maxResults"), 2500)?;
    let time = |name: &str| {
        let text = value(name).unwrap_or_default();
        DateTime::parse_from_rfc3339(text).map(|time| time.to_utc()).map_err(|_| format!("Invalid {name}"))
    };
    let (earliest, latest) = (time("timeMin")?, time("timeMax")?);
    let is_ordered = value("orderBy") == Some("startTime") && value("singleEvents") == Some("true");
    if !is_ordered || earliest >= latest {
        return Err("The requested ordering or time range is not valid.".to_owned());
    }
    let text = value("q").unwrap_or_default();
    state.lock().seen = Some(text.to_owned());
    let wanted = words(text);
    let all = documents().into_iter().filter(|one| !one.is_folder && one.holds(&wanted));
    let mut all: Vec<Document> = all.filter(|one| one.date >= earliest && one.date < latest).collect();
    all.sort_by_key(|one| one.date);
    let (events, next) = page(&all, value("pageToken"), size.min(PAGE))?;
    let events: Vec<Value> = events.iter().map(event).collect();
    Ok(json!({"items": events, "nextPageToken": next}))
}

fn event(document: &Document) -> Value {
    json!({
        "id": format!("e{}", document.number),
        "status": "confirmed",
        "summary": document.title,
        "htmlLink": format!("https://www.google.com/calendar/event?eid=e{}", document.number),
        "start": {"dateTime": document.date_text()},
        "end": {"dateTime": document.date_text()},
        "organizer": {"email": "ann@example.org"},
        "attendees": [{"email": "bo@example.org"}],
    })
}
