//! Searches while NATS hangs or is down: they finish nevertheless, and none runs again afterwards.

use crate::app_harness::{Client, items};
use crate::program::Running;
use crate::reconciler::{WorkerProcess, admin, node, wait_for_messages, wait_until_ended};
use serde_json::json;
use std::process::Stdio;
use std::time::{Duration, Instant};
use testkit::nats::NatsServer;
use testkit::source::{Behavior, Source};

/// Short, so that a redelivery comes soon.
const LEASE: u64 = 8;
/// More than a web process runs at once.
const SEARCHES: usize = 20;

/// A web process and a source.
struct Installation {
    folder: tempfile::TempDir,
    nats: NatsServer,
    source: Source,
    web: Running,
    client: Client,
    posted: usize,
}

impl Installation {
    async fn start(suite: &str) -> Option<Self> {
        let mut nats = NatsServer::prepare(suite)?;
        nats.start();
        let folder = tempfile::tempdir().unwrap();
        let source = Source::start().await;
        source.reply(Behavior::Json(items("river", 3)));
        let mut command = node(folder.path(), &nats.url(), "web");
        command.env("SVC_TASK_LEASE", LEASE.to_string());
        let web = Running::start(command);
        let client = admin(&web);
        let provider =
            json!({"name": "One", "url": source.url(), "response_mappings": "FOUND=total,RESULTS=items"});
        assert_eq!(client.post("/svc/searchproviders/", &provider).await.status, 201);
        Some(Self { folder, nats, source, web, client, posted: 0 })
    }

    fn worker(&self) -> WorkerProcess {
        let mut command = node(self.folder.path(), &self.nats.url(), "search,maintenance,beat");
        command.env("SVC_TASK_LEASE", LEASE.to_string()).stdout(Stdio::null());
        WorkerProcess(command.spawn().unwrap())
    }

    async fn post(&mut self, count: usize) -> Vec<i64> {
        let mut accepted = Vec::new();
        for _ in 0..count {
            self.posted += 1;
            let spec = json!({"query_string": format!("river {}", self.posted)});
            let created = self.client.post("/svc/search/", &spec).await;
            assert_eq!(created.status, 201, "{created:?}");
            accepted.push(created.body["id"].as_i64().unwrap());
        }
        accepted
    }

    async fn wait_until_all_ended(&self, searches: &[i64]) {
        let started = Instant::now();
        for id in searches {
            assert_eq!(
                wait_until_ended(&self.client, *id, started).await,
                "FULL_RESULTS_READY",
                "search {id}"
            );
        }
        eprintln!("{} searches ended after {:?}", searches.len(), started.elapsed());
    }

    /// Waits until NATS has redelivered everything, and counts the runs.
    async fn assert_none_ran_twice(self) {
        let started = Instant::now();
        while self.nats.messages("tributary").1 > 0 {
            assert!(started.elapsed() < Duration::from_secs(60), "messages stay in NATS");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        tokio::time::sleep(Duration::from_secs(LEASE * 2)).await;
        assert_eq!(self.source.requests().len(), self.posted, "each ran once");
        assert_eq!(self.web.terminate(), Some(0));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_end_while_nats_hangs_and_none_runs_twice_afterwards() {
    let Some(mut installation) = Installation::start("searches while NATS hangs").await else { return };
    let _worker = installation.worker();
    let before = installation.post(3).await;
    installation.wait_until_all_ended(&before).await;
    installation.nats.pause();
    let accepted = installation.post(SEARCHES).await;
    installation.wait_until_all_ended(&accepted).await;
    // Some are accepted and run at the moment when NATS continues.
    let accepted = installation.post(3).await;
    installation.nats.resume();
    installation.wait_until_all_ended(&accepted).await;
    let after = installation.post(3).await;
    installation.wait_until_all_ended(&after).await;
    installation.assert_none_ran_twice().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_process_alone_ends_searches_while_nats_is_dead() {
    let Some(mut installation) = Installation::start("searches while NATS is dead").await else { return };
    let sent = installation.post(1).await;
    wait_for_messages(&installation.nats).await;
    installation.nats.kill();
    let accepted = installation.post(SEARCHES).await;
    installation.wait_until_all_ended(&accepted).await;
    installation.nats.start();
    let _worker = installation.worker();
    installation.wait_until_all_ended(&sent).await;
    installation.assert_none_ran_twice().await;
}
