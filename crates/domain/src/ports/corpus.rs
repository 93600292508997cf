//! The corpus as seen by other crates. Without a license for it, it is empty and stores nothing; that is not an error.

use super::{DocumentRequest, PageText, PortError};
use crate::corpus::{CacheStatus, Origin, Signal, Topic, VersionStatus};
use crate::ids::{ProviderId, RunId, SearchId, SignalId, UserId};
use crate::result::ResultItem;
use async_trait::async_trait;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A query to the corpus as a provider.
#[derive(Debug, Clone, Copy)]
pub struct CorpusQuery<'a> {
    pub asker: UserId,
    pub words: &'a str,
    /// A document that is pinned for the topic is found whatever the words are.
    pub topic: Topic<'a>,
    pub results_max: usize,
}

/// Cached documents among the results of a search, to be examined for versions.
#[derive(Debug, Clone, Copy)]
pub struct VersionQuery<'a> {
    pub asker: UserId,
    pub search: SearchId,
    pub topic: Topic<'a>,
    /// Unique, each with its confidence for the query.
    pub candidates: &'a [(SignalId, f64)],
    /// The run of the search finishes: elections are recorded. False while it still runs.
    pub records: bool,
    /// Requested by a user: elections are held even if they are not held at each search.
    pub on_request: bool,
}

/// A found document.
#[derive(Debug, Clone, PartialEq)]
pub struct CorpusHit {
    pub signal: Signal,
    pub status: CacheStatus,
    /// 0 to 1.
    pub score: f32,
    /// The best matching chunk, then at most two more.
    pub passages: Vec<String>,
    /// How it was found; for administrators if `SVC_CACHE_DEBUG` is set.
    pub debug: Option<Value>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct CorpusResults {
    /// Best first.
    pub hits: Vec<CorpusHit>,
    /// How the results were found; for administrators if `SVC_CACHE_DEBUG` is set.
    pub remarks: Vec<String>,
}

/// Why the corpus did not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorpusErrorKind {
    /// The database, the vector store or the embedding model failed or is not reachable.
    Unavailable,
    Timeout,
    /// Its documents were indexed in another way than they are searched now; an administrator must act.
    Outdated,
}

/// The message is for the messages of the search, without any text of a document.
pub type CorpusError = PortError<CorpusErrorKind>;

#[async_trait]
pub trait Corpus: Send + Sync {
    /// Whether the license includes the corpus now.
    fn is_open(&self) -> bool;
    /// The matching documents that the user may see.
    async fn search(&self, query: CorpusQuery<'_>) -> Result<CorpusResults, CorpusError>;
    /// Which of these documents are versions of each other, and which of them counts: by a pin, or by an election if
    /// elections are enabled. Only documents that the user may see take part and are returned.
    async fn versions(
        &self,
        query: VersionQuery<'_>,
    ) -> Result<BTreeMap<SignalId, VersionStatus>, CorpusError>;
    /// The current status of these documents, with the badge `Pinned` for those that are pinned for the topic.
    /// Documents that were removed or that the user may not see (any more) are omitted: nothing of them may be shown.
    async fn cache_statuses(
        &self,
        asker: UserId,
        topic: Option<Topic<'_>>,
        signals: &[SignalId],
    ) -> Result<BTreeMap<SignalId, CacheStatus>, CorpusError>;
    /// Which of these elections were rejected, so that their choice no longer counts.
    async fn rejected(&self, runs: &[RunId]) -> Result<BTreeSet<RunId>, CorpusError>;
    /// Checks with the sources whether the documents of a page of results still exist, if a check is due: immediately
    /// within limits (`SVC_CACHE_LIVENESS_SYNC`), else later.
    async fn recheck(&self, asker: UserId, statuses: &mut BTreeMap<SignalId, CacheStatus>);
    /// The text of the document behind a result, if the user may see it and it was verified recently, or if the result
    /// itself comes from the corpus.
    async fn text(&self, request: &DocumentRequest<'_>) -> Option<PageText>;
    /// The user retrieved this text of the document with their own credentials: it is ingested later.
    async fn keep(&self, request: &DocumentRequest<'_>, text: &PageText, origin: Origin);
    /// The source denied this document to the user.
    async fn denied(&self, request: &DocumentRequest<'_>);
    /// The best results of a search, best first: some of them are ingested if that is configured.
    async fn promote(&self, owner: UserId, tags: &[String], results: &[(ProviderId, ResultItem)]);
}
