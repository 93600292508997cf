//! The one place where an error becomes an answer: a table of refusals, and one shape for all of them.

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

/// What `WWW-Authenticate` says with every 401.
const CHALLENGE: &str = r#"Basic realm="api""#;
/// Seconds after which a client may ask again for results that are not ready.
const NOT_READY_RETRY_S: u64 = 1;
/// Seconds after which a client may ask again when something behind us is down or busy.
const UNAVAILABLE_RETRY_S: u64 = 5;

/// Every way to refuse a request. A new one has a status, a word for programs and a sentence for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Malformed,
    Invalid,
    InvalidHost,
    NotAuthenticated,
    AuthenticationFailed,
    /// The license does not open the semantic cache.
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
    /// A scan of this person's sent mail is not over.
    ScanRunning,
    /// The person has not connected a mailbox.
    MailboxNotConnected,
    TooLarge,
    UnsupportedMediaType,
    /// Another request was sent with this `Idempotency-Key`.
    IdempotencyKeyReused,
    /// Well-formed, and cannot be done.
    Impossible,
    /// The text of the document is not in the cache.
    NotIndexed,
    Throttled,
    NotReady,
    Unavailable,
    /// No model is active for what was asked.
    NoAiProvider,
    AiProviderError,
    RagTimeout,
    Cancelled,
    StorageFull,
    Internal,
}

impl Refusal {
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

    /// The word for programs.
    fn code(self) -> &'static str {
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

