//! Converts errors to responses: the table of error codes, and the one format of all error bodies.

mod conversions;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response as HttpResponse, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::validation::FieldErrors;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::any::Any;
use std::collections::BTreeMap;
use std::time::Duration;

/// The `WWW-Authenticate` header of every 401.
const CHALLENGE: &str = r#"Basic realm="api""#;
/// `Retry-After` of results that are not ready, in seconds.
const NOT_READY_RETRY_S: u64 = 1;
/// `Retry-After` if a dependency is down or busy, in seconds.
const UNAVAILABLE_RETRY_S: u64 = 5;

/// Every reason for an error response, with its status, its code for programs and its default message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    Malformed,
    Invalid,
    InvalidHost,
    NotAuthenticated,
    AuthenticationFailed,
    /// The license does not include the semantic cache.
    CacheUnlicensed,
    PermissionDenied,
    CsrfFailed,
    NotFound,
    MethodNotAllowed,
    Conflict,
    /// The record does not have the version that `If-Match` names.
    PreconditionFailed,
    /// Another document is pinned for the query.
    PinExists,
    /// The election is decided, or there is a newer one.
    AlreadyDecided,
    /// A scan of this user's sent mail is still running.
    ScanRunning,
    /// The user has not connected a mailbox.
    MailboxNotConnected,
    TooLarge,
    UnsupportedMediaType,
    /// Another request was sent with this `Idempotency-Key`.
    IdempotencyKeyReused,
    /// Well-formed, but cannot be done.
    Impossible,
    /// The text of the document is not in the cache.
    NotIndexed,
    Throttled,
    NotReady,
    Unavailable,
    /// No active model supports the request.
    NoAiProvider,
    AiProviderError,
    RagTimeout,
    Cancelled,
    StorageFull,
    Internal,
}

impl ErrorCode {
    fn status(self) -> StatusCode {
        match self {
            Self::Malformed | Self::Invalid | Self::InvalidHost => StatusCode::BAD_REQUEST,
            Self::NotAuthenticated | Self::AuthenticationFailed => StatusCode::UNAUTHORIZED,
            Self::CacheUnlicensed => StatusCode::PAYMENT_REQUIRED,
            Self::PermissionDenied | Self::CsrfFailed => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::Conflict | Self::PinExists | Self::AlreadyDecided | Self::ScanRunning | Self::Cancelled => {
                StatusCode::CONFLICT
            }
            Self::PreconditionFailed => StatusCode::PRECONDITION_FAILED,
            Self::MailboxNotConnected => StatusCode::FAILED_DEPENDENCY,
            Self::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::IdempotencyKeyReused | Self::Impossible | Self::NotIndexed => {
                StatusCode::UNPROCESSABLE_ENTITY
            }
            Self::Throttled => StatusCode::TOO_MANY_REQUESTS,
            Self::NotReady | Self::Unavailable | Self::NoAiProvider => StatusCode::SERVICE_UNAVAILABLE,
            Self::AiProviderError => StatusCode::BAD_GATEWAY,
            Self::RagTimeout => StatusCode::GATEWAY_TIMEOUT,
            Self::StorageFull => StatusCode::INSUFFICIENT_STORAGE,
            Self::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// The code for programs.
    fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Invalid => "invalid",
            Self::InvalidHost => "invalid_host",
            Self::NotAuthenticated => "not_authenticated",
            Self::AuthenticationFailed => "authentication_failed",
            Self::CacheUnlicensed => "cache_unlicensed",
            Self::PermissionDenied => "permission_denied",
            Self::CsrfFailed => "csrf_failed",
            Self::NotFound => "not_found",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::Conflict => "conflict",
            Self::PreconditionFailed => "precondition_failed",
            Self::PinExists => "pin_exists",
            Self::AlreadyDecided => "already_decided",
            Self::ScanRunning => "scan_running",
            Self::MailboxNotConnected => "mailbox_not_connected",
            Self::TooLarge => "too_large",
            Self::UnsupportedMediaType => "unsupported_media_type",
            Self::IdempotencyKeyReused => "idempotency_key_reused",
            Self::Impossible => "impossible",
            Self::NotIndexed => "not_indexed",
            Self::Throttled => "throttled",
            Self::NotReady => "not_ready",
            Self::Unavailable => "unavailable",
            Self::NoAiProvider => "no_ai_provider",
            Self::AiProviderError => "ai_provider_error",
            Self::RagTimeout => "rag_timeout",
            Self::Cancelled => "cancelled",
            Self::StorageFull => "storage_full",
            Self::Internal => "internal_error",
        }
    }

