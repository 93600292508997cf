//! A call of the protocol, and its answer.

use super::origin;
use crate::AppState;
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, Refusal};
use crate::extract::ApiJson;
use crate::throttle::{Class, StreamPlace};
use async_trait::async_trait;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header};
use axum::response::Response;
use domain::user::Principal;
use futures_util::StreamExt;
use mcp::{Costly, Door};
use serde_json::{Map, Value};
use std::sync::Arc;

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const BOTH_KINDS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
/// Most bytes of a refusal that are read to be told in our shape.
const REFUSAL_BYTES_MAX: usize = 4096;

/// One caller who came over HTTP.
struct HttpDoor {
    state: Arc<AppState>,
    principal: Principal,
    address: ClientAddress,
}

#[async_trait]
impl Door for HttpDoor {
    async fn principal(&self) -> Result<Principal, String> {
        Ok(self.principal.clone())
    }

    fn take(&self, what: Costly) -> Result<(), String> {
        let class = match what {
            Costly::Search => Class::Search,
            Costly::Answer => Class::Rag,
            Costly::Chat => Class::Chat,
        };
        let taken = self.state.throttles.take(class, self.principal.user, self.address);
        taken.map_err(|error| error.detail().to_owned())
    }
}

pub async fn answer(
    caller: Caller,
    State(state): State<Arc<AppState>>,
    address: ClientAddress,
    headers: HeaderMap,
    ApiJson(message): ApiJson<Map<String, Value>>,
) -> Result<Response, ApiError> {
    origin::check(&state.settings, &headers)?;
    if headers.contains_key(SESSION_ID) {
        let sentence = "There are no sessions here; begin again without a session id.";
        return Err(ApiError::saying(Refusal::NotFound, sentence));
    }
    let user = caller.principal.user;
    state.throttles.take(Class::Mcp, user, address)?;
    // A call may take minutes, so each has a place as an event stream has.
    let is_call = message.get("method").is_some_and(|method| method == "tools/call");
    let place = is_call.then(|| state.throttles.streams.enter(user)).transpose()?;
    let body = Value::Object(message).to_string();
    let body_bytes_max = body.len();
    let mut request = Request::post("/mcp").body(Body::from(body)).map_err(ApiError::internal)?;
    *request.headers_mut() = passed_on(headers);
    let tools = Arc::clone(&state.mcp);
    let door = Arc::new(HttpDoor { state, principal: caller.principal, address });
    let response = tools.over_http(door, body_bytes_max).handle(request).await.map(Body::new);
    Ok(holding(in_our_shape(response).await?, place))
}

/// What the protocol reads. Who takes anything takes both kinds of answer.
fn passed_on(mut headers: HeaderMap) -> HeaderMap {
    for name in [header::AUTHORIZATION, header::COOKIE, header::CONTENT_LENGTH, header::TRANSFER_ENCODING] {
        headers.remove(name);
    }
    let accepts = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if accepts.is_none_or(|kinds| kinds.contains("*/*")) {
        headers.insert(header::ACCEPT, BOTH_KINDS);
    }
    headers
}

/// Refusals that are not of JSON-RPC get the shape that all of ours have.
async fn in_our_shape(response: Response) -> Result<Response, ApiError> {
    let status = response.status();
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if is_json || status.is_success() {
        return Ok(response);
    }
    let told = to_bytes(response.into_body(), REFUSAL_BYTES_MAX).await.unwrap_or_default();
    let told = String::from_utf8_lossy(&told).into_owned();
    Err(match status {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::of(Refusal::TooLarge),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            ApiError::saying(Refusal::Invalid, "This is no message of JSON-RPC.")
        }
        status if status.is_client_error() && !told.is_empty() => ApiError::saying(Refusal::Malformed, told),
        status if status.is_client_error() => ApiError::of(Refusal::Malformed),
        _ => ApiError::internal(told),
    })
}

/// The place is kept until the last byte of the answer is sent, or the client has left.
fn holding(response: Response, place: Option<StreamPlace>) -> Response {
    let Some(place) = place else { return response };
    response.map(|body| {
        Body::from_stream(body.into_data_stream().map(move |piece| {
            let _held = &place;
            piece
        }))
    })
}
