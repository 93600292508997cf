//! `messages` of a search: the log of the federation.

use crate::app_harness::{AppHarness, items};
use domain::settings::{Seconds, Settings};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

fn lines(search: &Value) -> Vec<&str> {
    search["messages"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_messages_of_a_search_tell_what_each_source_did() {
    let app = AppHarness::start().await;
    let rivers = Source::start().await;
    rivers.reply(Behavior::Json(items("river", 2)));
    app.provider("Rivers", &rivers).await;
    let broken = Source::start().await;
    broken.reply(Behavior::status(500));
    app.provider("Broken", &broken).await;

    let created = app.admin.post("/svc/search/", &json!({"query_string": "river"})).await.body;
    assert_eq!(lines(&created).len(), 1, "{created}");
    let search = app.admin.ready(created["id"].as_i64().unwrap()).await;
    let told = lines(&search);
    assert_eq!(told[0], format!("Tributary {}", domain::VERSION));
    for line in [
        "] Retrieved 2 of 2 results from: Rivers",
        "] Error: Broken: the source failed (HTTP 500 Internal Server Error)",
        "] CosineRelevancyPostResultProcessor updated 2 results",
    ] {
        assert_eq!(told.iter().filter(|one| one.ends_with(line)).count(), 1, "{line}: {told:?}");
    }
    assert!(told[1..].is_sorted(), "by time: {told:?}");

    let path = format!("/svc/search/{}/", search["id"]);
    let changed = app.admin.patch(&path, &json!({"tags": ["kept"]})).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let list = app.admin.get("/svc/search/").await.body;
    for shown in [&changed.body, &list[0]] {
        assert_eq!(shown["messages"], search["messages"]);
    }
    let mixed = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await.body;
    let shared = lines(&mixed);
    assert_eq!(shared[..shared.len() - 1], told, "the results tell the same, and the mixer");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_messages_of_a_source_that_timed_out_say_what_was_asked() {
    let app = AppHarness::with(|settings| Settings { timeout: Seconds::new(2), ..settings }).await;
    let asleep = Source::start().await;
    asleep.reply(Behavior::Hang);
    let provider = app.provider("Asleep", &asleep).await;
    let path = format!("/svc/searchproviders/{provider}/");
    let changed = app.admin.patch(&path, &json!({"query_mappings": "NOT_CHAR=-"})).await;
    assert_eq!(changed.status, 200, "{changed:?}");

    let mixed = app.admin.get("/svc/search/?qs=river%20NOT%20lake").await.body;
    let info = &mixed["info"]["Asleep"];
    assert_eq!(info["status"], "timeout", "{mixed}");
    assert_eq!(info["query_string_to_provider"], "river -lake", "{mixed}");
    assert!(info["query_to_provider"].as_str().unwrap().contains("river+-lake"), "{mixed}");
    let told = lines(&mixed).join("\n");
    assert!(told.contains("rewrote Asleep's query"), "{told}");
    assert!(told.contains("Timeout: Asleep"), "{told}");
    app.stop().await;
}