    /// The sentence when there is no better one.
    fn sentence(self) -> &'static str {
        match self {
            Self::Malformed => "The request cannot be read.",
            Self::Invalid => "The request is not valid.",
            Self::InvalidHost => "The Host header is not valid.",
            Self::NotAuthenticated => "Credentials are needed: Basic or Token.",
            Self::AuthenticationFailed => "The credentials are not valid.",
            Self::CacheUnlicensed => {
                "The license does not open the semantic cache, or has expired; an administrator sees why at /svc/license/."
            }
            Self::PermissionDenied => "You are not allowed to do this.",
            Self::CsrfFailed => {
                "The X-CSRF-Token header or the csrf_token field is missing or wrong; load the page again."
            }
            Self::NotFound => "There is nothing here.",
            Self::MethodNotAllowed => "This method is not allowed here.",
            Self::Conflict => "This conflicts with what is there.",
            Self::PreconditionFailed => {
                "Somebody else has changed this meanwhile; load it again and apply your change to it."
            }
            Self::PinExists => {
                "Another document is pinned for this query; send force to put this one in its place."
            }
            Self::AlreadyDecided => "This election is no longer open.",
            Self::ScanRunning => "A scan of your sent mail is not over; wait for it, or cancel it.",
            Self::MailboxNotConnected => "Your mailbox is not connected; connect it and scan again.",
            Self::TooLarge => "The request body is too large.",
            Self::UnsupportedMediaType => "Send the body as Content-Type: application/json.",
            Self::IdempotencyKeyReused => {
                "This Idempotency-Key was used with another request in the last 24 hours; send a new key with a new request."
            }
            Self::Impossible => "This cannot be done.",
            Self::NotIndexed => "The text of this document is not in the cache and could not be fetched.",
            Self::Throttled => "Too many requests; ask again later.",
            Self::NotReady => "This is not ready yet; ask again shortly.",
            Self::Unavailable => "The service cannot answer at the moment; ask again shortly.",
            Self::NoAiProvider => "No AI provider is active for this; activate one at /svc/aiproviders/.",
            Self::AiProviderError => "The AI provider did not answer.",
            Self::RagTimeout => "The answer took too long.",
            Self::Cancelled => "This was cancelled.",
            Self::StorageFull => {
                "The service has no space to write, so nothing was stored. What is there can be read."
            }
            Self::Internal => {
                "Something went wrong here. The cause is in the server's log under the request id."
            }
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

/// A refusal with what is known of it. The body is written by [`finish`], which knows the request id.
#[derive(Debug, Clone)]
pub struct ApiError {
    refusal: Refusal,
    detail: Option<String>,
    errors: FieldErrors,
    /// For the log only.
    cause: Option<String>,
    /// Whole seconds until a throttled client may ask again.
    wait_s: Option<u64>,
    /// What stands in the way, under a name of its own.
    more: BTreeMap<&'static str, Value>,
}

impl ApiError {
    pub fn of(refusal: Refusal) -> Self {
        let (errors, more) = (FieldErrors::default(), BTreeMap::new());
        Self { refusal, detail: None, errors, cause: None, wait_s: None, more }
    }

    /// With a sentence of its own, which must be fit for the client's eyes.
    pub fn saying(refusal: Refusal, detail: impl Into<String>) -> Self {
        Self { detail: Some(detail.into()), ..Self::of(refusal) }
    }

    /// The same with one more field in its body, which must be fit for the client's eyes.
    pub fn with(mut self, field: &'static str, value: Value) -> Self {
        self.more.insert(field, value);
        self
    }

    /// 400 with the fields named; the first mistake is the sentence.
    pub fn invalid(errors: FieldErrors) -> Self {
        let detail = errors.iter().next().map(|(field, sentence)| format!("{field}: {sentence}"));
        Self { detail, errors, ..Self::of(Refusal::Invalid) }
    }

    pub fn invalid_field(field: &str, sentence: impl Into<String>) -> Self {
        Self::invalid(FieldErrors::one(field, sentence))
    }

    /// 500: a constant sentence outside, the cause in the log.
    pub fn internal(cause: impl std::fmt::Display) -> Self {
        Self { cause: Some(cause.to_string()), ..Self::of(Refusal::Internal) }
    }

    /// 429 with the time to wait, in whole seconds, rounded up.
    pub fn throttled(wait: Duration, sentence: &str) -> Self {
        let wait_s = (wait.as_secs() + u64::from(wait.subsec_nanos() > 0)).max(1);
        let unit = if wait_s == 1 { "second" } else { "seconds" };
        let detail = format!("{sentence} Try again in {wait_s} {unit}.");
        Self { wait_s: Some(wait_s), ..Self::saying(Refusal::Throttled, detail) }
    }

    /// Seconds after which the client may ask again, when that is known.
    pub fn retry_after_s(&self) -> Option<u64> {
        self.wait_s.or(self.refusal.retry_after_s())
    }

    pub fn refusal(&self) -> Refusal {
        self.refusal
    }

    /// The word for programs.
    pub fn code(&self) -> &'static str {
        self.refusal.code()
    }

    /// The sentence for people.
    pub fn detail(&self) -> &str {
        self.detail.as_deref().unwrap_or(self.refusal.sentence())
    }

    /// What the log should know and the client should not.
    pub fn cause(&self) -> Option<&str> {
        self.cause.as_deref()
    }

    fn unavailable(cause: &str) -> Self {
        Self { cause: Some(cause.to_owned()), ..Self::of(Refusal::Unavailable) }
    }
}

/// The shape of every refusal.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Error)]
pub struct ErrorBody {
    /// A sentence for people.
    #[schema(example = "query_string: A query is needed; this one is empty.")]
    pub detail: String,
    /// A word for programs.
    #[schema(example = "invalid")]
    pub code: String,
    /// Stands in the server's log too.
    #[schema(example = "0f3a9c5e7b1d2f4860a1c3e5d7f90b2c")]
    pub request_id: String,
    /// Field name to sentences, when fields are at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub errors: Option<BTreeMap<String, Vec<String>>>,
    /// With 429: seconds until the client may ask again, as in `Retry-After`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u64>,
    /// What some refusals say besides, such as the pin that is in the way.
    #[serde(flatten)]
    #[schema(ignore)]
    pub more: BTreeMap<String, Value>,
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = self.refusal.status().into_response();
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

/// Writes the body of a refusal; any other answer passes unchanged.
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
        more: error.more.iter().map(|(field, value)| ((*field).to_owned(), value.clone())).collect(),
    };
    let text = serde_json::to_string(&body).unwrap_or_default();
    set(&mut response, header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().remove(header::CONTENT_LENGTH);
    *response.body_mut() = Body::from(text);
    response
}

/// What a panic in a handler becomes.
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
    use answers::AnswerError;
    use answers::chat::ChatError;
    use corpus::EgressError;
    use domain::answer::AnswerFault;
    use domain::contracts::{QueueError, StoreError};
    use domain::status::SearchStatus;
    use federation::FederationError;
    use http_body_util::BodyExt;

