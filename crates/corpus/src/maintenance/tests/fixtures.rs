//! A corpus with real records and texts, and a fake vector store, so that the two can differ.

use crate::maintenance::{ReconcileReport, Repair};
use crate::{CacheParts, MailParts, SemanticCache};
use async_trait::async_trait;
use bytes::Bytes;
use domain::corpus::{
    AclToken, DocumentAddress, IndexedContent, NewSignal, Origin, Signal, SourceKind, StoredChunk,
};
use domain::ids::{SignalId, UserId};
use domain::ports::{
    BodyKey, BodyStore, Clock, EmbeddingError, EmbeddingInput, EmbeddingModels, Retrieval, SignalStore,
    SignalVectors, SparseVector, Unavailable, UserStore, VectorError, VectorHit, VectorQuery, VectorState,
    VectorStore,
};
use domain::secret::Secret;
use domain::settings::Settings;
use domain::user::UserSpec;
use license::LicensePolicy;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use store::bodies::FolderBodies;
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use tempfile::TempDir;
use testkit::clock::FixedClock;
use testkit::plugins::NO_PLUGINS;

/// Contents of the fake vector store.
#[derive(Default)]
pub(super) struct FakeVectors {
    pub(super) documents: BTreeMap<SignalId, SignalVectors>,
    dimension: Option<usize>,
    pub(super) is_hybrid: bool,
}

#[derive(Default)]
pub(super) struct FakeVectorStore(Mutex<FakeVectors>);

#[async_trait]
impl VectorStore for FakeVectorStore {
    async fn put(&self, vectors: SignalVectors) -> Result<(), VectorError> {
        let mut contents = self.0.lock().unwrap();
        let ours = vectors.chunks[0].dense.len();
        match contents.dimension {
            None => return Err(VectorError::refused("there is no collection")),
            Some(there) if there != ours => return Err(VectorError::Dimension { there, ours }),
            Some(_) => {}
        }
        contents.documents.insert(vectors.signal, vectors);
        Ok(())
    }
    async fn set_acl(&self, signal: SignalId, acl: &[AclToken]) -> Result<(), VectorError> {
        if let Some(document) = self.0.lock().unwrap().documents.get_mut(&signal) {
            document.acl = acl.to_vec();
        }
        Ok(())
    }
    async fn remove(&self, signals: &[SignalId]) -> Result<(), VectorError> {
        self.0.lock().unwrap().documents.retain(|id, _| !signals.contains(id));
        Ok(())
    }
    async fn nearest(&self, _asking: VectorQuery<'_>, _dense: &[f32]) -> Result<Vec<VectorHit>, VectorError> {
        Ok(Vec::new())
    }
    async fn nearest_by_words(
        &self,
        _asking: VectorQuery<'_>,
        _words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError> {
        Err(VectorError::MissingSparse)
    }
    async fn chunk_counts(
        &self,
        after: Option<SignalId>,
        limit: usize,
    ) -> Result<Vec<(SignalId, u32)>, VectorError> {
        let contents = self.0.lock().unwrap();
        let above = contents.documents.iter().filter(|(id, _)| after.is_none_or(|after| **id > after));
        Ok(above.take(limit).map(|(id, held)| (*id, held.chunks.len() as u32)).collect())
    }
    async fn state(&self) -> Result<VectorState, VectorError> {
        let contents = self.0.lock().unwrap();
        let chunks = contents.documents.values().map(|held| held.chunks.len() as u64).sum();
        Ok(VectorState { dimension: contents.dimension, chunks, is_hybrid: contents.is_hybrid })
    }
    async fn prepare(&self, dimension: usize) -> Result<(), VectorError> {
        let there = *self.0.lock().unwrap().dimension.get_or_insert(dimension);
        if there == dimension { Ok(()) } else { Err(VectorError::Dimension { there, ours: dimension }) }
    }
    async fn make_hybrid(&self) -> Result<(), VectorError> {
        self.0.lock().unwrap().is_hybrid = true;
        Ok(())
    }
    async fn clear(&self) -> Result<(), VectorError> {
        *self.0.lock().unwrap() = FakeVectors::default();
        Ok(())
    }
}

/// An embedding model with three dimensions, if chosen.
#[derive(Default)]
pub(super) struct Chosen(pub(super) Mutex<Option<String>>);

#[async_trait]
impl EmbeddingModels for Chosen {
    async fn embed(&self, _model: &str, text: &str) -> Result<Vec<f32>, EmbeddingError> {
        Ok(vec![1.0, text.len() as f32, 2.0])
    }
    async fn embed_many(
        &self,
        model: &str,
        _read_as: EmbeddingInput,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        if model == "gone" {
            return Err(EmbeddingError::failed("it does not answer"));
        }
        Ok(texts.iter().map(|text| vec![1.0, text.len() as f32, 2.0]).collect())
    }
    async fn ranking_model(&self) -> Result<Option<String>, EmbeddingError> {
        Ok(self.0.lock().unwrap().clone())
    }
    async fn rerank(&self, _query: &str, _texts: &[String]) -> Result<Option<Vec<f32>>, EmbeddingError> {
        Ok(None)
    }
}

pub(super) struct Fixture {
    pub(super) cache: SemanticCache,
    pub(super) store: Arc<SqlStore>,
    pub(super) vectors: Arc<FakeVectorStore>,
    pub(super) bodies: Arc<FolderBodies>,
    pub(super) embedding_models: Arc<Chosen>,
    clock: Arc<FixedClock>,
    pub(super) user: UserId,
    _folder: TempDir,
}

impl Fixture {
    pub(super) async fn open() -> Self {
        Self::with(Settings::default()).await
    }

