//! A house with a cache in it: SQLite in memory, vectors in memory, texts in a folder of their own.

use async_trait::async_trait;
use corpus::ingest::{Accepted, Document, IngestError, IngestWish};
use corpus::{CacheParts, IngestDocument, MailParts, SemanticCache};
use domain::contracts::{
    Catalogues, ClaimedTask, Clock, Corpus, CorpusHit, CorpusQuestion, Nothing, PageError, PageProbe,
    PageText, PageWanted, ProviderStore, QueueName, ReadAs, ReadPages, ReaderError, ReaderModels,
    SignalStore, Store, TaskHandler, UserStore,
};
use domain::corpus::{LicenseGate, Origin, Signal};
use domain::ids::{SignalId, UserId};
use domain::license::{LicenseTerms, SigningKey};
use domain::provider::{ProviderDraft, SearchProvider};
use domain::result::ResultItem;
use domain::secret::Secret;
use domain::settings::Settings;
use domain::user::UserDraft;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::bodies::FolderBodies;
use store::vectors::MemoryVectors;
use store::{SealKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use tempfile::TempDir;
use testkit::clock::FixedClock;

const LEASE: Duration = Duration::from_secs(60);
/// More runs of tasks than any test needs.
const RUNS_MAX: usize = 1_000;

/// Whose page, and where it is.
type Place = (Option<UserId>, String);

/// Pages as their sources give them: to everybody, or to one person.
#[derive(Default)]
pub struct Web {
    pages: Mutex<BTreeMap<Place, Result<PageText, PageError>>>,
    /// Who asked, by which provider, for what.
    pub asked: Mutex<Vec<(UserId, i64, String)>>,
}

impl Web {
    pub fn gives(&self, url: &str, page: Result<&str, PageError>) {
        self.put(None, url, page);
    }

    pub fn gives_to(&self, user: UserId, url: &str, page: Result<&str, PageError>) {
        self.put(Some(user), url, page);
    }

    fn put(&self, user: Option<UserId>, url: &str, page: Result<&str, PageError>) {
        let page = page.map(|text| PageText {
            title: "A page".to_owned(),
            text: text.to_owned(),
            media_type: "text/html".to_owned(),
            author: "Ada".to_owned(),
            version: format!("\"{}\"", text.len()),
            file_bytes: text.len() as u64,
        });
        self.pages.lock().unwrap().insert((user, url.to_owned()), page);
    }

    pub fn asked_times(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

#[async_trait]
impl ReadPages for Web {
    async fn read(&self, wanted: &PageWanted<'_>) -> Result<PageText, PageError> {
        let PageWanted { provider, item, user, .. } = *wanted;
        self.asked.lock().unwrap().push((user, provider.id.0, item.url.clone()));
        let pages = self.pages.lock().unwrap();
        let own = pages.get(&(Some(user), item.url.clone()));
        let page = own.or_else(|| pages.get(&(None, item.url.clone())));
        page.cloned().unwrap_or(Err(PageError::Failed("there is no such page".to_owned())))
    }
    async fn probe(&self, _wanted: &PageWanted<'_>) -> Result<PageProbe, PageError> {
        Err(PageError::NoAddress)
    }
    async fn fill_bodies(
        &self,
        _provider: &SearchProvider,
        _items: &mut [ResultItem],
        _query: &str,
        _user: UserId,
        _time_max: Duration,
    ) -> usize {
        0
    }
}

const NO_CATALOGUES: Catalogues = Catalogues {
    connectors: &[],
    query_processors: &[],
    result_processors: &[],
    post_result_processors: &[],
    mixers: &[],
    default_post_result: &[],
    read_answer: |_, _| Err("nothing".to_owned()),
};

pub struct House {
    pub cache: Arc<SemanticCache>,
    pub parts: CacheParts,
    pub store: Arc<SqlStore>,
    pub web: Arc<Web>,
    pub clock: Arc<FixedClock>,
    pub ann: UserId,
    pub bob: UserId,
    _folder: TempDir,
}

impl House {
    pub async fn open() -> Self {
        Self::with(|settings| settings, |parts| parts).await
    }

    /// With other settings, and with other parts.
    pub async fn with(
        settings: impl FnOnce(Settings) -> Settings,
        change: impl FnOnce(CacheParts) -> CacheParts,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = SealKey::from_secret(&Secret::new("a test key"));
        let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 1, key };
        let store = Arc::new(SqlStore::open(config).await.unwrap());
        let shared: Arc<dyn Store> = store.clone();
        let signals: Arc<dyn SignalStore> = store.clone();
        let clock = Arc::new(FixedClock::default());
        let web = Arc::new(Web::default());
        let parts = change(CacheParts {
            store: Arc::clone(&shared),
            signals: Arc::clone(&signals),
            vectors: Arc::new(MemoryVectors::new(signals, corpus::words)),
            bodies: Arc::new(FolderBodies::new(folder.path().join("bodies"), 1)),
            pages: web.clone(),
            readers: Arc::new(Nothing),
            queue: Arc::new(SqlQueue::new(shared, clock.clone())),
            catalogues: NO_CATALOGUES,
            mail: MailParts {
                fetch: Arc::new(Nothing),
                extract: Arc::new(Nothing),
                tokens: Arc::new(Nothing),
                key: Secret::new("a test key"),
            },
            license: license(&clock),
            clock: clock.clone(),
            settings: Arc::new(settings(Settings { storage_max_body_mb: 1, ..Settings::default() })),
        });
        parts.bodies.prepare().await.unwrap();
        let user = async |name: &str| {
            let draft = UserDraft { username: name.to_owned(), ..UserDraft::default() };
            store.create_user(draft, "hash".to_owned(), clock.now()).await.unwrap().id
        };
        let (ann, bob) = (user("ann").await, user("bob").await);
        let cache = Arc::new(SemanticCache::new(parts.clone()));
        Self { cache, parts, store, web, clock, ann, bob, _folder: folder }
    }

    /// A source of Ann's that everybody may use, and that lets its pages be fetched and kept.
    pub async fn provider(&self, name: &str, more: Value) -> SearchProvider {
        let mut draft = json!({"name": name, "page_fetch_config_json": {"cache": "true"}});
        draft.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let draft: ProviderDraft = serde_json::from_value(draft).unwrap();
        let now = self.clock.now();
        self.store.create_providers(vec![draft], self.ann, now).await.unwrap().remove(0)
    }

    pub async fn wish(&self, user: UserId, document: Document) -> Result<Accepted, IngestError> {
        self.cache.ingest(wish(user, document)).await
    }

    /// Wishes for the document of a result and lets it come in.
    pub async fn ingest(&self, user: UserId, provider: &SearchProvider, url: &str) -> Signal {
        let accepted = self.wish(user, result(provider, url)).await.unwrap();
        self.work().await;
        self.signal(accepted.signal.signal_id).await
    }

    /// Runs the tasks of the cache until there is none; how many runs it took.
    pub async fn work(&self) -> usize {
        let handler = IngestDocument(Arc::clone(&self.cache));
        let mut runs = 0;
        while let Some(task) = self.claim().await {
            runs += 1;
            match handler.run(&task).await {
                Ok(()) => self.parts.queue.finish(&task).await.unwrap(),
                Err(error) => self.parts.queue.retry(&task, Duration::ZERO, &error.0).await.unwrap(),
            }
            assert!(runs < RUNS_MAX, "the work has no end");
        }
        runs
    }

    pub async fn claim(&self) -> Option<ClaimedTask> {
        self.parts.queue.claim(QueueName::Corpus, "a worker", LEASE).await.unwrap()
    }

    pub async fn signal(&self, id: SignalId) -> Signal {
        self.store.signal(id).await.unwrap()
    }

    /// What this person finds.
    pub async fn found(&self, user: UserId, words: &str) -> Vec<CorpusHit> {
        let question =
            CorpusQuestion { asker: user, words, topic: domain::corpus::Topic::default(), results_max: 10 };
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
        self.parts.vectors.held(None, 1_000).await.unwrap()
    }
}

pub fn wish(user: UserId, document: Document) -> IngestWish {
    IngestWish { user, document, matter_tags: vec!["matter:a".to_owned()], origin: Origin::Ingest }
}

pub fn item(url: &str) -> ResultItem {
    ResultItem { title: "The <em>river</em>".to_owned(), url: url.to_owned(), ..ResultItem::default() }
}

pub fn result(provider: &SearchProvider, url: &str) -> Document {
    Document::Result { provider: provider.clone(), item: item(url) }
}

pub fn address(url: &str, body: Option<String>) -> Document {
    Document::Address { provider: None, url: url.to_owned(), title: "Mine".to_owned(), body }
}

/// A text about something, of so many words or some more.
pub fn text_of(subject: &str, words: usize) -> String {
    let sentence = format!("The {subject} is what this document tells of. ");
    sentence.repeat(words.div_ceil(8))
}

fn license(clock: &Arc<FixedClock>) -> LicenseGate {
    let (key, _) = SigningKey::make().unwrap();
    let terms = LicenseTerms {
        owner: "Ann".to_owned(),
        issued: clock.now().date_naive(),
        expiration: "2027-12-31".parse().unwrap(),
        cache: true,
        cache_expiration: None,
    };
    LicenseGate::new(Secret::new(terms.issue(&key)), key.issuer(), clock.clone())
}

/// A model that is not there.
pub struct Away;

#[async_trait]
impl ReaderModels for Away {
    async fn embed(&self, _model: &str, _text: &str) -> Result<Vec<f32>, ReaderError> {
        Err(ReaderError::Failed("it does not answer".to_owned()))
    }
    async fn embed_many(
        &self,
        _model: &str,
        _read_as: ReadAs,
        _texts: &[String],
    ) -> Result<Vec<Vec<f32>>, ReaderError> {
        Err(ReaderError::Failed("it does not answer".to_owned()))
    }
    async fn ranking_model(&self) -> Result<Option<String>, ReaderError> {
        Ok(Some("away".to_owned()))
    }
    async fn rerank(&self, _query: &str, _texts: &[String]) -> Result<Option<Vec<f32>>, ReaderError> {
        Ok(None)
    }
}
