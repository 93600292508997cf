//! A cluster of PostgreSQL, NATS, two web and two worker processes. Workers are killed with `kill -9` at random moments
//! and NATS is restarted; nothing accepted is lost or duplicated. Prints its numbers and its seed.

use crate::app_harness::{Client, items};
use crate::program::{Running, program};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use testkit::nats::NatsServer;
use testkit::source::{Behavior, Source};

const PASSWORD: &str = "a password for tests";
const SEARCHES: usize = 200;
const KILLS: usize = 8;
/// NATS is restarted after this kill.
const NATS_FALLS_AT: usize = 4;
const RESULTS: usize = 3;

/// What all nodes share.
struct Cluster {
    folder: PathBuf,
    database: String,
    queue: String,
}

/// A process without the web role. Killed when dropped.
struct WorkerProcess(Child);

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        let _gone_already = self.0.kill();
        let _gone_already = self.0.wait();
    }
}

impl Cluster {
    fn node(&self, name: &str, roles: &str) -> Command {
        let folder = self.folder.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let mut command = program(&folder, &["serve", "--port", "0", "--roles", roles]);
        command
            .env("SVC_DATABASE_URL", &self.database)
            .env("SVC_QUEUE_URL", &self.queue)
            .env("SVC_SECRET_KEY", "the key that all nodes of the cluster share")
            .env("SVC_ADMIN_PASSWORD", PASSWORD)
            .env("SVC_TASK_LEASE", "3")
            .env("SVC_LOG_LEVEL", "info")
            .stderr(Stdio::null());
        command
    }

    fn web(&self, name: &str) -> Running {
        Running::start(self.node(name, "web"))
    }

    fn worker(&self, name: &str) -> WorkerProcess {
        let roles = "search,page_fetch,interactive,maintenance,corpus,health_check,beat";
        WorkerProcess(self.node(name, roles).stdout(Stdio::null()).spawn().unwrap())
    }
}

fn admin(web: &Running) -> Client {
    web.client(Some(crate::demo::basic("admin", PASSWORD)))
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_survive_the_death_of_workers_and_of_nats() {
    let suite = "the cluster form";
    let (Some(postgres), Some(nats)) = (testkit::postgres::server(suite), NatsServer::prepare(suite)) else {
        return;
    };
    testkit::postgres::with_database(&postgres, |database| run_under_kills(database, nats)).await;
}

async fn run_under_kills(database: String, mut nats: NatsServer) {
    let seed: u64 = rand::random();
    eprintln!("seed {seed}");
    nats.start();
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster { folder: folder.path().to_owned(), database, queue: nats.url() };
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", RESULTS)).delayed(Duration::from_millis(300)));
    let webs = [cluster.web("web-1"), cluster.web("web-2")];
    let clients = webs.each_ref().map(admin);
    let provider =
        json!({"name": "One", "url": source.url(), "response_mappings": "FOUND=total,RESULTS=items"});
    assert_eq!(clients[0].post("/svc/searchproviders/", &provider).await.status, 201);
    let workers = [cluster.worker("worker-1"), cluster.worker("worker-2")];

    let started = Instant::now();
    let (accepted, _workers) = tokio::join!(
        post_searches(&clients),
        kill_workers(&cluster, workers, &mut nats, StdRng::seed_from_u64(seed))
    );
    assert_eq!(accepted.len(), SEARCHES);
    let mut results = BTreeSet::new();
    for (number, id) in accepted.iter().enumerate() {
        let client = &clients[(number + 1) % 2]; // not the node that accepted it
        let search = client.ready(*id).await;
        assert_eq!(search["status"], "FULL_RESULTS_READY", "seed {seed}: {search}");
        let rows = rows(client, *id).await;
        assert_eq!(rows.len(), RESULTS, "seed {seed}: search {id}: {rows:?}");
        for row in rows {
            assert!(results.insert(row), "seed {seed}: result id {row} is used twice");
        }
    }
    let (sent, _) = nats.messages("tributary");
    assert!(sent >= SEARCHES as u64 / 2, "searches went through NATS while it was there: {sent}");
    for web in webs {
        assert_eq!(web.terminate(), Some(0));
    }
    eprintln!(
        "{SEARCHES} searches accepted, all ready; {} results, none doubled; {KILLS} kills of workers, 1 of NATS; \
         the source was asked {} times; {:.1} s",
        results.len(),
        source.requests().len(),
        started.elapsed().as_secs_f64()
    );
}

/// Posts to both web processes in turn, over the time of the kills.
async fn post_searches(clients: &[Client; 2]) -> Vec<i64> {
    let mut accepted = Vec::new();
    for number in 0..SEARCHES {
        let spec = json!({"query_string": format!("river {number}")});
        let created = clients[number % 2].post("/svc/search/", &spec).await;
        assert_eq!(created.status, 201, "also while NATS is away: {created:?}");
        accepted.push(created.body["id"].as_i64().unwrap());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    accepted
}

/// Kills and restarts workers from time to time, and NATS once.
async fn kill_workers(
    cluster: &Cluster,
    mut workers: [WorkerProcess; 2],
    nats: &mut NatsServer,
    mut moments: StdRng,
) -> [WorkerProcess; 2] {
    for kill in 0..KILLS {
        tokio::time::sleep(Duration::from_millis(moments.random_range(400..2000))).await;
        let victim = moments.random_range(0..workers.len());
        workers[victim].0.kill().unwrap();
        workers[victim].0.wait().unwrap();
        if kill == NATS_FALLS_AT {
            nats.kill();
            tokio::time::sleep(Duration::from_millis(moments.random_range(500..2000))).await;
            nats.start();
        }
        workers[victim] = cluster.worker(&format!("worker-{}", victim + 1));
    }
    workers
}

/// The ids of the results of a search.
async fn rows(client: &Client, id: i64) -> Vec<i64> {
    let mixed = client.get(&format!("/svc/results/?search_id={id}&result_mixer=RelevancyMixer")).await;
    assert_eq!(mixed.status, 200, "{mixed:?}");
    let id = |item: &Value| item["swirl_id"].as_i64().unwrap();
    mixed.body["results"].as_array().unwrap().iter().map(id).collect()
}
