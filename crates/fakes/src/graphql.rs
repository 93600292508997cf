//! Fake GraphQL service: validates the document against a small schema and the variables against the document, and
//! pages by offset or by cursor.

use super::http_listener::HttpListener;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};

pub const TOKEN: &str = "graph-token-7f31";
/// Documents about anything; their dates are in no order.
pub const DOCUMENTS: u64 = 60;
/// Most results per request.
pub const PAGE_MAX: u64 = 20;

const ARGUMENTS: [&str; 5] = ["query", "first", "offset", "after", "order"];

pub struct GraphQl {
    pub listener: HttpListener,
    state: Arc<Mutex<ServerState>>,
}

#[derive(Default)]
struct ServerState {
    seen: Option<String>,
    requests: usize,
    /// Number of requests to answer with 429.
    throttled: usize,
    has_no_end: bool,
}

type Shared = State<Arc<Mutex<ServerState>>>;

impl GraphQl {
    pub async fn start() -> Self {
        let state: Arc<Mutex<ServerState>> = Arc::default();
        let router = Router::new().route("/graphql", post(answer)).with_state(Arc::clone(&state));
        Self { listener: HttpListener::start(router).await, state }
    }

    /// The words of the last valid query.
    pub fn seen(&self) -> impl Fn() -> Option<String> + Send + Sync + use<> {
        let state = Arc::clone(&self.state);
        move || state.lock().expect("the lock").seen.clone()
    }

    pub fn requests(&self) -> usize {
        self.state.lock().expect("the lock").requests
    }

    /// Answers the next request with 429.
    pub fn throttle(&self) {
        self.state.lock().expect("the lock").throttled = 1;
    }

    /// Makes the pages endless.
    pub fn never_end(&self) {
        self.state.lock().expect("the lock").has_no_end = true;
    }
}

async fn answer(State(state): Shared, headers: HeaderMap, body: String) -> Response {
    let mut state = state.lock().expect("the lock");
    state.requests += 1;
    if state.throttled > 0 {
        state.throttled -= 1;
        return (StatusCode::TOO_MANY_REQUESTS, [("Retry-After", "7")], "slow down").into_response();
    }
    let header =
        |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    if header("authorization") != format!("Bearer {TOKEN}") {
        let error = json!({"message": "Who are you?", "extensions": {"code": "UNAUTHENTICATED"}});
        return json_of(StatusCode::OK, &json!({"errors": [error]}));
    }
    if !header("content-type").starts_with("application/json") {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    match question(&body).and_then(|question| search(&question, &mut state)) {
        Ok(data) => json_of(StatusCode::OK, &json!({"data": data})),
        Err((code, message)) => {
            let error = json!({"message": message, "locations": [{"line": 1, "column": 1}], "extensions": {"code": code}});
            json_of(StatusCode::BAD_REQUEST, &json!({"errors": [error]}))
        }
    }
}

fn json_of(status: StatusCode, body: &Value) -> Response {
    (status, [("content-type", "application/json")], body.to_string()).into_response()
}

type Refused = (&'static str, String);

fn invalid(message: String) -> Refused {
    ("GRAPHQL_VALIDATION_FAILED", message)
}

/// The arguments of the only field `search`, with the variables inserted.
fn question(body: &str) -> Result<Map<String, Value>, Refused> {
    let body: Value = serde_json::from_str(body).map_err(|error| ("BAD_REQUEST", error.to_string()))?;
    let object = body.as_object().ok_or(("BAD_REQUEST", "an object is needed".to_owned()))?;
    if let Some(unknown) =
        object.keys().find(|key| !["query", "variables", "operationName"].contains(&key.as_str()))
    {
        return Err(("BAD_REQUEST", format!("unknown member {unknown}")));
    }
    let document = object.get("query").and_then(Value::as_str).unwrap_or_default();
    let (declared, rest) = document
        .strip_prefix("query (")
        .and_then(|rest| rest.split_once(')'))
        .ok_or(("GRAPHQL_PARSE_FAILED", "Syntax Error: Expected Name".to_owned()))?;
    let declared: Vec<&str> =
        declared.split(',').filter_map(|part| part.split(':').next()).map(str::trim).collect();
    let variables = object.get("variables").and_then(Value::as_object).cloned().unwrap_or_default();
    if let Some(unknown) = variables.keys().find(|name| !declared.contains(&format!("${name}").as_str())) {
        return Err(invalid(format!("Variable \"${unknown}\" is not declared")));
    }
    let (field, rest) =
        rest.trim().trim_start_matches('{').trim_start().split_once('(').unwrap_or((rest, ""));
    if field.trim() != "search" {
        return Err(invalid(format!("Cannot query field \"{}\" on type \"Query\"", field.trim())));
    }
    let mut arguments = Map::new();
    for argument in rest.split(')').next().unwrap_or_default().split(',') {
        let (name, variable) =
            argument.split_once(':').ok_or_else(|| invalid("an argument has no value".to_owned()))?;
        let (name, variable) = (name.trim(), variable.trim());
        if !ARGUMENTS.contains(&name) || !declared.contains(&variable) {
            return Err(invalid(format!("Unknown argument \"{name}\" or variable \"{variable}\"")));
        }
        arguments.insert(name.to_owned(), variables.get(&variable[1..]).cloned().unwrap_or(Value::Null));
    }
    Ok(arguments)
}

fn search(arguments: &Map<String, Value>, state: &mut ServerState) -> Result<Value, Refused> {
    let input = |message: &str| ("BAD_USER_INPUT", message.to_owned());
    let query =
        arguments.get("query").and_then(Value::as_str).ok_or_else(|| input("query must be a String!"))?;
    let number = |name: &str, usual: u64| match arguments.get(name) {
        None | Some(Value::Null) => Ok(usual),
        Some(value) => value.as_u64().ok_or_else(|| input("an Int is needed")),
    };
    let first = number("first", 10)?;
    if first > PAGE_MAX {
        return Err(input("first must not exceed 20"));
    }
    let after = match arguments.get("after") {
        None | Some(Value::Null) => 0,
        Some(cursor) => {
            let place = cursor
                .as_str()
                .and_then(|cursor| cursor.strip_prefix("c-"))
                .and_then(|text| text.parse().ok());
            place.ok_or_else(|| input("after is no cursor"))?
        }
    };
    let start = after + number("offset", 0)?;
    let mut documents: Vec<u64> = (0..DOCUMENTS).map(|number| number * 37 % DOCUMENTS).collect();
    match arguments.get("order").and_then(Value::as_str) {
        None | Some("BEST") => {}
        Some("NEWEST") => documents.sort_by_key(|number| std::cmp::Reverse(*number)),
        Some(_) => return Err(input("order must be an Order")),
    }
    state.seen = Some(query.to_owned());
    let place = |at: u64| usize::try_from(at.min(DOCUMENTS)).expect("a small number");
    let page: Vec<Value> =
        documents[place(start)..place(start + first)].iter().map(|number| document(*number)).collect();
    let end = start + page.len() as u64;
    let has_next = state.has_no_end || end < DOCUMENTS;
    let cursor = has_next.then(|| format!("c-{}", if state.has_no_end { 0 } else { end }));
    let found = json!({"total": DOCUMENTS, "nodes": page, "pageInfo": {"endCursor": cursor, "hasNextPage": has_next}});
    Ok(json!({"search": found}))
}

fn document(number: u64) -> Value {
    json!({
        "title": format!("Document {number}"),
        "link": format!("https://docs.example/{number}"),
        "created": format!("2024-{:02}-{:02}", number / 28 + 1, number % 28 + 1),
    })
}
