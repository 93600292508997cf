//! Failing stores and crashing workers: a document is either ingested or not, and a retry ingests it.

use super::fixture::{Fixture, address, request, result, text_of};
use async_trait::async_trait;
use bytes::Bytes;
use corpus::ingest::IngestError;
use corpus::maintenance::Repair;
use corpus::{CacheParts, IngestDocument};
use domain::corpus::{AclToken, SignalState};
use domain::ids::SignalId;
use domain::ports::{
    BodyError, BodyKey, BodyStore, SignalStore, SignalVectors, SparseVector, TaskHandler, VectorError,
    VectorHit, VectorQuery, VectorState, VectorStore,
};
use domain::settings::Settings;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const URL: &str = "https://a.example/river";

/// What happens to the next write.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Works,
    Fails,
    /// It never returns, and nothing is written.
    Hangs,
    /// It is written, but never returns.
    HangsAfter,
}

struct Fragile {
    vectors: Arc<dyn VectorStore>,
    bodies: Arc<dyn BodyStore>,
    at_vectors: Mutex<Next>,
    at_bodies: Mutex<Next>,
    /// The reported dimension.
    dimension: Mutex<Option<usize>>,
    /// Documents whose vectors were written. The store in memory has them as soon as the record is written.
    written: Mutex<BTreeSet<SignalId>>,
    /// It is a collection of another program.
    is_foreign: AtomicBool,
    is_down: AtomicBool,
    /// It reports no sparse vectors.
    has_no_words: AtomicBool,
}

impl Fragile {
    fn of(place: &Mutex<Next>) -> Next {
        std::mem::replace(&mut *place.lock().unwrap(), Next::Works)
    }

    async fn write(&self, vectors: SignalVectors) -> Result<(), VectorError> {
        let signal = vectors.signal;
        self.vectors.put(vectors).await?;
        self.written.lock().unwrap().insert(signal);
        Ok(())
    }

    fn check(&self) -> Result<(), VectorError> {
        if self.is_down.load(Ordering::Relaxed) {
            return Err(VectorError::unreachable("no answer"));
        }
        if self.is_foreign.load(Ordering::Relaxed) {
            return Err(VectorError::Foreign { collection: "theirs".to_owned() });
        }
        Ok(())
    }
}

async fn for_ever() -> ! {
    std::future::pending().await
}

#[async_trait]
impl BodyStore for Fragile {
    async fn put(&self, key: &BodyKey, body: Bytes) -> Result<u64, BodyError> {
        match Self::of(&self.at_bodies) {
            Next::Works => self.bodies.put(key, body).await,
            Next::Fails => Err(BodyError::refused("the disk is full")),
            Next::Hangs => for_ever().await,
            Next::HangsAfter => {
                self.bodies.put(key, body).await?;
                for_ever().await
            }
        }
    }
    async fn get(&self, key: &BodyKey) -> Result<Option<Bytes>, BodyError> {
        self.bodies.get(key).await
    }
    async fn delete(&self, key: &BodyKey) -> Result<(), BodyError> {
        self.bodies.delete(key).await
    }
    async fn keys(&self, after: Option<&BodyKey>, limit: usize) -> Result<Vec<BodyKey>, BodyError> {
        self.bodies.keys(after, limit).await
    }
    async fn prepare(&self) -> Result<(), BodyError> {
        self.bodies.prepare().await
    }
}

