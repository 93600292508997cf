//! The port `Corpus`: what searches and summaries need of the cache.

use crate::semantic_cache::SemanticCache;
use crate::{cache_status, freshness, ingest, search, versions};
use async_trait::async_trait;
use domain::corpus::{CacheStatus, Origin, Topic, VersionStatus};
use domain::ids::{ProviderId, RunId, SignalId, UserId};
use domain::ports::{
    Corpus, CorpusError, CorpusErrorKind, CorpusQuery, CorpusResults, DocumentRequest, PageText, VersionQuery,
};
use domain::result::ResultItem;
use std::collections::{BTreeMap, BTreeSet};

#[async_trait]
impl Corpus for SemanticCache {
    fn is_open(&self) -> bool {
        self.parts.license.opens_cache()
    }

    async fn search(&self, question: CorpusQuery<'_>) -> Result<CorpusResults, CorpusError> {
        let answer = search::search(&self.parts, question).await?;
        self.counters.searched(self.parts.clock.now().date_naive(), !answer.hits.is_empty());
        Ok(answer)
    }

    async fn cache_statuses(
        &self,
        asker: UserId,
        topic: Option<Topic<'_>>,
        signals: &[SignalId],
    ) -> Result<BTreeMap<SignalId, CacheStatus>, CorpusError> {
        cache_status::statuses(&self.parts, asker, topic, signals).await
    }

    async fn versions(
        &self,
        asked: VersionQuery<'_>,
    ) -> Result<BTreeMap<SignalId, VersionStatus>, CorpusError> {
        let is_whole = asked.records;
        let statuses = versions::versions(&self.parts, &self.profiles, asked).await?;
        if is_whole {
            self.counters.decided(self.parts.clock.now().date_naive(), statuses.values());
        }
        Ok(statuses)
    }

    async fn rejected(&self, runs: &[RunId]) -> Result<BTreeSet<RunId>, CorpusError> {
        let rejected = self.parts.store.rejected_runs(runs).await;
        rejected.map_err(|error| {
            let message = format!("elections cannot be read: {error}");
            CorpusError::new(CorpusErrorKind::Unavailable, message).caused_by(error)
        })
    }

    async fn recheck(&self, asker: UserId, marks: &mut BTreeMap<SignalId, CacheStatus>) {
        freshness::recheck(self, asker, marks).await;
    }

    async fn text(&self, wanted: &DocumentRequest<'_>) -> Option<PageText> {
        ingest::text(&self.parts, wanted).await
    }

    async fn keep(&self, wanted: &DocumentRequest<'_>, text: &PageText, origin: Origin) {
        ingest::keep(&self.parts, wanted, text, origin).await;
    }

    async fn denied(&self, wanted: &DocumentRequest<'_>) {
        freshness::denied(&self.parts, wanted).await;
    }

    async fn promote(&self, owner: UserId, tags: &[String], results: &[(ProviderId, ResultItem)]) {
        ingest::promote(&self.parts, owner, tags, results).await;
    }
}
