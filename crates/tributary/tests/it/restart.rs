//! `kill -9` in the middle of searches: nothing accepted is lost or duplicated.

use crate::app_harness::{Client, items};
use crate::program::{Running, program};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use testkit::source::{Behavior, Source};

const PASSWORD: &str = "a password for tests";

fn serve(folder: &Path) -> Running {
    let mut command = program(folder, &["serve", "--port", "0"]);
    command.env("SVC_ADMIN_PASSWORD", PASSWORD).env("SVC_TIMEOUT", "5");
    Running::start(command)
}

fn admin(running: &Running) -> Client {
    running.client(Some(crate::demo::basic("admin", PASSWORD)))
}

/// The results of a search as its owner sees them: ids and URLs.
async fn rows(client: &Client, id: i64) -> Vec<(i64, String)> {
    let mixed = client.get(&format!("/svc/results/?search_id={id}&result_mixer=RelevancyMixer")).await;
    assert_eq!(mixed.status, 200, "{mixed:?}");
    let row = |item: &Value| (item["swirl_id"].as_i64().unwrap(), item["url"].as_str().unwrap().to_owned());
    mixed.body["results"].as_array().unwrap().iter().map(row).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_survive_kill_nine() {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 4)).delayed(Duration::from_millis(700)));
    let mut running = serve(folder.path());
    let client = admin(&running);
    for name in ["One", "Two"] {
        let provider = json!({
            "name": name,
            "url": source.url(),
            "response_mappings": "FOUND=total,RESULTS=items",
            "result_mappings": format!(
                "title='{{title}} of {name}',body=body,url='https://{name}.example/{{title}}'"
            ),
        });
        assert_eq!(client.post("/svc/searchproviders/", &provider).await.status, 201);
    }
    let mut accepted = Vec::new();
    for round in 0..4_u64 {
        let client = admin(&running);
        for number in 0..5 {
            let spec = json!({"query_string": format!("river {round} {number}"), "results_requested": 50});
            let created = client.post("/svc/search/", &spec).await;
            assert_eq!(created.status, 201);
            accepted.push(created.body["id"].as_i64().unwrap());
        }
        tokio::time::sleep(Duration::from_millis(250 * round)).await;
        running.kill();
        running = serve(folder.path());
    }
    assert_eq!(accepted.len(), 20);
    let client = admin(&running);
    let mut ids = std::collections::BTreeSet::new();
    for id in accepted {
        let search = client.ready(id).await;
        assert_eq!(search["status"], "FULL_RESULTS_READY", "{search}");
        let rows = rows(&client, id).await;
        assert_eq!(rows.len(), 8, "search {id}: both sources, nothing lost, nothing doubled: {rows:?}");
        for (row, _) in rows {
            assert!(ids.insert(row), "result id {row} is used twice");
        }
    }
}

/// A thousand searches while the program is killed at random moments. Prints its seed.
#[tokio::test(flavor = "multi_thread")]
async fn a_thousand_searches_survive_random_kills() {
    const SEARCHES: usize = 1000;
    const KILLS: u32 = 6;
    let seed: u64 = rand::random();
    eprintln!("seed {seed}");
    let mut moments = StdRng::seed_from_u64(seed);
    let folder = tempfile::tempdir().unwrap();
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 3)));
    let mut running = serve(folder.path());
    let provider =
        json!({"name": "One", "url": source.url(), "response_mappings": "FOUND=total,RESULTS=items"});
    assert_eq!(admin(&running).post("/svc/searchproviders/", &provider).await.status, 201);

    let mut accepted = Vec::new();
    for kill in 0..=KILLS {
        let client = admin(&running);
        let wanted = SEARCHES * (kill as usize + 1) / (KILLS as usize + 1) - accepted.len();
        // Some requests are in flight at the kill; only those that were answered count.
        let lifetime = Duration::from_millis(moments.random_range(0..150));
        accepted.extend(post_searches(&client, wanted).await);
        if kill < KILLS {
            let more = tokio::time::timeout(lifetime, post_searches(&client, 5)).await;
            accepted.extend(more.unwrap_or_default());
            running.kill();
            running = serve(folder.path());
        }
    }
    assert!(accepted.len() >= SEARCHES);
    let client = admin(&running);
    let mut ids = std::collections::BTreeSet::new();
    for id in accepted {
        let search = client.ready(id).await;
        assert_eq!(search["status"], "FULL_RESULTS_READY", "seed {seed}: {search}");
        let rows = rows(&client, id).await;
        assert_eq!(rows.len(), 3, "seed {seed}: search {id}: {rows:?}");
        for (row, _) in rows {
            assert!(ids.insert(row), "seed {seed}: result id {row} is used twice");
        }
    }
}

/// Posts searches one after the other. Returns the ids of the accepted ones.
async fn post_searches(client: &Client, count: usize) -> Vec<i64> {
    let mut accepted = Vec::new();
    for _ in 0..count {
        let created = client.post("/svc/search/", &json!({"query_string": "river"})).await;
        assert_eq!(created.status, 201);
        accepted.push(created.body["id"].as_i64().unwrap());
    }
    accepted
}

#[tokio::test(flavor = "multi_thread")]
async fn a_graceful_stop_finishes_what_runs() {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)).delayed(Duration::from_millis(800)));
    let running = serve(folder.path());
    let client = admin(&running);
    let provider = json!({"name": "One", "url": source.url(), "response_mappings": "RESULTS=items"});
    assert_eq!(client.post("/svc/searchproviders/", &provider).await.status, 201);
    let created = client.post("/svc/search/", &json!({"query_string": "river"})).await;
    let id = created.body["id"].as_i64().unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(running.terminate(), Some(0));
    assert_eq!(source.requests().len(), 1);
    let running = serve(folder.path());
    let search = admin(&running).get(&format!("/svc/search/{id}/")).await;
    assert_eq!(search.body["status"], "FULL_RESULTS_READY", "it was finished before the stop");
}
