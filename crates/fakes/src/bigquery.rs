//! Fake BigQuery with its token endpoint for service account keys.

use super::http_listener::HttpListener;
use super::river_table::{Answer, Form, Refusal, answer};
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use domain::ports::Clock;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::keys;

pub const PROJECT: &str = "river-project-7";
/// Every statement is billed more than this.
pub const BYTES_NEEDED: u64 = 1_000_000;
/// Rows per response, whatever is requested.
pub const PAGE_ROWS: usize = 10;

const EMAIL: &str = "reader@river-project-7.iam.gserviceaccount.com";
const KEY_ID: &str = "b7e1";
const SCOPE: &str = "https://www.googleapis.com/auth/bigquery";
const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_LIFE_S: i64 = 3600;
const FORM: Form = Form { place: "?", limit: (" limit ", "") };
const MEMBERS: [&str; 10] = [
    "query",
    "useLegacySql",
    "parameterMode",
    "queryParameters",
    "maxResults",
    "timeoutMs",
    "jobTimeoutMs",
    "defaultDataset",
    "location",
    "maximumBytesBilled",
];

pub struct BigQuery {
    pub listener: HttpListener,
    state: Shared,
}

struct ServerState {
    clock: Arc<dyn Clock>,
    token_uri: String,
    /// When the last token expires.
    token_ends: i64,
    tokens: usize,
    requests: usize,
    over_quota: usize,
    slow: usize,
    /// Remaining polls, and the rows.
    jobs: Vec<(usize, Vec<Value>)>,
    cancelled: Vec<String>,
}

type Shared = Arc<Mutex<ServerState>>;
type Parameters = Query<Vec<(String, String)>>;

impl BigQuery {
    /// The clock determines whether tokens are valid.
    pub async fn start(clock: Arc<dyn Clock>) -> Self {
        let state = Arc::new(Mutex::new(ServerState {
            clock,
            token_uri: String::new(),
            token_ends: 0,
            tokens: 0,
            requests: 0,
            over_quota: 0,
            slow: 0,
            jobs: Vec::new(),
            cancelled: Vec::new(),
        }));
        let router = Router::new()
            .route("/token", post(token))
            .route("/bigquery/v2/projects/{project}/queries", post(query))
            .route("/bigquery/v2/projects/{project}/queries/{job}", get(results))
            .route("/bigquery/v2/projects/{project}/jobs/{job}/cancel", post(cancel))
            .with_state(Arc::clone(&state));
        let listener = HttpListener::start(router).await;
        state.lock().expect("the lock").token_uri = listener.at("/token");
        Self { listener, state }
    }

    /// The service account key, as downloaded.
    pub fn key(&self) -> String {
        self.key_of(keys::PRIVATE_PEM, &self.listener.at("/token"))
    }

    pub fn key_of(&self, private_pem: &str, token_uri: &str) -> String {
        json!({
            "type": "service_account", "project_id": PROJECT, "private_key_id": KEY_ID,
            "private_key": private_pem, "client_email": EMAIL, "client_id": "1071", "token_uri": token_uri,
        })
        .to_string()
    }

    /// The number of issued tokens.
    pub fn tokens(&self) -> usize {
        self.state.lock().expect("the lock").tokens
    }

    pub fn requests(&self) -> usize {
        self.state.lock().expect("the lock").requests
    }

    /// Makes the next request exceed the quota.
    pub fn exhaust(&self) {
        self.state.lock().expect("the lock").over_quota = 1;
    }

    /// Makes jobs take this many polls.
    pub fn slow(&self, looks: usize) {
        self.state.lock().expect("the lock").slow = looks;
    }

    pub fn cancelled(&self) -> usize {
        self.state.lock().expect("the lock").cancelled.len()
    }
}

