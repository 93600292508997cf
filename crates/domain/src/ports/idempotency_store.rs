//! Storage of idempotency keys.

use super::StoreError;
use crate::idempotency::{IdempotencyKey, StoredResponse};
use crate::ids::UserId;
use crate::instant::Instant;
use crate::search::Search;
use async_trait::async_trait;
use serde_json::Value;

#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// Stores a new search, the task that will run it, and the key with its response, in one transaction. Assigns an id
    /// to the search. Returns None and stores nothing if the key is in use. The key is removed with the search, because
    /// its response contains the query.
    async fn create_search_once(
        &self,
        search: Search,
        request: Option<&str>,
        key: &IdempotencyKey,
    ) -> Result<Option<Search>, StoreError>;
    /// The stored response of a user's key; None if the key is unknown or has expired.
    async fn stored_response(
        &self,
        owner: UserId,
        key: &str,
        now: Instant,
    ) -> Result<Option<StoredResponse>, StoreError>;
    /// Stores the key without a response; false if it is in use.
    async fn claim_key(&self, owner: UserId, key: &IdempotencyKey, now: Instant) -> Result<bool, StoreError>;
    /// Stores the response of a claimed key; false if it already has one.
    async fn store_response(
        &self,
        owner: UserId,
        key: &IdempotencyKey,
        answer: &Value,
    ) -> Result<bool, StoreError>;
    /// Removes the keys that have expired at `now`, and the oldest keys of users who have more than `per_user_max`.
    async fn expire_keys(&self, now: Instant, per_user_max: u64) -> Result<(), StoreError>;
}
