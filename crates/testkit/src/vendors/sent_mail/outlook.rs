//! The sent items of Microsoft Graph 1.0.

use super::{Letter, Mailbox, has_unknown, json, status_of, value};
use crate::vendors::stand::Stand;
use axum::Router;
use axum::extract::{OriginalUri, Path, Query, State};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};

/// Graph gives at most so many messages at once.
const TOP_MAX: usize = 1_000;
/// What Graph adds to the size of a file.
const WRAPPING: usize = 158;

pub struct OutlookPost {
    pub stand: Stand,
    pub mailbox: Mailbox,
}

type Parameters = Query<Vec<(String, String)>>;

impl OutlookPost {
    pub async fn start(letters: Vec<Letter>, newest: DateTime<Utc>) -> Self {
        let mailbox = Mailbox::new(letters, newest);
        let router = Router::new()
            .route("/v1.0/me/mailFolders/sentitems/messages", get(list))
            .route("/v1.0/me/messages/{id}", get(message))
            .route("/v1.0/me/messages/{id}/attachments", get(attachments))
            .route("/v1.0/me/messages/{id}/attachments/{file}/$value", get(file))
            .with_state(mailbox.clone());
        Self { stand: Stand::start(router).await, mailbox }
    }

    /// For `SVC_EGRESS_OUTLOOK_URL`.
    pub fn url(&self) -> String {
        self.stand.at("/v1.0")
    }
}

