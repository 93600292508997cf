//! Page reader that prefers cached texts. Pages fetched for an answer are cached, and a source that denies a person
//! access also revokes their access to the cached copy.

use crate::SemanticCache;
use crate::ingest::{self, SourceRequest};
use async_trait::async_trait;
use domain::corpus::Origin;
use domain::ids::UserId;
use domain::ports::{Corpus, DocumentRequest, PageError, PageProbe, PageText, ReadPages, chain};
use domain::provider::SearchProvider;
use domain::result::ResultItem;
use std::sync::Arc;
use std::time::Duration;

pub struct CachedPageReader {
    live: Arc<dyn ReadPages>,
    cache: Arc<SemanticCache>,
}

impl CachedPageReader {
    /// `live` fetches from the sources.
    pub fn new(live: Arc<dyn ReadPages>, cache: Arc<SemanticCache>) -> Self {
        Self { live, cache }
    }

    async fn read_live(&self, wanted: &DocumentRequest<'_>) -> Result<PageText, PageError> {
        let read = self.live.read(wanted).await;
        match &read {
            Ok(page) => self.cache.keep(wanted, page, Origin::Rag).await,
            Err(PageError::Denied(_)) => self.cache.denied(wanted).await,
            Err(_) => {}
        }
        read
    }

    /// The request for a cached document at its own source. None: the person may not use it.
    async fn own_source(&self, wanted: &DocumentRequest<'_>) -> Option<SourceRequest> {
        let id = wanted.cached?;
        let parts = &self.cache.parts;
        let found = async {
            let Some(signal) = ingest::visible(parts, id, wanted.user).await? else {
                return Ok(None);
            };
            ingest::source_request(parts, &signal, wanted.user).await
        };
        found.await.unwrap_or_else(|error: domain::ports::StoreError| {
            tracing::warn!("the source of a cached document was not found: {}", chain(&error));
            None
        })
    }
}

#[async_trait]
impl ReadPages for CachedPageReader {
    async fn read(&self, wanted: &DocumentRequest<'_>) -> Result<PageText, PageError> {
        if let Some(page) = self.cache.text(wanted).await {
            return Ok(page);
        }
        if wanted.cached.is_none() {
            return self.read_live(wanted).await;
        }
        let Some(asked) = self.own_source(wanted).await else { return Err(PageError::NoAddress) };
        // The cache lets its pages be read; whether a page may be fetched is up to its own source.
        let target = asked.target(&self.cache.parts.plugins);
        self.read_live(&DocumentRequest { target, cached: None, is_asked_for: false, ..*wanted }).await
    }

    async fn probe(&self, wanted: &DocumentRequest<'_>) -> Result<PageProbe, PageError> {
        if wanted.cached.is_none() {
            return self.live.probe(wanted).await;
        }
        let Some(asked) = self.own_source(wanted).await else { return Err(PageError::NoAddress) };
        let target = asked.target(&self.cache.parts.plugins);
        self.live.probe(&DocumentRequest { target, cached: None, ..*wanted }).await
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