    pub(super) async fn with(settings: Settings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = EncryptionKey::from_secret(&Secret::new("a test key"));
        let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 1, key };
        let store = Arc::new(SqlStore::open(config).await.unwrap());
        let clock = Arc::new(FixedClock::default());
        let vectors = Arc::new(FakeVectorStore::default());
        let bodies = Arc::new(FolderBodies::new(folder.path().join("bodies"), 1));
        let embedding_models = Arc::new(Chosen::default());
        let user = UserSpec { username: "ann".to_owned(), ..UserSpec::default() };
        let user = store.create_user(user, "hash".to_owned(), clock.now()).await.unwrap().id;
        let cache = SemanticCache::new(CacheParts {
            store: store.clone(),
            vectors: vectors.clone(),
            bodies: bodies.clone(),
            pages: Arc::new(Unavailable),
            embedding_models: embedding_models.clone(),
            queue: Arc::new(SqlQueue::new(store.clone(), clock.clone())),
            plugins: NO_PLUGINS,
            mail: MailParts {
                fetch: Arc::new(Unavailable),
                extract: Arc::new(Unavailable),
                tokens: Arc::new(Unavailable),
                key: Secret::new("a test key"),
            },
            license: LicensePolicy::new(Secret::default(), None, clock.clone()),
            clock: clock.clone(),
            settings: Arc::new(settings),
        });
        cache.prepare_bodies().await.unwrap();
        vectors.prepare(2).await.unwrap();
        Self { cache, store, vectors, bodies, embedding_models, clock, user, _folder: folder }
    }

    /// A document with its text and two chunks, in all three stores.
    pub(super) async fn keep(&self, url: &str, matter: &str) -> SignalId {
        self.keep_text(url, matter, url).await
    }

    pub(super) async fn keep_text(&self, url: &str, matter: &str, text: &str) -> SignalId {
        let id = self.note(url, matter).await.signal_id;
        self.write(id, text).await;
        crate::ingest::sync_vectors(&self.cache.parts, id).await.unwrap();
        id
    }

    pub(super) async fn note(&self, url: &str, matter: &str) -> Signal {
        let seen = NewSignal {
            address: DocumentAddress::of(url).unwrap(),
            source_provider_id: None,
            source_provider: String::new(),
            source_kind: SourceKind::Web,
            external_id: String::new(),
            title: "A title".to_owned(),
            author: String::new(),
            date_published: String::new(),
            origin: Origin::Ingest,
            matter_tags: vec![matter.to_owned()],
            known: None,
            is_supplied: false,
        };
        self.store.note_signal(seen, &self.by(""), self.clock.now()).await.unwrap().0
    }

    pub(super) async fn write(&self, id: SignalId, text: &str) {
        let hash = hash_of(text);
        let key = BodyKey::of_hash(&hash).unwrap();
        let body_bytes = self.bodies.put(&key, Bytes::from(text.to_owned())).await.unwrap();
        let chunk = |number: u32| StoredChunk {
            number,
            start: number,
            end: number + 1,
            heading: "Above".to_owned(),
            text: format!("piece {number} of {text}"),
            vector: vec![0.6, 0.8],
        };
        let content = IndexedContent {
            content_hash: hash.clone(),
            simhash: String::new(),
            external_version: String::new(),
            title: "A title".to_owned(),
            author: String::new(),
            mime: "text/plain".to_owned(),
            ext: String::new(),
            size: text.len() as u64,
            file_bytes: 0,
            language: "en".to_owned(),
            is_supplied: false,
            source_provider_id: None,
            source_provider: String::new(),
            version_label: String::new(),
            embedding_model: "two".to_owned(),
            body_key: Some(key),
            body_bytes,
            body_expires: None,
            chunks: vec![chunk(0), chunk(1)],
            followers: Vec::new(),
        };
        let placed = self.store.index_signal(id, content, &self.by(&hash), self.clock.now()).await.unwrap();
        for key in placed.unneeded {
            self.bodies.delete(&key).await.unwrap();
        }
    }

    fn by(&self, hash: &str) -> Retrieval {
        Retrieval {
            user: self.user,
            idp: String::new(),
            account_provider_id: None,
            content_hash: hash.to_owned(),
        }
    }

    pub(super) async fn reconcile(&self, repair: bool) -> ReconcileReport {
        self.cache.reconcile(if repair { Repair::All } else { Repair::Nothing }).await.unwrap()
    }

    pub(super) fn with_vectors<T>(&self, access: impl FnOnce(&mut FakeVectors) -> T) -> T {
        access(&mut self.vectors.0.lock().unwrap())
    }
}

pub(super) fn hash_of(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
