//! Extractors for bodies, parameters and ids, whose errors have the API's format and name the field.

use crate::deserialize_error::rewrite;
use crate::error::{ApiError, ErrorCode};
use crate::json_scan::{ScanError, Scanned, scan};
use axum::extract::rejection::{BytesRejection, FailedToBufferBody};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use bytes::{Bytes, BytesMut};
use domain::bounded_json::grouped;
use domain::secret::without_value;
use domain::validation::FieldErrors;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::error::Error;

/// Most values in one body: objects, lists, strings, numbers.
const BODY_VALUES_MAX: usize = 50_000;
/// A longer body is parsed on a blocking thread, so that no other request waits for it.
const READ_INLINE_BYTES_MAX: usize = 64 * 1024;

const OBJECT_NEEDED: &str = "A JSON object is needed.";
const NUL_REFUSED: &str = "The NUL character is not allowed.";

/// A JSON object as body. Unknown fields are ignored; an invalid one is named.
#[derive(Debug)]
pub struct ApiJson<T>(pub T);

impl<T: DeserializeOwned + Send + 'static, S: Send + Sync> FromRequest<S> for ApiJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        parse(json_bytes(request, state).await?, parse_object).await.map(Self)
    }
}

/// A JSON object as body, or no body. A body of another type is refused.
#[derive(Debug)]
pub struct JsonOrNothing<T>(pub T);

impl<T: DeserializeOwned + Default + Send + 'static, S: Send + Sync> FromRequest<S> for JsonOrNothing<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        if request.headers().contains_key(header::CONTENT_TYPE) {
            return ApiJson::from_request(request, state).await.map(|ApiJson(value)| Self(value));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(body_refusal)?;
        if bytes.is_empty() {
            Ok(Self(T::default()))
        } else {
            Err(ApiError::of(ErrorCode::UnsupportedMediaType))
        }
    }
}

/// Any JSON as body, for handlers that read it value by value.
#[derive(Debug)]
pub struct ApiValue(pub Value);

impl<S: Send + Sync> FromRequest<S> for ApiValue {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        parse(json_bytes(request, state).await?, parse_value).await.map(Self)
    }
}

/// A JSON body with its own size limit in place of the general one.
pub async fn limited_json_bytes(request: Request, bytes_max: usize) -> Result<Bytes, ApiError> {
    if !is_json(request.headers()) {
        return Err(ApiError::of(ErrorCode::UnsupportedMediaType));
    }
    let announced = content_length(request.headers());
    if announced.is_some_and(|length| length > bytes_max as u64) {
        return Err(ApiError::of(ErrorCode::TooLarge));
    }
    let mut body = Limited::new(request.into_body(), bytes_max);
    // Chunks are joined as they arrive, so that a long body is never held twice.
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| match error.downcast_ref::<LengthLimitError>() {
            Some(_) => ApiError::of(ErrorCode::TooLarge),
            None => broken_body(),
        })?;
        if let Ok(piece) = frame.into_data() {
            bytes.extend_from_slice(&piece);
        }
    }
    Ok(bytes.freeze())
}

/// Parses a body that is a JSON object.
pub async fn parse_json<T: DeserializeOwned + Send + 'static>(bytes: Bytes) -> Result<T, ApiError> {
    parse(bytes, parse_object).await
}

/// The `Content-Length` of a request.
pub fn content_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// A JSON body within the general size limit.
pub async fn json_bytes<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, ApiError> {
    if !is_json(request.headers()) {
        return Err(ApiError::of(ErrorCode::UnsupportedMediaType));
    }
    Bytes::from_request(request, state).await.map_err(body_refusal)
}

/// Query parameters; an invalid one is named.
#[derive(Debug)]
pub struct ApiQuery<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for ApiQuery<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Self::Rejection> {
        match Query::<T>::try_from_uri(&parts.uri) {
            Ok(Query(value)) => Ok(Self(value)),
            Err(rejection) => Err(query_refusal(&rejection)),
        }
    }
}

/// Ids in the path; a text that cannot be an id is a 404.
#[derive(Debug)]
pub struct ApiPath<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for ApiPath<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Self::Rejection> {
        match Path::<T>::from_request_parts(parts, state).await {
            Ok(Path(value)) => Ok(Self(value)),
            Err(_) => Err(ApiError::of(ErrorCode::NotFound)),
        }
    }
}

/// `true` or `false` in a parameter, case-insensitive, as `explain=False`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flag(pub bool);

impl<'de> Deserialize<'de> for Flag {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.to_ascii_lowercase().as_str() {
            "true" | "1" => Ok(Self(true)),
            "false" | "0" => Ok(Self(false)),
            _ => Err(serde::de::Error::custom("use true or false")),
        }
    }
}

/// Deserializes an object, naming the field that is invalid.
pub fn read_object<T: DeserializeOwned>(value: Value) -> Result<T, ApiError> {
    read_fields(value).map_err(|fault| ApiError::invalid_field(&fault.field, fault.sentence))
}

