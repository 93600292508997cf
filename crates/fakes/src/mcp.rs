//! Fake Model Context Protocol server over streamable HTTP, with sessions and search tools. Rejects what the protocol
//! forbids: a missing `Accept`, an uninitialized session, an unknown tool or argument.

use super::http_listener::HttpListener;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

pub const TOKEN: &str = "mcp-token-52aa";
/// Documents about anything; their dates are in no order.
pub const DOCUMENTS: u64 = 60;
/// Most results per request.
pub const COUNT_MAX: u64 = 50;

const VERSION: &str = "2025-06-18";
const TOOLS: [&str; 5] = ["search", "search_links", "search_json_text", "search_prose", "search_broken"];
const ARGUMENTS: [&str; 5] = ["query", "count", "skip", "order", "kind"];

pub struct McpServer {
    pub listener: HttpListener,
    state: Arc<Mutex<ServerState>>,
}

#[derive(Default)]
struct ServerState {
    seen: Option<String>,
    /// Sessions, and whether the client is initialized.
    sessions: BTreeMap<String, bool>,
    is_throttled: bool,
    streams: bool,
    /// A stream stays open after the response.
    lingers: bool,
    is_stateless: bool,
}

type Shared = State<Arc<Mutex<ServerState>>>;

impl McpServer {
    pub async fn start() -> Self {
        let state: Arc<Mutex<ServerState>> = Arc::default();
        let router = Router::new().route("/mcp", post(answer)).with_state(Arc::clone(&state));
        Self { listener: HttpListener::start(router).await, state }
    }

    /// The words of the last valid query.
    pub fn seen(&self) -> impl Fn() -> Option<String> + Send + Sync + use<> {
        let state = Arc::clone(&self.state);
        move || state.lock().expect("the lock").seen.clone()
    }

    /// Answers the next request with 429.
    pub fn throttle(&self) {
        self.state.lock().expect("the lock").is_throttled = true;
    }

    /// Sends event streams with another message before the response.
    pub fn answer_by_streams(&self, lingers: bool) {
        let mut state = self.state.lock().expect("the lock");
        (state.streams, state.lingers) = (true, lingers);
    }

    /// Disables sessions.
    pub fn forget_sessions(&self) {
        self.state.lock().expect("the lock").is_stateless = true;
    }
}

