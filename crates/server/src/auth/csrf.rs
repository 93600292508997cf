//! A cookie alone changes nothing: an unsafe request by session must also carry the session's CSRF text.

use crate::error::{ApiError, Refusal};
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderName, header};
use subtle::ConstantTimeEq;

const HEADER: HeaderName = HeaderName::from_static("x-csrf-token");
const FIELD: &str = "csrf_token";
/// Largest form that is read for its field.
const FORM_BYTES_MAX: usize = 64 * 1024;

/// The request again if the header, or the field of a form, is right.
pub async fn check(request: Request, expected: &str) -> Result<Request, ApiError> {
    if let Some(value) = request.headers().get(&HEADER) {
        return match value.to_str().is_ok_and(|text| same_text(text, expected)) {
            true => Ok(request),
            false => Err(ApiError::of(Refusal::CsrfFailed)),
        };
    }
    let is_form = request
        .headers()
        .get(header::CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"application/x-www-form-urlencoded"));
    if !is_form {
        return Err(ApiError::of(Refusal::CsrfFailed));
    }
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, FORM_BYTES_MAX).await.map_err(|_| ApiError::of(Refusal::TooLarge))?;
    let is_right =
        url::form_urlencoded::parse(&bytes).any(|(name, text)| name == FIELD && same_text(&text, expected));
    if !is_right {
        return Err(ApiError::of(Refusal::CsrfFailed));
    }
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// Compares without telling by its time where the texts differ. Empty texts match nothing.
pub fn same_text(given: &str, expected: &str) -> bool {
    !expected.is_empty() && bool::from(given.as_bytes().ct_eq(expected.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(header: Option<&str>, content_type: &str, body: &str) -> Request {
        let mut builder = Request::post("/").header(header::CONTENT_TYPE, content_type);
        if let Some(text) = header {
            builder = builder.header(HEADER, text);
        }
        builder.body(Body::from(body.to_owned())).expect("a request")
    }

    #[tokio::test]
    async fn header_or_field() {
        let form = "application/x-www-form-urlencoded";
        let large = format!("csrf_token=right&x={}", "y".repeat(FORM_BYTES_MAX));
        let table = [
            (Some("right"), "application/json", "{}", true),
            (Some("wrong"), "application/json", "{}", false),
            (Some("wrong"), form, "csrf_token=right", false),
            (None, form, "a=1&csrf_token=right", true),
            (None, form, "csrf_token=wrong", false),
            (None, form, "", false),
            (None, form, large.as_str(), false),
            (None, "application/json", r#"{"csrf_token":"right"}"#, false),
        ];
        for (header, content_type, body, passes) in table {
            let checked = check(request(header, content_type, body), "right").await;
            assert_eq!(checked.is_ok(), passes, "{header:?} {content_type} {}", body.len());
            if let Ok(passed) = checked {
                let bytes =
                    to_bytes(passed.into_body(), FORM_BYTES_MAX).await.expect("the body is still there");
                assert_eq!(bytes, body.as_bytes());
            }
        }
        assert!(check(request(Some(""), form, ""), "").await.is_err());
    }
}
