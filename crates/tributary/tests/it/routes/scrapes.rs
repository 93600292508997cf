//! A scrape while a server behind the service hangs: it is answered quickly, and names the server.

use crate::app_harness::{Answer, AppHarness, Client};
use domain::secret::Secret;
use domain::settings::Settings;
use std::time::{Duration, Instant};
use testkit::nats::NatsServer;
use testkit::postgres_server::PostgresServer;

const PATHS: [&str; 2] = ["/svc/metrics/tasks/", "/metrics/"];
/// A scrape is answered within 1 s; the timeout of the queue and of the pool is 5 s.
const PATIENCE: Duration = Duration::from_secs(4);
/// This many scrapes must be correct and in time: a busy machine spoils some of them.
const SCRAPES: usize = 3;
const SCRAPES_MAX: usize = 30;
const BACK_WITHIN: Duration = Duration::from_secs(60);

fn has(answer: &Answer, line: &str) -> bool {
    answer.body.as_str().is_some_and(|text| text.lines().any(|found| found == line))
}

/// Makes both scrapes. Returns them and the duration of the slower one.
async fn scrape(client: &Client) -> ([Answer; 2], Duration) {
    let mut slowest = Duration::ZERO;
    let mut answers = Vec::new();
    for path in PATHS {
        let started = Instant::now();
        let answer = client.get(path).await;
        slowest = slowest.max(started.elapsed());
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answers.push(answer);
    }
    (answers.try_into().unwrap(), slowest)
}

/// Scrapes until three were in time and have these lines in the task metrics and in the general metrics.
async fn assert_scrapes_have(client: &Client, of_tasks: &str, of_all: [&str; 2]) {
    let mut good = 0;
    let mut others = Vec::new();
    while good < SCRAPES {
        let ([tasks, general], slowest) = scrape(client).await;
        let has_all = has(&tasks, of_tasks) && of_all.iter().all(|line| has(&general, line));
        if has_all && slowest < PATIENCE {
            good += 1;
        } else {
            others.push((slowest, tasks, general));
        }
        assert!(others.len() < SCRAPES_MAX, "after {slowest:?}: {:?}", others.pop());
    }
}

async fn until_general_has(client: &Client, line: &str) {
    let started = Instant::now();
    loop {
        let ([_, general], _) = scrape(client).await;
        if has(&general, line) {
            return;
        }
        assert!(started.elapsed() < BACK_WITHIN, "{line} is not in {general:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_hangs_keeps_no_scraper_waiting() {
    let Some(server) = PostgresServer::prepare("scrapes while PostgreSQL hangs") else { return };
    server.start();
    let database_url = Secret::new(server.url());
    let app = AppHarness::with(|settings| Settings { database_url, ..settings }).await;
    let stranger = app.with_header("Token trb_nobody-has-this-one");
    until_general_has(&app.admin, "tributary_database_up 1").await;
    server.pause();
    let of_all = ["tributary_database_up 0", "tributary_metrics_collection_error 1"];
    assert_scrapes_have(&app.admin, "tasks_metrics_collection_error 1", of_all).await;
    assert_ne!(
        stranger.get(PATHS[1]).await.status,
        200,
        "only tokens that were verified before are accepted"
    );
    server.resume();
    until_general_has(&app.admin, "tributary_database_up 1").await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broker_that_hangs_keeps_no_scraper_waiting() {
    let Some(mut nats) = NatsServer::prepare("scrapes while NATS hangs") else { return };
    nats.start();
    let queue_url = Secret::new(nats.url());
    let app = AppHarness::with(|settings| Settings { queue_url, ..settings }).await;
    until_general_has(&app.admin, "tributary_nats_up 1").await;
    nats.pause();
    // The last known task metrics are served.
    let of_all = ["tributary_nats_up 0", "tributary_database_up 1"];
    assert_scrapes_have(&app.admin, "tasks_metrics_collection_error 0", of_all).await;
    nats.resume();
    until_general_has(&app.admin, "tributary_nats_up 1").await;
    nats.kill();
    until_general_has(&app.admin, "tributary_nats_up 0").await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scraper_whose_token_was_revoked_is_forgotten() {
    let app = AppHarness::start().await;
    assert_eq!(app.admin.get(PATHS[1]).await.status, 200);
    let tokens = app.admin.get("/svc/tokens/").await;
    let other = app.with_header(&format!("Basic {}", basic()));
    for token in tokens.body["results"].as_array().or(tokens.body.as_array()).unwrap() {
        let gone = other.delete(&format!("/svc/tokens/{}/", token["id"])).await;
        assert_eq!(gone.status, 204, "{gone:?}");
    }
    for path in PATHS {
        assert_eq!(app.admin.get(path).await.status, 401, "{path}");
    }
    app.service.app().store.close().await;
    assert_ne!(app.admin.get(PATHS[1]).await.status, 200, "also while the database is away");
    app.stop().await;
}

fn basic() -> String {
    crate::demo::basic("admin", crate::app_harness::ADMIN_PASSWORD).trim_start_matches("Basic ").to_owned()
}
