//! ReadPages: the text of the document behind a result.

use super::ByteOrigin;
use crate::ids::{ResultId, SignalId, UserId};
use crate::page_fetch::PageFetchConfig;
use crate::provenance::PageTarget;
use crate::provider::SearchProvider;
use crate::result::ResultItem;
use async_trait::async_trait;
use std::time::Duration;

/// Which document is wanted, and who asks.
#[derive(Debug, Clone, Copy)]
pub struct PageWanted<'a> {
    pub target: PageTarget<'a>,
    /// Of a result from the cache: its document there.
    pub cached: Option<SignalId>,
    /// Of a saved result: its id; else 0.
    pub result: ResultId,
    /// Whose credentials are used where the provider has an authenticator.
    pub user: UserId,
    /// Somebody asked for this very document, so that it is fetched whatever the provider says of pages in general.
    pub is_asked_for: bool,
    /// For fetch and extraction together; the provider's `page_fetch_config_json` may shorten it.
    pub time_max: Duration,
}

impl<'a> PageWanted<'a> {
    /// The page behind a result of this provider, as far as the provider lets its pages be fetched.
    pub fn of_result(
        provider: &'a SearchProvider,
        item: &'a ResultItem,
        user: UserId,
        time_max: Duration,
    ) -> Self {
        let target = PageTarget::of_result(provider, item);
        // A typed address knows no provider that could be asked for its rules.
        let is_asked_for =
            matches!(target, PageTarget::User(_)) && PageFetchConfig::of(&provider.spec).is_enabled;
        let cached = item.cache.as_ref().map(|mark| mark.signal_id);
        Self { target, cached, result: item.swirl_id, user, is_asked_for, time_max }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageText {
    /// As the document calls itself; may be empty.
    pub title: String,
    pub text: String,
    /// Without parameters, such as `text/html`.
    pub media_type: String,
    /// As the document calls its writer; may be empty.
    pub author: String,
    /// What the source calls this version: ETag, else Last-Modified; may be empty.
    pub version: String,
    /// Bytes of the file that the text was read from; 0: not known.
    pub file_bytes: u64,
    /// Whether the bytes came from the own origin of the provider that gave the document. Only then is it the provider's.
    pub origin: ByteOrigin,
    /// It is the copy that the cache keeps; nobody asked the source for it now.
    pub is_copy: bool,
}

/// What a source says when it is asked whether a document is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageProbe {
    pub http_status: u16,
    /// As in `PageText`.
    pub version: String,
}

/// Why there is no text. The sentences hold no secret and no query part of a URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PageError {
    #[error("the result has no address that can be fetched")]
    NoAddress,
    /// No name server knows the host, it is on a private network, or it does not answer. Which of these it is would tell
    /// a user what names there are inside, so that it is written to the log alone.
    #[error("its address cannot be reached from here")]
    Unreachable,
    /// It answered 401 or 403: this person may not have it.
    #[error("the source does not give this document to you (HTTP {0})")]
    Denied(u16),
    /// It answered 404 or 410.
    #[error("the document is no longer there (HTTP {0})")]
    Gone(u16),
    #[error("{0}")]
    Failed(String),
}

#[async_trait]
pub trait ReadPages: Send + Sync {
    async fn read(&self, wanted: &PageWanted<'_>) -> Result<PageText, PageError>;
    /// Asks whether the document is there, without fetching it: HEAD, or one byte where HEAD is not allowed. Whatever
    /// status comes is an answer; an error means that none came.
    async fn probe(&self, wanted: &PageWanted<'_>) -> Result<PageProbe, PageError>;
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
