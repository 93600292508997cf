//! `/svc/timings/` and its page: the times of the last searches, step by step.

use crate::app_harness::{ADMIN_PASSWORD, AppHarness, items};
use crate::browser::Browser;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

const PATH: &str = "/svc/timings/";
/// How long the slow source takes.
const SLOW: Duration = Duration::from_millis(300);
const PATIENCE: Duration = Duration::from_secs(20);

/// The times, once this many searches have ended. A search ends a moment after its results are ready.
async fn timings(app: &AppHarness, count: usize) -> Value {
    let started = Instant::now();
    loop {
        let answer = app.admin.get(PATH).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        if answer.body["searches"].as_array().unwrap().len() == count {
            return answer.body;
        }
        assert!(started.elapsed() < PATIENCE, "{}", answer.body);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn micros(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Begin and end of a step or of a part of a source's work.
fn span(value: &Value) -> (u64, u64) {
    (micros(&value["begin_us"]), micros(&value["end_us"]))
}

fn time(value: &Value) -> DateTime<Utc> {
    value.as_str().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_is_shown_step_by_step() {
    let app = AppHarness::start().await;
    let (fast, slow, broken) = (Source::start().await, Source::start().await, Source::start().await);
    fast.reply(Behavior::Json(items("river", 3)));
    slow.reply(Behavior::Json(items("harbor", 2)).delayed(SLOW));
    broken.reply(Behavior::status(500));
    for (name, source) in [("Fast", &fast), ("Slow", &slow), ("Broken", &broken)] {
        app.provider(name, source).await;
    }
    let person = app.user("wilhelmina", &[]).await;
    person.search(&json!({"query_string": "canary"})).await;
    let first = app.admin.get(PATH).await.body;
    assert_eq!(first["searches"], json!([]), "nobody had looked before");
    let kept_for = time(&first["recording_until"]) - time(&first["recording_since"]);
    assert_eq!(kept_for.num_minutes(), 10);

    let waited = person.get("/svc/search/?qs=canary").await;
    assert_eq!(waited.status, 200, "{waited:?}");
    let view = timings(&app, 1).await;
    assert_eq!(view["recording_since"], first["recording_since"]);
    assert!(time(&view["recording_until"]) > time(&first["recording_until"]), "it was prolonged");
    let text = view.to_string();
    assert!(!text.contains("canary") && !text.contains("wilhelmina"), "{text}");
    let one = &view["searches"][0];
    assert_eq!(one["search"], waited.body["info"]["search"]["id"]);
    assert_eq!(one["request"], waited.header("x-request-id"));
    assert_eq!(
        (&one["status"], &one["results"], &one["sources_total"]),
        (&json!("PARTIAL_RESULTS_READY"), &json!(5), &json!(3))
    );
    assert_steps(one);
    assert_sources(one);
    app.stop().await;
}

fn assert_steps(one: &Value) {
    let steps = one["steps"].as_array().unwrap();
    let names: Vec<&str> = steps.iter().map(|step| step["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["queue", "prepare", "sources", "scoring", "storing", "response"], "{one}");
    let mut end_before = 0;
    let mut sum = 0;
    for step in steps {
        let (begin, end) = span(step);
        assert!(end_before <= begin && begin <= end, "{one}");
        assert!(step["name"] == "response" || begin == end_before, "there is no gap: {one}");
        (end_before, sum) = (end, sum + end - begin);
    }
    let total = micros(&one["total_us"]);
    assert!(end_before == total && sum <= total, "{sum} of {total}: {one}");
    let (begin, end) = span(&steps[2]);
    assert!(end - begin >= SLOW.as_micros() as u64, "it waited for the slow source: {one}");
    let sources_begin = begin;
    let (begin, end) = span(&steps[3]);
    let parts = one["parts"].as_array().unwrap();
    let names: Vec<&str> = parts.iter().map(|part| part["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["status", "slot", "post_result"], "{one}");
    for part in parts {
        let (part_begin, part_end) = span(part);
        // The status is written while the sources are queried.
        let from = if part["name"] == "status" { sources_begin } else { begin };
        assert!(from <= part_begin && part_end <= end, "{one}");
    }
}

fn assert_sources(one: &Value) {
    let sources = one["sources"].as_array().unwrap();
    let source = |name: &str| sources.iter().find(|source| source["name"] == name).unwrap();
    let (begin, end) = span(&one["steps"][2]);
    for source in sources {
        let (fetch_begin, fetch_end) = span(&source["fetch"]);
        assert!(begin <= fetch_begin && fetch_begin <= fetch_end && fetch_end <= end, "{source}");
    }
    let (fetch_begin, fetch_end) = span(&source("Slow")["fetch"]);
    assert!(fetch_end - fetch_begin >= SLOW.as_micros() as u64);
    let (processing_begin, _) = span(&source("Slow")["processing"]);
    assert!(fetch_end <= processing_begin);
    assert_eq!((&source("Fast")["status"], &source("Fast")["results"]), (&json!("ok"), &json!(3)));
    let broken = source("Broken");
    assert_eq!((&broken["status"], &broken["processing"]), (&json!("error"), &Value::Null));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_searches_come_first() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    app.provider("Rivers", &source).await;
    timings(&app, 0).await;
    let mut ids = Vec::new();
    for count in 1..=3 {
        ids.push(app.admin.search(&json!({"query_string": "river"})).await["id"].clone());
        timings(&app, count).await;
    }
    ids.reverse();
    let searches = |body: &Value| -> Vec<Value> {
        body["searches"].as_array().unwrap().iter().map(|one| one["search"].clone()).collect()
    };
    assert_eq!(searches(&timings(&app, 3).await), ids);
    assert_eq!(searches(&app.admin.get("/svc/timings/?searches=2").await.body), ids[..2]);
    for (count, status) in [("1", 200), ("200", 200), ("0", 400), ("201", 400), ("many", 400)] {
        assert_eq!(app.admin.get(&format!("{PATH}?searches={count}")).await.status, status, "{count}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_administrators_see_them() {
    let app = AppHarness::start().await;
    let ann = app.user("ann", &[]).await;
    assert_eq!(ann.get(PATH).await.status, 403);
    assert_eq!(app.anonymous().get(PATH).await.status, 401);
    let mut admin = Browser::signed_in(&app.base, "admin", ADMIN_PASSWORD).await;
    let page = admin.get("/admin/timings/").await;
    assert_eq!(page.status, 200);
    assert!(page.body.as_str().unwrap().contains("Search times"), "{}", page.body);
    let mut ann = Browser::signed_in(&app.base, "ann", "password of ann").await;
    assert_eq!(ann.get("/admin/timings/").await.status, 403);
    app.stop().await;
}
