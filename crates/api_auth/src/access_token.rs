//! Requests for access tokens, and their cache. A token is kept until shortly before it expires, and requested once by all
//! who need it at the same time.

use crate::error::AuthError;
use bytes::Bytes;
use chrono::TimeDelta;
use domain::bounded_json::{ANSWER_VALUES_MAX, parse_object};
use domain::instant::Instant;
use domain::ports::{Fetch, FetchError, HttpMethod, HttpRequest, HttpResponse, Origin, TlsOptions};
use domain::secret::Secret;
use moka::sync::Cache;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::sync::Mutex;
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
/// How long a failure is kept for those who wait.
const FLIGHT_IDLE_MAX: Duration = Duration::from_secs(120);
/// Maximum size of the body of a failure that is kept, in bytes.
const FAILURE_BYTES_MAX: usize = 1024;

/// Tokens outlive the search that requested them.
static TOKENS: LazyLock<Cache<Key, CachedToken>> =
    LazyLock::new(|| Cache::builder().max_capacity(TOKENS_MAX).build());

/// The requests for tokens that are in flight, and their last failures.
static FLIGHTS: LazyLock<Cache<Key, Arc<Flight>>> =
    LazyLock::new(|| Cache::builder().max_capacity(TOKENS_MAX).time_to_idle(FLIGHT_IDLE_MAX).build());

/// A hash of the endpoint and the secret: tokens are shared only if both are equal.
pub type Key = [u8; 32];

#[derive(Clone)]
struct CachedToken {
    authorization: Secret,
    ends: Instant,
}

