//! Storage of searches.

use super::{ClaimedTask, NewLease, Page, StoreError};
use crate::ids::{RunNumber, SearchId, UserId};
use crate::instant::Instant;
use crate::notice::Notice;
use crate::owner_scope::OwnerScope;
use crate::result::ResultSet;
use crate::search::{Search, SearchFilter, SearchSpec};
use crate::search_run::{RunFindings, RunState};
use crate::status::SearchStatus;
use async_trait::async_trait;

/// The outcome of a run of a search, written atomically.
#[derive(Debug, Clone, PartialEq)]
pub struct FinishedRun {
    pub search: SearchId,
    pub run: RunNumber,
    pub status: SearchStatus,
    pub query_string_processed: String,
    /// Appended to the existing notices.
    pub notices: Vec<Notice>,
    pub time_s: f64,
    /// Replaces the sets of the same providers. Items with `swirl_id` 0 get ids.
    pub sets: Vec<ResultSet>,
    /// Findings of this run alone; None if no provider was queried.
    pub found: Option<RunFindings>,
    pub now: Instant,
}

/// A new search whose task starts in this process.
#[derive(Debug, Clone, PartialEq)]
pub struct StartedSearch {
    pub search: Search,
    pub task: ClaimedTask,
}

/// A finished run as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredRun {
    pub search: Search,
    /// The sets of the run, with the ids of their items.
    pub sets: Vec<ResultSet>,
}

#[async_trait]
pub trait SearchStore: SearchEdits {
    /// Stores the search (`NEW_SEARCH`, run 1) and the task that will run it, in one transaction. `request`: the id of
    /// the request that causes the run.
    async fn create_search(
        &self,
        spec: SearchSpec,
        owner: UserId,
        notices: Vec<Notice>,
        now: Instant,
        request: Option<&str>,
    ) -> Result<Search, StoreError>;
    /// Stores a new search, without its id, and its task, which is already claimed: it starts in this process.
    async fn start_search(
        &self,
        search: Search,
        request: Option<&str>,
        lease: NewLease,
    ) -> Result<StartedSearch, StoreError>;
    /// Like [`Self::start_search`], for a caller that tells nobody of the search before it has ended. The search is
    /// durable with the next change of its status: if the database crashes before, it may be lost.
    async fn start_awaited_search(
        &self,
        search: Search,
        request: Option<&str>,
        lease: NewLease,
    ) -> Result<StartedSearch, StoreError>;
    async fn search(&self, id: SearchId) -> Result<Search, StoreError>;
    /// The states of these searches. Missing ones are omitted.
    async fn search_states(&self, ids: &[SearchId]) -> Result<Vec<(SearchId, RunState)>, StoreError>;
    /// The searches that match the filter, newest first.
    async fn find_searches(
        &self,
        filter: &SearchFilter,
        offset: u64,
        limit: u64,
    ) -> Result<Page<Search>, StoreError>;
    /// The searches of these owners, newest first.
    async fn searches(&self, owner: OwnerScope, offset: u64, limit: u64) -> Result<Page<Search>, StoreError> {
        self.find_searches(&SearchFilter::owned_by(owner), offset, limit).await
    }
    /// The number of the owner's searches; counting stops at `at_most`.
    async fn count_searches(&self, owner: UserId, at_most: u64) -> Result<u64, StoreError>;
    /// Replaces the writable fields and nothing else. Returns None and changes nothing if the search was written since
    /// it was read as `seen`, as its `date_updated` shows.
    async fn change_search(
        &self,
        seen: &Search,
        spec: SearchSpec,
        now: Instant,
    ) -> Result<Option<Search>, StoreError>;
    /// Restarts from nothing: discards the results, sets `NEW_SEARCH` and run + 1, replaces the notices by `notices`,
    /// and stores the task that will run it, in one transaction. None as for `change_search`.
    async fn restart_search(
        &self,
        seen: &Search,
        spec: SearchSpec,
        notices: Vec<Notice>,
        now: Instant,
        request: Option<&str>,
    ) -> Result<Option<Search>, StoreError>;
    /// Runs again and keeps the existing results: sets `UPDATE_SEARCH`, sort `date` and run + 1, appends the notice, and
    /// stores the task that will run it, in one transaction.
    async fn update_search(
        &self,
        id: SearchId,
        notice: Notice,
        now: Instant,
        request: Option<&str>,
    ) -> Result<Search, StoreError>;
    /// Searches whose retention, counted from their last change, has expired at `now`; oldest first.
    async fn expired_searches(&self, now: Instant, limit: u64) -> Result<Vec<SearchId>, StoreError>;
    /// Searches of a user that may be deleted to make space for new ones, oldest first: final, and neither saved nor
    /// subscribed.
    async fn removable_searches(&self, owner: UserId, limit: u64) -> Result<Vec<SearchId>, StoreError>;
    /// Subscribed searches with an id greater than `after`, by id.
    async fn subscribed_searches(&self, after: SearchId, limit: u64) -> Result<Vec<Search>, StoreError>;
    /// Ends the subscription and appends the notice; nothing else changes, and no run starts.
    async fn end_subscription(&self, id: SearchId, notice: Notice, now: Instant) -> Result<(), StoreError>;
    /// Records progress of a run. False if the run is no longer the newest or is final.
    async fn change_status(
        &self,
        id: SearchId,
        run: RunNumber,
        to: SearchStatus,
        now: Instant,
    ) -> Result<bool, StoreError>;
    /// Writes the outcome of a run, all or nothing. Returns what is stored then, or None if the run is no longer the
    /// newest, is final, or the search was deleted. A short record of the run is kept.
    async fn finish_run(&self, finished: FinishedRun) -> Result<Option<StoredRun>, StoreError>;
}

/// Deletions of searches; conditional through [`if_version`](super::VersionStore::if_version).
#[async_trait]
pub trait SearchEdits: Send + Sync {
    /// Deletes the search and its results immediately. Its version for `if_version` is `Search::version`.
    async fn delete_search(&self, id: SearchId) -> Result<(), StoreError>;
}
