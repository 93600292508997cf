//! A cache with people, providers and documents.

use crate::ground::{Ground, content, named, seen};
use async_trait::async_trait;
use corpus::{CacheParts, SemanticCache, sparse_vector};
use domain::corpus::{AclToken, IndexedContent, NewSignal, StoredChunk};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::ports::{
    ChunkVector, Clock, Corpus, CorpusError, CorpusQuery, CorpusResults, Retrieval, SignalStore,
    SignalVectors, SparseVector, UserStore, VectorError, VectorHit, VectorQuery, VectorState, VectorStore,
};
use domain::provider::ProviderSpec;
use domain::settings::Settings;
use domain::user::{GroupSpec, UserSpec};
use relevancy::Language;
use relevancy::embedder::MODEL_NAME;
use std::sync::Arc;
use store::SqlStore;
use testkit::clock::FixedClock;

pub struct CorpusFixture {
    pub cache: SemanticCache,
    pub store: Arc<SqlStore>,
    pub vectors: Arc<dyn VectorStore>,
    pub clock: Arc<FixedClock>,
    ground: Ground,
}

/// A document that somebody retrieved.
pub struct Retrieved<'a> {
    pub by: UserId,
    pub from: Option<ProviderId>,
    pub url: &'a str,
    pub title: &'a str,
    /// Chunks, separated by blank lines.
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

/// A vector store that ignores access lists.
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
    async fn nearest(&self, query: VectorQuery<'_>, dense: &[f32]) -> Result<Vec<VectorHit>, VectorError> {
        self.0.nearest(VectorQuery { tokens: &self.1, ..query }, dense).await
    }
    async fn nearest_by_words(
        &self,
        query: VectorQuery<'_>,
        words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError> {
        self.0.nearest_by_words(VectorQuery { tokens: &self.1, ..query }, words).await
    }
    async fn chunk_counts(
        &self,
        after: Option<SignalId>,
        limit: usize,
    ) -> Result<Vec<(SignalId, u32)>, VectorError> {
        self.0.chunk_counts(after, limit).await
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

impl CorpusFixture {
    pub async fn open(settings: Settings) -> Self {
        Self::with(settings, |vectors| vectors).await
    }

    pub async fn with(
        settings: Settings,
        around: impl FnOnce(Arc<dyn VectorStore>) -> Arc<dyn VectorStore>,
    ) -> Self {
        let ground = Ground::in_memory().await;
        let parts = ground.parts(settings).await;
        let vectors = around(Arc::clone(&parts.vectors));
        let cache = SemanticCache::new(CacheParts { vectors: Arc::clone(&vectors), ..parts });
        Self { cache, store: ground.store.clone(), vectors, clock: ground.clock.clone(), ground }
    }

    pub async fn person(&self, name: &str, groups: &[&str], is_admin: bool) -> UserId {
        for group in groups {
            let _there_already =
                self.store.create_group(GroupSpec { name: (*group).to_owned() }, self.clock.now()).await;
        }
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        self.ground.person(UserSpec { groups, is_admin, ..named(name) }).await.id
    }

    pub async fn source(&self, owner: UserId, spec: ProviderSpec) -> ProviderId {
        self.ground.source(owner, spec).await.id
    }

    /// Stores a retrieved document in the records and the vector store.
    pub async fn keep(&self, given: Retrieved<'_>) -> SignalId {
        let content = IndexedContent {
            source_provider_id: given.from,
            is_supplied: given.is_supplied,
            embedding_model: given.model.to_owned(),
            ..content(given.title, given.text)
        };
        let (idp, content_hash) = (String::new(), String::new());
        let by = Retrieval { user: given.by, idp, account_provider_id: None, content_hash };
        let is_supplied = given.is_supplied;
        let seen = NewSignal { source_provider_id: given.from, is_supplied, ..seen(given.url, given.title) };
        let id = self.store.note_signal(seen, &by, self.clock.now()).await.unwrap().0.signal_id;
        let placed = self.store.index_signal(id, content, &by, self.clock.now()).await.unwrap();
        self.put(placed.signal_id).await;
        placed.signal_id
    }

    /// Copies the record into the vector store.
    async fn put(&self, id: SignalId) {
        let acl = self.store.acl_of(&[id]).await.unwrap().pop().map(|(_, acl)| acl).unwrap_or_default();
        let chunks = self.store.chunks(id).await.unwrap();
        let vector = |chunk: StoredChunk| ChunkVector {
            number: chunk.number,
            start: chunk.start,
            end: chunk.end,
            sparse: Some(sparse_vector(Language::ENGLISH, &chunk.text)),
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

    pub async fn ask(&self, asker: UserId, words: &str) -> Result<CorpusResults, CorpusError> {
        self.cache
            .search(CorpusQuery { asker, words, topic: domain::corpus::Topic::default(), results_max: 10 })
            .await
    }

    /// The titles found, in order.
    pub async fn found(&self, asker: UserId, words: &str) -> Vec<String> {
        let answer = self.ask(asker, words).await.unwrap();
        answer.hits.into_iter().map(|hit| hit.signal.title).collect()
    }
}
