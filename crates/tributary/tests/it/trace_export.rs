//! Export of searches as OpenTelemetry traces to a collector, which may hang, refuse or be absent.

use crate::app_harness::{Answer, AppHarness, items};
use domain::secret::Secret;
use domain::settings::Settings;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Recorded, Source};
use tributary::app::{App, FileReaders};

const PATIENCE: Duration = Duration::from_secs(20);
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// A service with one source that exports to this address.
async fn exporting_to(endpoint: &str) -> (AppHarness, Source) {
    let app = AppHarness::with(|settings| Settings {
        otlp_endpoint: endpoint.to_owned(),
        otlp_headers: Secret::new("X-Tenant=canary-tenant, Authorization=Bearer canary-bearer"),
        ..settings
    })
    .await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 3)));
    app.provider("Rivers", &source).await;
    (app, source)
}

/// A search for which the request waits, within the trace of the client.
async fn search(app: &AppHarness) -> Answer {
    let request = app.admin.request(Method::GET, "/svc/search/?qs=canary-query");
    let answer = Answer::of(request.header("X-Request-ID", format!("00-{TRACE}-{PARENT}-01"))).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.body["results"].as_array().map(Vec::len), Some(3), "{answer:?}");
    answer
}

/// The first request that the collector received.
async fn received(collector: &Source) -> Recorded {
    let started = Instant::now();
    loop {
        if let Some(request) = collector.requests().into_iter().next() {
            return request;
        }
        assert!(started.elapsed() < PATIENCE, "nothing was exported");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until the metrics contain this line.
async fn counted(app: &AppHarness, line: &str) {
    let started = Instant::now();
    loop {
        let metrics = app.admin.get("/metrics/").await.body;
        let metrics = metrics.as_str().unwrap();
        if metrics.lines().any(|known| known == line) {
            return;
        }
        assert!(started.elapsed() < PATIENCE, "{line}: {metrics}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn spans(request: &Recorded) -> Vec<Value> {
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let resource = &body["resourceSpans"][0];
    let named = json!({"key": "service.name", "value": {"stringValue": "tributary"}});
    assert!(resource["resource"]["attributes"].as_array().unwrap().contains(&named), "{body}");
    resource["scopeSpans"][0]["spans"].as_array().unwrap().clone()
}

fn nanos(value: &Value) -> u128 {
    value.as_str().unwrap().parse().unwrap()
}

fn attribute<'a>(span: &'a Value, key: &str) -> &'a Value {
    let attributes = span["attributes"].as_array().unwrap();
    attributes.iter().find(|one| one["key"] == key).map_or(&Value::Null, |one| &one["value"])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_receives_the_steps_of_a_search() {
    let collector = Source::start().await;
    collector.reply_at("/v1/traces", Behavior::Json(json!({})));
    let (app, _source) = exporting_to(collector.url().as_str()).await;
    let id = search(&app).await.body["info"]["search"]["id"].clone();
    let request = received(&collector).await;
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/traces"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("x-tenant"), Some("canary-tenant"));
    assert_eq!(request.header("authorization"), Some("Bearer canary-bearer"));
    let text = String::from_utf8_lossy(&request.body);
    assert!(!text.contains("canary"), "no query and no secret: {text}");

    let spans = spans(&request);
    let root = &spans[0];
    assert_eq!((&root["name"], &root["parentSpanId"]), (&json!("search"), &json!(PARENT)));
    assert_eq!(attribute(root, "search.id"), &json!({"intValue": id.to_string()}));
    let (begin, end) = (nanos(&root["startTimeUnixNano"]), nanos(&root["endTimeUnixNano"]));
    for span in &spans {
        assert_eq!((&span["traceId"], span["spanId"].as_str().map(str::len)), (&json!(TRACE), Some(16)));
        let (from, to) = (nanos(&span["startTimeUnixNano"]), nanos(&span["endTimeUnixNano"]));
        assert!(begin <= from && from <= to && to <= end, "{span}");
    }
    assert!(spans[1..].iter().all(|span| span["parentSpanId"] == root["spanId"]), "{spans:?}");
    let names: Vec<&str> = spans.iter().map(|span| span["name"].as_str().unwrap()).collect();
    for step in ["queue", "prepare", "sources", "scoring", "storing", "response", "fetch", "processing"] {
        assert!(names.contains(&step), "{step}: {names:?}");
    }
    let fetch = spans.iter().find(|span| span["name"] == "fetch").unwrap();
    assert_eq!(attribute(fetch, "provider.name"), &json!({"stringValue": "Rivers"}));
    counted(&app, "tributary_traces_exported_total 1").await;

    let settings = app.admin.get("/svc/settings/").await.body.to_string();
    assert!(settings.contains("SVC_OTLP_HEADERS") && !settings.contains("canary"), "{settings}");
    let timings = app.admin.get("/svc/timings/").await.body;
    assert_eq!(timings["recording_until"], Value::Null, "recorded before anybody looked, and always");
    assert_eq!(timings["searches"].as_array().map(Vec::len), Some(1));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_fails_does_no_harm_to_searches() {
    let (hanging, refusing) = (Source::start().await, Source::start().await);
    hanging.reply(Behavior::Hang);
    refusing.reply(Behavior::status(403));
    let (redirecting, rejecting) = (Source::start().await, Source::start().await);
    redirecting.reply(Behavior::text("text/html", "<h1>Sign in</h1>"));
    redirecting.reply_at("/v1/traces", Behavior::redirect("/sign-in", 302));
    rejecting
        .reply(Behavior::Json(json!({"partialSuccess": {"rejectedSpans": "9", "errorMessage": "full"}})));
    let sources = [&hanging, &refusing, &redirecting, &rejecting];
    // Nothing listens at the last address.
    let endpoints =
        sources.iter().map(|source| source.url().to_string()).chain(["http://127.0.0.1:1".to_owned()]);
    for (place, endpoint) in endpoints.enumerate() {
        let (app, _source) = exporting_to(&endpoint).await;
        search(&app).await;
        if place > 0 {
            counted(&app, "tributary_traces_dropped_total 1").await;
        } else {
            received(&hanging).await;
        }
        search(&app).await;
        let started = Instant::now();
        app.stop().await;
        assert!(started.elapsed() < PATIENCE, "{endpoint}: the service does not stop");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shutdown_exports_the_rest() {
    let collector = Source::start().await;
    collector.reply(Behavior::Json(json!({})));
    let (app, _source) = exporting_to(collector.url_at("/custom/traces").as_str()).await;
    search(&app).await;
    app.stop().await;
    let requests = collector.requests();
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0].path, "/custom/traces");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_recorded_or_sent_by_default() {
    let app = AppHarness::start().await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 3)));
    app.provider("Rivers", &source).await;
    search(&app).await;
    assert!(app.service.app().trace_export.is_none());
    assert_eq!(app.admin.get("/svc/timings/").await.body["searches"], json!([]));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_address_is_reported_at_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings {
        data_dir: folder.path().display().to_string(),
        otlp_endpoint: "collector:4318".to_owned(),
        ..Settings::default()
    };
    let error = App::build(settings, FileReaders::Threads).await.err().unwrap();
    let text = error.to_string();
    assert!(text.contains("SVC_OTLP_ENDPOINT") && text.contains("collector:4318"), "{text}");
}
