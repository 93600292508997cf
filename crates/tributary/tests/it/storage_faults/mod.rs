//! The disk is full, or the database is gone, in the middle of searches: responses say so, nothing accepted is lost,
//! nothing is corrupted, and the service recovers without a restart. Prints its numbers.

mod every_nth_write;

use crate::app_harness::{Answer, Client, items};
use crate::program::{Running, program};
use serde_json::json;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use testkit::postgres_server::PostgresServer;
use testkit::small_disk::SmallDisk;
use testkit::source::{Behavior, Source};

const PASSWORD: &str = "a password for tests";
const RESULTS: usize = 3;
/// Searches that are running when the fault begins.
const UNDER_WAY: usize = 8;
/// Refusals to observe while the disk is full.
const REFUSALS: usize = 20;
/// Requests that may succeed on the full disk: the file has some free space.
const POSTS_MAX: usize = 2_000;
/// How long the disk stays full after that, so that workers try and fail.
const FULL_FOR: Duration = Duration::from_secs(4);
/// The timeout of the pool is 5 s; the rest is for a busy machine.
const REFUSED_WITHIN: Duration = Duration::from_secs(8);
const BACK_WITHIN: Duration = Duration::from_secs(20);

fn serve(folder: &Path, database: Option<String>) -> Running {
    let mut command = program(folder, &["serve", "--port", "0"]);
    command.env("SVC_ADMIN_PASSWORD", PASSWORD).env("SVC_TASK_LEASE", "3").stderr(Stdio::null());
    // One user posts until the disk is full.
    command.env("SVC_THROTTLE_SEARCH", "None").env("SVC_SEARCHES_WAITING_MAX", "0");
    if let Some(url) = database {
        command.env("SVC_DATABASE_URL", url);
    }
    Running::start(command)
}

/// A source that responds after a moment, and its provider.
async fn slow_source(client: &Client) -> Source {
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", RESULTS)).delayed(Duration::from_millis(500)));
    let provider =
        json!({"name": "One", "url": source.url(), "response_mappings": "FOUND=total,RESULTS=items"});
    assert_eq!(client.post("/svc/searchproviders/", &provider).await.status, 201);
    source
}

async fn post(client: &Client, number: usize) -> Answer {
    client.post("/svc/search/", &json!({"query_string": format!("river {number}")})).await
}

async fn accepted(client: &Client, number: usize) -> i64 {
    let created = post(client, number).await;
    assert_eq!(created.status, 201, "{created:?}");
    created.body["id"].as_i64().unwrap()
}

/// Every search has ended with every result, each once.
async fn assert_all_ended(client: &Client, searches: &[i64]) {
    for id in searches {
        let search = client.ready(*id).await;
        assert_eq!(search["status"], "FULL_RESULTS_READY", "{search}");
        let mixed = client.get(&format!("/svc/results/?search_id={id}")).await;
        let rows = mixed.body["results"].as_array().map(Vec::len);
        assert_eq!(rows, Some(RESULTS), "search {id}: {mixed:?}");
    }
}