/// Requests for one token take turns.
#[derive(Default)]
struct Flight {
    /// The number of failures so far: whoever waited for one fails as well, without another request.
    failures: AtomicU64,
    last_failure: Mutex<Option<AuthError>>,
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

/// Requests a token and caches it. Returns the `Authorization` header. If the same token is being requested already, that
/// request counts for this one too.
pub async fn request(
    fetch: &dyn Fetch,
    now: Instant,
    key: Key,
    request: TokenRequest<'_>,
) -> Result<Secret, AuthError> {
    let start = tokio::time::Instant::now();
    let flight = FLIGHTS.get_with(key, Arc::default);
    let failures = flight.failures.load(Ordering::SeqCst);
    let turn = tokio::time::timeout(request.time_max, flight.last_failure.lock()).await;
    let Ok(mut last_failure) = turn else {
        return Err(FetchError::Timeout { host: request.origin.host }.into());
    };
    if let Some(authorization) = cached(&key, now) {
        return Ok(authorization);
    }
    let has_failed = flight.failures.load(Ordering::SeqCst) != failures;
    if let Some(failure) = last_failure.as_ref().filter(|_| has_failed) {
        return Err(failure.clone());
    }
    let time_max = request.time_max.saturating_sub(start.elapsed());
    let requested = send(fetch, now, key, TokenRequest { time_max, ..request }).await;
    *last_failure = requested.as_ref().err().and_then(shared);
    if last_failure.is_some() {
        flight.failures.fetch_add(1, Ordering::SeqCst);
    }
    requested
}

/// The failure for those who wait for the same token; None if they may have more time or memory.
fn shared(failure: &AuthError) -> Option<AuthError> {
    match failure {
        AuthError::Fetch(FetchError::Timeout { .. } | FetchError::MemoryExceeded { .. }) => None,
        AuthError::Status(response) => {
            let length = response.body.len().min(FAILURE_BYTES_MAX);
            let body = Bytes::copy_from_slice(&response.body[..length]);
            Some(AuthError::Status(HttpResponse { body, ..response.clone() }))
        }
        other => Some(other.clone()),
    }
}

async fn send(
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
    use async_trait::async_trait;

    /// Answers after a second; counts its requests.
    struct SlowEndpoint {
        requests: AtomicU64,
        response: Result<HttpResponse, FetchError>,
    }

    impl SlowEndpoint {
        fn of(status: u16, body: &str) -> Self {
            let body = Bytes::from(body.to_owned());
            Self {
                requests: AtomicU64::new(0),
                response: Ok(HttpResponse { status, headers: Vec::new(), body }),
            }
        }

        async fn token(&self, name: &str, time_max: Duration) -> Result<Secret, AuthError> {
            let url: Url = "https://a.example/token".parse().expect("a URL");
            let origin = Origin::trusted(&url).expect("a host");
            let asked = TokenRequest { url, origin, tls: None, form: &[], authorization: None, time_max };
            let now = "2024-03-05T10:00:00Z".parse().expect("a time");
            request(self, now, key(&[name]), asked).await
        }
    }

    #[async_trait]
    impl Fetch for SlowEndpoint {
        async fn fetch(&self, request: &HttpRequest) -> Result<HttpResponse, FetchError> {
            self.requests.fetch_add(1, Ordering::SeqCst);
            let late = || FetchError::Timeout { host: request.origin.host.clone() };
            let answer = async {
                tokio::time::sleep(Duration::from_secs(1)).await;
                self.response.clone()
            };
            tokio::time::timeout(request.time_max, answer).await.unwrap_or_else(|_| Err(late()))
        }
    }

    const AMPLE: Duration = Duration::from_secs(60);
    const GRANTED: &str = r#"{"access_token": "t", "expires_in": 3600}"#;

    #[tokio::test(start_paused = true)]
    async fn those_who_need_a_token_at_the_same_time_request_it_once() {
        let unreachable = FetchError::UnknownHost { host: "a.example".to_owned() };
        let unreachable = SlowEndpoint { response: Err(unreachable), ..SlowEndpoint::of(200, "") };
        for (name, endpoint, expected) in [
            ("granted", SlowEndpoint::of(200, GRANTED), Ok("Bearer t")),
            (
                "rejected",
                SlowEndpoint::of(400, r#"{"error": "invalid_grant"}"#),
                Err("the token request was rejected"),
            ),
            (
                "failing",
                SlowEndpoint::of(503, &"x".repeat(9_000)),
                Err("the token request was answered with status 503"),
            ),
            ("unreachable", unreachable, Err("the host a.example cannot be found")),
        ] {
            let token = || async {
                let token = endpoint.token(name, AMPLE).await;
                token.map(|token| token.expose().to_owned()).map_err(|error| error.to_string())
            };
            let all = tokio::join!(token(), token(), token());
            let expected = expected.map(str::to_owned).map_err(str::to_owned);
            assert_eq!(all, (expected.clone(), expected.clone(), expected.clone()), "{name}");
            assert_eq!(endpoint.requests.load(Ordering::SeqCst), 1, "{name}");
            assert_eq!(token().await, expected, "{name}");
            let later = if expected.is_ok() { 1 } else { 2 };
            assert_eq!(endpoint.requests.load(Ordering::SeqCst), later, "{name}: a failure is not cached");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn who_waits_is_not_bound_to_the_time_of_another() {
        let endpoint = SlowEndpoint::of(200, GRANTED);
        let (short, long) = tokio::join!(
            endpoint.token("own time", Duration::from_millis(500)),
            endpoint.token("own time", AMPLE)
        );
        assert!(matches!(short, Err(AuthError::Fetch(FetchError::Timeout { .. }))), "{short:?}");
        assert_eq!(long.expect("a token").expose(), "Bearer t");
        let (long, short) = tokio::join!(
            endpoint.token("short wait", AMPLE),
            endpoint.token("short wait", Duration::from_millis(500))
        );
        assert_eq!(long.expect("a token").expose(), "Bearer t");
        assert!(matches!(short, Err(AuthError::Fetch(FetchError::Timeout { .. }))), "{short:?}");
        // A request that is cancelled does not keep the others waiting.
        let cancelled = tokio::time::timeout(Duration::from_millis(100), endpoint.token("cancelled", AMPLE));
        let (cancelled, other) = tokio::join!(cancelled, endpoint.token("cancelled", AMPLE));
        assert!(cancelled.is_err());
        assert_eq!(other.expect("a token").expose(), "Bearer t");
    }

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
