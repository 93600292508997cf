//! `Idempotency-Key`: a request repeated with the same key and body gets the first response again.

use crate::error::{ApiError, ErrorCode};
use crate::extract;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use bytes::Bytes;
use domain::idempotency::{IdempotencyKey, KEY_CHARS_MAX};
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::fmt::Write;

pub const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// Marks a repeated response.
pub const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// A longer body is hashed on a blocking thread, so that no other request waits for it.
const HASHED_INLINE_BYTES_MAX: usize = 64 * 1024;

/// The header of a repeated response.
pub type ReplayHeader = Option<[(HeaderName, HeaderValue); 1]>;

pub fn replay_header(is_replayed: bool) -> ReplayHeader {
    is_replayed.then(|| [(REPLAYED, HeaderValue::from_static("true"))])
}

/// A JSON object as body, with the idempotency key of its request if it has one.
#[derive(Debug)]
pub struct KeyedJson<T> {
    pub value: T,
    pub key: Option<IdempotencyKey>,
}

impl<T: DeserializeOwned + Send + 'static, S: Send + Sync> FromRequest<S> for KeyedJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, Self::Rejection> {
        let named = NamedKey::of(&request)?;
        Self::read(extract::json_bytes(request, state).await?, named).await
    }
}

impl<T: DeserializeOwned + Send + 'static> KeyedJson<T> {
    /// Reads the body with its own size limit in place of the general one.
    pub async fn read_limited(request: Request, bytes_max: usize) -> Result<Self, ApiError> {
        let named = NamedKey::of(&request)?;
        Self::read(extract::limited_json_bytes(request, bytes_max).await?, named).await
    }

    async fn read(bytes: Bytes, named: Option<NamedKey>) -> Result<Self, ApiError> {
        let key = match named {
            Some(named) => Some(named.for_body(bytes.clone()).await?),
            None => None,
        };
        Ok(Self { value: extract::parse_json(bytes).await?, key })
    }
}

/// A key, and the route that it was sent to.
struct NamedKey {
    key: String,
    route: String,
}

impl NamedKey {
    fn of(request: &Request) -> Result<Option<Self>, ApiError> {
        let route = || request.uri().path().to_owned();
        Ok(read_key(request.headers())?.map(|key| Self { key, route: route() }))
    }

    async fn for_body(self, body: Bytes) -> Result<IdempotencyKey, ApiError> {
        let Self { key, route } = self;
        let fingerprint = if body.len() <= HASHED_INLINE_BYTES_MAX {
            hash(&route, &body)
        } else {
            tokio::task::spawn_blocking(move || hash(&route, &body)).await.map_err(ApiError::internal)?
        };
        Ok(IdempotencyKey { key, fingerprint })
    }
}

fn read_key(headers: &HeaderMap) -> Result<Option<String>, ApiError> {
    let mut values = headers.get_all(KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let key = value.to_str().unwrap_or_default().trim();
    if values.next().is_none() && (1..=KEY_CHARS_MAX).contains(&key.len()) {
        Ok(Some(key.to_owned()))
    } else {
        Err(ApiError::invalid_field(
            "Idempotency-Key",
            format!("Send one key of 1 to {KEY_CHARS_MAX} visible ASCII characters, such as a UUID."),
        ))
    }
}

fn hash(route: &str, body: &[u8]) -> String {
    let digest = Sha256::new().chain_update(route).chain_update([0]).chain_update(body).finalize();
    digest.iter().fold(String::new(), |mut text, byte| {
        let _written = write!(text, "{byte:02x}");
        text
    })
}

/// The key was used with another request.
pub fn reused() -> ApiError {
    ApiError::of(ErrorCode::IdempotencyKeyReused)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(values: &[&str]) -> HeaderMap {
        values.iter().map(|value| (KEY, HeaderValue::from_str(value).expect("a value"))).collect()
    }

    #[test]
    fn keys_have_a_bound_and_are_sent_once() {
        let longest = "k".repeat(KEY_CHARS_MAX);
        let too_long = "k".repeat(KEY_CHARS_MAX + 1);
        assert_eq!(read_key(&headers(&[])).expect("none"), None);
        for key in ["a", longest.as_str()] {
            assert_eq!(read_key(&headers(&[key])).expect("a key").as_deref(), Some(key));
        }
        for bad in [&[""] as &[&str], &[" "], &[too_long.as_str()], &["a", "a"], &["\u{e9}"]] {
            let refused = read_key(&headers(bad)).expect_err("not a key");
            assert_eq!(refused.error_code(), ErrorCode::Invalid, "{bad:?}");
        }
    }

    #[test]
    fn a_fingerprint_tells_routes_and_bodies_apart() {
        assert_eq!(hash("/a/", b"b"), hash("/a/", b"b"));
        assert_ne!(hash("/a/", b"b"), hash("/a/", b"c"));
        assert_ne!(hash("/a/", b"b"), hash("/b/", b"b"));
        assert_eq!(hash("/a/", b"b").len(), 64);
    }
}
