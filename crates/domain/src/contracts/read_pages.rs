//! ReadPages: the text of the document behind a result.

use crate::ids::UserId;
use crate::provider::SearchProvider;
use crate::result::ResultItem;
use async_trait::async_trait;
use std::time::Duration;

/// Which document is wanted, and who asks.
#[derive(Debug, Clone, Copy)]
pub struct PageWanted<'a> {
    pub provider: &'a SearchProvider,
    pub item: &'a ResultItem,
    /// Whose credentials are used where the provider has an authenticator.
    pub user: UserId,
    /// For fetch and extraction together; the provider's `page_fetch_config_json` may shorten it.
    pub time_max: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageText {
    /// As the document calls itself; may be empty.
    pub title: String,
    pub text: String,
    /// Without parameters, such as `text/html`.
    pub media_type: String,
}

/// Why there is no text. The sentences hold no secret and no query part of a URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    #[error("the result has no address that can be fetched")]
    NoAddress,
    #[error("{0}")]
    Failed(String),
}

#[async_trait]
pub trait ReadPages: Send + Sync {
    async fn read(&self, wanted: &PageWanted<'_>) -> Result<PageText, PageError>;
    /// Follows `config.swirl.fetch_url_body` of a provider: bodies with too few words get the best window of their
    /// page. How many changed; what did not work leaves the body as it was.
    async fn fill_bodies(
        &self,
        provider: &SearchProvider,
        items: &mut [ResultItem],
        query: &str,
        user: UserId,
        time_max: Duration,
    ) -> usize;
}