    /// The message if there is no more specific one.
    fn default_message(self) -> &'static str {
        match self {
            Self::Malformed => "The request cannot be read.",
            Self::Invalid => "The request is not valid.",
            Self::InvalidHost => "The Host header is not valid.",
            Self::NotAuthenticated => "Authentication is required: Basic or Token.",
            Self::AuthenticationFailed => "The credentials are not valid.",
            Self::CacheUnlicensed => {
                "The license does not include the semantic cache, or has expired; administrators see the reason at /svc/license/."
            }
            Self::PermissionDenied => "You are not allowed to do this.",
            Self::CsrfFailed => {
                "The X-CSRF-Token header or the csrf_token field is missing or wrong; load the page again."
            }
            Self::NotFound => "Not found.",
            Self::MethodNotAllowed => "This method is not allowed here.",
            Self::Conflict => "This conflicts with an existing record.",
            Self::PreconditionFailed => {
                "Someone else has changed this in the meantime; reload it and apply your change again."
            }
            Self::PinExists => "Another document is pinned for this query; send force to replace it.",
            Self::AlreadyDecided => "This election is no longer open.",
            Self::ScanRunning => "A scan of your sent mail is still running; wait for it, or cancel it.",
            Self::MailboxNotConnected => "Your mailbox is not connected; connect it and scan again.",
            Self::TooLarge => "The request body is too large.",
            Self::UnsupportedMediaType => "Send the body as Content-Type: application/json.",
            Self::IdempotencyKeyReused => {
                "This Idempotency-Key was used with another request in the last 24 hours; send a new key with a new request."
            }
            Self::Impossible => "This cannot be done.",
            Self::NotIndexed => "The text of this document is not in the cache and could not be fetched.",
            Self::Throttled => "Too many requests; try again later.",
            Self::NotReady => "This is not ready yet; try again shortly.",
            Self::Unavailable => "The service is temporarily unavailable; try again shortly.",
            Self::NoAiProvider => "No AI provider is active for this; activate one at /svc/aiproviders/.",
            Self::AiProviderError => "The AI provider did not respond.",
            Self::RagTimeout => "The AI provider took too long.",
            Self::Cancelled => "This was canceled.",
            Self::StorageFull => {
                "The service is out of storage space, so nothing was stored. Existing data can still be read."
            }
            Self::Internal => "Internal error. The server's log has the cause under the request id.",
        }
    }

    fn retry_after_s(self) -> Option<u64> {
        match self {
            Self::NotReady => Some(NOT_READY_RETRY_S),
            Self::Unavailable | Self::NoAiProvider => Some(UNAVAILABLE_RETRY_S),
            _ => None,
        }
    }
}

/// An error with its details. [`finish`], which knows the request id, writes the body.
#[derive(Debug, Clone)]
pub struct ApiError {
    code: ErrorCode,
    detail: Option<String>,
    errors: FieldErrors,
    /// For the log only.
    cause: Option<String>,
    /// Whole seconds until a throttled client may retry.
    wait_s: Option<u64>,
    /// Further fields of the body, such as the conflicting record.
    extra: BTreeMap<&'static str, Value>,
}

impl ApiError {
    pub fn of(code: ErrorCode) -> Self {
        let (errors, extra) = (FieldErrors::default(), BTreeMap::new());
        Self { code, detail: None, errors, cause: None, wait_s: None, extra }
    }

    /// An error with its own message, which the client sees.
    pub fn with_detail(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..Self::of(code) }
    }

    /// Adds a field to the body, which the client sees.
    pub fn with_extra(mut self, field: &'static str, value: Value) -> Self {
        self.extra.insert(field, value);
        self
    }

    /// 400 with the invalid fields; the first one becomes the message.
    pub fn invalid(errors: FieldErrors) -> Self {
        let detail = errors.iter().next().map(|(field, sentence)| format!("{field}: {sentence}"));
        Self { detail, errors, ..Self::of(ErrorCode::Invalid) }
    }

    pub fn invalid_field(field: &str, sentence: impl Into<String>) -> Self {
        Self::invalid(FieldErrors::one(field, sentence))
    }

    /// 500: the client gets a constant message, the log gets the cause.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        Self { cause: Some(cause.to_string()), ..Self::of(ErrorCode::Internal) }
    }

    /// 429 with the time to wait, in whole seconds, rounded up.
    pub fn throttled(wait: Duration, sentence: &str) -> Self {
        let wait_s = (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1);
        let unit = if wait_s == 1 { "second" } else { "seconds" };
        let detail = format!("{sentence} Try again in {wait_s} {unit}.");
        Self { wait_s: Some(wait_s), ..Self::with_detail(ErrorCode::Throttled, detail) }
    }

    /// Seconds after which the client may retry, if known.
    pub fn retry_after_s(&self) -> Option<u64> {
        self.wait_s.or(self.code.retry_after_s())
    }

    pub fn error_code(&self) -> ErrorCode {
        self.code
    }

    /// The code for programs.
    pub fn code(&self) -> &'static str {
        self.code.as_str()
    }

    /// The message for people.
    pub fn detail(&self) -> &str {
        self.detail.as_deref().unwrap_or(self.code.default_message())
    }

    /// The cause, for the log only.
    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    fn unavailable(cause: &str) -> Self {
        Self { cause: Some(cause.to_owned()), ..Self::of(ErrorCode::Unavailable) }
    }
}

