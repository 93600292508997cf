//! Idempotent requests: `Idempotency-Key`.

use crate::ids::SearchId;
use crate::instant::Instant;
use crate::search::SearchSpec;
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Maximum length of a key, in characters.
pub const KEY_CHARS_MAX: usize = 255;
/// How long a key is stored.
pub const KEPT_FOR: TimeDelta = TimeDelta::hours(24);
/// Maximum number of stored keys per user; the oldest are deleted first.
pub const KEYS_PER_USER_MAX: u64 = 10_000;

/// The key of a request, chosen by its client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub key: String,
    /// Hash of the route and the body: equal for equal requests.
    pub fingerprint: String,
}

/// The stored response to the first request with a key.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredResponse {
    pub fingerprint: String,
    pub created: Instant,
    /// None while the request is in progress, or if it failed.
    pub answer: Option<Value>,
}

/// The response for a new search, without what is the same for every new search.
#[derive(Debug, Serialize, Deserialize)]
pub struct CreatedSearch {
    pub id: SearchId,
    pub spec: SearchSpec,
    pub messages: Vec<String>,
}
