//! Corpus: what others may ask of the semantic cache without knowing how it works. Where the license says no, there is
//! nothing in it and nothing goes in; that is no error.

use super::{PageText, PageWanted};
use crate::corpus::{CacheMark, Origin, Signal, Standing, Topic};
use crate::ids::{ProviderId, RunId, SearchId, SignalId, UserId};
use crate::result::ResultItem;
use async_trait::async_trait;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What is asked of the cache as a source.
#[derive(Debug, Clone, Copy)]
pub struct CorpusQuestion<'a> {
    pub asker: UserId,
    pub words: &'a str,
    /// A document that is pinned for it is found whatever the words are.
    pub topic: Topic<'a>,
    pub results_max: usize,
}

/// Documents of the cache among the results of a search, to be looked at for versions.
#[derive(Debug, Clone, Copy)]
pub struct VersionsAsked<'a> {
    pub asker: UserId,
    pub search: SearchId,
    pub topic: Topic<'a>,
    /// Each once, with its confidence for the query.
    pub candidates: &'a [(SignalId, f64)],
    /// The run of the search ends with it: elections are written down. False while it still runs.
    pub records: bool,
    /// Somebody asked for it: elections are held also where they are not held at each search.
    pub on_request: bool,
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct CorpusHit {
    pub signal: Signal,
    pub mark: CacheMark,
    /// 0 to 1.
    pub score: f32,
    /// The piece that fits best, then at most two more.
    pub passages: Vec<String>,
    /// How it was found, for an administrator when `SVC_CACHE_DEBUG` is set.
    pub debug: Option<Value>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct CorpusAnswer {
    /// Best first.
    pub hits: Vec<CorpusHit>,
    /// How it was found, for an administrator when `SVC_CACHE_DEBUG` is set.
    pub messages: Vec<String>,
}

/// A sentence for the messages of the search; no text of any document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct CorpusError(pub String);

#[async_trait]
pub trait Corpus: Send + Sync {
    /// The license opens the cache now.
    fn is_open(&self) -> bool;
    /// The documents that fit, among those that the asker may see.
    async fn search(&self, question: CorpusQuestion<'_>) -> Result<CorpusAnswer, CorpusError>;
    /// Which of these documents are versions of each other, and which of them counts: by a pin, or by an election where those
    /// are on. Only documents that the asker may see take part; the others are not among what is returned.
    async fn versions(&self, asked: VersionsAsked<'_>) -> Result<BTreeMap<SignalId, Standing>, CorpusError>;
    /// How these documents stand now, with the badge `Pinned` for what is pinned for the topic. One that the asker may not see (any more), or that is gone from the cache, is not
    /// among them: nothing of it may be shown.
    async fn marks(
        &self,
        asker: UserId,
        topic: Option<Topic<'_>>,
        signals: &[SignalId],
    ) -> Result<BTreeMap<SignalId, CacheMark>, CorpusError>;
    /// Which of these elections were rejected: what they chose does not count any more.
    async fn rejected(&self, runs: &[RunId]) -> Result<BTreeSet<RunId>, CorpusError>;
    /// Asks the sources whether the documents of a page of results are still there, as far as that is due: at once within
    /// limits (`SVC_CACHE_LIVENESS_SYNC`), else later.
    async fn recheck(&self, asker: UserId, marks: &mut BTreeMap<SignalId, CacheMark>);
    /// The text of the document behind a result, when the asker may see it and it was verified lately, or the result itself
    /// comes from the cache.
    async fn text(&self, wanted: &PageWanted<'_>) -> Option<PageText>;
    /// The person got this text of the document with their own credentials: it goes into the cache later.
    async fn keep(&self, wanted: &PageWanted<'_>, text: &PageText, origin: Origin);
    /// The source refused the person this document.
    async fn denied(&self, wanted: &PageWanted<'_>);
    /// The best results of a search, best first: some of them are fetched into the cache when that is set.
    async fn promote(&self, owner: UserId, tags: &[String], results: &[(ProviderId, ResultItem)]);
}