/// A separate store, which is not synchronized automatically.
#[async_trait]
impl VectorStore for Fragile {
    async fn put(&self, vectors: SignalVectors) -> Result<(), VectorError> {
        match Self::of(&self.at_vectors) {
            Next::Works => self.write(vectors).await,
            Next::Fails => Err(VectorError::unreachable("no answer")),
            Next::Hangs => for_ever().await,
            Next::HangsAfter => {
                self.write(vectors).await?;
                for_ever().await
            }
        }
    }
    async fn set_acl(&self, signal: SignalId, acl: &[AclToken]) -> Result<(), VectorError> {
        self.vectors.set_acl(signal, acl).await
    }
    async fn remove(&self, signals: &[SignalId]) -> Result<(), VectorError> {
        self.vectors.remove(signals).await
    }
    async fn nearest(&self, query: VectorQuery<'_>, dense: &[f32]) -> Result<Vec<VectorHit>, VectorError> {
        self.vectors.nearest(query, dense).await
    }
    async fn nearest_by_words(
        &self,
        query: VectorQuery<'_>,
        words: &SparseVector,
    ) -> Result<Vec<VectorHit>, VectorError> {
        self.vectors.nearest_by_words(query, words).await
    }
    async fn chunk_counts(
        &self,
        after: Option<SignalId>,
        limit: usize,
    ) -> Result<Vec<(SignalId, u32)>, VectorError> {
        self.check()?;
        let mut all = self.vectors.chunk_counts(after, limit).await?;
        all.retain(|(signal, _)| self.written.lock().unwrap().contains(signal));
        Ok(all)
    }
    async fn state(&self) -> Result<VectorState, VectorError> {
        self.check()?;
        let state = self.vectors.state().await?;
        let said = *self.dimension.lock().unwrap();
        let is_hybrid = state.is_hybrid && !self.has_no_words.load(Ordering::Relaxed);
        Ok(VectorState { dimension: said.or(state.dimension), is_hybrid, ..state })
    }
    async fn prepare(&self, dimension: usize) -> Result<(), VectorError> {
        self.vectors.prepare(dimension).await
    }
    async fn make_hybrid(&self) -> Result<(), VectorError> {
        self.vectors.make_hybrid().await
    }
    async fn clear(&self) -> Result<(), VectorError> {
        self.vectors.clear().await
    }
}

async fn fragile_fixture() -> (Fixture, Arc<Fragile>) {
    fragile_fixture_with(|settings| settings).await
}

async fn fragile_fixture_with(settings: impl FnOnce(Settings) -> Settings) -> (Fixture, Arc<Fragile>) {
    let mut made = None;
    let fixture = Fixture::with(settings, |parts| {
        let fragile = Arc::new(Fragile {
            vectors: Arc::clone(&parts.vectors),
            bodies: Arc::clone(&parts.bodies),
            at_vectors: Mutex::new(Next::Works),
            at_bodies: Mutex::new(Next::Works),
            dimension: Mutex::new(None),
            written: Mutex::default(),
            is_foreign: AtomicBool::new(false),
            is_down: AtomicBool::new(false),
            has_no_words: AtomicBool::new(false),
        });
        made = Some(Arc::clone(&fragile));
        CacheParts { vectors: fragile.clone(), bodies: fragile, ..parts }
    })
    .await;
    fixture.web.gives(URL, Ok(&text_of("river", 1_000)));
    (fixture, made.unwrap())
}

/// A worker that crashes in the middle of the task; its lease expires.
async fn a_worker_that_ends(fixture: &Fixture) {
    let task = fixture.claim().await.unwrap();
    let handler = IngestDocument(Arc::clone(&fixture.cache));
    let ended = tokio::time::timeout(Duration::from_millis(500), handler.run(&task)).await;
    assert!(ended.is_err(), "it did not hang");
    fixture.clock.advance(Duration::from_secs(120));
}

#[tokio::test]
async fn a_store_that_fails_is_tried_again() {
    for at in ["bodies", "vectors"] {
        let (fixture, fragile) = fragile_fixture().await;
        let provider = fixture.provider("Rivers", json!({})).await;
        let place = if at == "bodies" { &fragile.at_bodies } else { &fragile.at_vectors };
        *place.lock().unwrap() = Next::Fails;
        fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
        assert_eq!(fixture.work().await, 2, "{at}");
        assert_eq!(fixture.finds(fixture.ann, "river").await.len(), 1, "{at}");
        assert!(fixture.cache.reconcile(Repair::Nothing).await.unwrap().is_whole());
    }
}

#[tokio::test]
async fn a_worker_may_end_anywhere() {
    for (at, next) in [
        ("bodies", Next::Hangs),
        ("bodies", Next::HangsAfter),
        ("vectors", Next::Hangs),
        ("vectors", Next::HangsAfter),
    ] {
        let (fixture, fragile) = fragile_fixture().await;
        let provider = fixture.provider("Rivers", json!({})).await;
        let place = if at == "bodies" { &fragile.at_bodies } else { &fragile.at_vectors };
        *place.lock().unwrap() = next;
        let accepted = fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
        a_worker_that_ends(&fixture).await;
        let signal = fixture.signal(accepted.signal.signal_id).await;
        let is_in = at == "vectors";
        assert_eq!(signal.state == SignalState::Indexed, is_in, "{at}");
        let chunks = fixture.store.chunks(signal.signal_id).await.unwrap();
        assert_eq!(chunks.len() as u32, signal.chunk_count, "the record is written as one");
        assert_eq!(fixture.work().await, 1);
        assert_eq!(fixture.finds(fixture.ann, "river").await, [signal.signal_id]);
        let agreement = fixture.cache.reconcile(Repair::Nothing).await.unwrap();
        assert!(agreement.is_whole(), "{at}: {agreement:?}");
    }
}

