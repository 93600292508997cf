//! CachedPages: reads pages as their sources give them, and from the cache where it has them. What is fetched for an answer
//! is kept, and a source that refuses a person takes their right to the copy as well.

use crate::SemanticCache;
use crate::ingest::{self, Asked};
use async_trait::async_trait;
use domain::contracts::{Corpus, PageError, PageProbe, PageText, PageWanted, ReadPages};
use domain::corpus::Origin;
use domain::ids::UserId;
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use std::sync::Arc;
use std::time::Duration;

pub struct CachedPages {
    live: Arc<dyn ReadPages>,
    cache: Arc<SemanticCache>,
}

impl CachedPages {
    /// `live` reads at the sources.
    pub fn new(live: Arc<dyn ReadPages>, cache: Arc<SemanticCache>) -> Self {
        Self { live, cache }
    }

    async fn read_live(&self, wanted: &PageWanted<'_>) -> Result<PageText, PageError> {
        let read = self.live.read(wanted).await;
        match &read {
            Ok(page) => self.cache.keep(wanted, page, Origin::Rag).await,
            Err(PageError::Denied(_)) => self.cache.denied(wanted).await,
            Err(_) => {}
        }
        read
    }

    /// How the document of a result from the cache is asked for at its own source. None: it is not for this person.
    async fn own_source(&self, wanted: &PageWanted<'_>) -> Option<Asked> {
        let id = wanted.cached?;
        let parts = &self.cache.parts;
        let found = async {
            let Some(signal) = ingest::visible(parts, id, wanted.user).await? else {
                return Ok(None);
            };
            ingest::asked_for(parts, &signal, wanted.user).await
        };
        found.await.unwrap_or_else(|error: domain::contracts::StoreError| {
            tracing::warn!("the source of a cached document was not found: {error}");
            None
        })
    }
}

#[async_trait]
impl ReadPages for CachedPages {
    async fn read(&self, wanted: &PageWanted<'_>) -> Result<PageText, PageError> {
        if let Some(page) = self.cache.text(wanted).await {
            return Ok(page);
        }
        if wanted.cached.is_none() {
            return self.read_live(wanted).await;
        }
        let Some(asked) = self.own_source(wanted).await else { return Err(PageError::NoAddress) };
        // The cache is a source that lets its pages be read; whether they may be fetched is for their own source to say.
        let target = asked.target(&self.cache.parts.plugins);
        self.read_live(&PageWanted { target, cached: None, is_asked_for: false, ..*wanted }).await
    }

    async fn probe(&self, wanted: &PageWanted<'_>) -> Result<PageProbe, PageError> {
        if wanted.cached.is_none() {
            return self.live.probe(wanted).await;
        }
        let Some(asked) = self.own_source(wanted).await else { return Err(PageError::NoAddress) };
        let target = asked.target(&self.cache.parts.plugins);
        self.live.probe(&PageWanted { target, cached: None, ..*wanted }).await
    }

    async fn fill_bodies(
        &self,
        provider: &SearchProvider,
        items: &mut [ResultItem],
        query: &str,
        user: UserId,
        time_max: Duration,
    ) -> usize {
        self.live.fill_bodies(provider, items, query, user, time_max).await
    }
}
