//! The two kinds of vector stores that the suite runs on: one that stores what it is given, and one that reads the
//! records.

use super::super::store::{at, person};
use super::backend::{Piece, VectorBackend, words};
use async_trait::async_trait;
use domain::corpus::{AclToken, DocumentAddress, IndexedContent, NewSignal, Origin, SourceKind, StoredChunk};
use domain::ids::{ProviderId, SignalId, UserId};
use domain::ports::{ChunkVector, Retrieval, SignalVectors, Store, VectorStore};
use domain::provider::ProviderSpec;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

/// A store that stores what it is given, whatever the records say.
pub struct DirectBackend {
    vectors: Arc<dyn VectorStore>,
    last: AtomicI64,
}

impl DirectBackend {
    pub fn new(vectors: Arc<dyn VectorStore>) -> Self {
        Self { vectors, last: AtomicI64::new(0) }
    }
}

#[async_trait]
impl VectorBackend for DirectBackend {
    fn vectors(&self) -> &dyn VectorStore {
        self.vectors.as_ref()
    }

    fn person(&self, number: usize) -> AclToken {
        AclToken::User(UserId(number as i64 + 1))
    }

    fn source(&self, number: usize) -> AclToken {
        AclToken::Provider(ProviderId(number as i64 + 1))
    }

    async fn keep(&self, replaced: Option<SignalId>, acl: &[AclToken], pieces: &[Piece]) -> SignalId {
        let signal = replaced.unwrap_or_else(|| SignalId(self.last.fetch_add(1, Ordering::Relaxed) + 1));
        self.vectors.put(vectors(signal, acl, pieces)).await.expect("kept");
        signal
    }

    async fn allow(&self, signal: SignalId, acl: &[AclToken]) {
        self.vectors.set_acl(signal, acl).await.expect("allowed");
    }

    async fn forget(&self, signals: &[SignalId]) {
        self.vectors.remove(signals).await.expect("removed");
    }

    async fn clear(&self) {
        self.vectors.clear().await.expect("cleared");
    }
}

const PEOPLE: usize = 4;
const SOURCES: usize = 2;

/// A store over the records of the cache, which are written first.
pub struct RecordsBackend {
    store: Arc<dyn Store>,
    vectors: Arc<dyn VectorStore>,
    /// Retrieves everything and never searches.
    clerk: UserId,
    people: Vec<UserId>,
    sources: Vec<ProviderId>,
    last: AtomicI64,
}

impl RecordsBackend {
    pub async fn new(store: Arc<dyn Store>, vectors: Arc<dyn VectorStore>) -> Self {
        let clerk = person(store.as_ref(), "clerk").await.id;
        let mut people = Vec::new();
        for number in 0..PEOPLE {
            people.push(person(store.as_ref(), &format!("person {number}")).await.id);
        }
        let spec = |number| ProviderSpec { name: format!("source {number}"), ..ProviderSpec::default() };
        let sources = store.create_providers((0..SOURCES).map(spec).collect(), clerk, at(0)).await;
        let sources = sources.expect("sources").into_iter().map(|source| source.id).collect();
        Self { store, vectors, clerk, people, sources, last: AtomicI64::new(0) }
    }

    fn retrieval(user: UserId, content_hash: &str) -> Retrieval {
        let content_hash = content_hash.to_owned();
        Retrieval { user, idp: String::new(), account_provider_id: None, content_hash }
    }

    async fn note(&self, acl: &[AclToken]) -> SignalId {
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        let seen = NewSignal {
            address: DocumentAddress::of(&format!("https://example.com/{number}")).expect("an address"),
            source_provider_id: source_of(acl),
            source_provider: String::new(),
            source_kind: SourceKind::Web,
            external_id: String::new(),
            title: format!("Document {number}"),
            author: String::new(),
            date_published: "unknown".to_owned(),
            origin: Origin::Ingest,
            matter_tags: Vec::new(),
            known: None,
            is_supplied: false,
        };
        let noted = self.store.note_signal(seen, &Self::retrieval(self.clerk, ""), at(1)).await;
        noted.expect("noted").0.signal_id
    }
}

