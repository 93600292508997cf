//! A cache with real records and texts, and a vector store that keeps what it is told and nothing else, so that things can
//! go wrong between them.

use super::{Agreement, Removal, Repair, drop_collection};
use crate::{CacheParts, MailParts, SemanticCache};
use async_trait::async_trait;
use bytes::Bytes;
use domain::contracts::{
    Asking, BodyKey, BodyStore, Catalogues, Clock, Nothing, ReadAs, ReaderError, ReaderModels, Retrieval,
    SignalStore, SignalVectors, SparseVector, Store, UserStore, VectorError, VectorHit, VectorState,
    VectorStore,
};
use domain::corpus::{
    AclToken, DocumentAddress, IndexedContent, LicenseGate, NewSignal, Origin, Signal, SourceKind,
    StoredChunk,
};
use domain::ids::{SignalId, UserId};
use domain::secret::Secret;
use domain::settings::Settings;
use domain::user::UserDraft;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use store::bodies::FolderBodies;
use store::{SealKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use tempfile::TempDir;
use testkit::clock::FixedClock;

/// What a vector store holds.
#[derive(Default)]
struct Shelf {
    documents: BTreeMap<SignalId, SignalVectors>,
    dimension: Option<usize>,
    is_hybrid: bool,
}

#[derive(Default)]
struct ShelfVectors(Mutex<Shelf>);

#[async_trait]
impl VectorStore for ShelfVectors {
    async fn put(&self, vectors: SignalVectors) -> Result<(), VectorError> {
        let mut shelf = self.0.lock().unwrap();
        let ours = vectors.chunks[0].dense.len();
        match shelf.dimension {
            None => return Err(VectorError::Refused("there is no collection".to_owned())),
            Some(there) if there != ours => return Err(VectorError::Dimension { there, ours }),
            Some(_) => {}
        }
        shelf.documents.insert(vectors.signal, vectors);
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
    async fn nearest(&self, _asking: Asking<'_>, _dense: &[f32]) -> Result<Vec<VectorHit>, VectorError> {
        Ok(Vec::new())
    }
    async fn nearest_by_words(
        &self,
        _asking: Asking<'_>,
        _words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError> {
        Err(VectorError::MissingSparse)
    }
    async fn held(&self, after: Option<SignalId>, limit: usize) -> Result<Vec<(SignalId, u32)>, VectorError> {
        let shelf = self.0.lock().unwrap();
        let above = shelf.documents.iter().filter(|(id, _)| after.is_none_or(|after| **id > after));
        Ok(above.take(limit).map(|(id, held)| (*id, held.chunks.len() as u32)).collect())
    }
    async fn state(&self) -> Result<VectorState, VectorError> {
        let shelf = self.0.lock().unwrap();
        let chunks = shelf.documents.values().map(|held| held.chunks.len() as u64).sum();
        Ok(VectorState { dimension: shelf.dimension, chunks, is_hybrid: shelf.is_hybrid })
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
        *self.0.lock().unwrap() = Shelf::default();
        Ok(())
    }
}

/// A reader model with three dimensions, when it is chosen.
#[derive(Default)]
struct Chosen(Mutex<Option<String>>);

#[async_trait]
impl ReaderModels for Chosen {
    async fn embed(&self, _model: &str, text: &str) -> Result<Vec<f32>, ReaderError> {
        Ok(vec![1.0, text.len() as f32, 2.0])
    }
    async fn embed_many(
        &self,
        model: &str,
        _read_as: ReadAs,
        texts: &[String],
    ) -> Result<Vec<Vec<f32>>, ReaderError> {
        if model == "gone" {
            return Err(ReaderError::Failed("it does not answer".to_owned()));
        }
        Ok(texts.iter().map(|text| vec![1.0, text.len() as f32, 2.0]).collect())
    }
    async fn ranking_model(&self) -> Result<Option<String>, ReaderError> {
        Ok(self.0.lock().unwrap().clone())
    }
    async fn rerank(&self, _query: &str, _texts: &[String]) -> Result<Option<Vec<f32>>, ReaderError> {
        Ok(None)
    }
}

struct Bench {
    cache: SemanticCache,
    store: Arc<SqlStore>,
    vectors: Arc<ShelfVectors>,
    bodies: Arc<FolderBodies>,
    readers: Arc<Chosen>,
    clock: Arc<FixedClock>,
    user: UserId,
    _folder: TempDir,
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

impl Bench {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = SealKey::from_secret(&Secret::new("a test key"));
        let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 1, key };
        let store = Arc::new(SqlStore::open(config).await.unwrap());
        let shared: Arc<dyn Store> = store.clone();
        let clock = Arc::new(FixedClock::default());
        let vectors = Arc::new(ShelfVectors::default());
        let bodies = Arc::new(FolderBodies::new(folder.path().join("bodies"), 1));
        let readers = Arc::new(Chosen::default());
        let user = UserDraft { username: "ann".to_owned(), ..UserDraft::default() };
        let user = store.create_user(user, "hash".to_owned(), clock.now()).await.unwrap().id;
        let cache = SemanticCache::new(CacheParts {
            store: Arc::clone(&shared),
            vectors: vectors.clone(),
            bodies: bodies.clone(),
            pages: Arc::new(Nothing),
            readers: readers.clone(),
            queue: Arc::new(SqlQueue::new(shared, clock.clone())),
            catalogues: NO_CATALOGUES,
            mail: MailParts {
                fetch: Arc::new(Nothing),
                extract: Arc::new(Nothing),
                tokens: Arc::new(Nothing),
                key: Secret::new("a test key"),
            },
            license: LicenseGate::new(Secret::default(), None, clock.clone()),
            clock: clock.clone(),
            settings: Arc::new(Settings::default()),
        });
        cache.prepare_bodies().await.unwrap();
        vectors.prepare(2).await.unwrap();
        Self { cache, store, vectors, bodies, readers, clock, user, _folder: folder }
    }

    /// A document with its text and two pieces, in all three stores.
    async fn keep(&self, url: &str, matter: &str) -> SignalId {
        self.keep_text(url, matter, url).await
    }

    async fn keep_text(&self, url: &str, matter: &str, text: &str) -> SignalId {
        let id = self.note(url, matter).await.signal_id;
        self.write(id, text).await;
        crate::ingest::put_vectors(&self.cache.parts, id).await.unwrap();
        id
    }

    async fn note(&self, url: &str, matter: &str) -> Signal {
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

    async fn write(&self, id: SignalId, text: &str) {
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
            title: String::new(),
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

    async fn agree(&self, repair: bool) -> Agreement {
        self.cache.agree(if repair { Repair::All } else { Repair::Nothing }).await.unwrap()
    }

    fn shelf<T>(&self, look: impl FnOnce(&mut Shelf) -> T) -> T {
        look(&mut self.vectors.0.lock().unwrap())
    }
}

fn hash_of(text: &str) -> String {
    use sha2::{Digest, Sha256};
    Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}

const QUIET: super::Progress<'_> = &|_, _| {};

#[tokio::test]
async fn what_agrees_is_left_alone() {
    let bench = Bench::open().await;
    for number in 0..3 {
        bench.keep(&format!("https://h.example/{number}"), "a").await;
    }
    bench.note("https://h.example/known", "a").await;
    let found = bench.agree(false).await;
    assert!(found.is_whole(), "{found:?}");
    assert_eq!((found.documents, found.indexed, found.pieces), (4, 3, 6));
    assert_eq!((found.vectors, found.with_body, found.bodies), (Some(6), 3, 3));
    assert_eq!(bench.agree(true).await.followed, 4, "the first time it is not known what was followed");
    assert_eq!(bench.agree(true).await.followed, 0);
}

#[tokio::test]
async fn what_does_not_agree_is_found_and_put_right() {
    let bench = Bench::open().await;
    let mut ids = Vec::new();
    for number in 0..6 {
        ids.push(bench.keep(&format!("https://h.example/{number}"), "a").await);
    }
    let body = |text: &str| BodyKey::of_hash(&hash_of(text)).unwrap();
    bench.shelf(|shelf| {
        shelf.documents.remove(&ids[0]);
        shelf.documents.get_mut(&ids[1]).unwrap().chunks.pop();
        let mut stray = shelf.documents[&ids[2]].clone();
        stray.signal = SignalId(4711);
        shelf.documents.insert(stray.signal, stray);
    });
    bench.bodies.delete(&body("https://h.example/3")).await.unwrap();
    bench.bodies.put(&body("nobody's"), Bytes::from_static(b"nobody's")).await.unwrap();
    for repair in [false, true] {
        let found = bench.agree(repair).await;
        assert!(!found.is_whole());
        assert_eq!(found.vectors_missing.named, [ids[0].to_string(), ids[1].to_string()]);
        assert_eq!((found.vectors_surplus.count, found.vectors_surplus.named[0].as_str()), (1, "4711"));
        assert_eq!(found.bodies_missing.named, [ids[3].to_string()]);
        assert_eq!(found.bodies_surplus.named, [body("nobody's").as_str()]);
    }
    let found = bench.agree(false).await;
    assert!(found.is_whole(), "{found:?}");
    assert_eq!((found.pieces, found.vectors, found.with_body, found.bodies), (12, Some(12), 5, 5));
    assert_eq!(bench.store.signal(ids[3]).await.unwrap().body_key, None);
}

#[tokio::test]
async fn what_is_just_being_written_counts_as_it_is_afterwards() {
    let bench = Bench::open().await;
    let id = bench.keep("https://h.example/1", "a").await;
    let vectors = bench.shelf(|shelf| shelf.documents.remove(&id).unwrap());
    let (found, ()) = tokio::join!(bench.agree(false), async {
        tokio::time::sleep(super::agree::SETTLE / 2).await;
        bench.shelf(|shelf| shelf.documents.insert(id, vectors));
    });
    assert!(found.is_whole(), "{found:?}");
    assert_eq!(found.vectors, Some(found.pieces));
}

#[tokio::test]
async fn a_start_makes_vectors_and_removes_nothing() {
    let bench = Bench::open().await;
    let (one, other) =
        (bench.keep("https://h.example/0", "a").await, bench.keep("https://h.example/1", "a").await);
    let body = |text: &str| BodyKey::of_hash(&hash_of(text)).unwrap();
    bench.shelf(|shelf| {
        let mut stray = shelf.documents.remove(&one).unwrap();
        stray.signal = SignalId(4711);
        shelf.documents.insert(stray.signal, stray);
    });
    bench.bodies.delete(&body("https://h.example/1")).await.unwrap();
    bench.bodies.put(&body("nobody's"), Bytes::from_static(b"nobody's")).await.unwrap();
    for vectors_missing in [1, 0] {
        let found = bench.cache.agree(Repair::Vectors).await.unwrap();
        assert_eq!(found.vectors_missing.count, vectors_missing);
        assert_eq!(found.removals().map(|difference| difference.count), [1, 1, 1]);
        assert!(!found.is_repaired);
    }
    assert!(bench.store.signal(other).await.unwrap().body_key.is_some(), "its disk may come back");
    assert!(bench.bodies.get(&body("nobody's")).await.unwrap().is_some());
    bench.shelf(|shelf| {
        assert!(shelf.documents.contains_key(&one) && shelf.documents.contains_key(&SignalId(4711)))
    });
}

#[tokio::test]
async fn vectors_of_an_older_text_are_replaced() {
    let bench = Bench::open().await;
    let id = bench.keep("https://h.example/0", "a").await;
    bench.agree(true).await;
    // A crash between record and vectors: as many pieces as before, but of another text, and nobody may see them.
    bench.write(id, "another text").await;
    bench.shelf(|shelf| {
        let held = shelf.documents.get_mut(&id).unwrap();
        held.chunks[0].dense = vec![1.0, 0.0];
        held.acl.clear();
    });
    assert!(bench.agree(false).await.is_whole(), "counting does not see it");
    assert_eq!(bench.agree(true).await.followed, 1);
    bench.shelf(|shelf| {
        assert_eq!(shelf.documents[&id].chunks[0].dense, [0.6, 0.8]);
        assert_eq!(shelf.documents[&id].acl, [AclToken::User(bench.user)]);
    });
}

#[tokio::test]
async fn an_upgrade_gives_every_piece_its_words() {
    let bench = Bench::open().await;
    bench.keep("https://h.example/0", "a").await;
    bench.keep("https://h.example/1", "a").await;
    bench.note("https://h.example/known", "a").await;
    let told = Mutex::new(Vec::new());
    let done =
        bench.cache.upgrade_to_hybrid(&|done, total| told.lock().unwrap().push((done, total))).await.unwrap();
    assert_eq!((done.was_hybrid, done.documents, done.pieces), (false, 2, 4));
    assert_eq!(*told.lock().unwrap(), [(1, 3), (2, 3), (3, 3)]);
    bench.shelf(|shelf| {
        for chunk in shelf.documents.values().flat_map(|document| &document.chunks) {
            assert!(chunk.sparse.as_ref().is_some_and(|words| !words.indices.is_empty()));
        }
    });
    assert!(bench.cache.upgrade_to_hybrid(QUIET).await.unwrap().was_hybrid, "again is fine");
}

#[tokio::test]
async fn another_reader_model_reads_all_again() {
    let bench = Bench::open().await;
    let id = bench.keep("https://h.example/0", "a").await;
    bench.keep("https://h.example/1", "a").await;
    bench.vectors.make_hybrid().await.unwrap();
    *bench.readers.0.lock().unwrap() = Some("gone".to_owned());
    assert!(bench.cache.reindex(QUIET).await.is_err());
    assert_eq!(
        bench.shelf(|shelf| shelf.documents.len()),
        2,
        "nothing is thrown away for a model that is away"
    );
    *bench.readers.0.lock().unwrap() = Some("three".to_owned());
    let verified = bench.store.signal(id).await.unwrap().last_verified;
    let done = bench.cache.reindex(QUIET).await.unwrap();
    assert_eq!((done.model.as_str(), done.dimension, done.documents, done.pieces), ("three", 3, 2, 4));
    let signal = bench.store.signal(id).await.unwrap();
    assert_eq!((signal.embedding_model.as_str(), signal.embedding_dim), ("three", 3));
    assert_eq!(signal.last_verified, verified, "nobody asked the source");
    bench.shelf(|shelf| {
        assert!(shelf.is_hybrid, "it keeps its words");
        assert!(shelf.documents.values().all(|document| document.chunks[0].dense.len() == 3));
    });
    assert!(bench.agree(false).await.is_whole());
}

#[tokio::test]
async fn records_with_one_address_and_text_become_one() {
    let bench = Bench::open().await;
    let stays = bench.keep("https://h.example/a", "one").await;
    let other = bench.keep_text("https://h.example/b", "two", "https://h.example/a").await;
    let alone = bench.keep("https://h.example/c", "three").await;
    let another_text = bench.keep("https://h.example/d", "four").await;
    let requested = bench.note("https://h.example/e", "five").await.signal_id;
    // As an older version of the program would have kept them.
    let hash = |text: &str| hash_of(text);
    let old = "https://h.example/a?utm_source=x";
    bench.store.readdress_signal(other, old, &hash(old)).await.unwrap();
    let old = "https://H.example:443/c#part";
    bench.store.readdress_signal(alone, old, &hash(old)).await.unwrap();
    for (id, old) in
        [(another_text, "https://h.example/a?utm_source=y"), (requested, "https://h.example/a#e")]
    {
        bench.store.readdress_signal(id, old, &hash(old)).await.unwrap();
    }
    for apply in [false, true] {
        let found = bench.cache.dedup(apply).await.unwrap();
        assert_eq!((found.documents, found.merged, found.readdressed, found.unreadable), (5, 1, 3, 0));
        assert_eq!(found.named, [(other, stays)]);
    }
    let found = bench.cache.dedup(true).await.unwrap();
    assert_eq!((found.documents, found.merged, found.readdressed), (4, 0, 0));
    assert_eq!(bench.store.signal(alone).await.unwrap().url, "https://h.example/c");
    let at_one_address = bench.store.signals_at(&hash("https://h.example/a"), None).await.unwrap();
    assert_eq!(at_one_address.len(), 3, "another text and a request stay what they are");
    let mut tags = bench.store.signal(stays).await.unwrap().matter_tags;
    tags.sort();
    assert_eq!(tags, ["one", "two"]);
    assert!(bench.agree(false).await.is_whole());
}

#[tokio::test]
async fn a_reset_takes_one_matter_or_all() {
    let bench = Bench::open().await;
    bench.keep("https://h.example/0", "a").await;
    let kept = bench.keep("https://h.example/1", "b").await;
    bench.note("https://h.example/known", "a").await;
    assert_eq!(bench.cache.to_be_reset(Some("a")).await.unwrap(), 2);
    let removed = bench.cache.reset(Some("a"), QUIET).await.unwrap();
    assert_eq!(removed, Removal { documents: 2, pieces: 2, bodies: 1 });
    assert_eq!(bench.shelf(|shelf| shelf.documents.keys().copied().collect::<Vec<_>>()), [kept]);
    assert!(bench.agree(false).await.is_whole());

    bench.bodies.put(&BodyKey::of_hash(&hash_of("x")).unwrap(), Bytes::from_static(b"x")).await.unwrap();
    let removed = bench.cache.reset(None, QUIET).await.unwrap();
    assert_eq!(removed, Removal { documents: 1, pieces: 2, bodies: 1 });
    let found = bench.agree(false).await;
    assert_eq!(
        (found.documents, found.vectors, found.bodies),
        (0, Some(0), 0),
        "not even what was left behind"
    );
}

#[tokio::test]
async fn a_collection_of_earlier_days_is_dropped_when_told() {
    let bench = Bench::open().await;
    bench.keep("https://h.example/0", "a").await;
    assert_eq!(drop_collection(&*bench.vectors, false).await, Ok(Some(2)));
    assert_eq!(drop_collection(&*bench.vectors, true).await, Ok(Some(2)));
    assert_eq!(drop_collection(&*bench.vectors, true).await, Ok(None));
}

#[tokio::test]
async fn an_empty_collection_is_made_ready() {
    let bench = Bench::open().await;
    bench.vectors.clear().await.unwrap();
    *bench.readers.0.lock().unwrap() = Some("three".to_owned());
    let state = bench.cache.prepare_vectors().await.unwrap();
    assert_eq!((state.dimension, state.chunks, state.is_hybrid), (Some(3), 0, false));
}
