//! Handler of MCP requests.

use super::origin;
use crate::auth::Caller;
use crate::client_address::ClientAddress;
use crate::error::{ApiError, ErrorCode};
use crate::extract::ApiJson;
use crate::state::AppState;
use crate::throttle::{Class, StreamPermit};
use async_trait::async_trait;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, header};
use axum::response::Response;
use domain::user::Principal;
use futures_util::StreamExt;
use mcp::{CallerContext, CallerError, CallerErrorKind, QuotaClass};
use serde_json::{Map, Value};
use std::sync::Arc;

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const BOTH_KINDS: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");
/// Most bytes of an error of the protocol layer that are read.
const ERROR_BYTES_MAX: usize = 4096;

/// A caller over HTTP.
struct HttpCaller {
    state: Arc<AppState>,
    principal: Principal,
    address: ClientAddress,
}

#[async_trait]
impl CallerContext for HttpCaller {
    async fn principal(&self) -> Result<Principal, CallerError> {
        Ok(self.principal.clone())
    }

    fn charge(&self, what: QuotaClass) -> Result<(), CallerError> {
        let class = match what {
            QuotaClass::Search => Class::Search,
            QuotaClass::Answer => Class::Rag,
            QuotaClass::Chat => Class::Chat,
        };
        let taken = self.state.throttles.take(class, self.principal.user, self.address);
        taken.map_err(|error| CallerError::new(CallerErrorKind::Throttled, error.detail()))
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
        let sentence = "Sessions are not supported; start again without a session id.";
        return Err(ApiError::with_detail(ErrorCode::NotFound, sentence));
    }
    let user = caller.principal.user;
    state.throttles.take(Class::Mcp, user, address)?;
    // A call may take minutes, so it counts as an event stream.
    let is_call = message.get("method").is_some_and(|method| method == "tools/call");
    let permit = is_call.then(|| state.throttles.streams.enter(user)).transpose()?;
    let body = Value::Object(message).to_string();
    let body_bytes_max = body.len();
    let mut request = Request::post("/mcp").body(Body::from(body)).map_err(ApiError::internal)?;
    *request.headers_mut() = protocol_headers(headers);
    let tools = Arc::clone(&state.mcp);
    let http_caller = Arc::new(HttpCaller { state, principal: caller.principal, address });
    let response = tools.over_http(http_caller, body_bytes_max).handle(request).await.map(Body::new);
    Ok(hold_permit(to_api_error(response).await?, permit))
}

/// The headers for the protocol layer. A client that accepts anything accepts both content types.
fn protocol_headers(mut headers: HeaderMap) -> HeaderMap {
    for name in [header::AUTHORIZATION, header::COOKIE, header::CONTENT_LENGTH, header::TRANSFER_ENCODING] {
        headers.remove(name);
    }
    let accepts = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    if accepts.is_none_or(|kinds| kinds.contains("*/*")) {
        headers.insert(header::ACCEPT, BOTH_KINDS);
    }
    headers
}

/// Converts errors outside of JSON-RPC to the API's format.
async fn to_api_error(response: Response) -> Result<Response, ApiError> {
    let status = response.status();
    let is_json = response.headers().get(header::CONTENT_TYPE).is_some_and(|kind| kind == "application/json");
    if is_json || status.is_success() {
        return Ok(response);
    }
    let text = to_bytes(response.into_body(), ERROR_BYTES_MAX).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    Err(match status {
        StatusCode::PAYLOAD_TOO_LARGE => ApiError::of(ErrorCode::TooLarge),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => {
            ApiError::with_detail(ErrorCode::Invalid, "This is not a JSON-RPC message.")
        }
        status if status.is_client_error() && !text.is_empty() => {
            ApiError::with_detail(ErrorCode::Malformed, text)
        }
        status if status.is_client_error() => ApiError::of(ErrorCode::Malformed),
        _ => ApiError::internal(text),
    })
}

/// Holds the permit until the last byte of the response is sent, or the client has disconnected.
fn hold_permit(response: Response, permit: Option<StreamPermit>) -> Response {
    let Some(permit) = permit else { return response };
    response.map(|body| {
        Body::from_stream(body.into_data_stream().map(move |piece| {
            let _permit = &permit;
            piece
        }))
    })
}
