//! NATS servers that lose data: lost tasks are resent, others are not.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use domain::ids::UserId;
use domain::ports::{
    ClaimedTask, NewTask, QueueName, ReconcileStore, SystemClock, TaskQueue, TaskState, WorkerSlots,
};
use domain::ports::{Clock, UnfinishedTask, WorkerMetrics};
use domain::secret::Secret;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::WorkerGauges;
use tasks::queue::{NatsConfig, NatsQueue};
use testkit::nats::NatsServer;

const QUEUE: QueueName = QueueName::Search;
const LEASE: Duration = Duration::from_secs(3);
const LONG: Duration = Duration::from_secs(30);
/// Recheck interval of a task.
const RECHECK: Duration = Duration::from_millis(300);

async fn store() -> Arc<SqlStore> {
    let key = EncryptionKey::from_secret(&Secret::new("a test key"));
    let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 4, key };
    Arc::new(SqlStore::open(config).await.unwrap())
}

async fn connected(url: &str, store: &Arc<SqlStore>, worker_gauges: &Arc<WorkerGauges>) -> NatsQueue {
    let config = NatsConfig { recheck_after: RECHECK, ..NatsConfig::new(Secret::new(url), LEASE) };
    let queue = NatsQueue::open(config, store.clone(), Arc::new(SystemClock)).await.unwrap();
    queue.connected(LONG).await.unwrap();
    queue.counted_in(worker_gauges)
}

fn task(number: u64) -> NewTask {
    let payload = json!({"number": number});
    NewTask { queue: QUEUE, name: "note".to_owned(), payload, attempts_max: 2, owner: None }
}

async fn claim(queue: &NatsQueue) -> Vec<ClaimedTask> {
    queue.claim_many(QUEUE, WorkerSlots::any(100), "worker", LEASE).await.unwrap_or_default()
}

fn number(task: &ClaimedTask) -> u64 {
    task.payload["number"].as_u64().unwrap()
}

async fn unfinished(store: &Arc<SqlStore>) -> Vec<UnfinishedTask> {
    store.unfinished_tasks(None, 1000, SystemClock.now()).await.unwrap()
}

/// Runs tasks until `enough` were run and none came for some time; returns the number of starts of each.
async fn run_all(queue: &NatsQueue, enough: usize, quiet: Duration) -> BTreeMap<u64, usize> {
    let mut starts: BTreeMap<u64, usize> = BTreeMap::new();
    let (started, mut last) = (Instant::now(), Instant::now());
    while starts.len() < enough || last.elapsed() < quiet {
        assert!(started.elapsed() < LONG * 2, "{starts:?}");
        for task in claim(queue).await {
            *starts.entry(number(&task)).or_default() += 1;
            queue.finish(&task).await.unwrap();
            last = Instant::now();
        }
        queue.wait(QUEUE, Duration::from_millis(100)).await;
    }
    starts
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_lost_is_sent_again() {
    let Some(mut server) = NatsServer::prepare("a server that lost its stream") else { return };
    server.start();
    let (store, worker_gauges) = (store().await, Arc::<WorkerGauges>::default());
    let queue = connected(&server.url(), &store, &worker_gauges).await;
    for number in 0..10 {
        // Tasks of users and of the service.
        queue.push(NewTask { owner: (number % 2 == 0).then_some(UserId(4)), ..task(number) }).await.unwrap();
    }
    let held = claim(&queue).await;
    assert!(!held.is_empty() && unfinished(&store).await.len() == 10, "held: {}", held.len());
    server.start_empty();
    let starts = run_all(&queue, 10, RECHECK * 4).await;
    assert_eq!(starts, (0..10).map(|number| (number, 1)).collect(), "each once on the new server");
    assert_eq!(unfinished(&store).await, [], "what ended is gone");
    assert!(worker_gauges.requeued() >= 1, "{}", worker_gauges.requeued());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_or_runs_is_not_sent_again() {
    const TASKS: u64 = 30;
    let Some(url) = testkit::nats::queue("tasks that wait in the stream") else { return };
    let (store, worker_gauges) = (store().await, Arc::<WorkerGauges>::default());
    // Two processes, each with a relay.
    let queue = connected(&url, &store, &worker_gauges).await;
    let _other = connected(&url, &store, &worker_gauges).await;
    for number in 0..TASKS {
        queue.push(task(number)).await.unwrap();
    }
    let slots = WorkerSlots::any(1);
    let long = queue.claim_many(QUEUE, slots, "worker", LEASE).await.unwrap().remove(0);
    let started = Instant::now();
    while started.elapsed() < RECHECK * 10 {
        assert!(queue.renew(&long, LEASE).await.unwrap());
        tokio::time::sleep(RECHECK / 2).await;
    }
    assert_eq!(worker_gauges.requeued(), 0, "the stream has them all");
    assert!(unfinished(&store).await.iter().all(|task| task.state == TaskState::Sent));
    let mut starts = run_all(&queue, TASKS as usize - 1, RECHECK * 4).await;
    queue.finish(&long).await.unwrap();
    *starts.entry(number(&long)).or_default() += 1;
    assert_eq!(starts, (0..TASKS).map(|number| (number, 1)).collect());
    assert_eq!(unfinished(&store).await, []);
    assert_eq!(worker_gauges.requeued(), 0);
}

#[tokio::test]
async fn a_task_is_kept_through_its_tries_until_it_is_given_up() {
    let Some(url) = testkit::nats::queue("the tries of a kept task") else { return };
    let (store, worker_gauges) = (store().await, Arc::<WorkerGauges>::default());
    let queue = connected(&url, &store, &worker_gauges).await;
    let id = queue.push(NewTask { owner: Some(UserId(4)), ..task(1) }).await.unwrap();
    for attempt in 1..=2 {
        let started = Instant::now();
        let held = loop {
            if let Some(held) = claim(&queue).await.pop() {
                break held;
            }
            assert!(started.elapsed() < LONG, "no task came");
        };
        assert_eq!((held.id, held.attempt), (id, attempt), "it keeps its id");
        queue.retry(&held, Duration::from_millis(50), "it failed").await.unwrap();
        let states: Vec<TaskState> = unfinished(&store).await.iter().map(|task| task.state).collect();
        assert_eq!(states.len(), 1, "{states:?}");
        assert_eq!(states[0] == TaskState::Failed, attempt == 2, "{states:?}");
    }
    assert_eq!(unfinished(&store).await[0].last_error, "it failed");
    tokio::time::sleep(RECHECK * 4).await;
    assert_eq!(claim(&queue).await, [], "what was given up is not sent again");
    assert!(store.retry_failed(id, SystemClock.now()).await.unwrap());
    assert_eq!(run_all(&queue, 1, RECHECK).await, [(1, 1)].into());
    assert_eq!(unfinished(&store).await, []);
}
