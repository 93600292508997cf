//! `kill -9` in the middle of searches: nothing accepted is lost, nothing is doubled.

use crate::house::{Client, items};
use crate::program::{Running, program};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use testkit::source::{Behaviour, Source};

const PASSWORD: &str = "a password for tests";

fn serve(folder: &Path) -> Running {
    let mut command = program(folder, &["serve", "--port", "0"]);
    command.env("SVC_ADMIN_PASSWORD", PASSWORD).env("SVC_TIMEOUT", "5");
    Running::start(command)
}

fn admin(running: &Running) -> Client {
    running.client(Some(crate::demo::basic("admin", PASSWORD)))
}

/// The rows that a search left, as its owner sees them: ids and urls.
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
    source.reply(Behaviour::Json(items("river", 4)).delayed(Duration::from_millis(700)));
    let mut running = serve(folder.path());
    let client = admin(&running);
    for name in ["One", "Two"] {
        let provider = json!({
            "name": name,
            "url": source.url(),
            "response_mappings": "FOUND=total,RESULTS=items",
            "result_mappings": format!("title=title,body=body,url='https://{name}.example/{{title}}'"),
        });
        assert_eq!(client.post("/svc/searchproviders/", &provider).await.status, 201);
    }
    let mut accepted = Vec::new();
    for round in 0..4_u64 {
        let client = admin(&running);
        for number in 0..5 {
            let draft = json!({"query_string": format!("river {round} {number}"), "results_requested": 50});
            let created = client.post("/svc/search/", &draft).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn a_graceful_stop_finishes_what_runs() {
    let folder = tempfile::tempdir().unwrap();
    let source = Source::start().await;
    source.reply(Behaviour::Json(items("river", 2)).delayed(Duration::from_millis(800)));
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
