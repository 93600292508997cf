//! A cluster of three NATS servers: tasks survive the loss of one server with its disk.
#![expect(clippy::unwrap_used, reason = "a test may fail")]

use async_nats::jetstream;
use domain::ids::UserId;
use domain::ports::{NewTask, QueueName, SystemClock, TaskQueue, WorkerSlots};
use domain::secret::Secret;
use serde_json::json;
use std::collections::BTreeSet;
use std::net::TcpListener;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{EncryptionKey, SqlStore, StoreConfig};
use tasks::queue::{NatsConfig, NatsQueue};
use testkit::nats::NatsServer;

const QUEUE: QueueName = QueueName::Search;
const LEASE: Duration = Duration::from_secs(10);
/// Time limit of steps that are fast unless they hang.
const LONG: Duration = Duration::from_secs(60);

/// A cluster of three servers.
fn cluster() -> Option<Vec<NatsServer>> {
    let listeners = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let routes = listeners.map(|listener| format!("nats://{}", listener.local_addr().unwrap()));
    let mut servers = Vec::new();
    for (number, route) in routes.iter().enumerate() {
        let server = NatsServer::prepare("a cluster of NATS servers")?.with(&[
            "-n",
            &format!("server-{number}"),
            "--cluster_name",
            "cluster",
            "--cluster",
            route,
            "--routes",
            &routes.join(","),
        ]);
        servers.push(server);
    }
    servers.iter_mut().for_each(NatsServer::start);
    Some(servers)
}

/// Waits until a stream with three replicas can be created.
async fn wait_for_peers(servers: &[NatsServer]) {
    let context = jetstream::new(async_nats::connect(servers[0].url()).await.unwrap());
    let probe = || jetstream::stream::Config {
        name: "probe".to_owned(),
        num_replicas: 3,
        ..jetstream::stream::Config::default()
    };
    let started = Instant::now();
    while context.get_or_create_stream(probe()).await.is_err() {
        assert!(started.elapsed() < LONG, "the servers do not find each other");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

async fn open(servers: &[NatsServer]) -> NatsQueue {
    let key = EncryptionKey::from_secret(&Secret::new("a test key"));
    let config = StoreConfig { url: Secret::new("sqlite::memory:"), pool_max: 4, key };
    let store = Arc::new(SqlStore::open(config).await.unwrap());
    let urls: Vec<String> = servers.iter().map(NatsServer::url).collect();
    let config = NatsConfig::new(Secret::new(urls.join(",")), LEASE);
    let queue = NatsQueue::open(config, store, Arc::new(SystemClock)).await.unwrap();
    queue.connected(LONG).await.unwrap();
    queue
}

fn task(number: u64) -> NewTask {
    let payload = json!({"number": number});
    NewTask { queue: QUEUE, name: "note".to_owned(), payload, attempts_max: 5, owner: Some(UserId(1)) }
}

/// Claims until there were `enough` different tasks.
async fn run(queue: &NatsQueue, enough: usize) -> Vec<u64> {
    let (started, mut numbers) = (Instant::now(), BTreeSet::new());
    while numbers.len() < enough {
        assert!(started.elapsed() < LONG, "{numbers:?}");
        let claimed = queue.claim_many(QUEUE, WorkerSlots::any(4), "worker", LEASE).await.unwrap_or_default();
        for task in claimed {
            numbers.insert(task.payload["number"].as_u64().unwrap());
            let _not_heard_during_an_election = queue.finish(&task).await;
        }
        queue.wait(QUEUE, Duration::from_millis(100)).await;
    }
    numbers.into_iter().collect()
}

async fn copies(url: &str) -> usize {
    let context = jetstream::new(async_nats::connect(url).await.unwrap());
    let started = Instant::now();
    loop {
        if let Ok(stream) = context.get_stream("tributary").await {
            return stream.cached_info().config.num_replicas;
        }
        assert!(started.elapsed() < LONG, "no stream");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_outlive_a_server_of_a_cluster() {
    let Some(mut servers) = cluster() else { return };
    wait_for_peers(&servers).await;
    let queue = open(&servers).await;
    queue.push(task(0)).await.unwrap();
    assert_eq!(run(&queue, 1).await, [0]);
    assert_eq!(copies(&servers[0].url()).await, 3);
    for number in 1..=5 {
        queue.push(task(number)).await.unwrap();
    }
    drop(servers.remove(0)); // with its disk
    assert_eq!(run(&queue, 5).await, [1, 2, 3, 4, 5]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_alone_keeps_one_copy() {
    let Some(mut server) = NatsServer::prepare("a server of NATS alone") else { return };
    server.start();
    let queue = open(std::slice::from_ref(&server)).await;
    queue.push(task(0)).await.unwrap();
    assert_eq!(run(&queue, 1).await, [0]);
    assert_eq!(copies(&server.url()).await, 1);
}
