//! A cache with people and documents, and sources that say what a test tells them.

use async_trait::async_trait;
use chrono::Days;
use corpus::{CacheParts, MailParts, SemanticCache, words};
use domain::contracts::{
    BodyKey, BodyStore, Catalogues, Clock, Nothing, PageError, PageProbe, PageText, PageWanted,
    ProviderStore, QueueName, ReadPages, Retrieval, SignalStore, Store, TaskQueue, UserStore,
};
use domain::corpus::{
    DocumentAddress, Grant, IndexedContent, LicenseGate, NewSignal, Origin, Signal, SourceKind, StoredChunk,
};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::license::{LicenseTerms, SigningKey};
use domain::provider::{ProviderDraft, SearchProvider};
use domain::result::ResultItem;
use domain::secret::Secret;
use domain::settings::Settings;
use domain::user::{Principal, UserDraft};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use store::bodies::FolderBodies;
use store::vectors::MemoryVectors;
use store::{SealKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use tempfile::TempDir;
use testkit::clock::FixedClock;

pub struct House {
    pub cache: Arc<SemanticCache>,
    pub store: Arc<SqlStore>,
    pub bodies: Arc<FolderBodies>,
    pub sources: Arc<Sources>,
    pub queue: Arc<SqlQueue>,
    pub clock: Arc<FixedClock>,
    _folder: TempDir,
}

/// What a source says to one person, or to all.
#[derive(Debug, Clone)]
pub enum Says {
    Status(u16),
    Version(&'static str),
    /// No answer came.
    Nothing,
    /// Nor ever will.
    Silence,
}

/// The sources of all documents.
#[derive(Default)]
pub struct Sources {
    says: Mutex<BTreeMap<(String, Option<UserId>), Says>>,
    asked: Mutex<Vec<(UserId, String)>>,
}

impl Sources {
    pub fn say(&self, url: &str, says: Says) {
        self.says.lock().unwrap().insert((url.to_owned(), None), says);
    }

    pub fn say_to(&self, url: &str, user: UserId, says: Says) {
        self.says.lock().unwrap().insert((url.to_owned(), Some(user)), says);
    }

    /// Who has asked since this was last looked at.
    pub fn asked(&self) -> Vec<UserId> {
        self.asked.lock().unwrap().drain(..).map(|(user, _)| user).collect()
    }
}

#[async_trait]
impl ReadPages for Sources {
    async fn read(&self, _wanted: &PageWanted<'_>) -> Result<PageText, PageError> {
        Err(PageError::NoAddress)
    }

    async fn probe(&self, wanted: &PageWanted<'_>) -> Result<PageProbe, PageError> {
        let url = wanted.item.url.clone();
        self.asked.lock().unwrap().push((wanted.user, url.clone()));
        let says = {
            let known = self.says.lock().unwrap();
            known.get(&(url.clone(), Some(wanted.user))).or_else(|| known.get(&(url, None))).cloned()
        };
        let probe = |http_status, version: &str| Ok(PageProbe { http_status, version: version.to_owned() });
        match says {
            Some(Says::Status(status)) => probe(status, ""),
            Some(Says::Version(version)) => probe(200, version),
            Some(Says::Silence) => std::future::pending().await,
            Some(Says::Nothing) | None => Err(PageError::Failed("no answer".to_owned())),
        }
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

const CATALOGUES: Catalogues = Catalogues {
    connectors: &[],
    query_processors: &[],
    result_processors: &[],
    post_result_processors: &[],
    mixers: &[],
    default_post_result: &[],
    read_answer: |_, _| Err(String::new()),
};

/// A document that somebody retrieved.
#[derive(Debug, Clone, Copy)]
pub struct Kept<'a> {
    pub by: UserId,
    pub from: Option<ProviderId>,
    pub url: &'a str,
    pub text: &'a str,
    pub version: &'a str,
    pub is_supplied: bool,
}

impl House {
    pub async fn open(settings: Settings) -> Self {
        Self::with_license(settings, true).await
    }

    pub async fn with_license(settings: Settings, is_licensed: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = SealKey::from_secret(&Secret::new("a test key"));
        let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 1, key };
        let store = Arc::new(SqlStore::open(config).await.unwrap());
        let shared: Arc<dyn Store> = store.clone();
        let clock = Arc::new(FixedClock::default());
        let sources = Arc::new(Sources::default());
        let queue = Arc::new(SqlQueue::new(Arc::clone(&shared), clock.clone()));
        let bodies = Arc::new(FolderBodies::new(folder.path().join("bodies"), 1));
        let cache = Arc::new(SemanticCache::new(CacheParts {
            store: shared,
            signals: store.clone(),
            vectors: Arc::new(MemoryVectors::new(store.clone(), words)),
            bodies: bodies.clone(),
            pages: sources.clone(),
            readers: Arc::new(Nothing),
            queue: queue.clone(),
            catalogues: CATALOGUES,
            mail: MailParts {
                fetch: Arc::new(Nothing),
                extract: Arc::new(Nothing),
                tokens: Arc::new(Nothing),
                key: Secret::new("a test key"),
            },
            license: license(&clock, is_licensed),
            clock: clock.clone(),
            settings: Arc::new(settings),
        }));
        bodies.prepare().await.unwrap();
        Self { cache, store, bodies, sources, queue, clock, _folder: folder }
    }

    pub async fn person(&self, name: &str) -> UserId {
        let draft = UserDraft { username: name.to_owned(), ..UserDraft::default() };
        self.store.create_user(draft, "hash".to_owned(), self.clock.now()).await.unwrap().id
    }

    /// As whom somebody asks.
    pub async fn principal(&self, user: UserId, is_admin: bool) -> Principal {
        Principal { is_admin, ..Principal::of(&self.store.user(user).await.unwrap()) }
    }

    /// A source that everybody may ask; with an authenticator everybody gets what is theirs.
    pub async fn provider(&self, owner: UserId, name: &str, authenticator: &str) -> ProviderId {
        let draft = ProviderDraft {
            name: name.to_owned(),
            authenticator: authenticator.to_owned(),
            ..ProviderDraft::default()
        };
        self.store.create_providers(vec![draft], owner, self.clock.now()).await.unwrap()[0].id
    }

    pub async fn keep(&self, kept: Kept<'_>) -> SignalId {
        let content_hash: String =
            Sha256::digest(kept.text).iter().map(|byte| format!("{byte:02x}")).collect();
        let now = self.clock.now();
        let id = self.note(kept.by, kept.from, kept.url).await;
        let key = BodyKey::of_hash(&content_hash).unwrap();
        let body_bytes = self.bodies.put(&key, kept.text.to_owned().into()).await.unwrap();
        let by = Retrieval { user: kept.by, idp: String::new(), content_hash: content_hash.clone() };
        let chunk = StoredChunk {
            number: 0,
            start: 0,
            end: 1,
            heading: String::new(),
            text: kept.text.to_owned(),
            vector: vec![1.0, 0.0],
        };
        let content = IndexedContent {
            source_provider_id: kept.from,
            source_provider: String::new(),
            content_hash,
            simhash: String::new(),
            external_version: kept.version.to_owned(),
            title: "A document".to_owned(),
            author: String::new(),
            mime: "text/plain".to_owned(),
            ext: String::new(),
            size: 1,
            file_bytes: 0,
            language: String::new(),
            is_supplied: kept.is_supplied,
            version_label: String::new(),
            embedding_model: "local".to_owned(),
            body_key: Some(key),
            body_bytes,
            body_expires: None,
            chunks: vec![chunk],
        };
        self.store.index_signal(id, content, &by, now).await.unwrap();
        id
    }

    /// Somebody asks for a document whose text is not here.
    pub async fn note(&self, by: UserId, from: Option<ProviderId>, url: &str) -> SignalId {
        let seen = NewSignal {
            address: DocumentAddress::of(url).unwrap(),
            source_provider_id: from,
            source_provider: "Rivers".to_owned(),
            source_kind: SourceKind::Web,
            external_id: String::new(),
            title: "A document".to_owned(),
            author: String::new(),
            date_published: String::new(),
            origin: Origin::Ingest,
            matter_tags: Vec::new(),
        };
        let by = Retrieval { user: by, idp: String::new(), content_hash: String::new() };
        self.store.note_signal(seen, &by, self.clock.now()).await.unwrap().0.signal_id
    }

    pub async fn signal(&self, id: SignalId) -> Signal {
        self.store.signal(id).await.unwrap()
    }

    pub async fn grant(&self, id: SignalId, user: UserId) -> Option<Grant> {
        self.store.grants(id).await.unwrap().into_iter().find(|grant| grant.user_id == user)
    }

    /// The names and payloads of the tasks that wait.
    pub async fn waiting(&self) -> Vec<(String, serde_json::Value)> {
        let tasks = self.queue.claim_many(QueueName::Corpus, 100, "test", Duration::from_secs(60)).await;
        let tasks = tasks.unwrap();
        for task in &tasks {
            self.queue.finish(task).await.unwrap();
        }
        tasks.into_iter().map(|task| (task.name, task.payload)).collect()
    }
}

/// It opens the cache for a year, or is none.
fn license(clock: &Arc<FixedClock>, is_licensed: bool) -> LicenseGate {
    let (key, _) = SigningKey::make().unwrap();
    let today = clock.now().date_naive();
    let terms = LicenseTerms {
        owner: "Tests".to_owned(),
        issued: today,
        expiration: today + Days::new(365),
        cache: is_licensed,
        cache_expiration: None,
    };
    LicenseGate::new(Secret::new(terms.issue(&key)), key.issuer(), clock.clone())
}
