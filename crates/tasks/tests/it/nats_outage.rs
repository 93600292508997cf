//! NATS outages: unsent tasks are claimed from the database, and none runs twice. The suite of the port without a
//! server is in `queue.rs`.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use async_nats::jetstream;
use domain::ids::{TaskId, UserId};
use domain::ports::{
    ClaimedTask, Clock, NewTask, OutboxStore, QueueName, ReconcileStore, SystemClock, TaskQueue, TaskStore,
    UnfinishedTask, WorkerSlots,
};
use domain::secret::Secret;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::queue::{NatsConfig, NatsQueue, OutageQueue};
use testkit::nats::NatsServer;

const QUEUE: QueueName = QueueName::Search;
const LEASE: Duration = Duration::from_secs(2);
const LONG: Duration = Duration::from_secs(60);
/// Longer than it takes to detect a hanging server.
const NOTICED: Duration = Duration::from_secs(4);

async fn store() -> Arc<SqlStore> {
    let key = EncryptionKey::from_secret(&Secret::new("a test key"));
    let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 4, key };
    Arc::new(SqlStore::open(config).await.unwrap())
}

async fn open(url: &str, store: &Arc<SqlStore>) -> NatsQueue {
    let config = NatsConfig::new(Secret::new(url), LEASE);
    NatsQueue::open(config, store.clone(), Arc::new(SystemClock)).await.unwrap()
}

async fn connected(url: &str, store: &Arc<SqlStore>) -> NatsQueue {
    let queue = open(url, store).await;
    queue.connected(LONG).await.unwrap();
    queue
}

/// A URL where no server listens.
fn unreachable_url() -> String {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    format!("nats://127.0.0.1:{port}")
}

fn task(number: u64) -> NewTask {
    let payload = json!({"number": number});
    NewTask {
        queue: QUEUE,
        name: "note".to_owned(),
        payload,
        attempts_max: 5,
        owner: Some(UserId(1 + i64::try_from(number % 3).unwrap())),
    }
}

async fn claim(queue: &dyn TaskQueue) -> Vec<ClaimedTask> {
    queue.claim_many(QUEUE, WorkerSlots::any(4), "worker", LEASE).await.unwrap_or_default()
}

async fn unfinished(store: &Arc<SqlStore>) -> Vec<UnfinishedTask> {
    store.unfinished_tasks(None, 1000, SystemClock.now()).await.unwrap()
}

type Starts = BTreeMap<u64, usize>;

/// Runs tasks until `enough` were started and none came for `quiet`.
async fn run_until(queue: &dyn TaskQueue, starts: &mut Starts, enough: usize, quiet: Duration) {
    let (started, mut last) = (Instant::now(), Instant::now());
    while starts.len() < enough || last.elapsed() < quiet {
        assert!(started.elapsed() < LONG, "{starts:?}");
        for task in claim(queue).await {
            *starts.entry(task.payload["number"].as_u64().unwrap()).or_default() += 1;
            let _not_heard_while_it_is_away = queue.finish(&task).await;
            last = Instant::now();
        }
        queue.wait(QUEUE, Duration::from_millis(100)).await;
    }
}

fn once(tasks: u64) -> Starts {
    (0..tasks).map(|number| (number, 1)).collect()
}

