//! Fake Gmail: sent messages.

use super::mail_api::{Paths, json, number, status_of, window};
use super::mail_request::MailRequest;
use super::mailbox::Mailbox;
use super::message::SentMessage;
use axum::Router;
use axum::extract::Path;
use axum::response::Response;
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use serde_json::{Value, json};

pub const PATHS: Paths = Paths { base: "/gmail/v1", text: "format=full", file: "/attachments/ANGj-" };

/// Most ids per page.
const RESULTS_MAX: usize = 500;
/// A longer text does not come with its message.
const TEXT_BYTES_MAX: usize = 100_000;
/// The id of such a text.
const TEXT_ID: &str = "ANGt_";

pub fn router() -> Router<Mailbox> {
    Router::new()
        .route("/users/me/messages", get(list))
        .route("/users/me/messages/{id}", get(message))
        .route("/users/me/messages/{id}/attachments/{file}", get(file))
}

async fn list(request: MailRequest) -> Response {
    let most = request.number("maxResults", 100).filter(|most| (1..=RESULTS_MAX).contains(most));
    let start = request.value("pageToken").map_or(Some(0), |token| number(token, "~", ""));
    let words = request.value("q").into_iter().flat_map(str::split_whitespace);
    let within = window::<i64>(words, "after:", "before:");
    let (Some(most), Some(start), Some((from, until))) = (most, start, within) else {
        return status_of(400);
    };
    let is_sent = request.value("labelIds") == Some("SENT");
    if !is_sent || !request.gives_only(&["labelIds", "maxResults", "q", "pageToken"]) {
        return status_of(400);
    }
    let (page, next) = request.mailbox.page(start, most, |sent| {
        let sent = sent.timestamp();
        from.is_none_or(|from| sent > from) && until.is_none_or(|until| sent < until)
    });
    let ids: Vec<Value> =
        page.iter().map(|number| json!({"id": format!("m{number}"), "threadId": "t"})).collect();
    let mut answer = json!({"resultSizeEstimate": ids.len()});
    // An empty list is left out.
    if !ids.is_empty() {
        answer["messages"] = Value::Array(ids);
    }
    if let Some(next) = next {
        answer["nextPageToken"] = json!(format!("~{next}"));
    }
    json(&answer)
}

fn number_of(id: &str) -> Option<usize> {
    number(id, "m", "")
}

async fn message(Path(id): Path<String>, request: MailRequest) -> Response {
    let format = request.value("format").unwrap_or("full");
    if !request.gives_only(&["format", "metadataHeaders"]) || !["full", "metadata"].contains(&format) {
        return status_of(400);
    }
    let Some((sent, message)) = number_of(&id).and_then(|number| request.mailbox.message(number)) else {
        return status_of(404);
    };
    let mut headers = headers_of(&message);
    let mut payload = json!({"mimeType": "multipart/mixed"});
    if format == "metadata" {
        let is_wanted = |one: &Value| {
            request
                .given
                .iter()
                .any(|(name, value)| name == "metadataHeaders" && one["name"] == value.as_str())
        };
        headers.retain(is_wanted);
    } else {
        payload["parts"] = Value::Array(parts_of(&message));
    }
    payload["headers"] = Value::Array(headers);
    json(&json!({
        "id": id, "threadId": "t", "labelIds": ["SENT"], "snippet": message.subject,
        "internalDate": sent.timestamp_millis().to_string(), "payload": payload,
    }))
}

fn headers_of(message: &SentMessage) -> Vec<Value> {
    let people = |list: &[String]| {
        let people: Vec<String> = list.iter().map(|one| format!("\"Some, body\" <{one}>")).collect();
        people.join(", ")
    };
    let all = [
        ("From", message.from.clone()),
        ("To", people(&message.to)),
        ("Cc", people(&message.cc)),
        ("Bcc", people(&message.bcc)),
        ("Subject", message.subject.clone()),
    ];
    let given = all.into_iter().filter(|(_, value)| !value.is_empty());
    given.map(|(name, value)| json!({"name": name, "value": value})).collect()
}

fn parts_of(message: &SentMessage) -> Vec<Value> {
    let mut body = json!({"size": message.html.len()});
    if message.html.len() > TEXT_BYTES_MAX {
        body["attachmentId"] = json!(TEXT_ID);
    } else {
        body["data"] = json!(URL_SAFE.encode(&message.html));
    }
    let page = json!({"mimeType": "text/html", "filename": "", "body": body});
    let plain = json!({"mimeType": "text/plain", "filename": "", "body": {"size": 2, "data": "aGk="}});
    let mut parts = vec![json!({"mimeType": "multipart/alternative", "parts": [plain, page]})];
    parts.extend(message.files.iter().enumerate().map(|(number, (name, kind, bytes))| {
        json!({"mimeType": kind, "filename": name,
            "body": {"size": bytes.len(), "attachmentId": format!("ANGj-{number}_")}})
    }));
    parts
}

async fn file(Path((id, file)): Path<(String, String)>, request: MailRequest) -> Response {
    let message = number_of(&id);
    let data = |bytes: &[u8]| json(&json!({"size": bytes.len(), "data": URL_SAFE.encode(bytes)}));
    if file == TEXT_ID {
        let message = message.and_then(|number| request.mailbox.message(number));
        return message.map_or_else(|| status_of(404), |(_, message)| data(message.html.as_bytes()));
    }
    match request.file(message, number(&file, "ANGj-", "_")) {
        Some((_, _, bytes)) => data(&bytes),
        None => status_of(404),
    }
}
