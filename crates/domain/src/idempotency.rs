//! Idempotent requests: `Idempotency-Key`.

use crate::ids::{SearchId, UserId};
use crate::instant::Instant;
use crate::notice::{self, StoredNotices};
use crate::search::{Search, SearchSpec};
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
    id: SearchId,
    spec: SearchSpec,
    messages: Vec<String>,
    #[serde(default)]
    notices: StoredNotices,
}

impl CreatedSearch {
    pub fn of(search: &Search) -> Self {
        Self {
            id: search.id,
            spec: search.spec.clone(),
            messages: notice::lines(&search.notices),
            notices: StoredNotices::of(search.notices.clone()),
        }
    }

    /// The search as it was created.
    pub fn search(self, owner: UserId, created: Instant) -> Search {
        Search::created(self.id, owner, self.spec, self.notices.restore(self.messages), created)
    }
}
