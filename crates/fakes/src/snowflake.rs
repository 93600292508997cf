//! Fake Snowflake SQL API: access tokens and signed tokens, slow statements, results in partitions.

use super::http_listener::HttpListener;
use super::river_table::{Answer, Form, Refusal, answer};
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use chrono::NaiveDate;
use domain::ports::Clock;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::keys;

pub const TOKEN: &str = "pat-5f0c-snow-91";
pub const ACCOUNT: &str = "RIVERCO";
pub const USER: &str = "READER";
pub const MAPPINGS: &str = "account=riverco,database=RIVERS,schema=PUBLIC,warehouse=SMALL,role=READERS";
/// Rows per partition.
pub const PARTITION_ROWS: usize = 10;

const FORM: Form = Form { place: r"? escape '\\'", limit: (" limit ", "") };
const MEMBERS: [&str; 7] = ["statement", "timeout", "database", "schema", "warehouse", "role", "bindings"];

pub struct Snowflake {
    pub listener: HttpListener,
    state: Shared,
}

struct ServerState {
    clock: Arc<dyn Clock>,
    requests: usize,
    throttled: usize,
    /// Polls of a statement that are answered with 202 before its result is ready.
    slow: usize,
    /// Handle, remaining polls, result.
    statements: Vec<(String, usize, Vec<Vec<Value>>)>,
    cancelled: Vec<String>,
}

type Shared = Arc<Mutex<ServerState>>;
type Parameters = Query<Vec<(String, String)>>;

impl Snowflake {
    /// The clock determines whether a signed token is valid.
    pub async fn start(clock: Arc<dyn Clock>) -> Self {
        let state = ServerState {
            clock,
            requests: 0,
            throttled: 0,
            slow: 0,
            statements: Vec::new(),
            cancelled: Vec::new(),
        };
        let state = Arc::new(Mutex::new(state));
        let router = Router::new()
            .route("/api/v2/statements", post(submit))
            .route("/api/v2/statements/{handle}", get(look))
            .route("/api/v2/statements/{handle}/cancel", post(cancel))
            .with_state(Arc::clone(&state));
        Self { listener: HttpListener::start(router).await, state }
    }

    pub fn requests(&self) -> usize {
        self.state.lock().expect("the lock").requests
    }

    /// Answers the next request with 429.
    pub fn throttle(&self) {
        self.state.lock().expect("the lock").throttled = 1;
    }

    /// Makes statements take this many polls.
    pub fn slow(&self, looks: usize) {
        self.state.lock().expect("the lock").slow = looks;
    }

    /// How many statements were cancelled.
    pub fn cancelled(&self) -> usize {
        self.state.lock().expect("the lock").cancelled.len()
    }
}

fn told(status: StatusCode, code: &str, message: &str) -> Response {
    (status, axum::Json(json!({"code": code, "message": message, "sqlState": "00000"}))).into_response()
}

/// Checks the authorization and the form of a request; `None` if it is valid.
fn refusal(state: &mut ServerState, headers: &HeaderMap, has_body: bool) -> Option<Response> {
    state.requests += 1;
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let token = header("authorization").strip_prefix("Bearer ").unwrap_or_default();
    let is_known = match header("x-snowflake-authorization-token-type") {
        "KEYPAIR_JWT" => is_signed(token, state.clock.now().timestamp()),
        "" => token == TOKEN,
        _ => false,
    };
    if !is_known {
        return Some(told(StatusCode::UNAUTHORIZED, "390144", "JWT token is invalid."));
    }
    if state.throttled > 0 {
        state.throttled -= 1;
        return Some((StatusCode::TOO_MANY_REQUESTS, [("Retry-After", "13")], "").into_response());
    }
    let is_json = !has_body || header("content-type") == "application/json";
    if header("user-agent").is_empty() || header("accept") != "application/json" || !is_json {
        return Some(told(StatusCode::BAD_REQUEST, "391902", "Unsupported Accept or Content-Type header."));
    }
    None
}

fn is_signed(token: &str, now: i64) -> bool {
    let Some((_, claims)) = keys::verified(token) else { return false };
    let subject = format!("{ACCOUNT}.{USER}");
    let time = |name: &str| claims[name].as_i64().unwrap_or_default();
    claims["sub"] == subject.as_str()
        && claims["iss"] == format!("{subject}.SHA256:{}", keys::FINGERPRINT).as_str()
        && time("iat") <= now
        && time("exp") > now
        && time("exp") - time("iat") <= 3600
}

