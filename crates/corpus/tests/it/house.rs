//! A cache with people, sources and documents, as a test wants them.

use async_trait::async_trait;
use chrono::Days;
use corpus::{CacheParts, MailParts, SemanticCache, words};
use domain::contracts::{
    Asking, Catalogues, ChunkVector, Clock, Corpus, CorpusAnswer, CorpusError, CorpusQuestion, Nothing,
    ProviderStore, Retrieval, SignalStore, SignalVectors, SparseVector, Store, UserStore, VectorError,
    VectorHit, VectorState, VectorStore,
};
use domain::corpus::{
    AclToken, DocumentAddress, IndexedContent, LicenseGate, NewSignal, Origin, SourceKind, StoredChunk,
};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::license::{LicenseTerms, SigningKey};
use domain::provider::ProviderDraft;
use domain::secret::Secret;
use domain::settings::Settings;
use domain::user::{GroupDraft, UserDraft};
use relevancy::reader::{MODEL_NAME, embed};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use store::bodies::FolderBodies;
use store::vectors::MemoryVectors;
use store::{SealKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use tempfile::TempDir;
use testkit::clock::FixedClock;

pub struct CacheHouse {
    pub cache: SemanticCache,
    pub store: Arc<SqlStore>,
    pub vectors: Arc<dyn VectorStore>,
    pub clock: Arc<FixedClock>,
    _folder: TempDir,
}

/// A document that somebody retrieved.
pub struct Retrieved<'a> {
    pub by: UserId,
    pub from: Option<ProviderId>,
    pub url: &'a str,
    pub title: &'a str,
    /// Pieces, parted by empty lines.
    pub text: &'a str,
    pub is_supplied: bool,
    pub model: &'a str,
}

impl Default for Retrieved<'_> {
    fn default() -> Self {
        Self {
            by: UserId(0),
            from: None,
            url: "https://h.example/a",
            title: "A document",
            text: "rivers",
            is_supplied: false,
            model: MODEL_NAME,
        }
    }
}

pub const CATALOGUES: Catalogues = Catalogues {
    connectors: &[],
    query_processors: &[],
    result_processors: &[],
    post_result_processors: &[],
    mixers: &[],
    default_post_result: &[],
    read_answer: |_, _| Err(String::new()),
};

/// A vector store that shows everybody everything.
pub struct Careless(pub Arc<dyn VectorStore>, pub Vec<AclToken>);

#[async_trait]
impl VectorStore for Careless {
    async fn put(&self, vectors: SignalVectors) -> Result<(), VectorError> {
        self.0.put(vectors).await
    }
    async fn set_acl(&self, signal: SignalId, acl: &[AclToken]) -> Result<(), VectorError> {
        self.0.set_acl(signal, acl).await
    }
    async fn remove(&self, signals: &[SignalId]) -> Result<(), VectorError> {
        self.0.remove(signals).await
    }
    async fn nearest(&self, asking: Asking<'_>, dense: &[f32]) -> Result<Vec<VectorHit>, VectorError> {
        self.0.nearest(Asking { tokens: &self.1, ..asking }, dense).await
    }
    async fn nearest_by_words(
        &self,
        asking: Asking<'_>,
        words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError> {
        self.0.nearest_by_words(Asking { tokens: &self.1, ..asking }, words).await
    }
    async fn held(&self, after: Option<SignalId>, limit: usize) -> Result<Vec<(SignalId, u32)>, VectorError> {
        self.0.held(after, limit).await
    }
    async fn state(&self) -> Result<VectorState, VectorError> {
        self.0.state().await
    }
    async fn prepare(&self, dimension: usize) -> Result<(), VectorError> {
        self.0.prepare(dimension).await
    }
    async fn make_hybrid(&self) -> Result<(), VectorError> {
        self.0.make_hybrid().await
    }
    async fn clear(&self) -> Result<(), VectorError> {
        self.0.clear().await
    }
}

impl CacheHouse {
    pub async fn open(settings: Settings) -> Self {
        Self::with(settings, |vectors| vectors).await
    }

    pub async fn with(
        settings: Settings,
        around: impl FnOnce(Arc<dyn VectorStore>) -> Arc<dyn VectorStore>,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = SealKey::from_secret(&Secret::new("a test key"));
        let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 1, key };
        let store = Arc::new(SqlStore::open(config).await.unwrap());
        let shared: Arc<dyn Store> = store.clone();
        let clock = Arc::new(FixedClock::default());
        let vectors = around(Arc::new(MemoryVectors::new(store.clone(), words)));
        let cache = SemanticCache::new(CacheParts {
            store: Arc::clone(&shared),
            signals: store.clone(),
            vectors: Arc::clone(&vectors),
            bodies: Arc::new(FolderBodies::new(folder.path().join("bodies"), 1)),
            pages: Arc::new(Nothing),
            readers: Arc::new(Nothing),
            queue: Arc::new(SqlQueue::new(shared, clock.clone())),
            catalogues: CATALOGUES,
            mail: MailParts {
                fetch: Arc::new(Nothing),
                extract: Arc::new(Nothing),
                tokens: Arc::new(Nothing),
                key: Secret::new("a test key"),
            },
            license: license(&clock),
            clock: clock.clone(),
            settings: Arc::new(settings),
        });
        Self { cache, store, vectors, clock, _folder: folder }
    }

