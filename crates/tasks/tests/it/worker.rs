//! The worker: concurrency limit, retries and graceful stop.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use async_trait::async_trait;
use domain::ids::{SearchId, UserId};
use domain::ports::{
    ClaimedTask, Clock, NewLease, NewTask, QueueName, ReservedSlot, RunningSlot, SearchStore, SlotOffer,
    SystemClock, TaskError, TaskErrorKind, TaskHandler, TaskQueue, WorkerSlots,
};
use domain::search::{Search, SearchSpec};
use domain::search_task::RUN_SEARCH;
use domain::secret::Secret;
use serde_json::Value;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::queue::SqlQueue;
use tasks::{Registry, Worker, WorkerConfig};
use testkit::suites::store::person;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Records its tasks. Its behavior follows from the payload.
#[derive(Default)]
struct Notes {
    started: AtomicU32,
    running: AtomicU32,
    running_most: AtomicU32,
    waiting: AtomicU32,
    waiting_most: AtomicU32,
    done: Mutex<Vec<Value>>,
}

struct Handler(Arc<Notes>);

#[async_trait]
impl TaskHandler for Handler {
    fn name(&self) -> &'static str {
        "note"
    }

    async fn run(&self, task: &ClaimedTask) -> Result<(), TaskError> {
        let Notes { started, running, running_most, done, .. } = &*self.0;
        started.fetch_add(1, Ordering::SeqCst);
        let now = running.fetch_add(1, Ordering::SeqCst) + 1;
        running_most.fetch_max(now, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(task.payload["ms"].as_u64().unwrap_or(0))).await;
        running.fetch_sub(1, Ordering::SeqCst);
        match task.payload["how"].as_str() {
            Some("fail once") if task.attempt == 1 => {
                return Err(TaskError::new(TaskErrorKind::Failed, "not yet"));
            }
            Some("panic once") if task.attempt == 1 => panic!("a handler may be wrong"),
            _ => {}
        }
        done.lock().unwrap().push(task.payload.clone());
        Ok(())
    }

    /// `wait` milliseconds outside of the slot come first.
    async fn run_in(&self, task: &ClaimedTask, slot: &dyn RunningSlot) -> Result<(), TaskError> {
        if let Some(wait) = task.payload["wait"].as_u64() {
            let waiting = self.0.waiting.fetch_add(1, Ordering::SeqCst) + 1;
            self.0.waiting_most.fetch_max(waiting, Ordering::SeqCst);
            slot.release();
            tokio::time::sleep(Duration::from_millis(wait)).await;
            slot.acquire().await;
            self.0.waiting.fetch_sub(1, Ordering::SeqCst);
        }
        self.run(task).await
    }
}

struct Fixture {
    store: Arc<SqlStore>,
    queue: Arc<dyn TaskQueue>,
    notes: Arc<Notes>,
    stop: watch::Sender<bool>,
    running: JoinSet<()>,
}

impl Fixture {
    async fn start(concurrency: u32, grace: Duration) -> Self {
        Self::start_with((concurrency, concurrency), grace).await
    }

