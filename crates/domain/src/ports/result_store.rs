//! Storage of results.

use super::{Page, StoreError};
use crate::ids::{ProviderId, ResultId, SearchId, UserId};
use crate::instant::Instant;
use crate::notice::Notice;
use crate::owner_scope::OwnerScope;
use crate::result::{GuardedResult, ResultItem, ResultSet, SavedResult};
use async_trait::async_trait;

#[async_trait]
pub trait ResultStore: ResultEdits {
    /// All sets of a search, by provider id.
    async fn result_sets(&self, search: SearchId) -> Result<Vec<ResultSet>, StoreError>;
    /// The notices of each set of these searches, without its results; by search and provider.
    async fn set_notices(&self, searches: &[SearchId]) -> Result<Vec<(SearchId, Vec<Notice>)>, StoreError>;
    async fn result(&self, id: ResultId) -> Result<SavedResult, StoreError>;
    /// Results of the searches of these owners, newest first.
    async fn results(
        &self,
        owner: OwnerScope,
        offset: u64,
        limit: u64,
    ) -> Result<Page<SavedResult>, StoreError>;
    /// Those of the owner's results that are shown only while their document is visible, in the order of `results`,
    /// from at most `sets_max` of the newest sets. Sets of the providers in `but` have none and are skipped.
    async fn guarded_results(
        &self,
        owner: UserId,
        but: &[ProviderId],
        sets_max: u64,
    ) -> Result<Vec<GuardedResult>, StoreError>;
    /// The newest unedited result of the owner's searches that this provider returned with exactly this URL, from at
    /// most `sets_max` of the newest sets.
    async fn unedited_result(
        &self,
        owner: UserId,
        provider: ProviderId,
        url: &str,
        sets_max: u64,
    ) -> Result<Option<SavedResult>, StoreError>;
    /// Removes the mark `new` from all results of a search; returns how many had it.
    async fn mark_all_read(&self, search: SearchId, now: Instant) -> Result<u64, StoreError>;
    /// The number of results with the mark `new` of these searches; searches without any are omitted.
    async fn count_new(&self, searches: &[SearchId]) -> Result<Vec<(SearchId, u64)>, StoreError>;
}

/// Edits and deletions of results; conditional through [`if_version`](super::VersionStore::if_version).
#[async_trait]
pub trait ResultEdits: Send + Sync {
    /// Replaces a result; its id and its provenance are kept. Returns the result as it will be read.
    async fn replace_result(
        &self,
        id: ResultId,
        item: ResultItem,
        now: Instant,
    ) -> Result<SavedResult, StoreError>;
    /// Deletes a result; its search is kept.
    async fn delete_result(&self, id: ResultId) -> Result<(), StoreError>;
}
