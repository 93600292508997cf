//! Searches that start in the process that stores them, with NATS: they are not sent unless that process dies or stops.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use crate::worker::EndlessSlots;
use async_trait::async_trait;
use domain::ids::{SearchId, UserId};
use domain::ports::{
    ClaimedTask, Clock, Heartbeat, NewLease, NewTask, OutboxStore, QueueName, ReconcileStore, ReservedSlot,
    SearchStore, SlotOffer, SystemClock, TaskError, TaskHandler, TaskQueue,
};
use domain::search::{Search, SearchSpec};
use domain::search_task::RUN_SEARCH;
use domain::secret::Secret;
use serde_json::Value;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::queue::{NatsConfig, NatsQueue, OutageQueue};
use tasks::{Registry, Worker, WorkerConfig};
use testkit::nats::NatsServer;
use testkit::suites::store::person;
use tokio::sync::watch;
use tokio::task::JoinSet;

const QUEUE: QueueName = QueueName::Search;
const LEASE: Duration = Duration::from_secs(6);
/// The lease of a task that starts where it is stored, until it is renewed.
const FIRST_LEASE: Duration = Duration::from_secs(3);
const LONG: Duration = Duration::from_secs(60);
const SOON: Duration = Duration::from_millis(20);
/// How long a task that was sent counts as not yet claimed.
const TRANSIT_MAX: Duration = Duration::from_millis(100);
/// On a busy machine, sending and claiming a task may take longer than that.
const TRIES_MAX: u32 = 20;

async fn store() -> Arc<SqlStore> {
    let key = EncryptionKey::from_secret(&Secret::new("a test key"));
    let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 4, key };
    Arc::new(SqlStore::open(config).await.unwrap())
}

async fn connected(server: &NatsServer, store: &Arc<SqlStore>) -> Arc<NatsQueue> {
    let config = NatsConfig::new(Secret::new(server.url()), LEASE);
    let queue = NatsQueue::open(config, store.clone(), Arc::new(SystemClock)).await.unwrap();
    queue.connected(LONG).await.unwrap();
    Arc::new(queue)
}

/// Stores a search whose task has this lease.
async fn stored_search(store: &SqlStore, owner: UserId, lease: NewLease) -> ClaimedTask {
    let spec = SearchSpec::of_query("river");
    let search = Search::created(SearchId(0), owner, spec, Vec::new(), SystemClock.now());
    store.start_awaited_search(search, None, lease).await.unwrap().task
}

fn task_of(owner: Option<UserId>) -> NewTask {
    NewTask { queue: QUEUE, name: "note".to_owned(), payload: Value::Null, attempts_max: 3, owner }
}

async fn until(what: &str, holds: impl AsyncFn() -> bool) {
    let started = Instant::now();
    while !holds().await {
        assert!(started.elapsed() < LONG, "waited in vain for: {what}");
        tokio::time::sleep(SOON).await;
    }
}

async fn next(queue: &NatsQueue) -> ClaimedTask {
    let started = Instant::now();
    loop {
        if let Some(task) = queue.claim(QUEUE, "worker", LEASE).await.unwrap() {
            return task;
        }
        assert!(started.elapsed() < LONG, "no task came");
        queue.wait(QUEUE, Duration::from_millis(100)).await;
    }
}

async fn unfinished(store: &SqlStore) -> usize {
    store.unfinished_tasks(None, 100, SystemClock.now()).await.unwrap().len()
}

async fn in_outbox(store: &SqlStore) -> usize {
    store.outbox_heads(100, SystemClock.now()).await.unwrap().len()
}

/// Notes the attempts of the searches that it runs.
struct RunSearches {
    attempts: Arc<Mutex<Vec<u32>>>,
    ends: bool,
}

#[async_trait]
impl TaskHandler for RunSearches {
    fn name(&self) -> &'static str {
        RUN_SEARCH
    }

    async fn run(&self, task: &ClaimedTask) -> Result<(), TaskError> {
        self.attempts.lock().unwrap().push(task.attempt);
        if !self.ends {
            std::future::pending::<()>().await;
        }
        Ok(())
    }
}

