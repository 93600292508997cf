//! Common parts of the test caches: records, clock, folder and license.

use chrono::Days;
use corpus::{CacheParts, MailParts, word_indexer};
use domain::corpus::{
    CONNECTOR_NAME, DocumentAddress, IndexedContent, NewSignal, Origin, SourceKind, StoredChunk,
};
use domain::ids::UserId;
use domain::ports::{
    Clock, ConnectorKind, PluginRegistry, ProviderStore, ResultOrigin, Unavailable, UserStore,
};
use domain::provider::{ProviderSpec, SearchProvider};
use domain::secret::Secret;
use domain::settings::Settings;
use domain::user::{User, UserSpec};
use license::{LicensePolicy, LicenseTerms, SigningKey};
use relevancy::embedder::{MODEL_NAME, embed};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::sync::Arc;
use store::bodies::FolderBodies;
use store::vectors::MemoryVectors;
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use tempfile::TempDir;
use testkit::clock::FixedClock;
use testkit::plugins::{NO_PLUGINS, connector_kind};

const PLUGINS: PluginRegistry = PluginRegistry {
    connectors: &[ConnectorKind { origin: ResultOrigin::Corpus, ..connector_kind(CONNECTOR_NAME) }],
    ..NO_PLUGINS
};

pub struct Ground {
    pub store: Arc<SqlStore>,
    pub clock: Arc<FixedClock>,
    folder: TempDir,
}

impl Ground {
    pub async fn in_memory() -> Self {
        Self::new(tempfile::tempdir().unwrap(), "sqlite::memory:".to_owned(), 1).await
    }

    /// With the records in a file, so that tests can inspect it.
    pub async fn on_disk() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}/fixture.db", folder.path().display());
        Self::new(folder, url, 2).await
    }

    async fn new(folder: TempDir, url: String, pool_max: u32) -> Self {
        let key = EncryptionKey::from_secret(&Secret::new("a test key"));
        let config = StoreConfig { url: Secret::new(url), pool_max, key };
        let store = Arc::new(SqlStore::open(config).await.unwrap());
        Self { store, clock: Arc::new(FixedClock::default()), folder }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A cache with a license for a year. No page, model or mailbox responds.
    pub async fn parts(&self, settings: Settings) -> CacheParts {
        let parts = CacheParts {
            store: self.store.clone(),
            vectors: Arc::new(MemoryVectors::new(self.store.clone(), word_indexer(&settings))),
            bodies: Arc::new(FolderBodies::new(self.folder().join("bodies"), 1)),
            pages: Arc::new(Unavailable),
            embedding_models: Arc::new(Unavailable),
            queue: Arc::new(SqlQueue::new(self.store.clone(), self.clock.clone())),
            plugins: PLUGINS,
            mail: MailParts {
                fetch: Arc::new(Unavailable),
                extract: Arc::new(Unavailable),
                tokens: Arc::new(Unavailable),
                key: Secret::new("a test key"),
            },
            license: self.license(true),
            clock: self.clock.clone(),
            settings: Arc::new(settings),
        };
        parts.bodies.prepare().await.unwrap();
        parts
    }

    /// For a year.
    pub fn license(&self, opens_cache: bool) -> LicensePolicy {
        let (key, _) = SigningKey::make().unwrap();
        let today = self.clock.now().date_naive();
        let terms = LicenseTerms {
            owner: "Tests".to_owned(),
            issued: today,
            expiration: today + Days::new(365),
            cache: opens_cache,
            cache_expiration: None,
        };
        LicensePolicy::new(Secret::new(terms.issue(&key)), key.issuer(), self.clock.clone())
    }

    pub async fn person(&self, spec: UserSpec) -> User {
        self.store.create_user(spec, "hash".to_owned(), self.clock.now()).await.unwrap()
    }

    pub async fn source(&self, owner: UserId, spec: ProviderSpec) -> SearchProvider {
        self.store.create_providers(vec![spec], owner, self.clock.now()).await.unwrap().remove(0)
    }
}

/// A user with this name.
pub fn named(name: &str) -> UserSpec {
    UserSpec { username: name.to_owned(), ..UserSpec::default() }
}

/// A web document that somebody saw.
pub fn seen(url: &str, title: &str) -> NewSignal {
    NewSignal {
        address: DocumentAddress::of(url).unwrap(),
        source_provider_id: None,
        source_provider: String::new(),
        source_kind: SourceKind::Web,
        external_id: String::new(),
        title: title.to_owned(),
        author: String::new(),
        date_published: String::new(),
        origin: Origin::Rag,
        matter_tags: Vec::new(),
        known: None,
        is_supplied: false,
    }
}

/// A prepared text; chunks are separated by blank lines.
pub fn content(title: &str, text: &str) -> IndexedContent {
    IndexedContent {
        source_provider_id: None,
        source_provider: String::new(),
        content_hash: hash_of(text),
        simhash: String::new(),
        external_version: String::new(),
        title: title.to_owned(),
        author: String::new(),
        mime: "text/plain".to_owned(),
        ext: String::new(),
        size: text.len() as u64,
        file_bytes: 0,
        language: "en".to_owned(),
        is_supplied: false,
        version_label: String::new(),
        embedding_model: MODEL_NAME.to_owned(),
        body_key: None,
        body_bytes: 0,
        body_expires: None,
        chunks: text.split("\n\n").zip(0..).map(|(text, number)| piece(number, text)).collect(),
        followers: Vec::new(),
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

fn hash_of(text: &str) -> String {
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
