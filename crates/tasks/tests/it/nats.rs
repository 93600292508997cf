//! Behavior specific to NATS: several processes, a lossless outbox, servers that come and go. The suite of the port is
//! in `queue.rs`.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use domain::ids::{TaskId, UserId};
use domain::ports::{
    ClaimedTask, Clock, Heartbeat, MessageBus, NewTask, OutboxStore, QueueName, SystemClock, TaskQueue,
    TaskStore, WorkerSlots,
};
use domain::secret::Secret;
use futures_util::future::join_all;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::queue::{NatsConfig, NatsError, NatsQueue};
use testkit::nats::NatsServer;
use testkit::suites::message_bus::messages_go_where_they_are_sent;

const QUEUE: QueueName = QueueName::Search;
const LEASE: Duration = Duration::from_secs(3);
const LONG: Duration = Duration::from_secs(120);
/// Far below the polling interval of a queue.
const AT_ONCE: Duration = Duration::from_millis(1500);

async fn store() -> Arc<SqlStore> {
    let key = EncryptionKey::from_secret(&Secret::new("a test key"));
    let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 4, key };
    Arc::new(SqlStore::open(config).await.unwrap())
}

/// One process of the cluster: it shares the store and the stream.
async fn node(config: NatsConfig, store: &Arc<SqlStore>) -> NatsQueue {
    NatsQueue::open(config, store.clone(), Arc::new(SystemClock)).await.unwrap()
}

fn config(url: &str) -> NatsConfig {
    NatsConfig::new(Secret::new(url), LEASE)
}

async fn connected(url: &str, store: &Arc<SqlStore>) -> NatsQueue {
    let queue = node(config(url), store).await;
    queue.connected(LONG).await.unwrap();
    queue
}

fn task(number: usize) -> NewTask {
    let payload = json!({"number": number});
    NewTask { queue: QUEUE, name: "note".to_owned(), payload, attempts_max: 5, owner: None }
}

async fn in_outbox(store: &Arc<SqlStore>) -> usize {
    store.outbox_heads(10_000, SystemClock.now()).await.unwrap().len()
}

