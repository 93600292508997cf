//! What the store can tell of the last days, and the ratings of AI summaries.

use super::StoreError;
use crate::activity::{DayFigures, FutileQuery, ProviderFigures, RatedAnswer};
use crate::chat::Rating;
use crate::ids::{SearchId, UserId};
use crate::instant::Instant;
use async_trait::async_trait;

/// Figures over the searches that are stored; deleted ones are forgotten. Each list is bounded: of very many searches
/// the newest count.
#[async_trait]
pub trait ActivityStore: Send + Sync {
    /// How many searches were created since then; all of them for None.
    async fn search_count(&self, since: Option<Instant>) -> Result<u64, StoreError>;
    /// Days with searches, the oldest first.
    async fn search_days(&self, since: Instant) -> Result<Vec<DayFigures>, StoreError>;
    /// Days on which this person searched, the oldest first, and how often.
    async fn own_days(&self, owner: UserId, since: Instant) -> Result<Vec<(String, u64)>, StoreError>;
    /// The most asked first.
    async fn provider_figures(&self, since: Instant) -> Result<Vec<ProviderFigures>, StoreError>;
    /// The newest first.
    async fn futile_queries(&self, since: Instant, limit: u64) -> Result<Vec<FutileQuery>, StoreError>;
    /// Keeps what the owner thinks of the AI summary of a search; a second rating takes the place of the first.
    async fn rate_answer(
        &self,
        search: SearchId,
        model: &str,
        rating: Rating,
        now: Instant,
    ) -> Result<(), StoreError>;
    /// What the owner thinks of the AI summary of a search, if they said so since then.
    async fn answer_rating(&self, search: SearchId, since: Instant) -> Result<Option<Rating>, StoreError>;
    /// Rated summaries and messages, the newest first.
    async fn rated_answers(&self, since: Instant, limit: u64) -> Result<Vec<RatedAnswer>, StoreError>;
}