#[tokio::test]
async fn a_document_may_be_removed_while_it_comes_in() {
    let (fixture, fragile) = fragile_fixture().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    // Before its text is written.
    let accepted = fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
    fixture.store.remove_signal(accepted.signal.signal_id).await.unwrap();
    fixture.work().await;
    // Between storing the text and the record.
    let accepted = fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
    *fragile.at_bodies.lock().unwrap() = Next::HangsAfter;
    a_worker_that_ends(&fixture).await;
    fixture.store.remove_signal(accepted.signal.signal_id).await.unwrap();
    fixture.work().await;
    assert_eq!(fixture.vectors().await, []);
    assert_eq!(fixture.finds(fixture.ann, "river").await, []);
    assert_eq!(fixture.store.corpus_counts().await.unwrap().chunks, 0);
    // The leftover text is removed by the second sweep.
    assert_eq!(fixture.bodies().await, 1);
    for swept in [0, 1] {
        assert_eq!(fixture.cache.sweep_bodies().await.unwrap().unneeded, swept);
    }
    assert_eq!(fixture.bodies().await, 0);
}

#[tokio::test]
async fn vectors_of_another_length_are_refused_before_anything_is_written() {
    let (fixture, fragile) = fragile_fixture().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    *fragile.dimension.lock().unwrap() = Some(3);
    let signal = fixture.ingest(fixture.ann, &provider, URL).await;
    assert_eq!((signal.state, signal.chunk_count), (SignalState::Known, 0));
    assert!(signal.notices[0].to_string().contains("reindex_corpus"), "{:?}", signal.notices);
}

/// The record is written first, but a document counts as ingested only when searches find it.
#[tokio::test]
async fn a_caller_waits_for_the_vectors() {
    let (fixture, fragile) = fragile_fixture().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    *fragile.at_vectors.lock().unwrap() = Next::Hangs;
    let asked = || request(fixture.ann, result(&provider, URL));
    let waiting = fixture.cache.ingest_and_wait(asked(), Duration::from_secs(2));
    let (late, ()) = tokio::join!(waiting, async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        a_worker_that_ends(&fixture).await;
    });
    let late = late.unwrap();
    assert_eq!(fixture.signal(late.signal.signal_id).await.state, SignalState::Indexed, "it is recorded");
    assert!(!late.is_done && late.message.contains("vector store does not accept it yet"), "{late:?}");
    // Repeating the request does not say so either, until its vectors are written.
    let again = fixture.cache.ingest(asked()).await.unwrap();
    assert!(!again.is_done && again.job.is_some(), "{again:?}");
    fixture.work().await;
    let again = fixture.cache.ingest(asked()).await.unwrap();
    assert!(again.is_done && again.job.is_none(), "{again:?}");
}

