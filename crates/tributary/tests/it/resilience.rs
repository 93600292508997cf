//! Sources that rate-limit, fail, hang or flood: none affects the others, and each is named.

use crate::app_harness::{AppHarness, items};
use bytes::Bytes;
use domain::settings::{Seconds, Settings};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

fn two_seconds(settings: Settings) -> Settings {
    Settings { timeout: Seconds::new(2), ..settings }
}

async fn info(app: &AppHarness, provider: &str) -> Value {
    let mixed = app.admin.get("/svc/search/?qs=river").await;
    assert_eq!(mixed.status, 200, "{mixed:?}");
    mixed.body["info"][provider].clone()
}

fn busy(retry_after: &str) -> Behavior {
    let headers = vec![("retry-after".to_owned(), retry_after.to_owned())];
    Behavior::Status { code: 429, headers, body: Bytes::new() }
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_after_is_respected() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    let id = app.provider("Busy", &source).await;
    let in_four_seconds = || {
        let then = std::time::SystemTime::now() + Duration::from_secs(4);
        chrono::DateTime::<chrono::Utc>::from(then).format("%a, %d %b %Y %H:%M:%S GMT").to_string()
    };
    for is_date in [false, true] {
        source.reply(busy(&if is_date { in_four_seconds() } else { "3".to_owned() }));
        let before = source.requests().len();
        assert_eq!(info(&app, "Busy").await["error"]["code"], "rate_limited");
        let asked_at = Instant::now();
        source.reply(Behavior::Json(items("river", 1)));
        let resting = info(&app, "Busy").await;
        assert_eq!(resting["status"], "suspended", "{resting}");
        let sentence = resting["error"]["message"].as_str().unwrap();
        assert!(sentence.contains("it asked for a pause; it is queried again in "), "{sentence}");
        let state = app.admin.get(&format!("/svc/searchproviders/{id}/state/")).await;
        assert_eq!(state.body["state"], "suspended");
        assert_eq!(source.requests().len(), before + 1, "it is left alone");
        while info(&app, "Busy").await["status"] == "suspended" {
            assert!(asked_at.elapsed() < Duration::from_secs(10), "the rest ends");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert!(asked_at.elapsed() >= Duration::from_millis(1900), "not before: {:?}", asked_at.elapsed());
        assert_eq!(source.requests().len(), before + 2);
    }
    let messages = app.admin.get("/svc/search/?qs=river").await.body["messages"].to_string();
    assert!(!messages.contains("Suspended"), "{messages}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_failures_open_the_breaker_and_a_reset_closes_it() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::status(503));
    let id = app.provider("Shaky", &source).await;
    for _ in 0..5 {
        assert_eq!(info(&app, "Shaky").await["status"], "error");
    }
    for _ in 0..3 {
        let open = info(&app, "Shaky").await;
        assert_eq!(open["status"], "suspended", "{open}");
        assert!(open["error"]["message"].as_str().unwrap().contains("it failed several times in a row"));
    }
    assert_eq!(source.requests().len(), 5, "nobody asks while it is open");
    let path = format!("/svc/searchproviders/{id}/state/");
    let state = app.admin.get(&path).await.body;
    assert_eq!((&state["state"], &state["failures_in_a_row"]), (&json!("open"), &json!(5)), "{state}");
    let search = app.admin.search(&json!({"query_string": "river"})).await;
    assert_eq!(search["status"], "PARTIAL_RESULTS_READY", "a suspended source has not delivered");

    source.reply(Behavior::Json(items("river", 1)));
    assert_eq!(app.admin.delete(&path).await.status, 204);
    assert_eq!(info(&app, "Shaky").await["status"], "ok");
    assert_eq!(app.admin.get(&path).await.body["state"], "closed");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hanging_source_costs_nothing_once_its_breaker_is_open() {
    let app =
        AppHarness::with(|settings| Settings { timeout: Seconds(Duration::from_millis(700)), ..settings })
            .await;
    let (good, hanging) = (Source::start().await, Source::start().await);
    good.reply(Behavior::Json(items("river", 1)));
    hanging.reply(Behavior::Hang);
    app.provider("Good", &good).await;
    app.provider("Hanging", &hanging).await;
    for _ in 0..5 {
        let mixed = app.admin.get("/svc/search/?qs=river").await;
        assert_eq!(mixed.body["info"]["Hanging"]["status"], "timeout", "{}", mixed.body["info"]);
    }
    let asked = hanging.requests().len();
    let mixed = app.admin.get("/svc/search/?qs=river").await;
    assert_eq!(mixed.body["info"]["Hanging"]["status"], "suspended");
    assert_eq!(mixed.body["info"]["Hanging"]["search_time"], 0.0, "nobody waits for it");
    assert_eq!(mixed.body["info"]["Good"]["status"], "ok");
    assert_eq!(hanging.requests().len(), asked, "nobody asks it");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn passing_failures_are_tried_again_as_the_provider_says() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    let shaky = || {
        Behavior::Sequence(vec![
            Behavior::status(503),
            Behavior::status(502),
            Behavior::Json(items("river", 1)),
        ])
    };
    let usage = |retries: u32| json!({"config": {"swirl": {"connector_use": {"retry_count": retries, "backoff_seconds": 0.05}}}});
    source.reply(shaky());
    app.provider_with("Twice", &source, usage(2)).await;
    let mixed = app.admin.get("/svc/search/?qs=river").await;
    assert_eq!(mixed.body["info"]["Twice"]["status"], "ok", "{}", mixed.body);
    assert_eq!(source.requests().len(), 3);
    let messages = mixed.body["messages"].to_string();
    assert!(messages.contains("attempt 1 failed") && messages.contains("attempt 2 failed"), "{messages}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_of_requests_is_kept() {
    let app = AppHarness::with(two_seconds).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    let budget = json!({"config": {"swirl": {"connector_use": {"rate_limit": "2/minute"}}}});
    app.provider_with("Careful", &source, budget).await;
    for _ in 0..2 {
        assert_eq!(info(&app, "Careful").await["status"], "ok");
    }
    let used = info(&app, "Careful").await;
    assert_eq!(used["status"], "suspended");
    assert!(used["error"]["message"].as_str().unwrap().contains("rate_limit"), "{used}");
    assert_eq!(source.requests().len(), 2);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn equal_searches_of_one_person_share_a_call_and_of_two_do_not() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)).delayed(Duration::from_millis(400)));
    app.provider("Rivers", &source).await;
    let other = app.user("otto", &[]).await;
    let (one, two, three, others) = tokio::join!(
        app.admin.get("/svc/search/?qs=river"),
        app.admin.get("/svc/search/?qs=river"),
        app.admin.get("/svc/search/?qs=lake"),
        other.get("/svc/search/?qs=river"),
    );
    for answer in [one, two, three, others] {
        assert_eq!(answer.body["info"]["Rivers"]["status"], "ok");
    }
    assert_eq!(source.requests().len(), 3, "river and lake of the admin, river of otto");
    app.stop().await;
}

/// Each misbehaving source fails or is cut off, and the results of the good one come within the deadline.
#[tokio::test(flavor = "multi_thread")]
async fn floods_bombs_and_drips_affect_no_other_source() {
    let app =
        AppHarness::with(|settings| Settings { outbound_body_max_mb: 2, ..two_seconds(settings) }).await;
    let good = Source::start().await;
    good.reply(Behavior::Json(items("river", 2)));
    app.provider("Good", &good).await;
    let deep = "[".repeat(100_000);
    let entities = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">\
                    <!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d \"&c;&c;&c;&c;&c;&c;&c;&c;\">]><items><item><title>&d;</title></item></items>";
    let rude = [
        ("Hanging", Behavior::Hang),
        ("Dripping", Behavior::Drip { byte_every: Duration::from_millis(300), total: 1000 }),
        ("Flooding", Behavior::Huge { bytes: 10 * 1024 * 1024 * 1024 }),
        ("Bombing", Behavior::GzipBomb { bytes: 512 * 1024 * 1024 }),
        ("Nesting", Behavior::text("application/json", deep)),
    ];
    let entity_source = Source::start().await;
    entity_source.reply(Behavior::Xml(entities.to_owned()));
    app.provider_with("Entities", &entity_source, json!({"response_mappings": "RESULTS=items.item"})).await;
    let mut sources = Vec::new();
    for (name, behavior) in &rude {
        let source = Source::start().await;
        source.reply(behavior.clone());
        app.provider(name, &source).await;
        sources.push(source);
    }
    let memory_before = resident_mb();
    let mixed = app.admin.get("/svc/search/?qs=river").await;
    let took = mixed.body["info"]["results"]["federation_time"].as_f64().unwrap();
    assert!(took < 4.0, "the deadline of 2 s is kept, also on a busy machine: {took}");
    assert_eq!(mixed.body["info"]["Good"]["retrieved"], 2);
    for (name, _) in rude {
        let status = mixed.body["info"][name]["status"].as_str().unwrap();
        assert!(["error", "timeout"].contains(&status), "{name} is {status}: {}", mixed.body["info"][name]);
        assert!(mixed.body["messages"].to_string().contains(name), "{name} is named");
    }
    let expanded = mixed.body.to_string().matches("aaaaaaaaaa").count();
    assert_eq!(expanded, 0, "entities of a document are not expanded");
    let grown = resident_mb().saturating_sub(memory_before);
    assert!(grown < 200, "memory grew by {grown} MB");
    app.stop().await;
}

/// The memory of this process; 0 if the system does not report it.
fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
