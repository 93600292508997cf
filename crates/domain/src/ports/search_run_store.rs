//! Storage of the findings of search runs.

use super::StoreError;
use crate::ids::{RunNumber, SearchId};
use crate::search_run::{RunEntry, SearchRun};
use async_trait::async_trait;

/// The newest runs of a search, written by `finish_run`; they are kept when the search restarts from nothing.
#[async_trait]
pub trait SearchRunStore: Send + Sync {
    /// Newest first.
    async fn search_runs(&self, search: SearchId) -> Result<Vec<SearchRun>, StoreError>;
    /// What a run found; None if the run is not stored.
    async fn run_entries(
        &self,
        search: SearchId,
        run: RunNumber,
    ) -> Result<Option<Vec<RunEntry>>, StoreError>;
}