async fn token(State(state): State<Shared>, headers: HeaderMap, body: String) -> Response {
    let mut state = state.lock().expect("the lock");
    let refused = |code: &str, told: &str| {
        let body = json!({"error": code, "error_description": told});
        (StatusCode::BAD_REQUEST, axum::Json(body)).into_response()
    };
    let form: Vec<(String, String)> = url::form_urlencoded::parse(body.as_bytes()).into_owned().collect();
    let [(grant, kind), (assertion, signed)] = form.as_slice() else {
        return refused("invalid_request", "Two parameters are needed.");
    };
    let is_form =
        headers.get("content-type").is_some_and(|value| value == "application/x-www-form-urlencoded");
    if !is_form || grant != "grant_type" || kind != GRANT || assertion != "assertion" {
        return refused("unsupported_grant_type", "Invalid grant_type.");
    }
    let now = state.clock.now().timestamp();
    let Some((head, claims)) = keys::verified(signed) else {
        return refused("invalid_grant", "Invalid JWT Signature.");
    };
    let time = |name: &str| claims[name].as_i64().unwrap_or_default();
    let is_right = head["kid"] == KEY_ID
        && claims["iss"] == EMAIL
        && claims["scope"] == SCOPE
        && claims["aud"] == state.token_uri.as_str()
        && time("iat") <= now
        && time("exp") > now
        && time("exp") - time("iat") <= 3600;
    if !is_right {
        return refused("invalid_grant", "Invalid JWT.");
    }
    state.tokens += 1;
    state.token_ends = now + TOKEN_LIFE_S;
    let token = format!("ya29.river-{}", state.tokens);
    axum::Json(json!({"access_token": token, "expires_in": TOKEN_LIFE_S, "token_type": "Bearer"}))
        .into_response()
}

fn told(status: StatusCode, reason: &str, message: &str) -> Response {
    let error = json!({"message": message, "domain": "global", "reason": reason});
    let body = json!({"error": {"code": status.as_u16(), "message": message, "errors": [error]}});
    (status, [("Retry-After", "17")], axum::Json(body)).into_response()
}

fn refusal(state: &mut ServerState, headers: &HeaderMap, project: &str) -> Option<Response> {
    state.requests += 1;
    let token = format!("Bearer ya29.river-{}", state.tokens);
    let is_known = headers.get("authorization").is_some_and(|value| value == token.as_str());
    if state.tokens == 0 || !is_known || state.clock.now().timestamp() >= state.token_ends {
        return Some(told(StatusCode::UNAUTHORIZED, "authError", "Invalid Credentials"));
    }
    if project != PROJECT {
        let message = "Access Denied: Project: User does not have bigquery.jobs.create permission.";
        return Some(told(StatusCode::FORBIDDEN, "accessDenied", message));
    }
    if state.over_quota > 0 {
        state.over_quota -= 1;
        return Some(told(StatusCode::FORBIDDEN, "quotaExceeded", "Quota exceeded: too many queries"));
    }
    None
}

async fn query(
    State(state): State<Shared>,
    Path(project): Path<String>,
    headers: HeaderMap,
    body: String,
) -> Response {
    let mut state = state.lock().expect("the lock");
    if let Some(refused) = refusal(&mut state, &headers, &project) {
        return refused;
    }
    let body: Value = serde_json::from_str(&body).unwrap_or_default();
    let Some(values) = bound(&body) else {
        return told(StatusCode::BAD_REQUEST, "invalid", "Invalid JSON payload received.");
    };
    let bytes_max = body["maximumBytesBilled"].as_str().map(|text| text.parse::<u64>().unwrap_or_default());
    if bytes_max.is_some_and(|bytes_max| bytes_max < BYTES_NEEDED) {
        let message = "Query exceeded limit for bytes billed: 1000000 or higher required.";
        return told(StatusCode::BAD_REQUEST, "bytesBilledLimitExceeded", message);
    }
    let rows = match answer(body["query"].as_str().unwrap_or_default(), FORM, &values) {
        Err(Refusal::TableUnknown(table)) => {
            let message = format!("Not found: Table {PROJECT}:rivers.{table} was not found in location EU");
            return told(StatusCode::NOT_FOUND, "notFound", &message);
        }
        Err(Refusal::Syntax(message)) => return told(StatusCode::BAD_REQUEST, "invalidQuery", &message),
        Ok(Answer::Count(count)) => vec![json!({"f": [{"v": count.to_string()}]})],
        Ok(Answer::Rows(documents)) => {
            documents.into_iter().map(|one| row(&one.title, &one.published)).collect()
        }
    };
    let looks = state.slow;
    state.jobs.push((looks, rows));
    page(&state.jobs, state.jobs.len() - 1, 0, body["maxResults"].as_u64().unwrap_or(u64::MAX))
}

/// The bound values of a request whose members are all known and valid.
fn bound(body: &Value) -> Option<Vec<String>> {
    let is_whole = body.as_object()?.keys().all(|key| MEMBERS.contains(&key.as_str()))
        && body["useLegacySql"] == false
        && body["parameterMode"] == "POSITIONAL"
        && body["timeoutMs"].is_u64()
        && body["jobTimeoutMs"].as_str()?.parse::<u64>().is_ok()
        && body["defaultDataset"] == json!({"datasetId": "rivers", "projectId": PROJECT})
        && body["location"] == "EU";
    let value = |parameter: &Value| {
        let is_text = parameter["parameterType"] == json!({"type": "STRING"});
        Some(parameter.pointer("/parameterValue/value")?.as_str().filter(|_| is_text)?.to_owned())
    };
    body["queryParameters"].as_array().filter(|_| is_whole)?.iter().map(value).collect()
}

