//! `GET /svc/search/`: saved, subscribed and matching searches, and the number of new results.

use super::update::{numbered, update};
use crate::app_harness::{AppHarness, Client};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

async fn queries(client: &Client, more: &str) -> Vec<String> {
    let answer = client.get(&format!("/svc/search/?{more}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let text = |search: &Value| search["query_string"].as_str().unwrap().to_owned();
    answer.body.as_array().unwrap().iter().map(text).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_are_found_again() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(numbered(&[1])));
    app.provider("Rivers", &source).await;
    let mut ids = Vec::new();
    for query in ["River levels", "lake levels", "50% of rivers"] {
        let id = app.admin.search(&json!({"query_string": query})).await["id"].as_i64().unwrap();
        ids.push(id);
    }
    let path = |id: i64| format!("/svc/search/{id}/");
    let saved = app.admin.patch(&path(ids[0]), &json!({"tags": ["saved", "work"]})).await;
    assert_eq!(
        (saved.status.as_u16(), &saved.body["status"]),
        (200, &json!("FULL_RESULTS_READY")),
        "it does not run"
    );
    app.admin.patch(&path(ids[1]), &json!({"subscribe": true})).await;
    let cases: [(&str, &[&str]); 8] = [
        ("", &["50% of rivers", "lake levels", "River levels"]),
        ("saved=true", &["River levels"]),
        ("subscribed=true", &["lake levels"]),
        ("saved=true&subscribed=true", &[]),
        ("text=river", &["50% of rivers", "River levels"]),
        ("text=0%25", &["50% of rivers"]),
        ("text=RIVER&saved=true", &["River levels"]),
        ("saved=false&text=", &["50% of rivers", "lake levels", "River levels"]),
    ];
    for (more, expected) in cases {
        assert_eq!(queries(&app.admin, more).await, expected, "{more}");
    }
    let page = app.admin.get("/svc/search/?text=LEVELS&items=1&page=1").await.body;
    assert_eq!((&page["count"], &page["results"][0]["query_string"]), (&json!(2), &json!("lake levels")));
    let next = page["next"].as_str().unwrap();
    assert!(next.ends_with("/svc/search/?text=LEVELS&page=2&items=1"), "{next}");
    let second = app.admin.get(&next.replace(&app.base, "")).await.body;
    assert_eq!(second["results"][0]["query_string"], "River levels");
    let paged = app.admin.get("/svc/search/?search_only=true&items=2").await.body;
    assert_eq!((&paged["count"], paged["results"].as_array().unwrap().len()), (&json!(3), 2));
    for more in ["saved=perhaps", &format!("text={}", "x".repeat(256))] {
        assert_eq!(app.admin.get(&format!("/svc/search/?{more}")).await.status, 400, "{more}");
    }
    app.admin.patch(&path(ids[2]), &json!({"tags": ["chat"]})).await;
    assert_eq!(queries(&app.admin, "assistant=false").await, ["lake levels", "River levels"]);
    assert_eq!(queries(&app.admin, "assistant=true").await.len(), 3);
    let other = app.user("other", &[]).await;
    assert_eq!(queries(&other, "text=river").await, Vec::<String>::new());
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn new_results_of_subscriptions_are_counted() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    let answers = [&[1, 2][..], &[2, 3, 4][..]].map(|numbers| Behavior::Json(numbered(numbers)));
    source.reply(Behavior::Sequence(answers.to_vec()));
    app.provider("Rivers", &source).await;
    let spec = json!({"query_string": "river", "subscribe": true});
    let id = app.admin.search(&spec).await["id"].as_i64().unwrap();
    let new = async || app.admin.get("/svc/search/").await.body[0]["new_results"].clone();
    assert_eq!(new().await, 0);
    update(&app.admin, id).await;
    assert_eq!(new().await, 2);
    let path = format!("/svc/results/?search_id={id}&result_mixer=RelevancyNewItemsMixer&mark_all_read=1");
    assert_eq!(app.admin.get(&path).await.status, 200);
    assert_eq!(new().await, 0);
    app.admin.patch(&format!("/svc/search/{id}/"), &json!({"subscribe": false})).await;
    assert!(app.admin.get("/svc/search/").await.body[0].get("new_results").is_none());
    app.stop().await;
}
