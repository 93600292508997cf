//! Responses of sources that are small on the wire and very large in memory.

use crate::app_harness::AppHarness;
use domain::settings::Settings;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use testkit::source::{Behavior, Source};

/// The error that is reported for a source with this response.
async fn reported_error(app: &AppHarness, media: &str, body: String) -> Value {
    let source = Source::start().await;
    source.reply(Behavior::text(media, body));
    let name = format!("Source {}", source.address().port());
    let id = app.provider(&name, &source).await;
    let search = app.admin.search(&json!({"query_string": "rivers", "searchprovider_list": [id]})).await;
    let results = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await;
    results.body["info"][&name].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_very_many_values_is_an_error_of_its_source() {
    // Enough memory for the maximum number of values.
    let app = AppHarness::with(|settings| Settings { answer_memory_mb: 512, ..settings }).await;
    let lists = |count: usize| format!(r#"{{"total": 1, "items": [{}[0]]}}"#, "[0],".repeat(count));
    let objects = format!(r#"{{"total": 1, "items": [{}{{}}]}}"#, r#"{"a":{}},"#.repeat(150_000));
    let elements = format!("<feed>{}</feed>", "<item/>".repeat(250_000));
    let (many, dense) = ("more than 200,000 ", "more than 16 MB of memory");
    for (media, body, why) in [
        ("application/json", lists(2_000_000), many),
        ("application/json", objects, dense),
        ("application/xml", elements, many),
    ] {
        let info = reported_error(&app, media, body).await;
        assert_eq!(info["error"]["code"], "unreadable", "{info}");
        let said = info["error"]["message"].as_str().unwrap();
        assert!(said.contains(why), "{said}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_needs_more_memory_than_a_search_may_use_names_the_setting() {
    let app = AppHarness::with(|settings| Settings { answer_memory_mb: 4, ..settings }).await;
    let values = format!(r#"{{"total": 1, "items": [{}[0]]}}"#, "[0],".repeat(20_000));
    let large = format!(r#"{{"total": 1, "items": ["{}"]}}"#, "x".repeat(3 * 1024 * 1024));
    for body in [values, large] {
        let info = reported_error(&app, "application/json", body).await;
        assert_eq!(info["error"]["code"], "unreadable", "{info}");
        assert!(info["error"]["message"].as_str().unwrap().contains("SVC_ANSWER_MEMORY_MB"), "{info}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn large_answers_wait_for_memory_and_all_are_read() {
    let app = AppHarness::with(|settings| Settings { answer_memory_mb: 16, ..settings }).await;
    let item = |number: usize| {
        let numbers: BTreeMap<String, usize> = (0..200).map(|place| (format!("n{place}"), place)).collect();
        json!({"title": format!("River {number}"), "url": format!("https://a.example/{number}"), "numbers": numbers})
    };
    let items: Vec<Value> = (0..100).map(item).collect();
    let body = json!({"total": 100, "items": items}).to_string();
    assert!(body.len() > 64 * 1024);
    let mut providers = Vec::new();
    let mut sources = Vec::new();
    for number in 0..6 {
        let source = Source::start().await;
        source.reply(Behavior::text("application/json", body.clone()));
        providers.push(app.provider(&format!("Large {number}"), &source).await);
        sources.push(source);
    }
    let search = app.admin.search(&json!({"query_string": "river", "searchprovider_list": providers})).await;
    assert_eq!(search["status"], "FULL_RESULTS_READY", "{search}");
    let results = app.admin.get(&format!("/svc/results/?search_id={}", search["id"])).await;
    for number in 0..6 {
        assert_eq!(
            results.body["info"][format!("Large {number}")]["retrieved"],
            10,
            "{}",
            results.body["info"]
        );
    }
    app.stop().await;
}