    pub async fn person(&self, name: &str, groups: &[&str], is_admin: bool) -> UserId {
        for group in groups {
            let _there_already =
                self.store.create_group(GroupDraft { name: (*group).to_owned() }, self.clock.now()).await;
        }
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        let draft = UserDraft { username: name.to_owned(), groups, is_admin, ..UserDraft::default() };
        self.store.create_user(draft, "hash".to_owned(), self.clock.now()).await.unwrap().id
    }

    pub async fn source(&self, owner: UserId, draft: ProviderDraft) -> ProviderId {
        self.store.create_providers(vec![draft], owner, self.clock.now()).await.unwrap()[0].id
    }

    /// What somebody retrieved, in the records and among the vectors.
    pub async fn keep(&self, given: Retrieved<'_>) -> SignalId {
        let hash = hash_of(given.text);
        let by = Retrieval { user: given.by, idp: String::new(), content_hash: hash.clone() };
        let seen = NewSignal {
            address: DocumentAddress::of(given.url).unwrap(),
            source_provider_id: given.from,
            source_provider: String::new(),
            source_kind: SourceKind::Web,
            external_id: String::new(),
            title: given.title.to_owned(),
            author: String::new(),
            date_published: String::new(),
            origin: Origin::Rag,
            matter_tags: Vec::new(),
        };
        let id = self.store.note_signal(seen, &by, self.clock.now()).await.unwrap().0.signal_id;
        let content = IndexedContent {
            source_provider_id: given.from,
            source_provider: String::new(),
            content_hash: hash,
            simhash: String::new(),
            external_version: String::new(),
            title: given.title.to_owned(),
            author: String::new(),
            mime: "text/plain".to_owned(),
            ext: String::new(),
            size: given.text.len() as u64,
            file_bytes: 0,
            language: "en".to_owned(),
            is_supplied: given.is_supplied,
            version_label: String::new(),
            embedding_model: given.model.to_owned(),
            body_key: None,
            body_bytes: 0,
            body_expires: None,
            chunks: given.text.split("\n\n").zip(0..).map(|(text, number)| piece(number, text)).collect(),
        };
        self.store.index_signal(id, content, &by, self.clock.now()).await.unwrap();
        self.put(id).await;
        id
    }

    /// The vector store follows the records.
    async fn put(&self, id: SignalId) {
        let acl = self.store.acl_of(&[id]).await.unwrap().pop().map(|(_, acl)| acl).unwrap_or_default();
        let chunks = self.store.chunks(id).await.unwrap();
        let vector = |chunk: StoredChunk| ChunkVector {
            number: chunk.number,
            start: chunk.start,
            end: chunk.end,
            sparse: Some(words(&chunk.text)),
            dense: chunk.vector,
        };
        let vectors = SignalVectors {
            signal: id,
            acl,
            provider: None,
            mime: String::new(),
            matter_tags: Vec::new(),
            date: String::new(),
            chunks: chunks.into_iter().map(vector).collect(),
        };
        self.vectors.put(vectors).await.unwrap();
    }

    pub async fn ask(&self, asker: UserId, words: &str) -> Result<CorpusAnswer, CorpusError> {
        self.cache
            .search(CorpusQuestion { asker, words, topic: domain::corpus::Topic::default(), results_max: 10 })
            .await
    }

    /// The titles that are found, in their order.
    pub async fn found(&self, asker: UserId, words: &str) -> Vec<String> {
        let answer = self.ask(asker, words).await.unwrap();
        answer.hits.into_iter().map(|hit| hit.signal.title).collect()
    }
}

fn piece(number: u32, text: &str) -> StoredChunk {
    StoredChunk {
        number,
        start: number,
        end: number + 1,
        heading: String::new(),
        text: text.to_owned(),
        vector: embed(text).as_slice().to_vec(),
    }
}

/// It opens the cache for a year.
fn license(clock: &Arc<FixedClock>) -> LicenseGate {
    let (key, _) = SigningKey::make().unwrap();
    let today = clock.now().date_naive();
    let terms = LicenseTerms {
        owner: "Tests".to_owned(),
        issued: today,
        expiration: today + Days::new(365),
        cache: true,
        cache_expiration: None,
    };
    LicenseGate::new(Secret::new(terms.issue(&key)), key.issuer(), clock.clone())
}

fn hash_of(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
