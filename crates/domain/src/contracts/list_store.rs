//! What the store keeps for lists: personal wishes, and what the runs of a search found.

use super::StoreError;
use crate::ids::{SearchId, UserId};
use crate::instant::Instant;
use crate::preferences::Preferences;
use crate::search_run::{RunEntry, SearchRun};
use async_trait::async_trait;

/// The wishes of each person; they go with the person.
#[async_trait]
pub trait PreferenceStore: Send + Sync {
    /// Empty for who has none.
    async fn preferences(&self, user: UserId) -> Result<Preferences, StoreError>;
    /// Takes the place of what was there.
    async fn save_preferences(
        &self,
        user: UserId,
        wishes: Preferences,
        now: Instant,
    ) -> Result<(), StoreError>;
}

/// The newest runs of a search, written by `finish_run`; they stay when the search starts again from nothing.
#[async_trait]
pub trait SearchRunStore: Send + Sync {
    /// Newest first.
    async fn search_runs(&self, search: SearchId) -> Result<Vec<SearchRun>, StoreError>;
    /// What a run found; None when the run is not kept.
    async fn run_entries(&self, search: SearchId, run: i64) -> Result<Option<Vec<RunEntry>>, StoreError>;
}
