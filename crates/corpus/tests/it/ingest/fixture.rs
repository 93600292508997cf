//! A service with a cache: SQLite in memory, vectors in memory, texts in a temporary folder.

use crate::ground::{Ground, named};
use crate::web::Web;
use async_trait::async_trait;
use corpus::ingest::{Accepted, Document, IngestError, IngestRequest};
use corpus::{CacheParts, IngestDocument, SemanticCache};
use domain::corpus::{MatterTag, Origin, Signal};
use domain::ids::{SignalId, UserId};
use domain::ports::{
    ClaimedTask, Clock, Corpus, CorpusHit, CorpusQuery, EmbeddingError, EmbeddingInput, EmbeddingModels,
    QueueName, SignalStore, TaskHandler, UserStore,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::result::ResultItem;
use domain::settings::Settings;
use domain::user::{GroupSpec, UserSpec};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use store::SqlStore;
use testkit::clock::FixedClock;

/// The group of Ann and Bob.
pub const GROUP: &str = "law";
const LEASE: Duration = Duration::from_secs(60);
/// More task runs than any test needs.
const RUNS_MAX: usize = 1_000;

pub struct Fixture {
    pub cache: Arc<SemanticCache>,
    pub parts: CacheParts,
    pub store: Arc<SqlStore>,
    pub web: Arc<Web>,
    pub clock: Arc<FixedClock>,
    pub ann: UserId,
    pub bob: UserId,
    ground: Ground,
}

impl Fixture {
    pub async fn open() -> Self {
        Self::with(|settings| settings, |parts| parts).await
    }

    /// With other settings and parts.
    pub async fn with(
        settings: impl FnOnce(Settings) -> Settings,
        change: impl FnOnce(CacheParts) -> CacheParts,
    ) -> Self {
        let ground = Ground::in_memory().await;
        let web = Arc::new(Web::default());
        let usual = Settings { storage_max_body_mb: 1, ..Settings::default() };
        let parts = ground.parts(settings(usual)).await;
        let parts = change(CacheParts { pages: web.clone(), ..parts });
        ground.store.create_group(GroupSpec { name: GROUP.to_owned() }, ground.clock.now()).await.unwrap();
        let member = |name| UserSpec { groups: vec![GROUP.to_owned()], ..named(name) };
        let ann = ground.person(member("ann")).await.id;
        let bob = ground.person(member("bob")).await.id;
        let cache = Arc::new(SemanticCache::new(parts.clone()));
        let (store, clock) = (ground.store.clone(), ground.clock.clone());
        Self { cache, parts, store, web, clock, ann, bob, ground }
    }

    /// A shared provider of Ann's whose pages may be fetched and cached.
    pub async fn provider(&self, name: &str, more: Value) -> SearchProvider {
        let mut spec = json!({
            "name": name, "url": "https://a.example/search", "page_fetch_config_json": {"cache": "true"},
        });
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let spec: ProviderSpec = serde_json::from_value(spec).unwrap();
        self.ground.source(self.ann, spec).await
    }

    pub async fn request(&self, user: UserId, document: Document) -> Result<Accepted, IngestError> {
        self.cache.ingest(request(user, document)).await
    }

    /// Requests the document of a result and runs the tasks.
    pub async fn ingest(&self, user: UserId, provider: &SearchProvider, url: &str) -> Signal {
        let accepted = self.request(user, result(provider, url)).await.unwrap();
        self.work().await;
        let id = accepted.signal.signal_id;
        let led = self.store.led_to(id, user).await.unwrap();
        self.signal(led.unwrap_or(id)).await
    }

    /// Runs the cache's tasks until there are none; returns the number of runs.
    pub async fn work(&self) -> usize {
        let handler = IngestDocument(Arc::clone(&self.cache));
        let mut runs = 0;
        while let Some(task) = self.claim().await {
            runs += 1;
            match handler.run(&task).await {
                Ok(()) => self.parts.queue.finish(&task).await.unwrap(),
                Err(error) => self.parts.queue.retry(&task, Duration::ZERO, error.message()).await.unwrap(),
            }
            assert!(runs < RUNS_MAX, "the work has no end");
        }
        runs
    }

    pub async fn claim(&self) -> Option<ClaimedTask> {
        self.parts.queue.claim(QueueName::Corpus, "a worker", LEASE).await.unwrap()
    }

    /// Tasks that wait, due or not.
    pub async fn waiting_tasks(&self) -> u64 {
        self.parts.queue.depth(QueueName::Corpus).await.unwrap()
    }

    pub async fn signal(&self, id: SignalId) -> Signal {
        self.store.signal(id).await.unwrap()
    }

    /// What this person finds.
    pub async fn found(&self, user: UserId, words: &str) -> Vec<CorpusHit> {
        let question =
            CorpusQuery { asker: user, words, topic: domain::corpus::Topic::default(), results_max: 10 };
        self.cache.search(question).await.unwrap().hits
    }

    /// The documents that this person finds.
    pub async fn finds(&self, user: UserId, words: &str) -> Vec<SignalId> {
        self.found(user, words).await.into_iter().map(|hit| hit.signal.signal_id).collect()
    }

    pub async fn bodies(&self) -> usize {
        self.parts.bodies.keys(None, 1_000).await.unwrap().len()
    }

    pub async fn vectors(&self) -> Vec<(SignalId, u32)> {
        self.parts.vectors.chunk_counts(None, 1_000).await.unwrap()
    }
}

pub fn request(user: UserId, document: Document) -> IngestRequest {
    IngestRequest {
        user,
        document,
        matter_tags: MatterTag::parse("matter:a").into_iter().collect(),
        origin: Origin::Ingest,
    }
}

pub fn item(url: &str) -> ResultItem {
    ResultItem { title: "The <em>river</em>".to_owned(), url: url.to_owned(), ..ResultItem::default() }
}

/// The result as returned by this provider.
pub fn given(provider: &SearchProvider, mut item: ResultItem) -> ResultItem {
    item.mark_as_given(provider.id);
    item
}

pub fn result(provider: &SearchProvider, url: &str) -> Document {
    Document::Result { provider: provider.clone(), item: given(provider, item(url)) }
}

pub fn address(url: &str, body: Option<String>) -> Document {
    Document::Address { provider: None, url: url.to_owned(), title: "Mine".to_owned(), body }
}

/// A text about something, with at least this many words.
pub fn text_of(subject: &str, words: usize) -> String {
    let sentence = format!("The {subject} is what this document tells of. ");
    sentence.repeat(words.div_ceil(8))
}

/// An unavailable model.
pub struct Away;

#[async_trait]
impl EmbeddingModels for Away {
    async fn embed(&self, _model: &str, _text: &str) -> Result<Vec<f32>, EmbeddingError> {
        Err(EmbeddingError::failed("it does not answer"))
    }
    async fn embed_many(
        &self,
        _model: &str,
        _read_as: EmbeddingInput,
        _texts: &[String],
    ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        Err(EmbeddingError::failed("it does not answer"))
    }
    async fn ranking_model(&self) -> Result<Option<String>, EmbeddingError> {
        Ok(Some("away".to_owned()))
    }
    async fn rerank(&self, _query: &str, _texts: &[String]) -> Result<Option<Vec<f32>>, EmbeddingError> {
        Ok(None)
    }
}
