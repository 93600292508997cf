//! Requests for access tokens, and their cache. A token is kept until shortly before it expires.

use crate::error::AuthError;
use bytes::Bytes;
use chrono::TimeDelta;
use domain::bounded_json::{ANSWER_VALUES_MAX, parse_object};
use domain::instant::Instant;
use domain::ports::{Fetch, HttpMethod, HttpRequest, Origin, TlsOptions};
use domain::secret::Secret;
use moka::sync::Cache;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;
use std::time::Duration;
use url::Url;

/// Most cached tokens.
const TOKENS_MAX: u64 = 500;
/// A token is not used if less than this is left of its lifetime.
const MARGIN: TimeDelta = TimeDelta::seconds(60);
/// The lifetime of a token if the response does not state it.
const LIFE_DEFAULT_S: i64 = 300;
const LIFE_MAX_S: i64 = 24 * 60 * 60;
/// A longer response is no token.
const RESPONSE_BYTES_MAX: usize = 64 * 1024;

/// Tokens outlive the search that requested them.
static TOKENS: LazyLock<Cache<Key, CachedToken>> =
    LazyLock::new(|| Cache::builder().max_capacity(TOKENS_MAX).build());

/// A hash of the endpoint and the secret: tokens are shared only if both are equal.
pub type Key = [u8; 32];

#[derive(Clone)]
struct CachedToken {
    authorization: Secret,
    ends: Instant,
}

/// A token request.
pub struct TokenRequest<'a> {
    pub url: Url,
    /// The origin that may receive `authorization`.
    pub origin: Origin,
    pub tls: Option<TlsOptions>,
    pub form: &'a [(&'a str, &'a str)],
    pub authorization: Option<&'a Secret>,
    pub time_max: Duration,
}

pub fn key(parts: &[&str]) -> Key {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// The `Authorization` header of a cached token that is still valid.
pub fn cached(key: &Key, now: Instant) -> Option<Secret> {
    let cached = TOKENS.get(key).filter(|cached| cached.ends - MARGIN > now)?;
    Some(cached.authorization)
}

/// Removes a token that the vendor rejected.
pub fn forget(key: &Key) {
    TOKENS.invalidate(key);
}

/// Requests a token and caches it. Returns the `Authorization` header.
pub async fn request(
    fetch: &dyn Fetch,
    now: Instant,
    key: Key,
    request: TokenRequest<'_>,
) -> Result<Secret, AuthError> {
    let response = fetch.fetch(&into_http(request)).await?;
    let fits = response.body.len() <= RESPONSE_BYTES_MAX;
    let body = if fits { parse_object(&response.body, ANSWER_VALUES_MAX) } else { None }.unwrap_or_default();
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    match (response.status, text("access_token"), text("error")) {
        (200..=299, Some(token), _) => {
            let life = body.get("expires_in").and_then(Value::as_i64).unwrap_or(LIFE_DEFAULT_S);
            let ends = now + TimeDelta::seconds(life.clamp(0, LIFE_MAX_S));
            let authorization = Secret::new(format!("Bearer {token}"));
            TOKENS.insert(key, CachedToken { authorization: authorization.clone(), ends });
            Ok(authorization)
        }
        (200..=299 | 400..=499, _, Some(code)) if response.status != 429 => {
            let description = text("error_description").map(str::to_owned);
            Err(AuthError::Rejected { code: code.to_owned(), description })
        }
        (200..=299, None, None) => Err(AuthError::NoToken),
        _ => Err(AuthError::Status(response)),
    }
}

fn into_http(request: TokenRequest<'_>) -> HttpRequest {
    let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let form = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(request.form).finish();
    let authorization = request.authorization.cloned();
    HttpRequest {
        method: HttpMethod::Post,
        url: request.url,
        headers: vec![
            header("Content-Type", "application/x-www-form-urlencoded"),
            header("Accept", "application/json"),
        ],
        // A request whose body holds a secret never follows a redirect to another origin; this one may hold one.
        secrets: vec![authorization.clone().unwrap_or_else(|| Secret::new("-"))],
        secret_headers: authorization.map(|value| ("Authorization".to_owned(), value)).into_iter().collect(),
        body: Some(Bytes::from(form)),
        origin: request.origin,
        time_max: request.time_max,
        tls: request.tls,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_used_until_shortly_before_its_end() {
        let now: Instant = "2024-03-05T10:00:00Z".parse().expect("a time");
        let own = key(&["https://a.example", "secret of this test"]);
        assert_eq!(cached(&own, now), None);
        let authorization = Secret::new("Bearer t");
        TOKENS.insert(
            own,
            CachedToken { authorization: authorization.clone(), ends: now + TimeDelta::seconds(100) },
        );
        for (after_s, want) in [(0, true), (39, true), (40, false), (100, false)] {
            assert_eq!(cached(&own, now + TimeDelta::seconds(after_s)).is_some(), want, "{after_s}");
        }
        forget(&own);
        assert_eq!(cached(&own, now), None);
    }

    #[test]
    fn keys_depend_on_part_boundaries() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_eq!(key(&["ab", "c"]), key(&["ab", "c"]));
    }
}
