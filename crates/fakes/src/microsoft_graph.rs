//! Fake Microsoft Graph: the v1.0 search over mail, events, files, sites and chats. Accepts the members of a search
//! request and no others, parses KQL, and enforces the page sizes and sort orders of each entity type.

use super::boolean_query::{KQL, parse};
use super::cloud_documents::{Document, by_relevance, documents, newest_first};
use super::cloud_state::{CloudState, is_json, json_of, unknown_member};
use super::http_listener::HttpListener;
use axum::Router;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use axum::routing::post;
use serde_json::{Value, json};

pub const SCOPES: [&str; 5] =
    ["Mail.Read", "Calendars.Read", "Files.Read.All", "Sites.Read.All", "Chat.Read"];

pub struct Graph {
    pub listener: HttpListener,
    pub state: CloudState,
}

impl Graph {
    pub async fn start() -> Self {
        let state = CloudState::new(&SCOPES);
        let router = Router::new().route("/v1.0/search/query", post(search)).with_state(state.clone());
        Self { listener: HttpListener::start(router).await, state }
    }
}

async fn search(State(state): State<CloudState>, headers: HeaderMap, body: String) -> Response {
    let body: Value = serde_json::from_str(&body).unwrap_or(Value::Null);
    let request = &body["requests"][0];
    let kind = request["entityTypes"][0].as_str().unwrap_or_default().to_owned();
    let scope = match kind.as_str() {
        "message" => SCOPES[0],
        "event" => SCOPES[1],
        "driveItem" => SCOPES[2],
        "site" => SCOPES[3],
        _ => SCOPES[4],
    };
    if let Err(answer) =
        state.admit(&headers, scope, |status, scope| told(status, scope.unwrap_or("refused")))
    {
        return *answer;
    }
    if !is_json(&headers) {
        return json_of(415, &told(415, "UnsupportedMediaType"));
    }
    match answered(&body, request, &kind, &state) {
        Ok(answer) => json_of(200, &answer),
        Err(message) => json_of(400, &told(400, &message)),
    }
}

fn told(status: u16, message: &str) -> Value {
    let code = match status {
        401 => "InvalidAuthenticationToken",
        403 => "Forbidden",
        429 => "TooManyRequests",
        _ => "BadRequest",
    };
    json!({"error": {"code": code, "message": message}})
}

fn answered(body: &Value, request: &Value, kind: &str, state: &CloudState) -> Result<Value, String> {
    const MEMBERS: [&str; 6] = ["entityTypes", "query", "from", "size", "enableTopResults", "sortProperties"];
    let is_one = body["requests"].as_array().is_some_and(|requests| requests.len() == 1)
        && request["entityTypes"].as_array().is_some_and(|kinds| kinds.len() == 1);
    let unknown = unknown_member(body, &["requests"])
        .or_else(|| unknown_member(request, &MEMBERS))
        .or_else(|| unknown_member(&request["query"], &["queryString"]));
    if let Some(unknown) = unknown {
        return Err(format!("unknown member {unknown}"));
    }
    let is_file = match kind {
        "message" | "event" | "chatMessage" => false,
        "driveItem" | "site" => true,
        _ => return Err(format!("unknown entity type {kind}")),
    };
    let number = |name: &str| request[name].as_u64().ok_or(format!("{name} must be a number"));
    let (from, size) = (number("from")?, number("size")?);
    if !is_one || size == 0 || size > if is_file { 500 } else { 25 } {
        return Err("one request, and not too large a page".to_owned());
    }
    let text = request["query"]["queryString"].as_str().ok_or("queryString is needed")?;
    let expression = parse(text, &KQL)?;
    state.lock().seen = Some(expression.texts().join(" "));
    let mut found: Vec<Document> = documents().into_iter().filter(|one| expression.holds(one)).collect();
    order(&mut found, request, kind, is_file)?;
    let (total, from, size) = (found.len(), place(from), place(size));
    let hits: Vec<Value> =
        found.iter().zip(1..).skip(from).take(size).map(|(one, rank)| hit(one, rank, kind)).collect();
    let more = from + hits.len() < total;
    let container = json!({"hits": hits, "total": total, "moreResultsAvailable": more});
    let mut answer = json!({"value": [{"searchTerms": [], "hitsContainers": [container]}]});
    if let Some(link) = &state.lock().link {
        answer["@odata.nextLink"] = json!(link);
    }
    Ok(answer)
}

fn place(number: u64) -> usize {
    usize::try_from(number).expect("a small number")
}

/// Mail, events and chats are sorted by date, optionally with the top mails first; files by relevance or a property.
fn order(found: &mut [Document], request: &Value, kind: &str, is_file: bool) -> Result<(), String> {
    let (top, sort) = (&request["enableTopResults"], &request["sortProperties"]);
    if (!top.is_null() && (kind != "message" || !top.is_boolean())) || (!sort.is_null() && !is_file) {
        return Err(format!("this order is not known for {kind}"));
    }
    if !is_file {
        newest_first(found);
        if *top == true {
            let mut best = found.to_vec();
            by_relevance(&mut best);
            best.truncate(3);
            let is_best = |one: &Document| best.iter().any(|top| top.number == one.number);
            found.sort_by_key(|one| !is_best(one));
        }
        return Ok(());
    }
    by_relevance(found);
    if sort.is_null() {
        return Ok(());
    }
    let property = &sort[0];
    let is_known = ["lastModifiedDateTime", "createdDateTime"].iter().any(|name| property["name"] == *name);
    if !is_known
        || property["isDescending"] != true
        || unknown_member(property, &["name", "isDescending"]).is_some()
    {
        return Err("the property cannot be sorted by".to_owned());
    }
    newest_first(found);
    Ok(())
}

fn hit(document: &Document, rank: usize, kind: &str) -> Value {
    let (id, date, title) = (format!("id-{}==", document.number), document.date_text(), &document.title);
    let person = json!({"emailAddress": {"name": "Ann Reed", "address": "ann@example.org"}});
    let creator = json!({"user": {"displayName": "Ann Reed"}});
    let url = format!("https://example.sharepoint.com/{}", document.number);
    let resource = match kind {
        "message" => json!({"subject": title, "receivedDateTime": date, "from": person, "sender": person,
            "bodyPreview": "short", "hasAttachments": false, "webLink": url}),
        "event" => json!({"subject": title, "start": {"dateTime": date, "timeZone": "UTC"},
            "end": {"dateTime": date, "timeZone": "UTC"}, "organizer": person, "isAllDay": false}),
        "driveItem" => json!({"name": title, "webUrl": url, "createdBy": creator, "size": 10,
            "createdDateTime": date, "lastModifiedDateTime": date}),
        "site" => json!({"displayName": title, "name": "site", "webUrl": url, "lastModifiedDateTime": date}),
        _ => {
            json!({"subject": title, "createdDateTime": date, "from": person, "chatId": "19:1", "webLink": url})
        }
    };
    json!({"hitId": id, "rank": rank, "summary": format!("about <c0>{rank}</c0><ddd/>"), "resource": resource})
}