async fn answer(State(state): Shared, headers: HeaderMap, body: String) -> Response {
    let mut state = state.lock().expect("the lock");
    if std::mem::take(&mut state.is_throttled) {
        return (StatusCode::TOO_MANY_REQUESTS, [("Retry-After", "7")], "slow down").into_response();
    }
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if header("authorization") != format!("Bearer {TOKEN}") {
        let challenge =
            r#"Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource""#;
        return (StatusCode::UNAUTHORIZED, [("WWW-Authenticate", challenge)], "").into_response();
    }
    let accept = header("accept");
    if !accept.contains("application/json") || !accept.contains("text/event-stream") {
        return StatusCode::NOT_ACCEPTABLE.into_response();
    }
    if !header("content-type").starts_with("application/json") {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let Ok(message) = serde_json::from_str::<Value>(&body) else {
        return error(&Value::Null, -32700, "Parse error");
    };
    if message["jsonrpc"] != "2.0" {
        return error(&message["id"], -32600, "Invalid Request");
    }
    let method = message["method"].as_str().unwrap_or_default();
    if method == "initialize" {
        return begin(&mut state, &message);
    }
    if let Some(refusal) =
        out_of_session(&state, header("mcp-session-id"), header("mcp-protocol-version"), method)
    {
        return refusal;
    }
    match method {
        "notifications/initialized" => {
            if let Some(is_ready) = state.sessions.get_mut(header("mcp-session-id")) {
                *is_ready = true;
            }
            StatusCode::ACCEPTED.into_response()
        }
        "tools/call" => match call(&mut state, &message["params"]) {
            Ok(result) => told(&state, &json!({"jsonrpc": "2.0", "id": message["id"], "result": result})),
            Err(sentence) => error(&message["id"], -32602, &sentence),
        },
        _ => error(&message["id"], -32601, "Method not found"),
    }
}

fn begin(state: &mut ServerState, message: &Value) -> Response {
    let params = &message["params"];
    let is_whole = params["protocolVersion"].is_string()
        && params["capabilities"].is_object()
        && params["clientInfo"]["name"].is_string()
        && params["clientInfo"]["version"].is_string();
    if !is_whole {
        return error(&message["id"], -32602, "initialize lacks a parameter");
    }
    let result = json!({"protocolVersion": VERSION, "capabilities": {"tools": {}},
        "serverInfo": {"name": "fake", "version": "1"}});
    let mut response = told(state, &json!({"jsonrpc": "2.0", "id": message["id"], "result": result}));
    if !state.is_stateless {
        let session = format!("session-{}", state.sessions.len());
        response.headers_mut().insert("mcp-session-id", session.parse().expect("a header"));
        state.sessions.insert(session, false);
    }
    response
}

/// Why a request of a session is rejected, if it is.
fn out_of_session(state: &ServerState, session: &str, version: &str, method: &str) -> Option<Response> {
    let (status, reason) = match state.sessions.get(session) {
        _ if version != VERSION => (StatusCode::BAD_REQUEST, "unsupported protocol version"),
        _ if state.is_stateless => return None,
        _ if session.is_empty() => (StatusCode::BAD_REQUEST, "session id required"),
        None => (StatusCode::NOT_FOUND, "unknown session"),
        Some(false) if method != "notifications/initialized" => (StatusCode::BAD_REQUEST, "not initialized"),
        Some(_) => return None,
    };
    Some((status, reason).into_response())
}

fn call(state: &mut ServerState, params: &Value) -> Result<Value, String> {
    let tool = params["name"].as_str().filter(|name| TOOLS.contains(name)).ok_or("Unknown tool")?;
    let arguments = params["arguments"].as_object().ok_or("arguments must be an object")?;
    if let Some(unknown) = arguments.keys().find(|key| !ARGUMENTS.contains(&key.as_str())) {
        return Err(format!("unknown argument {unknown}"));
    }
    let query = arguments.get("query").and_then(Value::as_str).ok_or("query must be a string")?;
    let number = |name: &str, usual: u64| match arguments.get(name) {
        None => Ok(usual),
        Some(value) => value.as_u64().ok_or(format!("{name} must be a number")),
    };
    let (count, skip) = (number("count", 10)?, number("skip", 0)?);
    if count > COUNT_MAX {
        return Err(format!("count must not exceed {COUNT_MAX}"));
    }
    let mut documents: Vec<u64> = (0..DOCUMENTS).map(|number| number * 37 % DOCUMENTS).collect();
    match arguments.get("order").and_then(Value::as_str) {
        None | Some("best") => {}
        Some("newest") => documents.sort_by_key(|number| std::cmp::Reverse(*number)),
        Some(_) => return Err("order must be best or newest".to_owned()),
    }
    state.seen = Some(query.to_owned());
    let place = |at: u64| usize::try_from(at.min(DOCUMENTS)).expect("a small number");
    let page: Vec<Value> = documents[place(skip)..place(skip + count)].iter().map(|n| document(*n)).collect();
    Ok(shaped(tool, page))
}

/// The documents in the format of each tool.
fn shaped(tool: &str, page: Vec<Value>) -> Value {
    let text = |text: String| json!({"type": "text", "text": text});
    match tool {
        "search" => {
            let found = json!({"total": DOCUMENTS, "hits": page});
            json!({"content": [text(found.to_string())], "structuredContent": found, "isError": false})
        }
        "search_json_text" => json!({"content": [text(Value::Array(page).to_string())]}),
        "search_links" => {
            let link = |document: &Value| {
                json!({"type": "resource_link", "uri": document["link"],
                "name": document["title"], "description": "A document.", "mimeType": "text/html"})
            };
            json!({"content": page.iter().map(link).collect::<Vec<Value>>()})
        }
        "search_prose" => {
            let prose = |document: &Value| {
                text(format!("{}\nIt is from {}.", document["title"], document["created"]))
            };
            json!({"content": page.iter().map(prose).collect::<Vec<Value>>()})
        }
        _ => json!({"content": [text("the index is away".to_owned())], "isError": true}),
    }
}

fn document(number: u64) -> Value {
    json!({
        "title": format!("Document {number}"),
        "link": format!("https://docs.example/{number}"),
        "created": format!("2024-{:02}-{:02}", number / 28 + 1, number % 28 + 1),
    })
}

/// A message as JSON or as the second event of a stream.
fn told(state: &ServerState, message: &Value) -> Response {
    if !state.streams {
        return ([("content-type", "application/json")], message.to_string()).into_response();
    }
    let note = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "…"}});
    let events =
        format!(": hello\n\nevent: message\ndata: {note}\n\nevent: message\nid: 7\ndata: {message}\n\n");
    let first = futures_util::stream::iter([Ok::<_, std::convert::Infallible>(events)]);
    let body = if state.lingers {
        axum::body::Body::from_stream(futures_util::StreamExt::chain(first, futures_util::stream::pending()))
    } else {
        axum::body::Body::from_stream(first)
    };
    ([("content-type", "text/event-stream")], body).into_response()
}

fn error(id: &Value, code: i64, message: &str) -> Response {
    let body = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
    ([("content-type", "application/json")], body.to_string()).into_response()
}