    async fn start_with((concurrency, running_max): (u32, u32), grace: Duration) -> Self {
        let key = EncryptionKey::from_secret(&Secret::new("a test key"));
        let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 1, key };
        let store = Arc::new(SqlStore::open(config).await.unwrap());
        let queue: Arc<dyn TaskQueue> = Arc::new(SqlQueue::new(store.clone(), Arc::new(SystemClock)));
        let notes = Arc::new(Notes::default());
        let (queue_name, lease) = (QueueName::Search, Duration::from_secs(5));
        let config = WorkerConfig { queue: queue_name, concurrency, running_max, lease, grace };
        let registry = Registry::default()
            .register(Arc::new(Handler(Arc::clone(&notes))))
            .register(Arc::new(RunSearches(Arc::clone(&notes))));
        let worker = Worker::new(config, Arc::clone(&queue), Arc::new(SystemClock), registry);
        let (stop, stopped) = watch::channel(false);
        let mut running = JoinSet::new();
        running.spawn(worker.serve(stopped));
        Self { store, queue, notes, stop, running }
    }

    async fn push(&self, payload: Value) {
        let task = NewTask {
            queue: QueueName::Search,
            name: "note".to_owned(),
            payload,
            attempts_max: 3,
            owner: None,
        };
        self.queue.push(task).await.unwrap();
    }

    async fn until(&self, what: &str, holds: impl Fn(&Notes) -> bool) {
        let started = Instant::now();
        while !holds(&self.notes) {
            assert!(started.elapsed() < Duration::from_secs(20), "waited in vain for: {what}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn stop(mut self) -> Arc<Notes> {
        self.stop.send(true).unwrap();
        while self.running.join_next().await.is_some() {}
        self.notes
    }
}

fn done(notes: &Notes) -> usize {
    notes.done.lock().unwrap().len()
}

/// A slot in this process, once the worker is idle.
async fn reserved(queue: &dyn TaskQueue) -> Box<dyn ReservedSlot> {
    let started = Instant::now();
    loop {
        if let Some(slot) = queue.reserve(QueueName::Search, None) {
            return slot;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "no slot was offered");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Stores a search as the process does that has reserved a slot for it.
async fn started_search(store: &SqlStore, owner: UserId, slot: &dyn ReservedSlot) -> ClaimedTask {
    let spec = SearchSpec::of_query("river");
    let search = Search::created(SearchId(0), owner, spec, Vec::new(), SystemClock.now());
    store.start_search(search, None, slot.lease()).await.unwrap().task
}

/// Counts the searches that it runs.
struct RunSearches(Arc<Notes>);

#[async_trait]
impl TaskHandler for RunSearches {
    fn name(&self) -> &'static str {
        RUN_SEARCH
    }

    async fn run(&self, task: &ClaimedTask) -> Result<(), TaskError> {
        self.0.done.lock().unwrap().push(serde_json::json!(task.attempt));
        Ok(())
    }
}

#[tokio::test]
async fn a_task_starts_in_the_process_that_stores_it() {
    let fixture = Fixture::start(2, Duration::from_secs(5)).await;
    let owner = person(&*fixture.store, "ann").await.id;
    for number in 0..5 {
        let slot = reserved(&*fixture.queue).await;
        let task = started_search(&fixture.store, owner, &*slot).await;
        slot.start(task);
        fixture.until("it is done", |notes| done(notes) == number + 1).await;
    }
    let queue = Arc::clone(&fixture.queue);
    let notes = fixture.stop().await;
    assert_eq!(*notes.done.lock().unwrap(), vec![serde_json::json!(1); 5], "each at its first attempt");
    assert_eq!(queue.depth(QueueName::Search).await.unwrap(), 0, "their ends were noted");
    assert!(queue.reserve(QueueName::Search, None).is_none(), "the worker has stopped");
}

#[tokio::test]
async fn slots_are_reserved_within_the_limit_of_the_worker() {
    let fixture = Fixture::start(2, Duration::from_secs(5)).await;
    let slots = [reserved(&*fixture.queue).await, reserved(&*fixture.queue).await];
    assert!(fixture.queue.reserve(QueueName::Search, None).is_none());
    drop(slots);
    drop(reserved(&*fixture.queue).await);
    fixture.stop().await;
}

/// A stop waits for a task whose slot was reserved before.
#[tokio::test]
async fn a_reserved_task_is_not_lost_by_a_stop() {
    let mut fixture = Fixture::start(2, Duration::from_secs(5)).await;
    let owner = person(&*fixture.store, "ann").await.id;
    let slot = reserved(&*fixture.queue).await;
    let task = started_search(&fixture.store, owner, &*slot).await;
    fixture.stop.send(true).unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    slot.start(task);
    while fixture.running.join_next().await.is_some() {}
    assert_eq!(done(&fixture.notes), 1);
}

/// Whoever stores a task may be cancelled before it starts it.
#[tokio::test]
async fn a_stored_task_that_nobody_starts_is_claimed_soon() {
    let fixture = Fixture::start(2, Duration::from_secs(5)).await;
    let owner = person(&*fixture.store, "ann").await.id;
    let slot = reserved(&*fixture.queue).await;
    started_search(&fixture.store, owner, &*slot).await;
    drop(slot);
    fixture.until("it is claimed", |notes| done(notes) == 1).await;
    assert_eq!(*fixture.stop().await.done.lock().unwrap(), [serde_json::json!(2)]);
}

/// Two run at once, but ten are in progress: tasks that only wait do not block others.
#[tokio::test]
async fn tasks_that_wait_leave_their_slots_to_others() {
    let fixture = Fixture::start_with((10, 2), Duration::from_secs(5)).await;
    for _ in 0..15 {
        fixture.push(serde_json::json!({"wait": 3_000, "ms": 1})).await;
    }
    fixture.until("all places are taken", |notes| notes.waiting_most.load(Ordering::SeqCst) == 10).await;
    fixture.until("all are done", |notes| done(notes) == 15).await;
    let notes = fixture.stop().await;
    assert!(notes.running_most.load(Ordering::SeqCst) <= 2, "no more run at once than there are slots");
    assert_eq!(notes.waiting_most.load(Ordering::SeqCst), 10, "no more are held than may be");
}

#[tokio::test]
async fn tasks_run_side_by_side_within_the_limit() {
    let fixture = Fixture::start(3, Duration::from_secs(5)).await;
    for _ in 0..9 {
        fixture.push(serde_json::json!({"ms": 60})).await;
    }
    fixture.until("nine tasks", |notes| done(notes) == 9).await;
    let notes = fixture.stop().await;
    assert_eq!(notes.running_most.load(Ordering::SeqCst), 3);
    assert_eq!(notes.started.load(Ordering::SeqCst), 9, "none ran twice");
}

#[tokio::test]
async fn failures_and_panics_are_tried_again() {
    let fixture = Fixture::start(2, Duration::from_secs(5)).await;
    for how in ["fail once", "panic once"] {
        fixture.push(serde_json::json!({"how": how})).await;
    }
    fixture.until("both tasks", |notes| done(notes) == 2).await;
    let notes = fixture.stop().await;
    assert_eq!(notes.started.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn a_stop_waits_for_what_runs_and_claims_nothing_more() {
    let fixture = Fixture::start(1, Duration::from_secs(5)).await;
    for _ in 0..3 {
        fixture.push(serde_json::json!({"ms": 200})).await;
    }
    fixture.until("the first start", |notes| notes.started.load(Ordering::SeqCst) == 1).await;
    let queue = Arc::clone(&fixture.queue);
    let notes = fixture.stop().await;
    assert_eq!((done(&notes), notes.started.load(Ordering::SeqCst)), (1, 1));
    assert_eq!(queue.depth(QueueName::Search).await.unwrap(), 2, "the others wait for the next worker");
}

#[tokio::test]
async fn a_stop_does_not_wait_for_ever() {
    let fixture = Fixture::start(1, Duration::from_millis(100)).await;
    fixture.push(serde_json::json!({"ms": 60_000})).await;
    fixture.until("the start", |notes| notes.started.load(Ordering::SeqCst) == 1).await;
    let started = Instant::now();
    let notes = fixture.stop().await;
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(done(&notes), 0, "it goes on elsewhere");
}

#[tokio::test]
async fn what_a_stop_interrupts_is_free_at_once() {
    let fixture = Fixture::start(2, Duration::ZERO).await;
    for _ in 0..2 {
        fixture.push(serde_json::json!({"ms": 60_000})).await;
    }
    fixture.until("both starts", |notes| notes.started.load(Ordering::SeqCst) == 2).await;
    let queue = Arc::clone(&fixture.queue);
    let started = Instant::now();
    let notes = fixture.stop().await;
    let lease = Duration::from_secs(60);
    let claimed =
        queue.claim_many(QueueName::Search, WorkerSlots::any(10), "another worker", lease).await.unwrap();
    assert!(started.elapsed() < Duration::from_secs(20), "after {:?}", started.elapsed());
    let attempts: Vec<u32> = claimed.iter().map(|task| task.attempt).collect();
    assert_eq!((attempts, done(&notes)), (vec![1, 1], 0), "being stopped is no failure");
}

/// Offers slots without end.
pub struct EndlessSlots;

struct EndlessSlot;

impl SlotOffer for EndlessSlots {
    fn reserve(&self, _owner: Option<UserId>) -> Option<Box<dyn ReservedSlot>> {
        Some(Box::new(EndlessSlot))
    }
}

impl ReservedSlot for EndlessSlot {
    fn lease(&self) -> NewLease {
        NewLease { worker: "w".to_owned(), duration: Duration::from_secs(3) }
    }

    fn start(self: Box<Self>, _task: ClaimedTask) {}
}

#[tokio::test]
async fn tasks_that_were_held_back_come_before_new_ones() {
    let key = EncryptionKey::from_secret(&Secret::new("a test key"));
    let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 1, key };
    let store = Arc::new(SqlStore::open(config).await.unwrap());
    let owner = Some(person(&*store, "ann").await.id);
    let queue = SqlQueue::new(store, Arc::new(SystemClock));
    let name = QueueName::Search;
    let is_reserved = || queue.reserve(name, owner).is_some();
    assert!(!is_reserved(), "nobody offers a slot");
    let offer: Arc<dyn SlotOffer> = Arc::new(EndlessSlots);
    queue.offer_slots(name, &offer);
    for _ in 0..2 {
        let task =
            NewTask { queue: name, name: "note".to_owned(), payload: Value::Null, attempts_max: 3, owner };
        queue.push(task).await.unwrap();
    }
    let claim = async || {
        let (slots, lease) = (WorkerSlots { free: 1, total: 1 }, Duration::from_secs(5));
        queue.claim_many(name, slots, "w", lease).await.unwrap()
    };
    let first = claim().await;
    assert!(first.len() == 1 && is_reserved());
    assert!(claim().await.is_empty(), "the owner has its share");
    assert!(!is_reserved());
    queue.finish(&first[0]).await.unwrap();
    assert!(claim().await.len() == 1 && is_reserved());
    drop(offer);
    assert!(!is_reserved(), "the worker has stopped");
}