/// The invalid field of an object, or `body`, and why it is invalid.
pub struct FieldFault {
    pub field: String,
    pub sentence: String,
}

/// Deserializes an object. A list is refused, although serde would accept it.
pub fn read_fields<T: DeserializeOwned>(value: Value) -> Result<T, FieldFault> {
    if !value.is_object() {
        return Err(FieldFault { field: "body".to_owned(), sentence: OBJECT_NEEDED.to_owned() });
    }
    serde_path_to_error::deserialize(value).map_err(named_fault)
}

/// The message does not repeat the value.
fn named_fault(error: serde_path_to_error::Error<serde_json::Error>) -> FieldFault {
    let field = match error.path().to_string() {
        path if path == "." => "body".to_owned(),
        path => path,
    };
    let (inner, sentence) = (error.inner(), error.inner().to_string());
    // The position in the text is less useful than the name of the field.
    let place = format!(" at line {} column {}", inner.line(), inner.column());
    let sentence = rewrite(&without_value(sentence.strip_suffix(&place).unwrap_or(&sentence)));
    FieldFault { field, sentence }
}

/// Deserializes a record that did not come with a request, with the same errors.
pub fn read_record<T: DeserializeOwned>(value: Value) -> Result<T, FieldErrors> {
    if let Some(field) = nul_field(&value) {
        return Err(FieldErrors::one(&field, NUL_REFUSED));
    }
    read_fields(value).map_err(|fault| FieldErrors::one(&fault.field, fault.sentence))
}

/// Parses a body, on a blocking thread if it is long.
async fn parse<T: Send + 'static>(
    bytes: Bytes,
    parse: fn(&[u8]) -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    if bytes.len() <= READ_INLINE_BYTES_MAX {
        return parse(&bytes);
    }
    tokio::task::spawn_blocking(move || parse(&bytes)).await.map_err(ApiError::internal)?
}

/// Deserializes an object directly into its type: unknown fields are skipped and cost nothing.
fn parse_object<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if !scanned(bytes)?.is_object {
        return Err(ApiError::invalid_field("body", OBJECT_NEEDED));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let FieldFault { field, sentence } = named_fault(error);
        ApiError::invalid_field(&field, sentence)
    })
}

fn parse_value(bytes: &[u8]) -> Result<Value, ApiError> {
    scanned(bytes)?;
    serde_json::from_slice(bytes).map_err(malformed)
}

/// Scans a body before it is deserialized. A NUL character is refused anywhere, because no database stores it.
fn scanned(bytes: &[u8]) -> Result<Scanned, ApiError> {
    let scanned = scan(bytes, BODY_VALUES_MAX).map_err(|error| match error {
        ScanError::Malformed(error) => malformed(error),
        ScanError::TooManyValues => {
            let sentence = format!("The body has more than {} values.", grouped(BODY_VALUES_MAX));
            ApiError::with_detail(ErrorCode::TooLarge, sentence)
        }
    })?;
    match &scanned.nul_field {
        Some(field) => Err(ApiError::invalid_field(field, NUL_REFUSED)),
        None => Ok(scanned),
    }
}

fn malformed(error: serde_json::Error) -> ApiError {
    ApiError::with_detail(ErrorCode::Malformed, format!("The body is not valid JSON: {error}."))
}

/// The top-level field, or `body`, that contains a NUL.
fn nul_field(value: &Value) -> Option<String> {
    let Value::Object(map) = value else {
        return has_nul(value).then(|| "body".to_owned());
    };
    map.iter()
        .find(|(key, value)| key.contains('\0') || has_nul(value))
        .map(|(key, _)| key.replace('\0', ""))
        .map(|key| if key.is_empty() { "body".to_owned() } else { key })
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(list) => list.iter().any(has_nul),
        Value::Object(map) => map.iter().any(|(key, value)| key.contains('\0') || has_nul(value)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let Some(text) = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let kind = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"))
}

fn body_refusal(rejection: BytesRejection) -> ApiError {
    match rejection {
        BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_)) => {
            ApiError::of(ErrorCode::TooLarge)
        }
        _ => broken_body(),
    }
}

fn broken_body() -> ApiError {
    ApiError::with_detail(ErrorCode::Malformed, "The body is incomplete or could not be read.")
}

