//! Remembered keys of requests, so that a repeated request does nothing twice.

use super::{StoreError, TaskOf};
use crate::idempotency::{IdempotencyKey, KeptAnswer};
use crate::ids::UserId;
use crate::instant::Instant;
use crate::search::Search;
use async_trait::async_trait;
use serde_json::Value;

#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Stores a search that was just created, the task that will run it, and the key with its answer, in one transaction.
    /// The search gets its id. None, and nothing is stored, if the key is taken. The key is forgotten with the search, because
    /// its answer holds the query.
    async fn create_search_once(
        &self,
        search: Search,
        task: TaskOf,
        key: &IdempotencyKey,
    ) -> Result<Option<Search>, StoreError>;
    /// What is remembered of a user's key; None if it is unknown or too old.
    async fn kept_answer(
        &self,
        owner: UserId,
        key: &str,
        now: Instant,
    ) -> Result<Option<KeptAnswer>, StoreError>;
    /// Remembers the key without an answer; false if it is taken.
    async fn claim_key(&self, owner: UserId, key: &IdempotencyKey, now: Instant) -> Result<bool, StoreError>;
    /// Remembers the answer of a key that was claimed; false if it has one already.
    async fn keep_answer(
        &self,
        owner: UserId,
        key: &IdempotencyKey,
        answer: &Value,
    ) -> Result<bool, StoreError>;
    /// Forgets the keys that are too old at `now`, and the oldest of a user who has more than `per_user_max`.
    async fn expire_keys(&self, now: Instant, per_user_max: u64) -> Result<(), StoreError>;
}