fn row(title: &str, published: &str) -> Value {
    let tags = json!([{"v": "water"}, {"v": "land"}]);
    let place = json!({"f": [{"v": "Alps"}, {"v": "1800"}]});
    json!({"f": [{"v": title}, {"v": published}, {"v": "1.5"}, {"v": "1.7040672E9"}, {"v": tags}, {"v": place}]})
}

fn schema(is_count: bool) -> Value {
    if is_count {
        return json!({"fields": [{"name": "f0_", "type": "INTEGER", "mode": "NULLABLE"}]});
    }
    let place = json!([{"name": "name", "type": "STRING"}, {"name": "height", "type": "INTEGER"}]);
    json!({"fields": [
        {"name": "title", "type": "STRING"}, {"name": "published", "type": "DATE"},
        {"name": "weight", "type": "NUMERIC"}, {"name": "stamped", "type": "TIMESTAMP"},
        {"name": "tags", "type": "STRING", "mode": "REPEATED"}, {"name": "place", "type": "RECORD", "fields": place},
    ]})
}

fn page(jobs: &[(usize, Vec<Value>)], number: usize, start: usize, rows_max: u64) -> Response {
    let (looks, rows) = &jobs[number];
    let job = json!({"projectId": PROJECT, "jobId": format!("job_{number}"), "location": "EU"});
    if *looks > 0 {
        return axum::Json(json!({"jobReference": job, "jobComplete": false})).into_response();
    }
    let size = PAGE_ROWS.min(usize::try_from(rows_max).unwrap_or(PAGE_ROWS));
    let part: Vec<&Value> = rows.iter().skip(start).take(size).collect();
    let is_count = rows.first().is_some_and(|row| row["f"].as_array().is_some_and(|cells| cells.len() == 1));
    let end = start + part.len();
    let mut body = json!({
        "jobReference": job, "jobComplete": true, "schema": schema(is_count),
        "totalRows": rows.len().to_string(), "rows": part,
    });
    if end < rows.len() {
        body["pageToken"] = format!("page-{end}").into();
    }
    axum::Json(body).into_response()
}

async fn results(
    State(state): State<Shared>,
    Path((project, job)): Path<(String, String)>,
    Query(parameters): Parameters,
    headers: HeaderMap,
) -> Response {
    let mut state = state.lock().expect("the lock");
    if let Some(refused) = refusal(&mut state, &headers, &project) {
        return refused;
    }
    let known = ["pageToken", "maxResults", "timeoutMs", "location"];
    let get = |name: &str| parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let number = job.strip_prefix("job_").and_then(|text| text.parse::<usize>().ok());
    let number = number.filter(|number| *number < state.jobs.len() && get("location") == Some("EU"));
    let Some(number) = number else {
        return told(StatusCode::NOT_FOUND, "notFound", "Not found: Job");
    };
    let start = match get("pageToken") {
        None => Some(0),
        Some(token) => token.strip_prefix("page-").and_then(|text| text.parse().ok()),
    };
    let (true, Some(start)) = (parameters.iter().all(|(key, _)| known.contains(&key.as_str())), start) else {
        return told(StatusCode::BAD_REQUEST, "invalid", "Invalid value");
    };
    state.jobs[number].0 = state.jobs[number].0.saturating_sub(1);
    let rows_max = get("maxResults").and_then(|text| text.parse().ok()).unwrap_or(u64::MAX);
    page(&state.jobs, number, start, rows_max)
}

async fn cancel(
    State(state): State<Shared>,
    Path((project, job)): Path<(String, String)>,
    Query(parameters): Parameters,
    headers: HeaderMap,
) -> Response {
    let mut state = state.lock().expect("the lock");
    if let Some(refused) = refusal(&mut state, &headers, &project) {
        return refused;
    }
    if parameters.as_slice() != [("location".to_owned(), "EU".to_owned())] {
        return told(StatusCode::NOT_FOUND, "notFound", "Not found: Job");
    }
    state.cancelled.push(job.clone());
    axum::Json(json!({"kind": "bigquery#jobCancelResponse", "job": {"id": job}})).into_response()
}