async fn until_outbox_has(store: &Arc<SqlStore>, count: usize) {
    let started = Instant::now();
    while in_outbox(store).await != count {
        assert!(started.elapsed() < LONG, "{} in the outbox, not {count}", in_outbox(store).await);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Claims like a worker: waits if there is nothing, and retries if the queue fails.
async fn next(queue: &NatsQueue) -> ClaimedTask {
    let started = Instant::now();
    loop {
        match queue.claim(QUEUE, "worker", LEASE).await {
            Ok(Some(task)) => return task,
            Ok(None) => queue.wait(QUEUE, LONG).await,
            Err(_) => {}
        }
        assert!(started.elapsed() < LONG, "no task came");
    }
}

#[tokio::test]
async fn the_message_bus_passes_the_suite() {
    let Some(mut server) = NatsServer::prepare("news by NATS") else { return };
    server.start();
    let store = store().await;
    let nodes = [connected(&server.url(), &store).await, connected(&server.url(), &store).await];
    let [here, there] = nodes.each_ref().map(NatsQueue::message_bus);
    messages_go_where_they_are_sent(&here, &there).await;
    server.kill();
    let started = Instant::now();
    while here.send(None, "is anybody there").await.is_ok() {
        assert!(started.elapsed() < LONG, "it does not notice");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    server.start();
    nodes[0].connected(LONG).await.unwrap();
    nodes[1].connected(LONG).await.unwrap();
    messages_go_where_they_are_sent(&here, &there).await;
}

#[tokio::test]
async fn a_server_that_hangs_is_counted_like_one_that_is_away() {
    let Some(mut server) = NatsServer::prepare("counting while NATS hangs") else { return };
    server.start();
    let store = store().await;
    let queue = connected(&server.url(), &store).await;
    queue.push(task(1)).await.unwrap();
    until_outbox_has(&store, 0).await;
    assert_eq!(queue.depth(QUEUE).await.unwrap(), 1);
    assert_eq!(queue.broker_answers().await, Some(true));
    server.pause();
    let started = Instant::now();
    assert_eq!(queue.depth(QUEUE).await.unwrap(), 1, "as it was");
    assert_eq!(queue.broker_answers().await, Some(false), "connected, and silent");
    assert!(started.elapsed() < LONG, "nobody waits for its answer: {:?}", started.elapsed());
    server.resume();
}

#[tokio::test]
async fn a_task_of_one_process_wakes_another() {
    let Some(url) = testkit::nats::queue("waking other processes") else { return };
    let store = store().await;
    let (web, worker) = (connected(&url, &store).await, connected(&url, &store).await);
    assert_eq!(worker.claim(QUEUE, "worker", LEASE).await.unwrap(), None);
    let mut woken = Vec::new();
    // A busy machine may be slow once, but not every time.
    while woken.len() < 10 {
        let started = Instant::now();
        let post = async {
            tokio::time::sleep(Duration::from_millis(100)).await;
            store.push_task(task(7), SystemClock.now()).await.unwrap(); // with its search, in one transaction
            web.notify(QUEUE);
        };
        let ((), taken) = tokio::join!(post, async {
            worker.wait(QUEUE, LONG).await;
            woken.push(started.elapsed());
            next(&worker).await
        });
        assert_eq!(taken.payload, json!({"number": 7}));
        worker.finish(&taken).await.unwrap();
        if woken.last() < Some(&AT_ONCE) {
            break;
        }
    }
    assert!(woken.last() < Some(&AT_ONCE), "woken by a notification, not by a poll: {woken:?}");
    until_outbox_has(&store, 0).await;
}

#[tokio::test]
async fn another_process_sweeps_what_a_crash_left() {
    let Some(url) = testkit::nats::queue("sweeping the outbox") else { return };
    let store = store().await;
    store.push_task(task(1), SystemClock.now()).await.unwrap(); // and its process died before the nudge
    let worker = connected(&url, &store).await;
    assert_eq!(next(&worker).await.payload, json!({"number": 1}));
}

#[tokio::test(flavor = "multi_thread")]
async fn relays_at_once_double_nothing() {
    const TASKS: usize = 500; // several pages
    let Some(url) = testkit::nats::queue("several relays at once") else { return };
    let store = store().await;
    for number in 0..TASKS {
        store.push_task(task(number), SystemClock.now()).await.unwrap();
    }
    let nodes = join_all((0..4).map(|_| connected(&url, &store))).await;
    nodes.iter().for_each(|node| node.notify(QUEUE));
    until_outbox_has(&store, 0).await;
    assert_eq!(nodes[0].depth(QUEUE).await.unwrap(), TASKS as u64);
    let mut numbers = BTreeSet::new();
    while let Some(task) = nodes[numbers.len() % 4].claim(QUEUE, "worker", LEASE).await.unwrap() {
        assert!(numbers.insert(task.payload["number"].as_u64().unwrap()), "twice: {task:?}");
        nodes[numbers.len() % 4].finish(&task).await.unwrap(); // only who holds it is heard
        nodes[(numbers.len() - 1) % 4].finish(&task).await.unwrap();
    }
    assert_eq!(numbers.len(), TASKS);
}

#[tokio::test]
async fn a_restored_database_may_use_ids_again() {
    let Some(url) = testkit::nats::queue("ids that come again") else { return };
    for number in 0..2 {
        let store = store().await; // empty, so that the ids begin again
        let queue = connected(&url, &store).await;
        assert_eq!(queue.push(task(number)).await.unwrap(), TaskId(1));
        let held = next(&queue).await;
        assert_eq!(held.payload, json!({"number": number}));
        queue.finish(&held).await.unwrap();
    }
}

#[tokio::test]
async fn what_a_full_stream_refuses_waits_in_the_outbox() {
    let Some(url) = testkit::nats::queue("a full stream") else { return };
    let store = store().await;
    let queue = node(NatsConfig { messages_max: 2, ..config(&url) }, &store).await;
    queue.connected(LONG).await.unwrap();
    for number in 0..5 {
        queue.push(task(number)).await.unwrap();
    }
    assert_eq!((in_outbox(&store).await, queue.depth(QUEUE).await.unwrap()), (3, 5));
    for number in 0..5 {
        let held = next(&queue).await;
        assert_eq!(held.payload, json!({"number": number}));
        queue.finish(&held).await.unwrap();
    }
    assert_eq!((in_outbox(&store).await, queue.depth(QUEUE).await.unwrap()), (0, 0));
}

#[tokio::test]
async fn no_more_run_than_may() {
    let Some(url) = testkit::nats::queue("tasks that run at once") else { return };
    let store = store().await;
    let queue = node(NatsConfig { running_max: 2, ..config(&url) }, &store).await;
    queue.connected(LONG).await.unwrap();
    for number in 0..3 {
        queue.push(task(number)).await.unwrap();
    }
    let claim = || queue.claim(QUEUE, "worker", LONG);
    let first = claim().await.unwrap().unwrap();
    claim().await.unwrap().unwrap();
    let third = claim().await.unwrap_err().to_string();
    assert!(third.contains("as many tasks run as may"), "{third}");
    queue.finish(&first).await.unwrap();
    assert_eq!(claim().await.unwrap().unwrap().payload, json!({"number": 2}));
}

#[tokio::test]
async fn a_task_too_large_for_a_message_stops_no_other() {
    let Some(url) = testkit::nats::queue("large tasks") else { return };
    let store = store().await;
    let queue = connected(&url, &store).await;
    let large = NewTask { payload: json!("x".repeat(512 * 1024)), ..task(0) };
    store.push_task(large, SystemClock.now()).await.unwrap();
    let fits = NewTask { payload: json!("x".repeat(511 * 1024)), ..task(0) };
    store.push_task(fits, SystemClock.now()).await.unwrap();
    queue.notify(QUEUE);
    assert_eq!(next(&queue).await.payload.as_str().unwrap().len(), 511 * 1024);
    assert_eq!(in_outbox(&store).await, 1);
}

#[tokio::test]
async fn without_a_server_tasks_are_accepted_and_run() {
    let store = store().await;
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let queue = node(config(&format!("nats://127.0.0.1:{port}")), &store).await;
    let started = Instant::now();
    for number in 0..3 {
        queue.push(task(number)).await.unwrap();
    }
    assert!(started.elapsed() < Duration::from_secs(10), "a push does not wait for who is away");
    assert_eq!((in_outbox(&store).await, queue.depth(QUEUE).await.unwrap()), (3, 3));
    for number in 0..3 {
        let held = next(&queue).await;
        assert_eq!(held.payload, json!({"number": number}));
        queue.finish(&held).await.unwrap();
    }
    assert_eq!((in_outbox(&store).await, queue.depth(QUEUE).await.unwrap()), (0, 0));
    for address in ["http://127.0.0.1", "nats://127.0.0.1/a.b"] {
        let open = NatsQueue::open(config(address), store.clone(), Arc::new(SystemClock));
        let failed = open.await.err().unwrap();
        assert!(matches!(failed, NatsError::Address | NatsError::Name), "{failed}");
    }
}

/// Two processes push and work while the server is killed again and again.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_comes_and_goes_loses_nothing() {
    const ROUNDS: usize = 4;
    const TASKS: usize = 50;
    let Some(mut server) = NatsServer::prepare("killing the server of NATS") else { return };
    let store = store().await;
    let (web, worker) =
        (node(config(&server.url()), &store).await, node(config(&server.url()), &store).await);
    let mut starts = 0;
    let mut done = BTreeSet::new();
    for round in 0..ROUNDS {
        // Half while it is unreachable, half while it comes back.
        for number in 0..TASKS / 2 {
            web.push(task(round * TASKS + number)).await.unwrap();
        }
        server.start();
        for number in TASKS / 2..TASKS {
            web.push(task(round * TASKS + number)).await.unwrap();
        }
        // The last tasks of a round are still in the stream when it is killed.
        while done.len() < (round + 1) * TASKS - 10 {
            let held = next(&worker).await;
            starts += 1;
            done.insert(held.payload["number"].as_u64().unwrap());
            worker.finish(&held).await.unwrap();
        }
        server.kill();
    }
    server.start();
    while done.len() < ROUNDS * TASKS {
        let held = next(&worker).await;
        starts += 1;
        done.insert(held.payload["number"].as_u64().unwrap());
        worker.finish(&held).await.unwrap();
    }
    until_outbox_has(&store, 0).await;
    // The next claim removes a message whose task was run from the database.
    let started = Instant::now();
    while worker.depth(QUEUE).await.unwrap() > 0 {
        let claimed = worker.claim_many(QUEUE, WorkerSlots::any(4), "worker", LONG).await.unwrap_or_default();
        assert!(claimed.is_empty() && started.elapsed() < LONG, "{claimed:?}");
    }
    eprintln!("{} tasks, {starts} starts, {ROUNDS} kills", ROUNDS * TASKS);
    assert_eq!(starts, ROUNDS * TASKS, "the stream knows again what was sent twice");
}

/// The stream is recreated on a server that lost its disk.
#[tokio::test]
async fn a_new_server_gets_its_stream_again() {
    let Some(mut server) = NatsServer::prepare("a server without its data") else { return };
    server.start();
    let store = store().await;
    let queue = connected(&server.url(), &store).await;
    queue.push(task(1)).await.unwrap();
    let held = next(&queue).await;
    queue.finish(&held).await.unwrap();
    server.start_empty();
    queue.push(task(2)).await.unwrap();
    assert_eq!(next(&queue).await.payload, json!({"number": 2}));
}

/// A stream created before tasks had owners accepts them as well, and its waiting tasks are run.
#[tokio::test]
async fn a_stream_of_an_earlier_release_is_used_on() {
    let Some(url) = testkit::nats::queue("a stream of an earlier release") else { return };
    let (server, name) = url.rsplit_once('/').unwrap();
    let context = async_nats::jetstream::new(async_nats::connect(server).await.unwrap());
    let earlier = async_nats::jetstream::stream::Config {
        name: name.to_owned(),
        subjects: vec![format!("{name}.tasks.*")],
        retention: async_nats::jetstream::stream::RetentionPolicy::WorkQueue,
        ..Default::default()
    };
    context.create_stream(earlier).await.unwrap();
    let message = json!({"id": 1, "name": "note", "payload": {"number": 1}, "attempts_max": 5}).to_string();
    let sent = context.publish(format!("{name}.tasks.search"), message.into()).await.unwrap();
    sent.await.unwrap();
    let queue = connected(&url, &store().await).await;
    queue.push(NewTask { owner: Some(UserId(4)), ..task(2) }).await.unwrap();
    let mut numbers = BTreeSet::new();
    for _ in 0..2 {
        let held = next(&queue).await;
        numbers.insert((held.payload["number"].as_u64().unwrap(), held.owner));
        queue.finish(&held).await.unwrap();
    }
    assert_eq!(numbers, BTreeSet::from([(1, None), (2, Some(UserId(4)))]));
}

/// A task that waits for a retry uses no slot.
#[tokio::test]
async fn retries_that_wait_hold_no_slots() {
    let Some(url) = testkit::nats::queue("retries that wait") else { return };
    let store = store().await;
    let queue = connected(&url, &store).await;
    let heartbeat = Heartbeat {
        worker: "worker".to_owned(),
        queue: QUEUE,
        concurrency: 4,
        active: 0,
        last_seen: SystemClock.now(),
    };
    queue.record_heartbeat(heartbeat).await.unwrap();
    let owned = |number, owner| NewTask { owner: Some(UserId(owner)), ..task(number) };
    for number in 0..3 {
        queue.push(owned(number, 1)).await.unwrap();
        let held = next(&queue).await;
        queue.retry(&held, Duration::from_secs(2), "try again").await.unwrap();
    }
    assert_eq!(in_outbox(&store).await, 0, "none is due");
    assert_eq!(store.waiting_tasks_of(QUEUE, UserId(1)).await.unwrap(), 3);
    assert_eq!(queue.depth(QUEUE).await.unwrap(), 3);
    for number in 3..6 {
        queue.push(owned(number, 1)).await.unwrap();
    }
    queue.push(owned(6, 2)).await.unwrap();
    let mut numbers = BTreeSet::new();
    for _ in 3..=6 {
        let held = next(&queue).await;
        numbers.insert(held.payload["number"].as_u64().unwrap());
        queue.finish(&held).await.unwrap();
    }
    assert_eq!(numbers, BTreeSet::from([3, 4, 5, 6]), "before the retries are due");
    let again = next(&queue).await;
    assert_eq!((again.attempt, again.owner), (2, Some(UserId(1))));
}

/// Concurrent relays do not give one owner more than its share of the slots.
#[tokio::test(flavor = "multi_thread")]
async fn relays_at_once_keep_the_reserve() {
    let Some(url) = testkit::nats::queue("turns with several relays") else { return };
    let store = store().await;
    let nodes = join_all((0..4).map(|_| connected(&url, &store))).await;
    let heartbeat = Heartbeat {
        worker: "worker".to_owned(),
        queue: QUEUE,
        concurrency: 16,
        active: 0,
        last_seen: SystemClock.now(),
    };
    nodes[0].record_heartbeat(heartbeat).await.unwrap();
    for number in 0..60 {
        store.push_task(NewTask { owner: Some(UserId(1)), ..task(number) }, SystemClock.now()).await.unwrap();
    }
    nodes.iter().for_each(|node| node.notify(QUEUE));
    until_outbox_has(&store, 46).await; // 14 of 16 slots
    store.push_task(NewTask { owner: Some(UserId(2)), ..task(60) }, SystemClock.now()).await.unwrap();
    nodes.iter().for_each(|node| node.notify(QUEUE));
    until_outbox_has(&store, 46).await;
    let mut owners = Vec::new();
    while let Some(held) = nodes[owners.len() % 4].claim(QUEUE, "worker", LONG).await.unwrap() {
        owners.extend(held.owner);
    }
    assert_eq!(owners.len(), 15);
    assert!(owners.contains(&UserId(2)));
}
