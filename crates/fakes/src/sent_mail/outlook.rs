//! Fake Microsoft Graph 1.0: sent items.

use super::mail_api::{Paths, json, number, status_of, window};
use super::mail_request::MailRequest;
use super::mailbox::Mailbox;
use super::message::SentMessage;
use axum::Router;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};

pub const PATHS: Paths = Paths { base: "/v1.0", text: "select=body", file: "/$value" };

/// Most messages per page.
const TOP_MAX: usize = 1_000;
/// What Graph adds to the size of a file.
const WRAPPING: usize = 158;

pub fn router() -> Router<Mailbox> {
    Router::new()
        .route("/me/mailFolders/sentitems/messages", get(list))
        .route("/me/messages/{id}", get(message))
        .route("/me/messages/{id}/attachments", get(attachments))
        .route("/me/messages/{id}/attachments/{file}/$value", get(file))
}

async fn list(request: MailRequest) -> Response {
    const KNOWN: [&str; 5] = ["$select", "$orderby", "$top", "$filter", "$skip"];
    let (Some(top), Some(skip)) = (request.number("$top", 10), request.number("$skip", 0)) else {
        return status_of(400);
    };
    let terms = request.value("$filter").into_iter().flat_map(|filter| filter.split(" and "));
    let Some((from, until)) = window::<DateTime<Utc>>(terms, "sentDateTime ge ", "sentDateTime lt ") else {
        return status_of(400);
    };
    let is_ordered = request.value("$orderby") == Some("sentDateTime desc");
    // Immutable ids must be requested, because an event must find its message again.
    let is_lasting = request.headers.get("prefer").is_some_and(|value| value == r#"IdType="ImmutableId""#);
    if !request.gives_only(&KNOWN) || !is_ordered || !is_lasting || !(1..=TOP_MAX).contains(&top) {
        return status_of(400);
    }
    let (page, next) = request.mailbox.page(skip, top, |sent| {
        from.is_none_or(|from| sent >= from) && until.is_none_or(|until| sent < until)
    });
    let shown: Vec<Value> = page.into_iter().filter_map(|number| head(&request, number)).collect();
    let mut answer = json!({"value": shown});
    if let Some(next) = next {
        answer["@odata.nextLink"] = json!(next_link(&request, next));
    }
    json(&answer)
}

/// The full URL, as Graph returns it.
fn next_link(request: &MailRequest, skip: usize) -> String {
    let host = request.headers.get("host").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut next = url::Url::parse(&format!("http://{host}{}", request.path)).expect("an address");
    let kept = request.given.iter().filter(|(name, _)| name != "$skip");
    next.query_pairs_mut().extend_pairs(kept).append_pair("$skip", &skip.to_string());
    next.into()
}

/// Ids contain characters that must be escaped in a path.
fn id(number: usize) -> String {
    format!("AAMk/{number}+=")
}

fn number_of(id: &str) -> Option<usize> {
    number(id, "AAMk/", "+=")
}

/// The selected fields of a message.
fn head(request: &MailRequest, number: usize) -> Option<Value> {
    let (sent, message) = request.mailbox.message(number)?;
    let person = |address: &String| json!({"emailAddress": {"name": "Somebody", "address": address}});
    let people = |list: &[String]| Value::Array(list.iter().map(person).collect());
    let all = json!({
        "id": id(number), "sentDateTime": sent.to_rfc3339_opts(SecondsFormat::Secs, true),
        "subject": message.subject, "from": person(&message.from), "sender": person(&message.from),
        "toRecipients": people(&message.to), "ccRecipients": people(&message.cc),
        "bccRecipients": people(&message.bcc), "hasAttachments": !message.files.is_empty(),
        "body": {"contentType": "html", "content": message.html},
    });
    let fields = request.value("$select").unwrap_or_default().split(',');
    let chosen: Map<String, Value> =
        fields.filter_map(|name| Some((name.to_owned(), all.get(name)?.clone()))).collect();
    Some(Value::Object(chosen))
}

async fn message(Path(id): Path<String>, request: MailRequest) -> Response {
    match number_of(&id).and_then(|number| head(&request, number)) {
        Some(message) => json(&message),
        None => status_of(404),
    }
}

async fn attachments(Path(id): Path<String>, request: MailRequest) -> Response {
    let message = number_of(&id).and_then(|number| request.mailbox.message(number));
    let Some((_, SentMessage { files, .. })) = message else { return status_of(404) };
    if !request.gives_only(&["$select"]) {
        return status_of(400);
    }
    let file = |(number, (name, kind, bytes)): (usize, &(String, String, bytes::Bytes))| {
        json!({
            "@odata.type": "#microsoft.graph.fileAttachment", "id": format!("file/{number}="), "name": name,
            "contentType": kind, "size": bytes.len() + WRAPPING,
        })
    };
    let mut all: Vec<Value> = files.iter().enumerate().map(file).collect();
    all.push(json!({"@odata.type": "#microsoft.graph.itemAttachment", "id": "item", "name": "A message", "size": 9}));
    json(&json!({"value": all}))
}

async fn file(Path((id, file)): Path<(String, String)>, request: MailRequest) -> Response {
    match request.file(number_of(&id), number(&file, "file/", "=")) {
        Some((_, kind, bytes)) => ([("content-type", kind)], bytes).into_response(),
        None => status_of(404),
    }
}