#[async_trait]
impl VectorBackend for RecordsBackend {
    fn vectors(&self) -> &dyn VectorStore {
        self.vectors.as_ref()
    }

    fn person(&self, number: usize) -> AclToken {
        AclToken::User(self.people[number])
    }

    fn source(&self, number: usize) -> AclToken {
        AclToken::Provider(self.sources[number])
    }

    async fn keep(&self, replaced: Option<SignalId>, acl: &[AclToken], pieces: &[Piece]) -> SignalId {
        let signal = match replaced {
            Some(signal) => signal,
            None => self.note(acl).await,
        };
        let content = content(self.last.fetch_add(1, Ordering::Relaxed), acl, pieces);
        // The previous text is not needed.
        let content = IndexedContent { followers: self.people.clone(), ..content };
        let by = Self::retrieval(self.clerk, &content.content_hash);
        self.store.index_signal(signal, content, &by, at(2)).await.expect("indexed");
        self.allow(signal, acl).await;
        self.vectors.put(vectors(signal, acl, pieces)).await.expect("kept");
        signal
    }

    async fn allow(&self, signal: SignalId, acl: &[AclToken]) {
        let hash = self.store.signal(signal).await.expect("a document").content_hash;
        for person in &self.people {
            if acl.contains(&AclToken::User(*person)) {
                let by = Self::retrieval(*person, &hash);
                self.store.verify_signal(signal, "", &by, at(3)).await.expect("verified");
            } else {
                self.store.revoke_grant(signal, *person, at(3)).await.expect("revoked");
            }
        }
        self.vectors.set_acl(signal, acl).await.expect("allowed");
    }

    async fn forget(&self, signals: &[SignalId]) {
        for signal in signals {
            self.store.remove_signal(*signal).await.ok();
        }
        self.vectors.remove(signals).await.expect("removed");
    }

    async fn clear(&self) {
        for signal in self.store.signal_ids(None, 1_000).await.expect("ids") {
            self.store.remove_signal(signal).await.expect("removed");
        }
        self.vectors.clear().await.expect("cleared");
    }
}

pub(super) fn vectors(signal: SignalId, acl: &[AclToken], pieces: &[Piece]) -> SignalVectors {
    let chunk = |(number, (dense, text)): (usize, &Piece)| ChunkVector {
        number: number as u32,
        start: number as u32 * 10,
        end: number as u32 * 10 + 10,
        dense: dense.clone(),
        sparse: Some(words(text)),
    };
    SignalVectors {
        signal,
        acl: acl.to_vec(),
        provider: None,
        mime: "text/plain".to_owned(),
        matter_tags: vec!["matter:one".to_owned()],
        date: "unknown".to_owned(),
        chunks: pieces.iter().enumerate().map(chunk).collect(),
    }
}

fn source_of(acl: &[AclToken]) -> Option<ProviderId> {
    acl.iter().find_map(|token| match token {
        AclToken::Provider(id) => Some(*id),
        AclToken::User(_) => None,
    })
}

fn content(number: i64, acl: &[AclToken], pieces: &[Piece]) -> IndexedContent {
    let chunk = |(number, (vector, text)): (usize, &Piece)| StoredChunk {
        number: number as u32,
        start: number as u32 * 10,
        end: number as u32 * 10 + 10,
        heading: String::new(),
        text: text.clone(),
        vector: vector.clone(),
    };
    IndexedContent {
        source_provider_id: source_of(acl),
        source_provider: String::new(),
        content_hash: format!("{number:064x}"),
        simhash: String::new(),
        external_version: String::new(),
        title: String::new(),
        author: String::new(),
        mime: "text/plain".to_owned(),
        ext: "txt".to_owned(),
        size: 10,
        file_bytes: 0,
        language: "en".to_owned(),
        is_supplied: false,
        version_label: String::new(),
        embedding_model: "test".to_owned(),
        body_key: None,
        body_bytes: 0,
        body_expires: None,
        chunks: pieces.iter().enumerate().map(chunk).collect(),
        followers: Vec::new(),
    }
}
