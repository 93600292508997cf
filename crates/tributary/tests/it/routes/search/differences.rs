//! What `docs/quirks.md` says to clients and records of a similar product about searches and their results.

use crate::app_harness::{Answer, AppHarness, items};
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

async fn app_with(body: Value) -> (AppHarness, Source) {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(body));
    (app, source)
}

async fn mixed(app: &AppHarness, search: &Value, more: &str) -> Value {
    let answer = app.admin.get(&format!("/svc/results/?search_id={}{more}", search["id"])).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.body
}

#[tokio::test(flavor = "multi_thread")]
async fn status_and_messages_are_read_only_and_display_settings_run_nothing() {
    let (app, source) = app_with(items("river", 2)).await;
    app.provider("Rivers", &source).await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    let path = format!("/svc/search/{}/", search["id"]);
    for change in [
        json!({"status": "NEW_SEARCH"}),
        json!({"status": "FULL_RESULTS_READY", "messages": ["mine"]}),
        json!({"sort": "date"}),
        json!({"results_requested": 5}),
        json!({"result_mixer": "DateMixer"}),
    ] {
        let edited = app.admin.patch(&path, &change).await;
        assert_eq!(edited.status, 200, "{change}: {edited:?}");
        assert_eq!(edited.body["status"], "FULL_RESULTS_READY", "{change}");
        assert!(!edited.body["messages"].to_string().contains("mine"), "{}", edited.body);
    }
    for field in ["date_created", "date_updated"] {
        assert!(search[field].as_str().is_some_and(|time| time.ends_with('Z')), "{search}");
    }
    assert_eq!(source.requests().len(), 1);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_of_providers_may_follow_a_space() {
    let (app, source) = app_with(items("river", 1)).await;
    for name in ["Rivers", "Lakes", "Seas"] {
        app.provider(name, &source).await;
    }
    let answer = app.admin.get("/svc/search/?qs=river&providers=Rivers,%20Lakes").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.body["info"]["completeness"]["asked"], 2, "{}", answer.body["info"]);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_that_cannot_run_says_why_with_status_200() {
    let app = AppHarness::start().await;
    let answer: Answer = app.admin.get("/svc/search/?qs=river").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.body["results"], json!([]));
    let messages = answer.body["messages"].to_string();
    assert!(messages.contains("provider"), "{messages}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_after_the_last_one_is_empty() {
    let (app, source) = app_with(items("river", 1)).await;
    app.provider("Rivers", &source).await;
    app.admin.search(&json!({"query_string": "river"})).await;
    let answer = app.admin.get("/svc/search/?page=9&items=5").await;
    assert_eq!((answer.status.as_u16(), &answer.body["count"]), (200, &json!(1)), "{answer:?}");
    assert_eq!((&answer.body["results"], &answer.body["next"]), (&json!([]), &Value::Null));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn results_of_a_block_have_their_own_list() {
    let (app, source) = app_with(items("river", 2)).await;
    app.provider_with(
        "Rivers",
        &source,
        json!({"result_mappings": "title=title,body=body,url=url,BLOCK=water"}),
    )
    .await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    let mixed = mixed(&app, &search, "").await;
    assert_eq!(mixed["water"].as_array().map(Vec::len), Some(2), "{mixed}");
    assert_eq!(mixed["results"], json!([]));
    let blocks = &mixed["info"]["results"]["result_blocks"];
    assert!(blocks.as_array().is_some_and(|blocks| blocks.contains(&json!("water"))), "{blocks}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn found_counts_what_sources_have_and_retrieved_what_is_listed() {
    let dated =
        json!({"title": "river 1", "body": "river", "url": "https://a.example/1", "date": "2024-03-05"});
    let undated = json!({"title": "river 2", "body": "river bank", "url": "https://a.example/2"});
    let (app, source) = app_with(json!({"total": 40, "items": [dated, undated]})).await;
    app.provider("Rivers", &source).await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    let mixed = mixed(&app, &search, "&result_mixer=DateMixer").await;
    let counts = &mixed["info"]["results"];
    assert_eq!((&counts["found_total"], &counts["retrieved_total"]), (&json!(40), &json!(1)), "{mixed}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_success_counts_and_found_is_at_least_what_came() {
    let body = json!({"total": 1, "items": items("river", 3)["items"]});
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Status {
        code: 201,
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: body.to_string().into(),
    });
    app.provider("Rivers", &source).await;
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    assert_eq!(search["status"], "FULL_RESULTS_READY");
    let info = &mixed(&app, &search, "").await["info"]["Rivers"];
    assert_eq!((&info["found"], &info["retrieved"]), (&json!(3), &json!(3)), "{info}");
    app.stop().await;
}