async fn list(
    State(mailbox): State<Mailbox>,
    OriginalUri(uri): OriginalUri,
    headers: HeaderMap,
    Query(given): Parameters,
) -> Response {
    if let Err(answer) = mailbox.admit(&headers, uri.path()) {
        return *answer;
    }
    const KNOWN: [&str; 5] = ["$select", "$orderby", "$top", "$filter", "$skip"];
    let number = |name: &str, usual: usize| value(&given, name).map_or(Some(usual), |text| text.parse().ok());
    let (Some(top), Some(skip)) = (number("$top", 10), number("$skip", 0)) else { return status_of(400) };
    let Some((from, until)) = window(value(&given, "$filter")) else { return status_of(400) };
    let is_ordered = value(&given, "$orderby") == Some("sentDateTime desc");
    // Ids that stay are asked for, because an event must know its message again.
    let is_lasting = headers.get("prefer").is_some_and(|value| value == r#"IdType="ImmutableId""#);
    if has_unknown(&given, &KNOWN) || !is_ordered || !is_lasting || !(1..=TOP_MAX).contains(&top) {
        return status_of(400);
    }
    if mailbox.is_endless() {
        let next = format!("http://{}{uri}", headers["host"].to_str().unwrap_or_default());
        return json(&json!({"value": [], "@odata.nextLink": next}));
    }
    let fields: Vec<&str> = value(&given, "$select").unwrap_or_default().split(',').collect();
    let mut all = mailbox.times();
    all.retain(|(_, sent)| from.is_none_or(|from| *sent >= from) && until.is_none_or(|until| *sent < until));
    let shown = all.iter().skip(skip).take(top).filter_map(|(number, sent)| {
        let (_, letter) = mailbox.letter(*number)?;
        Some(head(*number, *sent, &letter, &fields))
    });
    let shown: Vec<Value> = shown.collect();
    let mut answer = json!({"value": shown});
    if skip + top < all.len() {
        let host = headers.get("host").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut next = url::Url::parse(&format!("http://{host}{}", uri.path())).expect("an address");
        let kept = given.iter().filter(|(name, _)| name != "$skip");
        next.query_pairs_mut().extend_pairs(kept).append_pair("$skip", &(skip + top).to_string());
        answer["@odata.nextLink"] = json!(next.as_str());
    }
    json(&answer)
}

type Window = (Option<DateTime<Utc>>, Option<DateTime<Utc>>);

fn window(filter: Option<&str>) -> Option<Window> {
    let mut window = (None, None);
    for term in filter.into_iter().flat_map(|filter| filter.split(" and ")) {
        let time = |prefix: &str| term.strip_prefix(prefix).and_then(|text| text.parse().ok());
        match (time("sentDateTime ge "), time("sentDateTime lt ")) {
            (Some(from), _) => window.0 = Some(from),
            (_, Some(until)) => window.1 = Some(until),
            _ => return None,
        }
    }
    Some(window)
}

/// Ids hold characters that a path cannot.
fn id(number: usize) -> String {
    format!("AAMk/{number}+=")
}

fn letter_of(mailbox: &Mailbox, id: &str) -> Option<(usize, Letter)> {
    let number: usize = id.strip_prefix("AAMk/")?.strip_suffix("+=")?.parse().ok()?;
    Some((number, mailbox.letter(number)?.1))
}

fn head(number: usize, sent: DateTime<Utc>, letter: &Letter, fields: &[&str]) -> Value {
    let person = |address: &String| json!({"emailAddress": {"name": "Somebody", "address": address}});
    let people = |list: &[String]| Value::Array(list.iter().map(person).collect());
    let all = json!({
        "id": id(number), "sentDateTime": sent.to_rfc3339_opts(SecondsFormat::Secs, true),
        "subject": letter.subject, "from": person(&letter.from), "sender": person(&letter.from),
        "toRecipients": people(&letter.to), "ccRecipients": people(&letter.cc),
        "bccRecipients": people(&letter.bcc), "hasAttachments": !letter.files.is_empty(),
        "body": {"contentType": "html", "content": letter.html},
    });
    let chosen: Map<String, Value> =
        fields.iter().filter_map(|name| Some(((*name).to_owned(), all.get(*name)?.clone()))).collect();
    Value::Object(chosen)
}

async fn message(
    State(mailbox): State<Mailbox>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Query(given): Parameters,
) -> Response {
    if let Err(answer) = mailbox.admit(&headers, "/full") {
        return *answer;
    }
    let Some((number, letter)) = letter_of(&mailbox, &id) else { return status_of(404) };
    let fields: Vec<&str> = value(&given, "$select").unwrap_or_default().split(',').collect();
    json(&head(number, DateTime::UNIX_EPOCH, &letter, &fields))
}

async fn attachments(
    State(mailbox): State<Mailbox>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Query(given): Parameters,
) -> Response {
    if let Err(answer) = mailbox.admit(&headers, "/attachments") {
        return *answer;
    }
    let Some((_, letter)) = letter_of(&mailbox, &id) else { return status_of(404) };
    if has_unknown(&given, &["$select"]) {
        return status_of(400);
    }
    let file = |(number, (name, kind, bytes)): (usize, &(String, String, bytes::Bytes))| {
        json!({
            "@odata.type": "#microsoft.graph.fileAttachment", "id": format!("file/{number}="), "name": name,
            "contentType": kind, "size": bytes.len() + WRAPPING,
        })
    };
    let mut all: Vec<Value> = letter.files.iter().enumerate().map(file).collect();
    all.push(json!({"@odata.type": "#microsoft.graph.itemAttachment", "id": "item", "name": "A message", "size": 9}));
    json(&json!({"value": all}))
}

async fn file(
    State(mailbox): State<Mailbox>,
    Path((id, file)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    if let Err(answer) = mailbox.admit(&headers, "/file") {
        return *answer;
    }
    let number =
        file.strip_prefix("file/").and_then(|rest| rest.strip_suffix('=')).and_then(|text| text.parse().ok());
    let letter = letter_of(&mailbox, &id);
    let found = letter.and_then(|(_, letter)| letter.files.get(number.unwrap_or(usize::MAX)).cloned());
    match found {
        Some((_, kind, bytes)) => ([("content-type", kind)], bytes).into_response(),
        None => status_of(404),
    }
}
