//! Requests that a client may repeat without doing anything twice: `Idempotency-Key`.

use crate::ids::SearchId;
use crate::instant::Instant;
use crate::search::SearchSpec;
use chrono::TimeDelta;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Longest key, in characters.
pub const KEY_CHARS_MAX: usize = 255;
/// How long a key is remembered.
pub const KEPT_FOR: TimeDelta = TimeDelta::hours(24);
/// Keys that are remembered for one user; the oldest are forgotten first.
pub const KEYS_PER_USER_MAX: u64 = 10_000;

/// The key of a request, as its client chose it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey {
    pub key: String,
    /// A hash over the route and the body: equal for equal requests.
    pub fingerprint: String,
}

/// What is remembered of the request that used a key first.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptAnswer {
    pub fingerprint: String,
    pub created: Instant,
    /// None while the request is under way, or if it failed.
    pub answer: Option<Value>,
}

/// A new search as it was answered: all of it that is not the same for every new search.
#[derive(Debug, Serialize, Deserialize)]
pub struct CreatedSearch {
    pub id: SearchId,
    pub spec: SearchSpec,
    pub messages: Vec<String>,
}
