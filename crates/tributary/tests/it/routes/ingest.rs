//! `POST /svc/ingest/`: what is accepted, what is refused, and the outcome.

use crate::app_harness::{Answer, AppHarness, Client, items, licensed, long_text};
use domain::settings::Settings;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

const INGEST: &str = "/svc/ingest/";

#[track_caller]
fn assert_is(answer: &Answer, status: u16, code: &str, what: &str) {
    assert_eq!((answer.status.as_u16(), answer.code()), (status, code), "{what}: {answer:?}");
}

async fn ingest(client: &Client, payload: Value) -> Answer {
    client.post(INGEST, &payload).await
}

/// A source whose pages are long enough.
async fn source_with_page(path: &str) -> Source {
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 2)));
    let page =
        format!("<html><title>Levels</title><body><main><p>{}</p></main></body></html>", long_text("levels"));
    source.reply_at(path, Behavior::text("text/html", page));
    source
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_of_ones_own_is_kept_for_oneself() {
    let app = AppHarness::with(licensed).await;
    let (ann, ben) = (app.user("ann", &[]).await, app.user("ben", &[]).await);
    let url = "https://h.example/report?utm_source=mail#part";
    let given = json!({"url": url, "title": "Report", "body": long_text("dams"), "matter_tags": ["MATTER:dam"], "wait": true});
    let kept = ingest(&ann, given.clone()).await;
    assert_eq!(kept.status, 200, "{kept:?}");
    let keys: Vec<&String> = kept.body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["signal_id", "state", "job_id", "upgraded", "message"]);
    assert_eq!((&kept.body["state"], &kept.body["upgraded"]), (&json!("indexed"), &json!(false)));
    let id = kept.body["signal_id"].as_i64().unwrap();
    let document = ann.get(&format!("/svc/cache/{id}/")).await.body;
    assert_eq!(
        (&document["url"], &document["title"]),
        (&json!("https://h.example/report"), &json!("Report"))
    );
    assert_eq!((&document["matter_tags"], &document["is_supplied"]), (&json!(["dam"]), &json!(true)));
    // Ingesting the document again gives the same document.
    let again = ingest(&ann, given).await;
    assert_eq!(again.body["signal_id"], id, "{again:?}");
    for hidden in [&ben, &app.admin] {
        assert_eq!(hidden.get(&format!("/svc/cache/{id}/")).await.status, 404);
        assert_eq!(hidden.get("/svc/cache/").await.body, json!([]));
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_fetched_by_the_rules_of_its_provider() {
    let app = AppHarness::with(licensed).await;
    let source = source_with_page("/page").await;
    let provider = app.provider("Rivers", &source).await;
    let ann = app.user("ann", &[]).await;
    let given = json!({"url": source.url_at("/page")});
    let accepted = app.ingest_from_provider(&ann, (provider, &source), given.clone()).await;
    assert_eq!((accepted.status.as_u16(), &accepted.body["state"]), (202, &json!("known")), "{accepted:?}");
    assert!(accepted.body["job_id"].is_i64() && accepted.body["message"].is_string());
    let path = format!("/svc/cache/{}/", accepted.body["signal_id"]);
    let started = Instant::now();
    let document = loop {
        let answer = ann.get(&path).await;
        assert_eq!(answer.status, 200, "the person who requested it sees its progress");
        if answer.body["state"] == "indexed" {
            break answer.body;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{answer:?}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert_eq!((&document["title"], &document["source_provider"]), (&json!("Levels"), &json!("Rivers")));
    assert!(document["chunk_count"].as_u64().unwrap() > 0 && document["body_bytes"].as_u64().unwrap() > 0);
    // It is already cached, so nothing has to be done.
    let again = app.ingest_from_provider(&ann, (provider, &source), given).await;
    assert_eq!((again.status.as_u16(), &again.body["job_id"]), (202, &Value::Null), "{again:?}");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused() {
    let app = AppHarness::with(licensed).await;
    let source = source_with_page("/page").await;
    let provider = app.provider_with("Rivers", &source, json!({"shared": false})).await;
    let (ann, ben) = (app.user("ann", &[]).await, app.user("ben", &[]).await);
    let search = app.admin.search(&json!({"query_string": "river"})).await["id"].clone();
    let result = app.admin.get("/svc/results/").await.body[0]["id"].clone();
    for (given, field) in [
        (json!({}), "url"),
        (json!({"url": "nowhere"}), "url"),
        (json!({"url": "https://h.example/", "search_id": 1}), "url"),
        (json!({"search_id": search}), "swirl_id"),
        (json!({"url": 7}), "url"),
        (json!({"url": "https://h.example/", "wait": "yes"}), "wait"),
        (json!({"url": "https://h.example/", "matter_tags": vec!["t"; 51]}), "matter_tags"),
        (json!({"url": "https://h.example/", "matter_tags": ["a", "matter:"]}), "matter_tags"),
    ] {
        let answer = ingest(&ann, given.clone()).await;
        assert_is(&answer, 400, "invalid", &given.to_string());
        assert!(answer.body["errors"].get(field).is_some(), "{given}: {answer:?}");
    }
    for (client, given, status, code) in [
        (&ben, json!({"search_id": search, "swirl_id": result}), 404, "not_found"),
        (&app.admin, json!({"search_id": search, "swirl_id": 999_999}), 404, "not_found"),
        (&app.admin, json!({"search_id": 999_999, "swirl_id": result}), 404, "not_found"),
        (&ann, json!({"url": source.url_at("/page"), "provider_id": provider}), 403, "permission_denied"),
        (&ann, json!({"url": source.url_at("/page"), "provider_id": 999_999}), 403, "permission_denied"),
    ] {
        let answer = ingest(client, given.clone()).await;
        assert_is(&answer, status, code, &given.to_string());
    }
    // The supplied text is too short, so the document is fetched instead.
    let given = json!({"url": source.url_at("/page"), "wait": true, "body": "short"});
    let answer = app.ingest_from_provider(&app.admin, (provider, &source), given).await;
    assert_is(&answer, 200, "", "a text of one word");
    let short = Behavior::text("text/html", "<html><body><p>A few words only.</p></body></html>");
    source.reply_at("/short", short);
    let given = json!({"url": source.url_at("/short"), "wait": true});
    let answer = app.ingest_from_provider(&app.admin, (provider, &source), given).await;
    assert_is(&answer, 422, "impossible", "a page of a few words");
    assert!(answer.body["detail"].as_str().unwrap().contains("40"), "{answer:?}");
    app.stop().await;

    let app = AppHarness::start().await;
    let closed = ingest(&app.admin, json!({"url": "https://h.example/"})).await;
    assert_is(&closed, 402, "cache_unlicensed", "no license");
    app.stop().await;
}

/// The text of a document may be larger than other bodies, up to its own limit.
#[tokio::test(flavor = "multi_thread")]
async fn the_limit_of_a_text() {
    let settings =
        |settings| Settings { request_body_max_mb: 1, storage_max_body_mb: 2, ..licensed(settings) };
    let app = AppHarness::with(settings).await;
    let text = |bytes: usize| "words of a river ".repeat(bytes / 17);
    for (bytes, status) in [(1_500_000, 202), (2_500_000, 413)] {
        let answer = ingest(&app.admin, json!({"url": "https://h.example/", "body": text(bytes)})).await;
        assert_eq!(answer.status.as_u16(), status, "{bytes}: {}", answer.body["detail"]);
    }
    let other = app.admin.post("/svc/search/", &json!({"query_string": text(1_500_000)})).await;
    assert_is(&other, 413, "too_large", "any other body");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_with_a_key_gets_the_first_answer() {
    let app = AppHarness::with(licensed).await;
    let ann = app.user("ann", &[]).await;
    let post = async |key: &str, body: &Value| {
        let request = ann.request(reqwest::Method::POST, INGEST).header("Content-Type", "application/json");
        Answer::of(request.header("Idempotency-Key", key).body(body.to_string())).await
    };
    let given = json!({"url": "https://h.example/report", "title": "Report", "body": long_text("dams"), "wait": true});
    let first = post("key-1", &given).await;
    assert_eq!((first.status.as_u16(), first.header("idempotent-replayed")), (200, ""), "{first:?}");
    let unkeyed = ingest(&ann, given.clone()).await;
    assert_ne!(unkeyed.body, first.body, "it is there already");
    let again = post("key-1", &given).await;
    assert_eq!((again.status.as_u16(), again.header("idempotent-replayed")), (200, "true"), "{again:?}");
    assert_eq!(again.body, first.body);

    let mut other = given.clone();
    other["title"] = json!("Another");
    assert_is(&post("key-1", &other).await, 422, "idempotency_key_reused", "another body");
    assert_is(&post("key-2", &json!({})).await, 400, "invalid", "no document");
    assert_eq!(post("key-2", &given).await.status, 200, "what was refused takes no key");
    let searched = ann.request(reqwest::Method::POST, "/svc/search/").header("Idempotency-Key", "key-1");
    let searched = searched.header("Content-Type", "application/json").body(r#"{"query_string": "river"}"#);
    assert_is(&Answer::of(searched).await, 422, "idempotency_key_reused", "another route");
    app.stop().await;
}