/// The error inside the rejection names the parameter.
fn query_refusal(rejection: &(dyn Error + 'static)) -> ApiError {
    let mut error = Some(rejection);
    while let Some(current) = error {
        if let Some(found) = current.downcast_ref::<serde_path_to_error::Error<serde::de::value::Error>>() {
            let field = found.path().to_string();
            let sentence = rewrite(&found.inner().to_string());
            return match field.as_str() {
                "." => {
                    ApiError::with_detail(ErrorCode::Invalid, format!("A parameter is not valid: {sentence}"))
                }
                field => ApiError::invalid_field(field, sentence),
            };
        }
        error = current.source();
    }
    ApiError::with_detail(ErrorCode::Invalid, "The query parameters cannot be read.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;
    use axum::extract::DefaultBodyLimit;
    use axum::routing::post;
    use domain::search::SearchSpec;
    use tower::ServiceExt;

    const LIMIT: usize = 300;

    async fn status_of(content_type: &str, body: &str) -> (u16, String) {
        let handler = post(async |ApiJson(_): ApiJson<SearchSpec>| "fine");
        let app = axum::Router::new().route("/", handler).layer(DefaultBodyLimit::max(LIMIT));
        let request = Request::post("/")
            .header(header::CONTENT_TYPE, content_type)
            .body(Body::from(body.to_owned()))
            .expect("a request");
        let response = app.oneshot(request).await.expect("an answer");
        let error = response.extensions().get::<ApiError>();
        (response.status().as_u16(), error.map(|error| error.detail().to_owned()).unwrap_or_default())
    }

    #[tokio::test]
    async fn bodies() {
        let fits = format!(r#"{{"query_string":"{}"}}"#, "a".repeat(LIMIT - 19));
        assert_eq!(fits.len(), LIMIT);
        let too_large = format!("{fits} ");
        let table = [
            ("application/json", r#"{"query_string":"a","unknown":1}"#, 200, ""),
            ("application/json; charset=utf-8", "{}", 200, ""),
            ("application/merge-patch+json", "{}", 200, ""),
            ("application/json", fits.as_str(), 200, ""),
            ("application/json", too_large.as_str(), 413, "too large"),
            ("text/plain", "{}", 415, "application/json"),
            ("application/json", "{", 400, "not valid JSON"),
            ("application/json", "", 400, "not valid JSON"),
            ("application/json", r#"["a query"]"#, 400, "object is needed"),
            ("application/json", r#"{"results_requested":"many"}"#, 400, "results_requested"),
            (
                "application/json",
                r#"{"tags":["a",1]}"#,
                400,
                "tags[1]: A text is needed; this is a whole number.",
            ),
            ("application/json", r#"{"sort":"size"}"#, 400, "sort: use relevancy or date."),
            ("application/json", r#"{"tags":["a\u0000"]}"#, 400, "tags: The NUL"),
            ("application/json", r#"{"\u0000":1}"#, 400, "NUL"),
        ];
        for (content_type, body, status, detail) in table {
            let (found, text) = status_of(content_type, body).await;
            assert_eq!(found, status, "{body}");
            assert!(text.contains(detail), "{body}: {text}");
        }
    }

    #[tokio::test]
    async fn a_body_that_may_be_left_out() {
        let handler = post(async |JsonOrNothing(spec): JsonOrNothing<SearchSpec>| spec.query_string);
        let app = axum::Router::new().route("/", handler).layer(DefaultBodyLimit::max(LIMIT));
        let long = " ".repeat(LIMIT + 1);
        let table = [
            (None, "", 200, ""),
            (None, "{}", 415, ""),
            (None, long.as_str(), 413, ""),
            (Some("text/plain"), "", 415, ""),
            (Some("application/json"), "", 400, ""),
            (Some("application/json"), "{}", 200, ""),
            (Some("application/json"), r#"{"query_string":"a"}"#, 200, "a"),
        ];
        for (content_type, body, status, message) in table {
            let mut request = Request::post("/");
            if let Some(content_type) = content_type {
                request = request.header(header::CONTENT_TYPE, content_type);
            }
            let request = request.body(Body::from(body.to_owned())).expect("a request");
            let response = app.clone().oneshot(request).await.expect("an answer");
            assert_eq!(response.status(), status, "{content_type:?} {body}");
            if status == 200 {
                let text = axum::body::to_bytes(response.into_body(), LIMIT).await.expect("a body");
                assert_eq!(text, message, "{content_type:?} {body}");
            }
        }
    }

    #[derive(Debug, Deserialize)]
    struct Parameters {
        #[serde(default)]
        page: Option<u32>,
        #[serde(default)]
        explain: Option<Flag>,
    }

    #[tokio::test]
    async fn wrong_parameters_are_named() {
        let table = [
            ("/?page=2&explain=FALSE&other=1", None),
            ("/?page=two", Some("page: A whole number is needed.")),
            ("/?page=-1", Some("page: ")),
            ("/?page=", Some("page: ")),
            ("/?explain=perhaps", Some("explain: use true or false.")),
            ("/?page=1&page=2", Some("page")),
        ];
        for (uri, detail) in table {
            let (mut parts, ()) = Request::get(uri).body(()).expect("a request").into_parts();
            let read = ApiQuery::<Parameters>::from_request_parts(&mut parts, &()).await;
            match (read, detail) {
                (Ok(ApiQuery(found)), None) => {
                    assert_eq!((found.page, found.explain), (Some(2), Some(Flag(false))));
                }
                (Err(error), Some(detail)) => assert!(error.detail().contains(detail), "{}", error.detail()),
                (read, _) => panic!("{uri}: {read:?}"),
            }
        }
    }
}
