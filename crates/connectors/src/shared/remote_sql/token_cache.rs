//! Cache of access tokens, kept until shortly before they expire.

use super::error;
use super::http::{Body, Call, Target, send};
use chrono::TimeDelta;
use domain::instant::Instant;
use domain::ports::{ConnectorError, ConnectorErrorKind, PluginContext};
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
pub struct Grant<'a> {
    pub url: Url,
    pub target: Target<'a>,
    pub form: &'a [(&'a str, &'a str)],
    pub authorization: Option<&'a Secret>,
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

/// Removes a token that the source rejected.
pub fn forget(key: &Key) {
    TOKENS.invalidate(key);
}

/// Requests a token and caches it.
pub async fn request(
    context: &PluginContext,
    key: Key,
    grant: Grant<'_>,
    time_max: Duration,
) -> Result<Secret, ConnectorError> {
    let now = context.clock.now();
    let call = Call {
        url: grant.url,
        body: Some(Body::Form(grant.form)),
        authorization: grant.authorization,
        headers: Vec::new(),
        time_max,
    };
    let reply = send(context, grant.target, call).await?;
    let text = |name: &str| reply.body.get(name).and_then(Value::as_str);
    match (reply.status, text("access_token"), text("error")) {
        (200..=299, Some(token), _) => {
            let life = reply.body.get("expires_in").and_then(Value::as_i64).unwrap_or(LIFE_DEFAULT_S);
            let ends = now + TimeDelta::seconds(life.clamp(0, LIFE_MAX_S));
            let authorization = Secret::new(format!("Bearer {token}"));
            TOKENS.insert(key, CachedToken { authorization: authorization.clone(), ends });
            Ok(authorization)
        }
        (200..=299, None, _) => {
            let message = "the response to the token request contains no access token";
            Err(ConnectorError::new(ConnectorErrorKind::Unreadable, message))
        }
        (400..=499, _, Some(code)) if reply.status != 429 => {
            let more = text("error_description")
                .map(|vendor_message| format!(": {}", error::one_line(vendor_message)));
            let message = format!(
                "the token request was rejected ({}){}",
                error::one_line(code),
                more.unwrap_or_default()
            );
            Err(ConnectorError::new(ConnectorErrorKind::Denied, message))
        }
        _ => Err(error::from_status(&reply, now)),
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