/// The body of every error response.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Error)]
pub struct ErrorBody {
    /// A message for people.
    #[schema(example = "query_string: A query is needed; this one is empty.")]
    pub detail: String,
    /// A code for programs.
    #[schema(example = "invalid")]
    pub code: String,
    /// Also in the server's log.
    #[schema(example = "0f3a9c5e7b1d2f4860a1c3e5d7f90b2c")]
    pub request_id: String,
    /// Messages by field name, if fields are invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<BTreeMap<String, Vec<String>>>,
    /// With 429: seconds until the client may retry, as in `Retry-After`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// Further fields of some errors, such as the conflicting pin.
    #[serde(flatten)]
    #[schema(ignore)]
    pub extra: BTreeMap<String, Value>,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        if response.status() == StatusCode::UNAUTHORIZED {
            set(&mut response, header::WWW_AUTHENTICATE, HeaderValue::from_static(CHALLENGE));
        }
        if let Some(seconds) = self.retry_after_s() {
            set(&mut response, header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes the body of an error response; other responses pass unchanged.
pub fn finish(mut response: Response, request_id: &str) -> Response {
    let Some(error) = response.extensions().get::<ApiError>() else {
        return response;
    };
    let errors = error.errors.clone().into_map();
    let body = ErrorBody {
        detail: error.detail().to_owned(),
        code: error.code().to_owned(),
        request_id: request_id.to_owned(),
        errors: (!errors.is_empty()).then_some(errors),
        retry_after: error.wait_s,
        extra: error.extra.iter().map(|(field, value)| ((*field).to_owned(), value.clone())).collect(),
    };
    let text = serde_json::to_string(&body).unwrap_or_default();
    set(&mut response, header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().remove(header::CONTENT_LENGTH);
    *response.body_mut() = Body::from(text);
    response
}

/// Converts a panic in a handler to a response.
pub fn from_panic(panic: Box<dyn Any + Send>) -> HttpResponse<Body> {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no text");
    ApiError::internal(format_args!("a handler panicked: {text}")).into_response()
}

fn set(response: &mut Response, name: HeaderName, value: HeaderValue) {
    response.headers_mut().insert(name, value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use corpus::EgressError;
    use domain::ports::{QueueError, SourceTokenError, StoreError};
    use domain::status::SearchStatus;
    use domain::summary::SummaryFault;
    use federation::FederationError;
    use http_body_util::BodyExt;
    use rag::SummaryError;
    use rag::chat::ChatError;

    async fn answer(error: ApiError) -> (StatusCode, axum::http::HeaderMap, ErrorBody) {
        let response = finish(error.into_response(), "id-1");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        (parts.status, parts.headers, serde_json::from_slice(&bytes).expect("our shape"))
    }

    fn fault(fault: SummaryFault) -> ApiError {
        SummaryError::Fault { fault, message: "A sentence.".to_owned() }.into()
    }

    #[tokio::test]
    async fn errors_of_other_crates_become_responses() {
        let errors = FieldErrors::one("sort", "Use date.");
        let table: Vec<(ApiError, u16, &str)> = vec![
            (StoreError::NotFound.into(), 404, "not_found"),
            (StoreError::Taken("name").into(), 409, "conflict"),
            (StoreError::UnknownReference("group 'x'".into()).into(), 400, "invalid"),
            (StoreError::LastAdministrator.into(), 409, "conflict"),
            (StoreError::Stale.into(), 412, "precondition_failed"),
            (StoreError::unreachable("secret host").into(), 503, "unavailable"),
            (StoreError::full("secret disk").into(), 507, "storage_full"),
            (StoreError::failed("secret table").into(), 500, "internal_error"),
            (QueueError::unreachable("secret broker").into(), 503, "unavailable"),
            (EgressError::Unlicensed.into(), 402, "cache_unlicensed"),
            (EgressError::NotFound.into(), 404, "not_found"),
            (EgressError::NotConnected("Connect it.".into()).into(), 424, "mailbox_not_connected"),
            (
                EgressError::Unavailable(SourceTokenError::UnknownAuthenticator("secret issuer".into()))
                    .into(),
                503,
                "unavailable",
            ),
            (EgressError::Invalid("date_to", "Too late.".into()).into(), 400, "invalid"),
            (FederationError::Invalid(errors).into(), 400, "invalid"),
            (FederationError::Contended.into(), 409, "conflict"),
            (FederationError::NotReady(SearchStatus::Federating).into(), 503, "not_ready"),
            (FederationError::TooManyWaiting { max: 500 }.into(), 429, "throttled"),
            (FederationError::QueueFull { max: 500 }.into(), 503, "unavailable"),
            (FederationError::TooManyKept { max: 9 }.into(), 409, "conflict"),
            (SummaryError::NotReady(SearchStatus::Federating).into(), 503, "not_ready"),
            (SummaryError::Store(StoreError::failed("secret")).into(), 500, "internal_error"),
            (fault(SummaryFault::NoAiProvider), 503, "no_ai_provider"),
            (fault(SummaryFault::AiProviderError), 502, "ai_provider_error"),
            (fault(SummaryFault::RagTimeout), 504, "rag_timeout"),
            (fault(SummaryFault::Cancelled), 409, "cancelled"),
            (fault(SummaryFault::Unavailable), 503, "unavailable"),
            (ChatError::Full.into(), 409, "conflict"),
            (ChatError::NoProvider("none".into()).into(), 503, "no_ai_provider"),
            (ChatError::Model { message: "down".into() }.into(), 502, "ai_provider_error"),
            (ChatError::Timeout.into(), 504, "rag_timeout"),
            (ChatError::Search { message: "secret queue".into(), source: None }.into(), 503, "unavailable"),
        ];
        for (error, status, code) in table {
            let (found, headers, body) = answer(error).await;
            assert_eq!((found.as_u16(), body.code.as_str()), (status, code));
            assert_eq!(body.request_id, "id-1");
            assert!(!body.detail.contains("secret"), "{}", body.detail);
            assert_eq!(headers.contains_key(header::RETRY_AFTER), [429, 503].contains(&status), "{code}");
        }
    }

    #[tokio::test]
    async fn a_throttled_client_gets_the_time_to_wait() {
        for (millis, seconds) in [(0, 1), (1, 1), (1000, 1), (1001, 2), (59_500, 60)] {
            let (status, headers, body) =
                answer(ApiError::throttled(Duration::from_millis(millis), "Too many.")).await;
            assert_eq!((status.as_u16(), body.code.as_str()), (429, "throttled"));
            assert_eq!(headers[header::RETRY_AFTER], seconds.to_string());
            assert_eq!(body.retry_after, Some(seconds), "{millis}");
            assert!(body.detail.starts_with(&format!("Too many. Try again in {seconds} second")));
        }
    }

    #[tokio::test]
    async fn fields_are_named() {
        let mut errors = FieldErrors::one("sort", "Use date.");
        errors.add("tags", "Too many.");
        let (_, _, body) = answer(ApiError::invalid(errors)).await;
        assert_eq!(body.detail, "sort: Use date.");
        let fields: Vec<String> = body.errors.unwrap_or_default().into_keys().collect();
        assert_eq!(fields, ["sort", "tags"]);
    }

    #[tokio::test]
    async fn an_error_includes_the_conflicting_record() {
        let scan = serde_json::json!({"scan_id": 7});
        let (status, _, body) =
            answer(ApiError::of(ErrorCode::ScanRunning).with_extra("scan", scan.clone())).await;
        assert_eq!((status.as_u16(), body.code.as_str()), (409, "scan_running"));
        assert_eq!(body.extra, BTreeMap::from([("scan".to_owned(), scan)]));
    }

    #[tokio::test]
    async fn the_cause_of_a_panic_is_only_logged() {
        let response = from_panic(Box::new("secret index out of bounds".to_owned()));
        let cause = response.extensions().get::<ApiError>().and_then(ApiError::cause).map(str::to_owned);
        assert!(cause.is_some_and(|text| text.contains("secret index")));
        let (parts, body) = finish(response, "id-1").into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        assert_eq!(parts.status, StatusCode::INTERNAL_SERVER_ERROR);
        assert!(!String::from_utf8_lossy(&bytes).contains("secret"));
    }

    #[tokio::test]
    async fn no_credentials_get_a_challenge() {
        let (status, headers, _) = answer(ApiError::of(ErrorCode::NotAuthenticated)).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
        assert_eq!(headers[header::WWW_AUTHENTICATE], CHALLENGE);
    }
}
