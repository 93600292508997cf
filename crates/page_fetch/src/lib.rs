//! The text of the document behind a result: fetched by the rules of its provider, extracted, and the best window of
//! it.
//!
//! | Module | What lives there |
//! |---|---|
//! | `address` | which address is fetched: the result's own, or one that a template makes of its payload |
//! | `request` | what is sent there, and who may see credentials |
//! | `media_type` | which kinds of content are wanted |
//! | `page` | one page: the fetch, the text, and the service that is asked when it fails |
//! | `diffbot` | that service |
//! | `probe` | whether a page is still there, without fetching it |
//! | `bodies` | `config.swirl.fetch_url_body`: thin bodies of results are filled |
//!
//! No address is trusted: the outbound client refuses what is not public, unless the provider gave the address and it is
//! on the provider's own origin, and credentials go to that origin alone. An address that a person typed is fetched without
//! anybody's rights; `domain::provenance` keeps the two apart.

mod address;
mod bodies;
mod diffbot;
mod media_type;
mod page;
mod probe;
mod request;

pub use bodies::PAGES_AT_ONCE;

use async_trait::async_trait;
use domain::contracts::{
    ExtractText, Fetch, PageError, PageProbe, PageText, PageWanted, PluginRegistry, ReadPages, SourceTokens,
};
use domain::ids::UserId;
use domain::provenance::PageTarget;
use domain::provider::SearchProvider;
use domain::rag::RagOverrides;
use domain::result::ResultItem;
use domain::settings::Settings;
use page::Errand;
use std::sync::Arc;
use std::time::Duration;

/// What fetching is done with.
#[derive(Clone)]
pub struct PageFetchParts {
    pub fetch: Arc<dyn Fetch>,
    pub extract: Arc<dyn ExtractText>,
    pub tokens: Arc<dyn SourceTokens>,
    /// For the authenticators that connectors always need.
    pub plugins: PluginRegistry,
    pub settings: Arc<Settings>,
}

/// Reads pages as their providers say.
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
    async fn read(&self, wanted: &PageWanted<'_>) -> Result<PageText, PageError> {
        let config = wanted.target.fetch_config();
        if !config.is_enabled && !wanted.is_asked_for {
            let why = "its provider does not let pages be fetched: page_fetch_config_json has no key 'cache'";
            return Err(PageError::Failed(why.to_owned()));
        }
        let of_provider = match wanted.target {
            PageTarget::Source(page) => RagOverrides::of(&page.provider().spec).fetch_timeout,
            PageTarget::Account(_) | PageTarget::User(_) => None,
        };
        let usual = match of_provider {
            Some(seconds) => Duration::try_from_secs_f64(seconds).unwrap_or_default(),
            None => self.parts.settings.page_fetch_timeout.0,
        };
        Errand { parts: &self.parts, config: &config, wanted, usual }.run().await
    }

    async fn probe(&self, wanted: &PageWanted<'_>) -> Result<PageProbe, PageError> {
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
