//! Fetches the document behind a result by its provider's rules, extracts its text, and selects the best window.
//!
//! | Module | Contents |
//! |---|---|
//! | `address` | the URL to fetch: the result's own, or one from a template |
//! | `request` | the HTTP request and its credentials |
//! | `media_type` | accepted media types |
//! | `page` | fetches one page, with a fallback service |
//! | `page_text` | masking of secrets, and versions |
//! | `parts` | dependencies of page fetching |
//! | `failure` | errors |
//! | `diffbot` | the fallback service |
//! | `probe` | checks whether a page still exists |
//! | `bodies` | `config.swirl.fetch_url_body`: fills short result bodies |
//!
//! No URL is trusted: the outbound client refuses non-public addresses, unless the provider returned the URL and it is
//! on the
//! provider's own origin, and credentials are sent to that origin only. A typed URL is fetched without credentials of
//! the
//! provider; `domain::provenance` distinguishes the two.

mod address;
mod bodies;
mod diffbot;
mod failure;
mod media_type;
mod page;
mod page_text;
mod parts;
mod probe;
mod request;

pub use bodies::PAGES_AT_ONCE;
pub use parts::PageFetchParts;

use async_trait::async_trait;
use domain::ids::UserId;
use domain::ports::{DocumentRequest, PageError, PageProbe, PageText, ReadPages};
use domain::provenance::PageTarget;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use page::PageRequest;
use std::time::Duration;

/// Reads pages by the rules of their providers.
pub struct PageFetch {
    parts: PageFetchParts,
}

impl PageFetch {
    pub fn new(parts: PageFetchParts) -> Self {
        Self { parts }
    }
}

#[async_trait]
impl ReadPages for PageFetch {
    /// Fetches only for providers whose `page_fetch_config_json` has the key `cache`.
    async fn read(&self, wanted: &DocumentRequest<'_>) -> Result<PageText, PageError> {
        let config = wanted.target.fetch_config();
        if !config.is_enabled && !wanted.is_asked_for {
            let why =
                "its provider does not allow pages to be fetched: page_fetch_config_json has no key 'cache'";
            return Err(PageError::failed(why));
        }
        let of_provider = match wanted.target {
            PageTarget::Source(page) => page.provider().spec.config.rag.fetch_timeout,
            PageTarget::Account(_) | PageTarget::User(_) => None,
        };
        let usual = match of_provider {
            Some(seconds) => Duration::try_from_secs_f64(seconds).unwrap_or_default(),
            None => self.parts.settings.page_fetch_timeout.0,
        };
        PageRequest { parts: &self.parts, config: &config, wanted, usual }.run().await
    }

    async fn probe(&self, wanted: &DocumentRequest<'_>) -> Result<PageProbe, PageError> {
        let config = wanted.target.fetch_config();
        probe::probe(&self.parts, &config, wanted).await
    }

    async fn fill_bodies(
        &self,
        provider: &SearchProvider,
        items: &mut [ResultItem],
        query: &str,
        user: UserId,
        time_max: Duration,
    ) -> usize {
        bodies::fill(&self.parts, provider, items, bodies::Wanted { query, user, time_max }).await
    }
}
