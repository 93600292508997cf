//! The semantic cache: a copy of what people retrieved with their own rights, never of what they did not. It is found
//! again at once, answers are made from its full texts, and it is known whether the copy is still true.
//!
//! | Module | What lives there |
//! |---|---|
//! | `ingest` | the ways in: a wish, a fetch for an answer, the best results of a search; and the way a document goes |
//! | `chunks` | a text in pieces |
//! | `lineage` | which documents are versions of each other |
//! | `permissions` | who may see what |
//! | `search` | the cache as a source |
//! | `canonical` | decisions on versions, as people make and read them |
//! | `versions` | which documents are versions of each other in a search, and which of them counts |
//! | `words` | a text as a sparse vector |
//! | `marks` | how a document stands now, for the results that show it |
//! | `pages` | pages from the cache where it has them |
//! | `freshness` | whether a document is still there |
//! | `removal` | out of the cache again |
//! | `egress` | what went outside: scans of sent mail |
//! | `documents` | what a person has in the cache |
//! | `figures`, `tally` | how much is in it, and what happens there |
//! | `retention` | texts whose time is over |
//! | `upkeep` | what commands do: reset, merge, upgrade, read again, compare |
//! | `tasks` | the background work |

pub mod canonical;
mod chunks;
mod documents;
mod egress;
mod figures;
mod freshness;
pub mod ingest;
mod lineage;
mod marks;
mod pages;
mod permissions;
mod removal;
mod retention;
mod search;
mod tally;
mod tasks;
pub mod upkeep;
mod versions;
mod words;

pub use egress::{EgressError, MAIL_ANSWER_BYTES_MAX, MailParts, ScanSentMail, ScanWish};
pub use figures::{Backing, Decisions};
pub use freshness::{CHECKS_MAX, CheckError, CheckLiveness, Checked};
pub use removal::{RemovalError, Removed, Which};
pub use tally::Counted;
pub use words::{words, words_of_query};

pub use pages::CachedPages;
pub use retention::{SweepError, Swept};
pub use tasks::{IngestDocument, SweepBodies};

use async_trait::async_trait;
use domain::contracts::{
    BodyStore, Clock, Corpus, CorpusAnswer, CorpusError, CorpusQuestion, PageText, PageWanted,
    PluginRegistry, ReadPages, ReaderModels, Store, TaskQueue, VectorStore, VersionsAsked,
};
use domain::corpus::{CacheMark, LicensePolicy, Origin, Standing, Topic};
use domain::ids::{ProviderId, RunId, SignalId, UserId};
use domain::result::ResultItem;
use domain::settings::Settings;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the cache is made of.
#[derive(Clone)]
pub struct CacheParts {
    pub store: Arc<dyn Store>,
    pub vectors: Arc<dyn VectorStore>,
    pub bodies: Arc<dyn BodyStore>,
    /// Reads pages at their sources, with a person's own credentials.
    pub pages: Arc<dyn ReadPages>,
    pub readers: Arc<dyn ReaderModels>,
    pub queue: Arc<dyn TaskQueue>,
    pub plugins: PluginRegistry,
    /// What sent mail is read with.
    pub mail: MailParts,
    pub license: LicensePolicy,
    pub clock: Arc<dyn Clock>,
    pub settings: Arc<Settings>,
}

pub struct SemanticCache {
    parts: CacheParts,
    tally: tally::Tally,
    places: versions::Places,
}

impl SemanticCache {
    pub fn new(parts: CacheParts) -> Self {
        Self { parts, tally: tally::Tally::default(), places: versions::Places::default() }
    }
}

#[async_trait]
impl Corpus for SemanticCache {
    fn is_open(&self) -> bool {
        self.parts.license.opens_cache()
    }

    async fn search(&self, question: CorpusQuestion<'_>) -> Result<CorpusAnswer, CorpusError> {
        let answer = search::search(&self.parts, question).await?;
        self.tally.searched(self.parts.clock.now().date_naive(), !answer.hits.is_empty());
        Ok(answer)
    }

    async fn marks(
        &self,
        asker: UserId,
        topic: Option<Topic<'_>>,
        signals: &[SignalId],
    ) -> Result<BTreeMap<SignalId, CacheMark>, CorpusError> {
        marks::marks(&self.parts, asker, topic, signals).await
    }

    async fn versions(&self, asked: VersionsAsked<'_>) -> Result<BTreeMap<SignalId, Standing>, CorpusError> {
        let is_whole = asked.records;
        let standings = versions::versions(&self.parts, &self.places, asked).await?;
        if is_whole {
            self.tally.decided(self.parts.clock.now().date_naive(), standings.values());
        }
        Ok(standings)
    }

    async fn rejected(&self, runs: &[RunId]) -> Result<BTreeSet<RunId>, CorpusError> {
        let rejected = self.parts.store.rejected_runs(runs).await;
        rejected.map_err(|error| CorpusError(format!("elections cannot be read: {error}")))
    }

    async fn recheck(&self, asker: UserId, marks: &mut BTreeMap<SignalId, CacheMark>) {
        freshness::recheck(self, asker, marks).await;
    }

    async fn text(&self, wanted: &PageWanted<'_>) -> Option<PageText> {
        ingest::text(&self.parts, wanted).await
    }

    async fn keep(&self, wanted: &PageWanted<'_>, text: &PageText, origin: Origin) {
        ingest::keep(&self.parts, wanted, text, origin).await;
    }

    async fn denied(&self, wanted: &PageWanted<'_>) {
        freshness::denied(&self.parts, wanted).await;
    }

    async fn promote(&self, owner: UserId, tags: &[String], results: &[(ProviderId, ResultItem)]) {
        ingest::promote(&self.parts, owner, tags, results).await;
    }
}
