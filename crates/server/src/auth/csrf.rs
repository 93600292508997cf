//! CSRF protection: an unsafe request with a session cookie must also carry the session's CSRF token.

use crate::error::{ApiError, ErrorCode};
use axum::body::{Body, to_bytes};
use axum::extract::{FromRequest, Multipart, Request};
use axum::http::{HeaderMap, HeaderName, header};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use bytes::Bytes;
use std::borrow::Cow;
use subtle::ConstantTimeEq;

const HEADER: HeaderName = HeaderName::from_static("x-csrf-token");
const FIELD: &str = "csrf_token";
/// Prefix of a masked token. No unmasked token has it.
const MASK: char = '~';
/// Largest form that is read for its token.
const FORM_BYTES_MAX: usize = 64 * 1024;
/// Largest form with a file that is read for its token.
const UPLOAD_BYTES_MAX: usize = 2 * 1024 * 1024;

/// Returns the request if the header, or the field of a form, is right.
pub async fn check(request: Request, expected: &str) -> Result<Request, ApiError> {
    if let Some(value) = request.headers().get(&HEADER) {
        return if value.to_str().is_ok_and(|text| same_text(text, expected)) {
            Ok(request)
        } else {
            Err(ApiError::of(ErrorCode::CsrfFailed))
        };
    }
    let (is_upload, bytes_max) = match form_type(request.headers()) {
        Some("multipart/form-data") => (true, UPLOAD_BYTES_MAX),
        Some("application/x-www-form-urlencoded") => (false, FORM_BYTES_MAX),
        _ => return Err(ApiError::of(ErrorCode::CsrfFailed)),
    };
    let (parts, body) = request.into_parts();
    let bytes = to_bytes(body, bytes_max).await.map_err(|_| ApiError::of(ErrorCode::TooLarge))?;
    let given = if is_upload {
        field_of_upload(parts.headers.clone(), bytes.clone()).await
    } else {
        url::form_urlencoded::parse(&bytes).find(|(name, _)| name == FIELD).map(|(_, text)| text.into_owned())
    };
    if !given.is_some_and(|text| same_text(&text, expected)) {
        return Err(ApiError::of(ErrorCode::CsrfFailed));
    }
    Ok(Request::from_parts(parts, Body::from(bytes)))
}

/// Our own pages send the header with every fetch.
pub fn is_sent(headers: &HeaderMap) -> bool {
    headers.contains_key(&HEADER)
}

fn form_type(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(header::CONTENT_TYPE)?.to_str().ok()?;
    text.split(';').next().map(str::trim)
}

/// The field of a form with a file; the first one of this name counts.
async fn field_of_upload(headers: HeaderMap, bytes: Bytes) -> Option<String> {
    let mut copy = Request::new(Body::from(bytes));
    *copy.headers_mut() = headers;
    let mut form = Multipart::from_request(copy, &()).await.ok()?;
    while let Some(field) = form.next_field().await.ok()? {
        if field.name() == Some(FIELD) {
            return field.text().await.ok();
        }
    }
    None
}

/// The token as written into a page, different each time. Pages are compressed, and the size of a page that repeats a
/// constant token would reveal it to an attacker (BREACH).
pub fn masked(text: &str) -> String {
    let pad: Vec<u8> = text.bytes().map(|_| rand::random()).collect();
    let hidden = text.bytes().zip(&pad).map(|(byte, pad)| byte ^ pad);
    let both: Vec<u8> = pad.iter().copied().chain(hidden).collect();
    format!("{MASK}{}", BASE64_URL_SAFE_NO_PAD.encode(both))
}

/// The token without its mask; any other text as it is.
fn unmasked(text: &str) -> Cow<'_, str> {
    let bytes = text.strip_prefix(MASK).and_then(|masked| BASE64_URL_SAFE_NO_PAD.decode(masked).ok());
    let Some(bytes) = bytes else { return text.into() };
    let (pad, hidden) = bytes.split_at(bytes.len() / 2);
    let plain: Vec<u8> = pad.iter().zip(hidden).map(|(pad, byte)| pad ^ byte).collect();
    String::from_utf8_lossy(&plain).into_owned().into()
}

/// Compares in constant time. Empty texts match nothing; the given one may be masked.
pub fn same_text(given: &str, expected: &str) -> bool {
    !expected.is_empty() && bool::from(unmasked(given).as_bytes().ct_eq(expected.as_bytes()))
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

    #[test]
    fn a_masked_token_matches_and_differs_each_time() {
        let text = crate::auth::random_text();
        let (one, other) = (masked(&text), masked(&text));
        assert_ne!(one, other);
        assert!(same_text(&one, &text) && same_text(&other, &text) && same_text(&text, &text));
        for wrong in ["", "~", "~!", "~AAAA", &one[1..], &masked("other")] {
            assert!(!same_text(wrong, &text), "{wrong}");
        }
        assert!(!same_text(&masked(""), ""));
    }

    #[tokio::test]
    async fn header_or_field() {
        let (form, upload) = ("application/x-www-form-urlencoded", "multipart/form-data; boundary=edge");
        let in_upload = |name: &str, text: &str| {
            let head = "--edge\r\nContent-Disposition: form-data; name=";
            format!("{head}\"a\"\r\n\r\n1\r\n{head}\"{name}\"\r\n\r\n{text}\r\n--edge--\r\n")
        };
        let large = format!("csrf_token=right&x={}", "y".repeat(FORM_BYTES_MAX));
        let table = [
            (Some("right"), "application/json", "{}".to_owned(), true),
            (Some("wrong"), "application/json", "{}".to_owned(), false),
            (Some("wrong"), form, "csrf_token=right".to_owned(), false),
            (None, form, "a=1&csrf_token=right".to_owned(), true),
            (None, form, "csrf_token=wrong".to_owned(), false),
            (None, form, String::new(), false),
            (None, form, large, false),
            (None, "application/json", r#"{"csrf_token":"right"}"#.to_owned(), false),
            (None, upload, in_upload("csrf_token", "right"), true),
            (None, upload, in_upload("csrf_token", "wrong"), false),
            (None, upload, in_upload("other", "right"), false),
            (None, upload, in_upload("csrf_token", &"r".repeat(UPLOAD_BYTES_MAX)), false),
            (None, upload, "csrf_token=right".to_owned(), false),
            (None, "multipart/form-data", in_upload("csrf_token", "right"), false),
        ];
        for (header, content_type, body, passes) in table {
            let checked = check(request(header, content_type, &body), "right").await;
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
