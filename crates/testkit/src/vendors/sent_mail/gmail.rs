//! The sent messages of Gmail.

use super::{Letter, Mailbox, has_unknown, json, status_of, value};
use crate::vendors::stand::Stand;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

/// Gmail gives at most so many ids at once.
const RESULTS_MAX: usize = 500;

pub struct GmailPost {
    pub stand: Stand,
    pub mailbox: Mailbox,
}

type Parameters = Query<Vec<(String, String)>>;

impl GmailPost {
    pub async fn start(letters: Vec<Letter>, newest: DateTime<Utc>) -> Self {
        let mailbox = Mailbox::new(letters, newest);
        let router = Router::new()
            .route("/gmail/v1/users/me/messages", get(list))
            .route("/gmail/v1/users/me/messages/{id}", get(message))
            .route("/gmail/v1/users/me/messages/{id}/attachments/{file}", get(file))
            .with_state(mailbox.clone());
        Self { stand: Stand::start(router).await, mailbox }
    }

    /// For `SVC_EGRESS_GMAIL_URL`.
    pub fn url(&self) -> String {
        self.stand.at("/gmail/v1")
    }
}

async fn list(State(mailbox): State<Mailbox>, headers: HeaderMap, Query(given): Parameters) -> Response {
    if let Err(answer) = mailbox.admit(&headers, "/list") {
        return *answer;
    }
    let number = |text: &str| text.parse::<usize>().ok();
    let most = value(&given, "maxResults").map_or(Some(100), number);
    let start = value(&given, "pageToken").map_or(Some(0), |token| number(token.strip_prefix("~")?));
    let (Some(most), Some(start)) = (most.filter(|most| (1..=RESULTS_MAX).contains(most)), start) else {
        return status_of(400);
    };
    let is_sent = value(&given, "labelIds") == Some("SENT");
    let Some((from, until)) = window(value(&given, "q")) else { return status_of(400) };
    if !is_sent || has_unknown(&given, &["labelIds", "maxResults", "q", "pageToken"]) {
        return status_of(400);
    }
    if mailbox.is_endless() {
        return json(&json!({"nextPageToken": "~1"}));
    }
    let mut all = mailbox.times();
    all.retain(|(_, sent)| {
        let sent = sent.timestamp();
        from.is_none_or(|from| sent > from) && until.is_none_or(|until| sent < until)
    });
    let ids: Vec<Value> = all
        .iter()
        .skip(start)
        .take(most)
        .map(|(number, _)| json!({"id": format!("m{number}"), "threadId": "t"}))
        .collect();
    let mut answer = json!({"resultSizeEstimate": all.len()});
    // An empty list is left out.
    if !ids.is_empty() {
        answer["messages"] = Value::Array(ids);
    }
    if start + most < all.len() {
        answer["nextPageToken"] = json!(format!("~{}", start + most));
    }
    json(&answer)
}

fn window(words: Option<&str>) -> Option<(Option<i64>, Option<i64>)> {
    let mut window = (None, None);
    for word in words.into_iter().flat_map(str::split_whitespace) {
        let second = |prefix: &str| word.strip_prefix(prefix).and_then(|text| text.parse().ok());
        match (second("after:"), second("before:")) {
            (Some(from), _) => window.0 = Some(from),
            (_, Some(until)) => window.1 = Some(until),
            _ => return None,
        }
    }
    Some(window)
}

async fn message(
    State(mailbox): State<Mailbox>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Query(given): Parameters,
) -> Response {
    let format = value(&given, "format").unwrap_or("full");
    if let Err(answer) = mailbox.admit(&headers, &format!("/{format}")) {
        return *answer;
    }
    if has_unknown(&given, &["format", "metadataHeaders"]) || !["full", "metadata"].contains(&format) {
        return status_of(400);
    }
    let number = id.strip_prefix('m').and_then(|number| number.parse::<usize>().ok());
    let Some((sent, letter)) = number.and_then(|number| mailbox.letter(number)) else {
        return status_of(404);
    };
    let mut headers = headers_of(&letter);
    let mut payload = json!({"mimeType": "multipart/mixed"});
    if format == "metadata" {
        let is_wanted = |one: &Value| {
            given.iter().any(|(name, value)| name == "metadataHeaders" && one["name"] == value.as_str())
        };
        headers.retain(is_wanted);
    } else {
        payload["parts"] = Value::Array(parts_of(&letter));
    }
    payload["headers"] = Value::Array(headers);
    json(&json!({
        "id": id, "threadId": "t", "labelIds": ["SENT"], "snippet": letter.subject,
        "internalDate": sent.timestamp_millis().to_string(), "payload": payload,
    }))
}

fn headers_of(letter: &Letter) -> Vec<Value> {
    let people = |list: &[String]| {
        let people: Vec<String> = list.iter().map(|one| format!("\"Some, body\" <{one}>")).collect();
        people.join(", ")
    };
    let all = [
        ("From", letter.from.clone()),
        ("To", people(&letter.to)),
        ("Cc", people(&letter.cc)),
        ("Bcc", people(&letter.bcc)),
        ("Subject", letter.subject.clone()),
    ];
    let given = all.into_iter().filter(|(_, value)| !value.is_empty());
    given.map(|(name, value)| json!({"name": name, "value": value})).collect()
}

fn parts_of(letter: &Letter) -> Vec<Value> {
    let page = json!({"mimeType": "text/html", "filename": "",
        "body": {"size": letter.html.len(), "data": URL_SAFE.encode(&letter.html)}});
    let plain = json!({"mimeType": "text/plain", "filename": "", "body": {"size": 2, "data": "aGk="}});
    let mut parts = vec![json!({"mimeType": "multipart/alternative", "parts": [plain, page]})];
    parts.extend(letter.files.iter().enumerate().map(|(number, (name, kind, bytes))| {
        json!({"mimeType": kind, "filename": name,
            "body": {"size": bytes.len(), "attachmentId": format!("ANGj-{number}_")}})
    }));
    parts
}

async fn file(
    State(mailbox): State<Mailbox>,
    Path((id, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    if let Err(answer) = mailbox.admit(&headers, "/file") {
        return *answer;
    }
    let letter = id.strip_prefix('m').and_then(|number| mailbox.letter(number.parse().ok()?));
    let number = file.strip_prefix("ANGj-").and_then(|rest| rest.strip_suffix('_')?.parse::<usize>().ok());
    match letter.zip(number).and_then(|((_, letter), number)| letter.files.get(number).cloned()) {
        Some((_, _, bytes)) => json(&json!({"size": bytes.len(), "data": URL_SAFE.encode(&bytes)})),
        None => status_of(404),
    }
}