/// Tasks are accepted before, during and after an outage; `fall` and `rise` stop and start the server.
async fn run_through_an_outage(fall: fn(&mut NatsServer), rise: fn(&mut NatsServer), suite: &str) {
    const TASKS: u64 = 10;
    let Some(mut server) = NatsServer::prepare(suite) else { return };
    server.start();
    let store = store().await;
    let web = connected(&server.url(), &store).await;
    let worker = connected(&server.url(), &store).await;
    let mut starts = Starts::new();
    web.push(task(0)).await.unwrap();
    run_until(&worker, &mut starts, 1, Duration::ZERO).await;
    fall(&mut server);
    for number in 1..=TASKS {
        web.push(task(number)).await.unwrap(); // the first of them are published to a server that hangs
    }
    run_until(&worker, &mut starts, 1 + TASKS as usize, NOTICED).await;
    assert_eq!(starts, once(1 + TASKS), "all run while it is away");
    rise(&mut server);
    worker.connected(LONG).await.unwrap();
    web.push(task(1 + TASKS)).await.unwrap();
    run_until(&worker, &mut starts, 2 + TASKS as usize, LEASE * 2).await;
    assert_eq!(starts, once(2 + TASKS), "what was published is not run again");
    assert_eq!(unfinished(&store).await, []);
    assert_eq!(worker.depth(QUEUE).await.unwrap(), 0);
    let (sent, _) = server.messages("tributary");
    assert!(sent >= 2, "the first and the last went through the stream: {sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_run_while_a_server_hangs_and_not_again_when_it_goes_on() {
    run_through_an_outage(|server| server.pause(), |server| server.resume(), "tasks while NATS hangs").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_run_while_a_server_is_dead_and_not_again_when_it_is_back() {
    run_through_an_outage(NatsServer::kill, NatsServer::start, "tasks while NATS is dead").await;
}

/// Publishes the message of a stored task without marking it, like a relay whose acknowledgement is lost.
async fn publish_unnoticed(url: &str, id: TaskId, store: &Arc<SqlStore>) {
    let row = store.outbox_tasks(&[id]).await.unwrap().remove(0);
    let (server, name) = url.rsplit_once('/').unwrap();
    let context = jetstream::new(async_nats::connect(server).await.unwrap());
    let owner = row.task.owner.unwrap();
    let message = json!({
        "id": id.0, "name": row.task.name, "payload": row.task.payload, "attempts_max": row.task.attempts_max,
        "owner": owner.0, "created": row.date_created.timestamp_micros(),
    });
    let message_id = format!("{}-{}", id.0, row.due.timestamp_micros());
    let message = jetstream::message::PublishMessage::build()
        .message_id(message_id)
        .payload(message.to_string().into());
    context.send_publish(format!("{name}.tasks.search.{owner}"), message).await.unwrap().await.unwrap();
}

/// A queue with an existing stream.
async fn with_stream(suite: &str, store: &Arc<SqlStore>) -> Option<(String, NatsQueue)> {
    let url = testkit::nats::queue(suite)?;
    let queue = connected(&url, store).await;
    queue.push(task(99)).await.unwrap();
    run_until(&queue, &mut Starts::new(), 1, Duration::ZERO).await;
    Some((url, queue))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_whose_acknowledgement_was_lost_is_not_run_beside_a_claim_from_the_database() {
    let store = store().await;
    let Some((url, queue)) = with_stream("lost acknowledgements", &store).await else { return };
    let cut_off = open(&unreachable_url(), &store).await;
    drop(queue); // and with it the relay, which would send the tasks of this test
    for (number, has_ended) in [(0, false), (1, true)] {
        let id = store.push_task(task(number), SystemClock.now()).await.unwrap();
        publish_unnoticed(&url, id, &store).await;
        let held = claim(&cut_off).await.remove(0);
        assert_eq!((held.id, held.attempt), (id, 1));
        if has_ended {
            cut_off.finish(&held).await.unwrap();
        }
        let queue = connected(&url, &store).await;
        let started = Instant::now();
        while started.elapsed() < LEASE * 2 {
            assert_eq!(claim(&queue).await, [], "it runs, or has ended");
            assert_eq!(cut_off.renew(&held, LEASE).await.unwrap(), !has_ended);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(queue.depth(QUEUE).await.unwrap(), 0, "the message is removed");
        cut_off.finish(&held).await.unwrap();
        assert_eq!(unfinished(&store).await, []);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_came_first_keeps_its_task_from_claims_from_the_database() {
    let store = store().await;
    let Some((url, queue)) = with_stream("a claim that is late", &store).await else { return };
    let cut_off = open(&unreachable_url(), &store).await;
    drop(queue);
    let id = store.push_task(task(0), SystemClock.now()).await.unwrap();
    publish_unnoticed(&url, id, &store).await;
    let queue = connected(&url, &store).await;
    let mut held = Vec::new();
    while held.is_empty() {
        held = claim(&queue).await;
    }
    let started = Instant::now();
    while started.elapsed() < LEASE * 2 {
        assert!(queue.renew(&held[0], LEASE).await.unwrap());
        assert_eq!(claim(&cut_off).await, [], "it runs");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    queue.finish(&held[0]).await.unwrap();
    assert_eq!(unfinished(&store).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_claimed_from_the_database_is_sent_when_its_worker_died_and_not_before() {
    let store = store().await;
    let Some((_, queue)) = with_stream("the death of a worker during an outage", &store).await else {
        return;
    };
    let cut_off = open(&unreachable_url(), &store).await;
    // The relay of the other process may be faster: then the task belongs to the stream.
    let (held, id) = loop {
        let id = store.push_task(task(0), SystemClock.now()).await.unwrap();
        if let Some(held) = claim(&cut_off).await.pop() {
            break (held, id);
        }
        run_until(&queue, &mut Starts::new(), 1, Duration::ZERO).await;
    };
    for _ in 0..4 {
        tokio::time::sleep(LEASE / 2).await;
        assert!(cut_off.renew(&held, LEASE).await.unwrap());
        assert_eq!(claim(&queue).await, [], "its lease lives");
    }
    let started = Instant::now();
    let again = loop {
        if let Some(task) = claim(&queue).await.pop() {
            break task;
        }
        assert!(started.elapsed() < LONG, "nothing came");
        queue.wait(QUEUE, Duration::from_millis(100)).await;
    };
    assert_eq!((again.id, again.attempt), (id, 2), "after {:?}", started.elapsed());
    assert!(!cut_off.renew(&held, LEASE).await.unwrap(), "whoever is late has lost it");
    cut_off.finish(&held).await.unwrap();
    queue.finish(&again).await.unwrap();
    assert_eq!(unfinished(&store).await, []);
}

/// A task runs for longer than its lease while the server hangs.
#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_runs_when_a_server_hangs_runs_on_and_not_again() {
    let lease = Duration::from_secs(12); // a server that hangs is noticed before it ends
    let Some(mut server) = NatsServer::prepare("a task that runs when NATS hangs") else { return };
    server.start();
    let store = store().await;
    let queue = connected(&server.url(), &store).await;
    let worker = connected(&server.url(), &store).await;
    queue.push(task(0)).await.unwrap();
    let held = loop {
        let claimed = queue.claim_many(QUEUE, WorkerSlots::any(1), "worker", lease).await.unwrap();
        if let Some(held) = claimed.into_iter().next() {
            break held;
        }
    };
    server.pause();
    let started = Instant::now();
    while started.elapsed() < lease * 2 {
        assert!(queue.renew(&held, lease).await.unwrap(), "after {:?}", started.elapsed());
        tokio::time::sleep(lease / 6).await;
    }
    assert_eq!(claim(&queue).await, [], "it runs");
    server.resume();
    let started = Instant::now();
    while started.elapsed() < lease * 2 {
        assert!(queue.renew(&held, lease).await.unwrap(), "it is held in the database");
        assert_eq!(claim(&worker).await, [], "it is not given to another worker");
        tokio::time::sleep(lease / 6).await;
    }
    queue.finish(&held).await.unwrap();
    assert!(!queue.renew(&held, lease).await.unwrap());
    assert_eq!(unfinished(&store).await, []);
    assert_eq!(worker.depth(QUEUE).await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_fails_while_a_server_hangs_is_tried_again_meanwhile_and_once() {
    let Some(mut server) = NatsServer::prepare("a task that fails while NATS hangs") else { return };
    server.start();
    let store = store().await;
    let queue = connected(&server.url(), &store).await;
    queue.push(task(0)).await.unwrap();
    let lease = Duration::from_secs(15);
    let held = loop {
        let claimed = queue.claim_many(QUEUE, WorkerSlots::any(1), "worker", lease).await.unwrap();
        if let Some(held) = claimed.into_iter().next() {
            break held;
        }
    };
    server.pause();
    queue.retry(&held, Duration::from_millis(50), "it failed").await.unwrap();
    let mut starts = Starts::new();
    run_until(&queue, &mut starts, 1, Duration::ZERO).await;
    server.resume();
    queue.connected(LONG).await.unwrap();
    run_until(&queue, &mut starts, 1, LEASE * 2).await;
    assert_eq!(starts, once(1), "its first message is not run");
    assert_eq!(unfinished(&store).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_for_outages_works_only_while_no_server_answers() {
    let Some(mut server) = NatsServer::prepare("a process for outages") else { return };
    server.start();
    let store = store().await;
    let web = Arc::new(connected(&server.url(), &store).await);
    let outage = OutageQueue::new(Arc::clone(&web));
    web.push(task(0)).await.unwrap();
    assert_eq!(claim(&outage).await, [], "NATS has it");
    server.pause();
    web.push(task(1)).await.unwrap();
    let mut starts = Starts::new();
    run_until(&outage, &mut starts, 1, NOTICED).await;
    assert_eq!(starts, [(1, 1)].into(), "what NATS has is left to it");
    assert_eq!(outage.workers(QUEUE, LONG).await.unwrap(), [], "nobody counts on it");
    server.resume();
    web.connected(LONG).await.unwrap();
    run_until(&*web, &mut starts, 2, LEASE * 2).await;
    assert_eq!(starts, once(2));
    assert_eq!(unfinished(&store).await, []);
}
