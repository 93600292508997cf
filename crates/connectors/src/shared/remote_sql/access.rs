//! Access tokens that were exchanged for a secret, kept until shortly before their end.

use super::exchange::{Body, Call, Target, send};
use super::fault;
use chrono::TimeDelta;
use domain::contracts::{ConnectorError, ConnectorErrorKind, PluginContext};
use domain::instant::Instant;
use domain::secret::Secret;
use moka::sync::Cache;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::sync::LazyLock;
use std::time::Duration;
use url::Url;

/// Tokens that are kept at once.
const TOKENS_MAX: u64 = 500;
/// A token is not used any more when so little of its life is left.
const MARGIN: TimeDelta = TimeDelta::seconds(60);
/// The life of a token whose giver did not say.
const LIFE_DEFAULT_S: i64 = 300;
const LIFE_MAX_S: i64 = 24 * 60 * 60;

/// Tokens outlive the search that asked for them.
static TOKENS: LazyLock<Cache<Key, Held>> =
    LazyLock::new(|| Cache::builder().max_capacity(TOKENS_MAX).build());

/// A hash of the place and of the whole secret: who differs in one of them shares nothing.
pub type Key = [u8; 32];

#[derive(Clone)]
struct Held {
    authorization: Secret,
    ends: Instant,
}

/// What is exchanged for a token.
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

/// The header of a token that is still good.
pub fn held(key: &Key, now: Instant) -> Option<Secret> {
    let held = TOKENS.get(key).filter(|held| held.ends - MARGIN > now)?;
    Some(held.authorization)
}

/// The source does not take it any more.
pub fn forget(key: &Key) {
    TOKENS.invalidate(key);
}

/// Asks for a token and keeps it.
pub async fn ask(
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
            TOKENS.insert(key, Held { authorization: authorization.clone(), ends });
            Ok(authorization)
        }
        (200..=299, None, _) => {
            let message = "the answer to the request for an access token holds none";
            Err(ConnectorError::new(ConnectorErrorKind::Unreadable, message))
        }
        (400..=499, _, Some(code)) if reply.status != 429 => {
            let more = text("error_description").map(|told| format!(": {}", fault::words(told)));
            let message =
                format!("no access token was given ({}){}", fault::words(code), more.unwrap_or_default());
            Err(ConnectorError::new(ConnectorErrorKind::Denied, message))
        }
        _ => Err(fault::of_status(&reply, now)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_used_until_shortly_before_its_end() {
        let now: Instant = "2024-03-05T10:00:00Z".parse().expect("a time");
        let own = key(&["https://a.example", "secret of this test"]);
        assert_eq!(held(&own, now), None);
        let authorization = Secret::new("Bearer t");
        TOKENS
            .insert(own, Held { authorization: authorization.clone(), ends: now + TimeDelta::seconds(100) });
        for (after_s, want) in [(0, true), (39, true), (40, false), (100, false)] {
            assert_eq!(held(&own, now + TimeDelta::seconds(after_s)).is_some(), want, "{after_s}");
        }
        forget(&own);
        assert_eq!(held(&own, now), None);
    }

    #[test]
    fn keys_are_of_the_parts_not_of_their_letters() {
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_eq!(key(&["ab", "c"]), key(&["ab", "c"]));
    }
}