/// A refusal tells people what they need to know, and reveals nothing internal.
fn assert_no_internals(answer: &Answer) {
    let said = answer.body["detail"].as_str().unwrap().to_lowercase();
    assert!(!said.is_empty(), "{answer:?}");
    for word in ["sqlite", "postgres", "127.0.0.1", "disk is full", "pool", "table", "/tmp"] {
        assert!(!said.contains(word), "{answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_refuses_and_recovers() {
    let Some(disk) = SmallDisk::mount("12m") else { return };
    let running = serve(disk.path(), None);
    let client = running.client(Some(crate::demo::basic("admin", PASSWORD)));
    let _source = slow_source(&client).await;
    let mut searches = Vec::new();
    for number in 0..UNDER_WAY {
        searches.push(accepted(&client, number).await);
    }
    disk.fill();
    let mut refusals = 0;
    for number in 0..POSTS_MAX {
        disk.fill(); // a file that shrank gives nothing away
        let answer = post(&client, number).await;
        match answer.status.as_u16() {
            201 => searches.push(answer.body["id"].as_i64().unwrap()),
            507 => {
                assert_eq!(answer.code(), "storage_full");
                assert_no_internals(&answer);
                refusals += 1;
            }
            _ => panic!("neither accepted nor refused for the disk: {answer:?}"),
        }
        if refusals == REFUSALS {
            break;
        }
    }
    assert_eq!(refusals, REFUSALS, "the disk is full");
    tokio::time::sleep(FULL_FOR).await;
    for path in ["/svc/search/", "/svc/searchproviders/", &format!("/svc/search/{}/", searches[0])] {
        let read = client.get(path).await;
        assert_eq!(read.status, 200, "reading works: {read:?}");
    }
    disk.empty();
    for number in 0..UNDER_WAY {
        searches.push(accepted(&client, number).await);
    }
    assert_all_ended(&client, &searches).await;
    assert_eq!(running.terminate(), Some(0));
    assert_intact(disk.path(), searches.len()).await;
    eprintln!(
        "{} searches accepted, all ready; {refusals} refused with 507; the file is sound",
        searches.len()
    );
}

/// The database file is intact and contains exactly the accepted searches.
async fn assert_intact(folder: &Path, searches: usize) {
    let file = folder.join("data").join("tributary.db");
    let mut file = SqliteConnectOptions::new().filename(file).connect().await.unwrap();
    let found: String = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&mut file).await.unwrap();
    assert_eq!(found, "ok");
    let stored: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM searches").fetch_one(&mut file).await.unwrap();
    assert_eq!(usize::try_from(stored), Ok(searches), "what was refused left nothing");
    file.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_is_gone_refuses_and_recovers() {
    let Some(server) = PostgresServer::prepare("the database that is gone") else { return };
    server.start();
    let folder = tempfile::tempdir().unwrap();
    let running = serve(folder.path(), Some(server.url()));
    let client = running.client(Some(crate::demo::basic("admin", PASSWORD)));
    let _source = slow_source(&client).await;
    let mut searches = Vec::new();
    for mode in ["fast", "immediate"] {
        for number in 0..UNDER_WAY {
            searches.push(accepted(&client, number).await);
        }
        server.stop(mode);
        let mut slowest = Duration::ZERO;
        for number in 0..3 {
            let asked = Instant::now();
            let (written, read) = tokio::join!(post(&client, number), client.get("/svc/search/"));
            slowest = slowest.max(asked.elapsed());
            for refused in [written, read] {
                assert_eq!((refused.status.as_u16(), refused.code()), (503, "unavailable"), "{refused:?}");
                assert_ne!(refused.header("retry-after"), "", "{refused:?}");
                assert_no_internals(&refused);
            }
        }
        assert!(slowest < REFUSED_WITHIN, "{slowest:?}");
        server.start();
        let (back, first) = until_accepted(&client).await;
        searches.push(first);
        assert_all_ended(&client, &searches).await;
        eprintln!(
            "{mode}: refused with 503 within {:.1} s; accepted again {:.1} s after the start; {} searches, all ready",
            slowest.as_secs_f64(),
            back.as_secs_f64(),
            searches.len()
        );
    }
    assert_eq!(running.terminate(), Some(0));
}

/// The time until a search was accepted, and its id. Until then only 503 is correct.
async fn until_accepted(client: &Client) -> (Duration, i64) {
    let started = Instant::now();
    loop {
        let answer = post(client, 0).await;
        if answer.status == 201 {
            return (started.elapsed(), answer.body["id"].as_i64().unwrap());
        }
        assert_eq!(answer.status, 503, "{answer:?}");
        assert!(started.elapsed() < BACK_WITHIN, "it does not come back: {answer:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