    async fn answer(error: ApiError) -> (StatusCode, axum::http::HeaderMap, ErrorBody) {
        let response = finish(error.into_response(), "id-1");
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.expect("a body").to_bytes();
        (parts.status, parts.headers, serde_json::from_slice(&bytes).expect("our shape"))
    }

    fn fault(fault: AnswerFault) -> ApiError {
        AnswerError::Fault { fault, message: "A sentence.".to_owned() }.into()
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
            (StoreError::Unreachable("secret host".into()).into(), 503, "unavailable"),
            (StoreError::Full("secret disk".into()).into(), 507, "storage_full"),
            (StoreError::Failed("secret table".into()).into(), 500, "internal_error"),
            (QueueError::Unreachable("secret broker".into()).into(), 503, "unavailable"),
            (EgressError::Unlicensed.into(), 402, "cache_unlicensed"),
            (EgressError::NotFound.into(), 404, "not_found"),
            (EgressError::NotConnected("Connect it.".into()).into(), 424, "mailbox_not_connected"),
            (EgressError::Unavailable("secret issuer".into()).into(), 503, "unavailable"),
            (EgressError::Invalid("date_to", "Too late.".into()).into(), 400, "invalid"),
            (FederationError::Invalid(errors).into(), 400, "invalid"),
            (FederationError::Contended.into(), 409, "conflict"),
            (FederationError::NotReady(SearchStatus::Federating).into(), 503, "not_ready"),
            (FederationError::TooManyWaiting { max: 500 }.into(), 429, "throttled"),
            (FederationError::QueueFull { max: 500 }.into(), 503, "unavailable"),
            (FederationError::TooManyKept { max: 9 }.into(), 409, "conflict"),
            (AnswerError::NotReady(SearchStatus::Federating).into(), 503, "not_ready"),
            (AnswerError::Store(StoreError::Failed("secret".into())).into(), 500, "internal_error"),
            (fault(AnswerFault::NoAiProvider), 503, "no_ai_provider"),
            (fault(AnswerFault::AiProviderError), 502, "ai_provider_error"),
            (fault(AnswerFault::RagTimeout), 504, "rag_timeout"),
            (fault(AnswerFault::Cancelled), 409, "cancelled"),
            (fault(AnswerFault::Unavailable), 503, "unavailable"),
            (ChatError::Full.into(), 409, "conflict"),
            (ChatError::NoProvider("none".into()).into(), 503, "no_ai_provider"),
            (ChatError::Model { message: "down".into() }.into(), 502, "ai_provider_error"),
            (ChatError::Timeout.into(), 504, "rag_timeout"),
            (ChatError::Search("secret queue".into()).into(), 503, "unavailable"),
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
    async fn a_throttled_client_is_told_when_to_come_again() {
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
    async fn a_refusal_says_what_stands_in_the_way() {
        let scan = serde_json::json!({"scan_id": 7});
        let (status, _, body) = answer(ApiError::of(Refusal::ScanRunning).with("scan", scan.clone())).await;
        assert_eq!((status.as_u16(), body.code.as_str()), (409, "scan_running"));
        assert_eq!(body.more, BTreeMap::from([("scan".to_owned(), scan)]));
    }

    #[tokio::test]
    async fn a_panic_is_told_to_the_log_only() {
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
        let (status, headers, _) = answer(ApiError::of(Refusal::NotAuthenticated)).await;
        assert_eq!(status, StatusCode::UNAUTHORIZED);
        assert_eq!(headers[header::WWW_AUTHENTICATE], CHALLENGE);
    }
}
