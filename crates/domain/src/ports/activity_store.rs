//! Storage of recent activity, and of ratings of AI summaries.

use super::StoreError;
use crate::activity::{DayFigures, FutileQuery, ProviderFigures, RatedAnswer};
use crate::chat::Rating;
use crate::ids::{SearchId, UserId};
use crate::instant::Instant;
use async_trait::async_trait;

/// Figures over the stored searches; deleted ones are not counted. Lists are bounded: of very many searches, the newest
/// count.
#[async_trait]
pub trait ActivityStore: Send + Sync {
    /// Number of searches created since then; of all searches if None.
    async fn search_count(&self, since: Option<Instant>) -> Result<u64, StoreError>;
    /// Days with searches, oldest first.
    async fn search_days(&self, since: Instant) -> Result<Vec<DayFigures>, StoreError>;
    /// Days on which this user searched, oldest first, with the number of searches.
    async fn own_days(&self, owner: UserId, since: Instant) -> Result<Vec<(String, u64)>, StoreError>;
    /// Most queried first.
    async fn provider_figures(&self, since: Instant) -> Result<Vec<ProviderFigures>, StoreError>;
    /// Newest first.
    async fn futile_queries(&self, since: Instant, limit: u64) -> Result<Vec<FutileQuery>, StoreError>;
    /// Stores the owner's rating of the AI summary of a search; replaces an earlier rating.
    async fn rate_answer(
        &self,
        search: SearchId,
        model: &str,
        rating: Rating,
        now: Instant,
    ) -> Result<(), StoreError>;
    /// The owner's rating of the AI summary of a search, if it was given since then.
    async fn answer_rating(&self, search: SearchId, since: Instant) -> Result<Option<Rating>, StoreError>;
    /// Rated summaries and chat messages, newest first.
    async fn rated_answers(&self, since: Instant, limit: u64) -> Result<Vec<RatedAnswer>, StoreError>;
}