/// A process with a worker. Dropping it is like killing it.
struct Process {
    queue: Arc<NatsQueue>,
    attempts: Arc<Mutex<Vec<u32>>>,
    stop: watch::Sender<bool>,
    running: JoinSet<()>,
}

impl Process {
    async fn start(server: &NatsServer, store: &Arc<SqlStore>, ends: bool) -> Self {
        let queue = connected(server, store).await;
        let attempts = Arc::<Mutex<Vec<u32>>>::default();
        let handler = RunSearches { attempts: Arc::clone(&attempts), ends };
        let registry = Registry::default().register(Arc::new(handler));
        let config = WorkerConfig {
            queue: QUEUE,
            concurrency: 4,
            running_max: 4,
            lease: LEASE,
            grace: Duration::ZERO,
        };
        let worker = Worker::new(config, queue.clone(), Arc::new(SystemClock), registry);
        let (stop, stopped) = watch::channel(false);
        let mut running = JoinSet::new();
        running.spawn(worker.serve(stopped));
        Self { queue, attempts, stop, running }
    }

    /// Starts a search here and waits until it has begun. Returns its task.
    async fn begin_search(&self, store: &SqlStore, owner: UserId) -> ClaimedTask {
        let begun = self.attempts.lock().unwrap().len();
        let started = Instant::now();
        let slot: Box<dyn ReservedSlot> = loop {
            if let Some(slot) = self.queue.reserve(QUEUE, Some(owner)) {
                break slot;
            }
            assert!(started.elapsed() < LONG, "no slot was offered");
            tokio::time::sleep(SOON).await;
        };
        let task = stored_search(store, owner, slot.lease()).await;
        slot.start(task.clone());
        until("the search begins", async || self.attempts.lock().unwrap().len() > begun).await;
        task
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_starts_where_it_is_stored_is_not_sent() {
    let Some(mut server) = NatsServer::prepare("searches that are not sent") else { return };
    server.start();
    let store = store().await;
    let owner = person(&*store, "ann").await.id;
    let process = Process::start(&server, &store, true).await;
    for _ in 0..5 {
        process.begin_search(&store, owner).await;
    }
    until("they have ended", async || unfinished(&store).await == 0).await;
    assert_eq!(*process.attempts.lock().unwrap(), [1; 5]);
    assert_eq!(server.messages("tributary"), (0, 0));
    // What another process stores arrives.
    let other = connected(&server, &store).await;
    let spec = SearchSpec::of_query("lake");
    store.create_search(spec, owner, Vec::new(), SystemClock.now(), None).await.unwrap();
    other.notify(QUEUE);
    until("it is sent and has ended", async || unfinished(&store).await == 0).await;
    assert_eq!(process.attempts.lock().unwrap().len(), 6);
    assert_eq!(server.messages("tributary").0, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_whose_process_dies_is_sent_when_its_lease_ends() {
    let Some(mut server) = NatsServer::prepare("searches of a process that dies") else { return };
    server.start();
    let store = store().await;
    let owner = person(&*store, "ann").await.id;
    let process = Process::start(&server, &store, false).await;
    let other = connected(&server, &store).await;
    let began = Instant::now();
    let task = process.begin_search(&store, owner).await;
    drop(process);
    loop {
        other.notify(QUEUE);
        tokio::time::sleep(SOON).await;
        let (sent, _) = server.messages("tributary");
        if began.elapsed() >= FIRST_LEASE {
            break;
        }
        assert_eq!(sent, 0, "its lease lasts");
    }
    let again = next(&other).await;
    assert_eq!((again.id, again.attempt, &again.payload), (task.id, 2, &task.payload));
    assert_eq!(server.messages("tributary").0, 1);
    assert!(!other.renew(&task, LEASE).await.unwrap(), "the first run has lost it");
    other.finish(&again).await.unwrap();
    assert_eq!(unfinished(&store).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_whose_process_stops_is_sent_at_once() {
    let Some(mut server) = NatsServer::prepare("searches of a process that stops") else { return };
    server.start();
    let store = store().await;
    let owner = person(&*store, "ann").await.id;
    let mut process = Process::start(&server, &store, false).await;
    let task = process.begin_search(&store, owner).await;
    process.stop.send(true).unwrap();
    while process.running.join_next().await.is_some() {}
    assert_eq!(server.messages("tributary").0, 1, "before the process ends");
    assert!(process.queue.reserve(QUEUE, Some(owner)).is_none(), "it starts nothing more");
    let other = connected(&server, &store).await;
    let again = next(&other).await;
    assert_eq!((again.id, again.attempt), (task.id, 1), "being stopped is no failure");
    other.finish(&again).await.unwrap();
    assert_eq!(unfinished(&store).await, 0);
}

/// One slot: while a search holds it here, the next one is not sent, and nothing overtakes that one.
#[tokio::test(flavor = "multi_thread")]
async fn searches_that_are_held_use_slots_and_those_that_wait_come_first() {
    let Some(mut server) = NatsServer::prepare("slots of searches that are not sent") else { return };
    server.start();
    let store = store().await;
    let [ann, bob] = [person(&*store, "ann").await.id, person(&*store, "bob").await.id];
    let queue = connected(&server, &store).await;
    let offer: Arc<dyn SlotOffer> = Arc::new(EndlessSlots);
    queue.offer_slots(QUEUE, &offer);
    let last_seen = SystemClock.now();
    let heartbeat = Heartbeat { worker: "w".to_owned(), queue: QUEUE, concurrency: 1, active: 0, last_seen };
    queue.record_heartbeat(heartbeat).await.unwrap();
    let lease = NewLease { worker: "w".to_owned(), duration: LONG };
    let held = stored_search(&store, ann, lease).await;
    assert!(queue.reserve(QUEUE, Some(bob)).is_some(), "nothing waits");
    queue.push(task_of(Some(bob))).await.unwrap();
    assert_eq!((in_outbox(&store).await, server.messages("tributary").0), (1, 0), "the slot is in use");
    assert!(queue.reserve(QUEUE, Some(ann)).is_none(), "another one waits");
    queue.finish(&held).await.unwrap();
    until("it is sent", async || in_outbox(&store).await == 0).await;
    let sent = next(&queue).await;
    assert_eq!(sent.owner, Some(bob));
    queue.finish(&sent).await.unwrap();
    until("nothing waits", async || queue.reserve(QUEUE, Some(ann)).is_some()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_was_sent_comes_first_until_it_is_claimed_or_late() {
    let Some(mut server) = NatsServer::prepare("tasks that were sent") else { return };
    server.start();
    let store = store().await;
    let queue = connected(&server, &store).await;
    let offer: Arc<dyn SlotOffer> = Arc::new(EndlessSlots);
    queue.offer_slots(QUEUE, &offer);
    let starts_here = || queue.reserve(QUEUE, None).is_some();
    let mut is_in_time = false;
    for _ in 0..TRIES_MAX {
        let began = Instant::now();
        queue.push(task_of(None)).await.unwrap();
        let before = starts_here();
        let sent = next(&queue).await;
        let after = starts_here();
        is_in_time = began.elapsed() < TRANSIT_MAX;
        queue.finish(&sent).await.unwrap();
        if is_in_time {
            assert_eq!((before, after), (false, true), "held back until the task is claimed");
            break;
        }
    }
    assert!(is_in_time, "every task was late");
    queue.push(task_of(None)).await.unwrap();
    until("the task is late", async || starts_here()).await;
    let late = next(&queue).await;
    queue.finish(&late).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_start_where_they_are_stored_only_beside_a_worker_and_a_server() {
    let Some(mut server) = NatsServer::prepare("where searches start") else { return };
    server.start();
    let store = store().await;
    let web = connected(&server, &store).await;
    let outage = OutageQueue::new(Arc::clone(&web));
    let offer: Arc<dyn SlotOffer> = Arc::new(EndlessSlots);
    outage.offer_slots(QUEUE, &offer);
    assert!(web.reserve(QUEUE, None).is_none(), "a worker for outages offers nothing");
    assert!(outage.reserve(QUEUE, None).is_none());
    web.offer_slots(QUEUE, &offer);
    assert!(web.reserve(QUEUE, None).is_some());
    server.kill();
    until("the outage is noticed", async || web.reserve(QUEUE, None).is_none()).await;
    server.start();
    until("the server is back", async || web.reserve(QUEUE, None).is_some()).await;
    drop(offer);
    assert!(web.reserve(QUEUE, None).is_none(), "the worker has ended");
}