/// While the vector store does not respond, a fresh document is requested in vain: again and again, but with one task.
#[tokio::test]
async fn repeated_requests_share_a_task() {
    let (fixture, fragile) = fragile_fixture().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    let signal = fixture.ingest(fixture.ann, &provider, URL).await;
    fragile.is_down.store(true, Ordering::Relaxed);
    let mut jobs = BTreeSet::new();
    for _ in 0..3 {
        let accepted = fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
        assert_eq!((accepted.signal.signal_id, accepted.is_done), (signal.signal_id, false));
        jobs.insert(accepted.job.unwrap());
    }
    assert_eq!((jobs.len(), fixture.waiting_tasks().await), (1, 1));
    // A task that waits for its next attempt is still the same. Beside one that runs, one more waits.
    let task = fixture.claim().await.unwrap();
    fixture.parts.queue.retry(&task, Duration::from_secs(5), "no answer").await.unwrap();
    let again = fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
    assert_eq!((again.job, fixture.waiting_tasks().await), (Some(task.id), 1));
    fixture.clock.advance(Duration::from_secs(5));
    let task = fixture.claim().await.unwrap();
    let next = fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
    let again = fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
    assert!(next.job != Some(task.id) && next.job == again.job, "{again:?}");
    fixture.parts.queue.retry(&task, Duration::from_secs(5), "no answer").await.unwrap();
    // Another person's task uses other credentials, and another text is another task.
    let others = fixture.request(fixture.bob, result(&provider, URL)).await.unwrap();
    for words in [300, 300, 400] {
        fixture.request(fixture.ann, address(URL, Some(text_of("own", words)))).await.unwrap();
    }
    assert!(others.job.is_some_and(|job| job != task.id));
    assert_eq!(fixture.waiting_tasks().await, 5);
    fragile.is_down.store(false, Ordering::Relaxed);
    fixture.clock.advance(Duration::from_secs(60));
    assert!(fixture.work().await >= 4);
    let done = fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
    assert!(done.is_done && done.job.is_none(), "{done:?}");
}

/// A caller may wait for a task that an earlier request caused and that has recorded the document already.
#[tokio::test]
async fn a_caller_waits_for_the_task_of_another_request() {
    let (fixture, fragile) = fragile_fixture().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    *fragile.at_vectors.lock().unwrap() = Next::Fails;
    let first = fixture.request(fixture.ann, result(&provider, URL)).await.unwrap();
    let task = fixture.claim().await.unwrap();
    let handler = IngestDocument(Arc::clone(&fixture.cache));
    assert!(handler.run(&task).await.is_err(), "it is recorded, but has no vectors");
    fixture.parts.queue.retry(&task, Duration::from_secs(5), "no vectors").await.unwrap();
    fixture.clock.advance(Duration::from_secs(1));
    let asked = request(fixture.ann, result(&provider, URL));
    let waiting = fixture.cache.ingest_and_wait(asked, Duration::from_secs(20));
    let (second, ()) = tokio::join!(waiting, async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let (chunks, signal) =
            (fixture.store.chunks(first.signal.signal_id).await.unwrap(), first.signal.signal_id);
        assert!(!chunks.is_empty());
        fragile.written.lock().unwrap().insert(signal);
    });
    let second = second.unwrap();
    assert_eq!((second.job, second.is_done), (first.job, true), "{}", second.message);
}

#[tokio::test]
async fn a_foreign_collection_is_reported_before_anything_is_written() {
    let (fixture, fragile) = fragile_fixture().await;
    let provider = fixture.provider("Rivers", json!({})).await;
    fragile.is_foreign.store(true, Ordering::Relaxed);
    let asked = request(fixture.ann, result(&provider, URL));
    let waiting = fixture.cache.ingest_and_wait(asked, Duration::from_secs(20));
    let (failed, ()) = tokio::join!(waiting, async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        fixture.work().await;
    });
    let told = match failed {
        Err(IngestError::NoText(told)) => told,
        other => panic!("it is not in the cache: {other:?}"),
    };
    assert!(told.contains("not made by this program"), "{told}");
    assert_eq!((fixture.store.corpus_counts().await.unwrap().chunks, fixture.bodies().await), (0, 0));
    let health = fixture.cache.vector_store().await;
    assert!(!health.ok && health.message.contains("not made by this program"), "{health:?}");
    assert!(fixture.cache.reconcile(Repair::All).await.is_err(), "its points are no documents of ours");
}

/// Searches of such a collection fail.
#[tokio::test]
async fn a_collection_that_cannot_be_searched_is_not_healthy() {
    let (fixture, fragile) = fragile_fixture().await;
    assert!(fixture.cache.vector_store().await.ok);
    *fragile.dimension.lock().unwrap() = Some(3);
    let health = fixture.cache.vector_store().await;
    assert!(!health.ok && health.message.contains("reindex_corpus"), "{health:?}");
    let hybrid = |settings| Settings { corpus_hybrid: true, ..settings };
    let (fixture, fragile) = fragile_fixture_with(hybrid).await;
    fragile.has_no_words.store(true, Ordering::Relaxed);
    let health = fixture.cache.vector_store().await;
    assert!(!health.ok && health.message.contains("upgrade_corpus_to_hybrid"), "{health:?}");
}
