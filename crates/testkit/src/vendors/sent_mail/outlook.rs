//! The sent items of Microsoft Graph 1.0.

use super::guest::Guest;
use super::mailbox::Mailbox;
use super::{Letter, Paths, json, number, status_of, window};
use axum::Router;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};

pub const PATHS: Paths = Paths { base: "/v1.0", text: "select=body", file: "/$value" };

/// Graph gives at most so many messages at once.
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

async fn list(guest: Guest) -> Response {
    const KNOWN: [&str; 5] = ["$select", "$orderby", "$top", "$filter", "$skip"];
    let (Some(top), Some(skip)) = (guest.number("$top", 10), guest.number("$skip", 0)) else {
        return status_of(400);
    };
    let terms = guest.value("$filter").into_iter().flat_map(|filter| filter.split(" and "));
    let Some((from, until)) = window::<DateTime<Utc>>(terms, "sentDateTime ge ", "sentDateTime lt ") else {
        return status_of(400);
    };
    let is_ordered = guest.value("$orderby") == Some("sentDateTime desc");
    // Ids that stay are asked for, because an event must know its message again.
    let is_lasting = guest.headers.get("prefer").is_some_and(|value| value == r#"IdType="ImmutableId""#);
    if !guest.gives_only(&KNOWN) || !is_ordered || !is_lasting || !(1..=TOP_MAX).contains(&top) {
        return status_of(400);
    }
    let (page, next) = guest.mailbox.page(skip, top, |sent| {
        from.is_none_or(|from| sent >= from) && until.is_none_or(|until| sent < until)
    });
    let shown: Vec<Value> = page.into_iter().filter_map(|number| head(&guest, number)).collect();
    let mut answer = json!({"value": shown});
    if let Some(next) = next {
        answer["@odata.nextLink"] = json!(next_link(&guest, next));
    }
    json(&answer)
}

/// The whole address, as Graph gives it.
fn next_link(guest: &Guest, skip: usize) -> String {
    let host = guest.headers.get("host").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut next = url::Url::parse(&format!("http://{host}{}", guest.path)).expect("an address");
    let kept = guest.given.iter().filter(|(name, _)| name != "$skip");
    next.query_pairs_mut().extend_pairs(kept).append_pair("$skip", &skip.to_string());
    next.into()
}

/// Ids hold characters that a path cannot.
fn id(number: usize) -> String {
    format!("AAMk/{number}+=")
}

fn number_of(id: &str) -> Option<usize> {
    number(id, "AAMk/", "+=")
}

/// The fields of a message that are wanted.
fn head(guest: &Guest, number: usize) -> Option<Value> {
    let (sent, letter) = guest.mailbox.letter(number)?;
    let person = |address: &String| json!({"emailAddress": {"name": "Somebody", "address": address}});
    let people = |list: &[String]| Value::Array(list.iter().map(person).collect());
    let all = json!({
        "id": id(number), "sentDateTime": sent.to_rfc3339_opts(SecondsFormat::Secs, true),
        "subject": letter.subject, "from": person(&letter.from), "sender": person(&letter.from),
        "toRecipients": people(&letter.to), "ccRecipients": people(&letter.cc),
        "bccRecipients": people(&letter.bcc), "hasAttachments": !letter.files.is_empty(),
        "body": {"contentType": "html", "content": letter.html},
    });
    let fields = guest.value("$select").unwrap_or_default().split(',');
    let chosen: Map<String, Value> =
        fields.filter_map(|name| Some((name.to_owned(), all.get(name)?.clone()))).collect();
    Some(Value::Object(chosen))
}

async fn message(Path(id): Path<String>, guest: Guest) -> Response {
    match number_of(&id).and_then(|number| head(&guest, number)) {
        Some(message) => json(&message),
        None => status_of(404),
    }
}

async fn attachments(Path(id): Path<String>, guest: Guest) -> Response {
    let letter = number_of(&id).and_then(|number| guest.mailbox.letter(number));
    let Some((_, Letter { files, .. })) = letter else { return status_of(404) };
    if !guest.gives_only(&["$select"]) {
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

async fn file(Path((id, file)): Path<(String, String)>, guest: Guest) -> Response {
    match guest.file(number_of(&id), number(&file, "file/", "=")) {
        Some((_, kind, bytes)) => ([("content-type", kind)], bytes).into_response(),
        None => status_of(404),
    }
}
