//! Storage of the records that a search needs before it queries providers.

use super::StoreError;
use crate::ids::UserId;
use crate::pipeline::Pipeline;
use crate::preferences::Preferences;
use crate::provider::SearchProvider;
use crate::user::User;
use async_trait::async_trait;

/// How many searches a user has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchCounts {
    /// As [`TaskStore::waiting_tasks_of`](super::TaskStore::waiting_tasks_of) counts them.
    pub waiting: u64,
    /// As [`SearchStore::count_searches`](super::SearchStore::count_searches) counts them.
    pub stored: u64,
}

/// The records that decide whether a search starts, which providers it queries, and how their results are processed.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchRecords {
    pub owner: User,
    /// None if they were not to be counted.
    pub search_counts: Option<SearchCounts>,
    pub preferences: Preferences,
    /// A search can run without it.
    pub pipeline: Result<Pipeline, StoreError>,
    /// All providers by id. Callers filter by `Principal::may_see`.
    pub providers: Vec<SearchProvider>,
}

#[async_trait]
pub trait SearchRecordStore: Send + Sync {
    /// Reads the records for a search of this owner, with the pipeline of this name, in as few calls as the database
    /// allows. They are not one snapshot: a change in between may be in some of them only. Counting the stored searches
    /// of the owner stops at `count_up_to`; without it no searches are counted. `NotFound` if there is no such user.
    async fn search_records(
        &self,
        owner: UserId,
        count_up_to: Option<u64>,
        pipeline: &str,
    ) -> Result<SearchRecords, StoreError>;
}
