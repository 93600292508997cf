//! Fake Oracle REST Data Services with one schema: REST-enabled SQL for its user or for an OAuth client.

use super::http_listener::HttpListener;
use super::river_table::{Answer, Form, Refusal, answer};
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Map, Value, json};
use std::sync::{Arc, Mutex};

pub const CREDENTIALS: &str = "rivers:ords-password-83";
pub const CLIENT: &str = "client_id=reader-id-51,client_secret=reader-secret-77";
/// `user:password` and `id:secret`, as headers.
const LOGIN: &str = "Basic cml2ZXJzOm9yZHMtcGFzc3dvcmQtODM=";
const CLIENT_LOGIN: &str = "Basic cmVhZGVyLWlkLTUxOnJlYWRlci1zZWNyZXQtNzc=";
/// Rows per response, whatever is requested.
pub const PAGE_ROWS: usize = 10;

const FORM: Form = Form { place: r"? escape '\'", limit: (" fetch first ", " rows only") };
const MEMBERS: [&str; 4] = ["statementText", "binds", "limit", "offset"];

pub struct Ords {
    pub listener: HttpListener,
    state: Arc<Mutex<ServerState>>,
}

#[derive(Default)]
struct ServerState {
    requests: usize,
    throttled: usize,
    tokens: usize,
}

type Shared = State<Arc<Mutex<ServerState>>>;

impl Ords {
    pub async fn start() -> Self {
        let state: Arc<Mutex<ServerState>> = Arc::default();
        let router = Router::new()
            .route("/ords/rivers/_/sql", post(sql))
            .route("/ords/rivers/oauth/token", post(token))
            .with_state(Arc::clone(&state));
        Self { listener: HttpListener::start(router).await, state }
    }

    pub fn requests(&self) -> usize {
        self.state.lock().expect("the lock").requests
    }

    /// The number of issued tokens.
    pub fn tokens(&self) -> usize {
        self.state.lock().expect("the lock").tokens
    }

    /// Invalidates all tokens.
    pub fn revoke(&self) {
        self.state.lock().expect("the lock").tokens += 100;
    }

    /// Answers the next request with 429.
    pub fn throttle(&self) {
        self.state.lock().expect("the lock").throttled = 1;
    }
}

async fn token(State(state): Shared, headers: HeaderMap, body: String) -> Response {
    let mut state = state.lock().expect("the lock");
    let is_form =
        headers.get("content-type").is_some_and(|value| value == "application/x-www-form-urlencoded");
    if headers.get("authorization").is_none_or(|value| value != CLIENT_LOGIN) {
        let error = json!({"error": "invalid_client", "error_description": "Client authentication failed"});
        return (StatusCode::UNAUTHORIZED, axum::Json(error)).into_response();
    }
    if !is_form || body != "grant_type=client_credentials" {
        return (StatusCode::BAD_REQUEST, axum::Json(json!({"error": "invalid_request"}))).into_response();
    }
    state.tokens += 1;
    let token = format!("ords-token-{}", state.tokens);
    axum::Json(json!({"access_token": token, "token_type": "bearer", "expires_in": 3600})).into_response()
}

async fn sql(State(state): Shared, headers: HeaderMap, body: String) -> Response {
    let mut state = state.lock().expect("the lock");
    state.requests += 1;
    let token = format!("Bearer ords-token-{}", state.tokens);
    let is_known =
        |value: &axum::http::HeaderValue| value == LOGIN || (state.tokens > 0 && value == token.as_str());
    if !headers.get("authorization").is_some_and(is_known) {
        return (StatusCode::UNAUTHORIZED, "<html>401 Unauthorized</html>").into_response();
    }
    if state.throttled > 0 {
        state.throttled -= 1;
        return (StatusCode::TOO_MANY_REQUESTS, [("Retry-After", "11")], "").into_response();
    }
    if headers.get("content-type").is_none_or(|value| value != "application/json") {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let Some(asked) = serde_json::from_str(&body).ok().as_ref().and_then(Asked::of) else {
        return StatusCode::BAD_REQUEST.into_response();
    };
    let mut item =
        Map::from_iter([("statementId".to_owned(), json!(1)), ("statementType".to_owned(), json!("query"))]);
    item.extend(outcome(&asked));
    axum::Json(json!({"env": {"defaultTimeZone": "UTC"}, "items": [item]})).into_response()
}

struct Asked {
    text: String,
    values: Vec<String>,
    limit: usize,
    offset: usize,
}

impl Asked {
    fn of(body: &Value) -> Option<Self> {
        let body = body.as_object().filter(|body| body.keys().all(|key| MEMBERS.contains(&key.as_str())))?;
        let number = |name: &str| usize::try_from(body.get(name)?.as_u64()?).ok();
        let bind = |(place, bind): (usize, &Value)| {
            let is_whole = bind.as_object()?.len() == 3
                && bind["index"] == json!(place + 1)
                && bind["data_type"] == "VARCHAR2";
            Some(bind["value"].as_str().filter(|_| is_whole)?.to_owned())
        };
        let values: Option<Vec<String>> =
            body.get("binds")?.as_array()?.iter().enumerate().map(bind).collect();
        Some(Self {
            text: body.get("statementText")?.as_str()?.to_owned(),
            values: values?,
            limit: number("limit")?,
            offset: number("offset")?,
        })
    }
}

fn outcome(asked: &Asked) -> Map<String, Value> {
    let result = match answer(&asked.text, FORM, &asked.values) {
        Err(Refusal::TableUnknown(_)) => json!({
            "errorCode": 942, "errorLine": 1, "errorColumn": 14,
            "errorDetails": "ORA-00942: table or view does not exist\n", "result": 0,
        }),
        Err(Refusal::Syntax(told)) => json!({
            "errorCode": 933, "errorLine": 1, "errorColumn": 1,
            "errorDetails": format!("ORA-00933: SQL command not properly ended\n{told}"), "result": 0,
        }),
        Ok(Answer::Count(count)) => {
            let metadata =
                [json!({"columnName": "COUNT(*)", "jsonColumnName": "count(*)", "columnTypeName": "NUMBER"})];
            json!({"resultSet": {
                "metadata": metadata, "items": [{"count(*)": count}],
                "hasMore": false, "limit": asked.limit, "offset": asked.offset, "count": 1,
            }})
        }
        Ok(Answer::Rows(rows)) => {
            let size = asked.limit.min(PAGE_ROWS);
            let items: Vec<Value> = rows.iter().skip(asked.offset).take(size).map(|row| {
                json!({"title": row.title, "published": format!("{}T00:00:00Z", row.published), "weight": 1.5, "image": "00FF"})
            }).collect();
            let columns =
                [("TITLE", "VARCHAR2"), ("PUBLISHED", "DATE"), ("WEIGHT", "NUMBER"), ("IMAGE", "BLOB")];
            let metadata: Vec<Value> = columns.iter().map(|(name, kind)| {
                json!({"columnName": name, "jsonColumnName": name.to_lowercase(), "columnTypeName": kind, "isNullable": 1})
            }).collect();
            let has_more = asked.offset + items.len() < rows.len();
            json!({"resultSet": {
                "metadata": metadata, "count": items.len(), "items": items,
                "hasMore": has_more, "limit": asked.limit, "offset": asked.offset,
            }})
        }
    };
    result.as_object().cloned().unwrap_or_default()
}