async fn submit(
    State(state): State<Shared>,
    Query(parameters): Parameters,
    headers: HeaderMap,
    body: String,
) -> Response {
    let mut state = state.lock().expect("the lock");
    if let Some(refused) = refusal(&mut state, &headers, true) {
        return refused;
    }
    let is_named = matches!(parameters.as_slice(), [(name, id)] if name == "requestId" && id.len() == 36);
    let body: Value = serde_json::from_str(&body).unwrap_or_default();
    if !is_named || !is_whole(&body) {
        return told(StatusCode::BAD_REQUEST, "391911", "The request is not valid.");
    }
    if body["database"] != "RIVERS" || body["warehouse"] != "SMALL" {
        let message = "SQL compilation error:\nObject does not exist, or operation cannot be performed.";
        return told(StatusCode::UNPROCESSABLE_ENTITY, "002043", message);
    }
    let values: Option<Vec<String>> = bound(&body["bindings"]);
    let result = answer(body["statement"].as_str().unwrap_or_default(), FORM, &values.unwrap_or_default());
    let rows = match result {
        Err(Refusal::TableUnknown(table)) => {
            let message =
                format!("SQL compilation error:\nObject '{table}' does not exist or not authorized.");
            return told(StatusCode::UNPROCESSABLE_ENTITY, "002003", &message);
        }
        Err(Refusal::Syntax(message)) => {
            return told(
                StatusCode::UNPROCESSABLE_ENTITY,
                "001003",
                &format!("SQL compilation error:\n{message}"),
            );
        }
        Ok(Answer::Count(count)) => vec![vec![json!(count.to_string())]],
        Ok(Answer::Rows(documents)) => {
            documents.into_iter().map(|one| cells(&one.title, &one.published)).collect()
        }
    };
    let handle = format!("01b1-{:04}", state.statements.len());
    let looks = state.slow;
    state.statements.push((handle.clone(), looks, rows.clone()));
    if looks > 0 { running(&handle) } else { result_set(&handle, &rows) }
}

fn is_whole(body: &Value) -> bool {
    let Some(object) = body.as_object() else { return false };
    object.keys().all(|key| MEMBERS.contains(&key.as_str()))
        && body["timeout"].as_u64().is_some_and(|seconds| seconds > 0)
        && ["database", "schema", "warehouse", "role"].iter().all(|name| body[*name].is_string())
}

fn bound(bindings: &Value) -> Option<Vec<String>> {
    let bindings = bindings.as_object()?;
    (1..=bindings.len())
        .map(|place| {
            let binding = bindings.get(&place.to_string())?;
            Some(binding["value"].as_str().filter(|_| binding["type"] == "TEXT")?.to_owned())
        })
        .collect()
}

fn cells(title: &str, published: &str) -> Vec<Value> {
    let date: NaiveDate = published.parse().expect("a date");
    let days = date.signed_duration_since(NaiveDate::default()).num_days();
    vec![
        json!(title),
        json!(days.to_string()),
        json!("1.50"),
        json!(format!("{}.000000000", days * 86_400)),
        json!("true"),
        Value::Null,
    ]
}

fn running(handle: &str) -> Response {
    let body = json!({
        "code": "333334", "message": "Asynchronous execution in progress.",
        "statementHandle": handle, "statementStatusUrl": format!("/api/v2/statements/{handle}"),
    });
    (StatusCode::ACCEPTED, axum::Json(body)).into_response()
}

fn result_set(handle: &str, rows: &[Vec<Value>]) -> Response {
    let columns = match rows.first().map(Vec::len) {
        Some(1) => vec![("COUNT(*)", "fixed")],
        _ => vec![
            ("TITLE", "text"),
            ("PUBLISHED", "date"),
            ("WEIGHT", "fixed"),
            ("STAMPED", "timestamp_ntz"),
            ("IS_OPEN", "boolean"),
            ("NOTHING", "text"),
        ],
    };
    let types: Vec<Value> =
        columns.iter().map(|(name, kind)| json!({"name": name, "type": kind, "nullable": true})).collect();
    let info: Vec<Value> = rows
        .chunks(PARTITION_ROWS)
        .map(|part| json!({"rowCount": part.len(), "uncompressedSize": 100}))
        .collect();
    let first = rows.chunks(PARTITION_ROWS).next().unwrap_or_default();
    axum::Json(json!({
        "code": "090001", "sqlState": "00000", "message": "Statement executed successfully.",
        "statementHandle": handle, "statementStatusUrl": format!("/api/v2/statements/{handle}"),
        "resultSetMetaData": {"numRows": rows.len(), "format": "jsonv2", "rowType": types, "partitionInfo": info},
        "data": first,
    }))
    .into_response()
}

async fn look(
    State(state): State<Shared>,
    Path(handle): Path<String>,
    Query(parameters): Parameters,
    headers: HeaderMap,
) -> Response {
    let mut state = state.lock().expect("the lock");
    if let Some(refused) = refusal(&mut state, &headers, false) {
        return refused;
    }
    let Some((_, looks, rows)) = state.statements.iter_mut().find(|(known, _, _)| *known == handle) else {
        return told(StatusCode::NOT_FOUND, "391901", "The statement does not exist.");
    };
    *looks = looks.saturating_sub(1);
    match parameters.as_slice() {
        _ if *looks > 0 => running(&handle),
        [] => result_set(&handle, rows),
        [(name, number)] if name == "partition" => {
            let part = number.parse().ok().and_then(|number: usize| rows.chunks(PARTITION_ROWS).nth(number));
            match part {
                Some(part) => axum::Json(json!({"data": part})).into_response(),
                None => told(StatusCode::BAD_REQUEST, "391904", "There is no such partition."),
            }
        }
        _ => told(StatusCode::BAD_REQUEST, "391911", "The request is not valid."),
    }
}

async fn cancel(State(state): State<Shared>, Path(handle): Path<String>, headers: HeaderMap) -> Response {
    let mut state = state.lock().expect("the lock");
    if let Some(refused) = refusal(&mut state, &headers, true) {
        return refused;
    }
    state.cancelled.push(handle);
    told(StatusCode::OK, "000604", "SQL execution canceled")
}
