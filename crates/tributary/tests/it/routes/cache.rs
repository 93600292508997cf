//! `/svc/cache/…`: a person's own documents, liveness checks, removal; and statistics for administrators.

use crate::app_harness::{AppHarness, Client, items, licensed, long_text};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

const CHECK: &str = "/svc/cache/check_liveness/";
const UNINDEX: &str = "/svc/cache/unindex/";

async fn keep(client: &Client, payload: Value) -> i64 {
    let mut payload = payload;
    payload["wait"] = json!(true);
    let kept = client.post("/svc/ingest/", &payload).await;
    assert_eq!(kept.status, 200, "{kept:?}");
    kept.body["signal_id"].as_i64().unwrap()
}

async fn keep_text(client: &Client, url: &str, title: &str) -> i64 {
    keep(client, json!({"url": url, "title": title, "body": long_text(title)})).await
}

async fn size(client: &Client, id: i64) -> Value {
    client.get(&format!("/svc/cache/{id}/")).await.body["size"].clone()
}

fn page(title: &str, etag: &str) -> Behavior {
    let body =
        format!("<html><title>{title}</title><body><main><p>{}</p></main></body></html>", long_text(title));
    let headers =
        vec![("content-type".to_owned(), "text/html".to_owned()), ("etag".to_owned(), format!("\"{etag}\""))];
    Behavior::Status { code: 200, headers, body: body.into() }
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_listed_for_who_may_see_them() {
    let app = AppHarness::with(licensed).await;
    let (ann, ben) = (app.user("ann", &[]).await, app.user("ben", &[]).await);
    let mut ids = Vec::new();
    for number in 0..3 {
        ids.push(keep_text(&ann, &format!("https://h.example/{number}"), &format!("Dam {number}")).await);
    }
    keep_text(&ben, "https://h.example/bens", "A weir").await;
    let all = ann.get("/svc/cache/").await;
    assert_eq!(all.header("x-total-count"), "3");
    let rows = all.body.as_array().unwrap();
    let found: Vec<i64> = rows.iter().map(|row| row["signal_id"].as_i64().unwrap()).collect();
    assert_eq!(found, [ids[2], ids[1], ids[0]], "the newest first");
    let keys: Vec<&String> = rows[0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "signal_id",
            "title",
            "url",
            "source_provider",
            "state",
            "origin",
            "liveness",
            "last_verified",
            "stale",
            "indexed_at",
            "body_bytes",
            "chunk_count",
            "matter_tags",
        ]
    );
    // A supplied text was never compared with a source.
    assert_eq!((&rows[0]["state"], &rows[0]["stale"]), (&json!("indexed"), &json!(true)));

    let paged = ann.get("/svc/cache/?page=1&items=2&text=dam&state=indexed").await.body;
    assert_eq!((&paged["count"], paged["results"].as_array().unwrap().len()), (&json!(3), 2));
    let next = paged["next"].as_str().unwrap();
    assert!(next.ends_with("/svc/cache/?text=dam&state=indexed&page=2&items=2"), "{next}");
    for (query, count) in [("text=Dam+1", 1), ("text=weir", 0), ("state=pinned", 0), ("matter_tag=x", 0)] {
        let found = ann.get(&format!("/svc/cache/?{query}")).await.body;
        assert_eq!(found.as_array().unwrap().len(), count, "{query}");
    }
    for bad in ["state=lost", "page=0", "items=101"] {
        assert_eq!(ann.get(&format!("/svc/cache/?{bad}")).await.status, 400, "{bad}");
    }
    assert_eq!(ben.get("/svc/cache/").await.body.as_array().unwrap().len(), 1);
    assert_eq!(app.admin.get("/svc/cache/").await.body, json!([]), "an administrator has no right to it");

    let one = ann.get(&format!("/svc/cache/{}/", ids[0])).await.body;
    assert_eq!((&one["signal_id"], &one["lineage"]["version_label"]), (&json!(ids[0]), &json!("")));
    assert_eq!((&one["mime"], &one["language"]), (&json!("text/plain"), &json!("en")));
    assert!(one.get("content_hash").is_none() && one.get("body_key").is_none());
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_asked_whether_a_document_is_still_there() {
    let app = AppHarness::with(licensed).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    source.reply_at("/page", page("Levels", "1"));
    let provider = app.provider("Rivers", &source).await;
    let ann = app.user("ann", &[]).await;
    let payload = json!({"url": source.url_at("/page"), "wait": true});
    let id = app.ingest_from_provider(&ann, (provider, &source), payload).await.body["signal_id"]
        .as_i64()
        .unwrap();
    for (behavior, verdict, http) in [
        (page("Levels", "1"), "alive", 200),
        (Behavior::status(503), "unknown", 503),
        (Behavior::status(410), "gone", 410),
        (page("Levels", "1"), "alive", 200),
    ] {
        source.reply_at("/page", behavior);
        let told = ann.post(CHECK, &json!({"signal_id": id})).await;
        assert_eq!(told.status, 200, "{told:?}");
        assert_eq!((&told.body["verdict"], &told.body["http_status"]), (&json!(verdict), &json!(http)));
        assert_eq!(told.body["signal_id"], id);
        let document = ann.get(&format!("/svc/cache/{id}/")).await.body;
        assert_eq!(document["liveness"], verdict, "{document}");
        assert_eq!(document["liveness_checked"], told.body["checked_at"]);
    }
    let several = ann.post(CHECK, &json!({"signal_ids": [id]})).await.body;
    assert_eq!(
        (&several["results"][0]["verdict"], &several["results"][0]["signal_id"]),
        (&json!("alive"), &json!(id))
    );
    assert_eq!(ann.post(CHECK, &json!({"signal_ids": []})).await.body, json!({"results": []}));

    // A changed version is fetched again.
    let before = size(&ann, id).await;
    source.reply_at("/page", page("Levels after the flood", "2"));
    assert_eq!(ann.post(CHECK, &json!({"signal_id": id})).await.body["verdict"], "alive");
    let started = Instant::now();
    while size(&ann, id).await == before {
        assert!(started.elapsed() < Duration::from_secs(20), "it was not fetched again");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }

    for (given, status) in [
        (json!({}), 400),
        (json!({"signal_id": id, "signal_ids": [id]}), 400),
        (json!({"signal_ids": vec![id; 51]}), 400),
        (json!({"signal_id": "x"}), 400),
        (json!({"signal_id": 999_999}), 404),
        (json!({"signal_ids": [id, 999_999]}), 404),
    ] {
        assert_eq!(ann.post(CHECK, &given).await.status.as_u16(), status, "{given}");
    }
    let own = keep_text(&ann, "https://h.example/own", "Own").await;
    let other = app.user("ben", &[]).await.post(CHECK, &json!({"signal_id": own})).await;
    let nobodys = app.admin.post(CHECK, &json!({"signal_id": 999_999})).await;
    assert_eq!((other.status.as_u16(), &other.body["detail"]), (404, &nobodys.body["detail"]));
    app.stop().await;

    let app = AppHarness::start().await;
    let closed = app.admin.post(CHECK, &json!({"signal_id": 1})).await;
    assert_eq!((closed.status.as_u16(), closed.code()), (402, "cache_unlicensed"));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn out_of_the_cache() {
    let app = AppHarness::with(licensed).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(items("river", 1)));
    source.reply_at("/page", page("Levels", "1"));
    let provider = app.provider("Rivers", &source).await;
    let (ann, ben) = (app.user("ann", &[]).await, app.user("ben", &[]).await);
    let own = keep_text(&ann, "https://h.example/own", "Own").await;
    let shared = json!({"url": source.url_at("/page"), "wait": true});
    let kept = app.ingest_from_provider(&ann, (provider, &source), shared.clone()).await;
    let id = kept.body["signal_id"].as_i64().unwrap();
    for (client, given, status) in [
        (&ben, json!({"signal_id": own}), 404),
        (&ben, json!({"url": "https://h.example/own"}), 404),
        (&ben, json!({"signal_id": id}), 403), // he sees it and did not put it there
        (&ann, json!({"signal_id": 999_999}), 404),
        (&ann, json!({}), 400),
        (&ann, json!({"signal_id": own, "url": "https://h.example/own"}), 400),
    ] {
        assert_eq!(client.post(UNINDEX, &given).await.status.as_u16(), status, "{given}");
    }
    let removed = ann.post(UNINDEX, &json!({"url": "https://H.example:443/own#part"})).await;
    assert_eq!((removed.status.as_u16(), &removed.body), (200, &json!({"removed": true, "signal_id": own})));
    assert_eq!(ann.get(&format!("/svc/cache/{own}/")).await.status, 404);

    // Ben has it too; Ann removes hers, and the administrator removes it for everybody.
    let kept = app.ingest_from_provider(&ben, (provider, &source), shared).await;
    assert_eq!(kept.body["signal_id"], id, "{kept:?}");
    assert_eq!(ann.post(UNINDEX, &json!({"signal_id": id})).await.status, 200);
    assert_eq!(ben.get(&format!("/svc/cache/{id}/")).await.status, 200);
    assert_eq!(app.admin.post(UNINDEX, &json!({"signal_id": id})).await.status, 200);
    assert_eq!(ben.get(&format!("/svc/cache/{id}/")).await.status, 404);
    assert_eq!(ben.get("/svc/cache/").await.body, json!([]));
    let figures = app.admin.get("/svc/cache/statistics/").await.body;
    assert_eq!((&figures["chunks"], &figures["grants"]), (&json!(0), &json!(0)));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn administrators_see_figures_and_no_document() {
    let app = AppHarness::with(licensed).await;
    let ann = app.user("ann", &[]).await;
    keep_text(&ann, "https://canary.example/secret", "Canary").await;
    let started = Instant::now();
    let mut told = app.admin.get("/svc/cache/statistics/").await;
    // The document is stored before the worker has counted it, so a client that waited for it may be faster.
    while told.body["today"]["ingested"] == 0 {
        assert!(started.elapsed() < Duration::from_secs(20), "nobody counted it: {told:?}");
        tokio::time::sleep(Duration::from_millis(20)).await;
        told = app.admin.get("/svc/cache/statistics/").await;
    }
    assert_eq!(told.status, 200);
    assert!(!told.body.to_string().to_lowercase().contains("canary"), "{}", told.body);
    assert_eq!(told.body["licensed"], true);
    assert_eq!(told.body["signals"], json!({"known": 0, "indexed": 1, "pinned": 0}));
    assert_eq!(told.body["grants"], 1);
    assert!(told.body["chunks"].as_u64().unwrap() > 0 && told.body["body_bytes"].as_u64().unwrap() > 0);
    for (store, kind) in [("vector_store", "memory"), ("storage", "fs")] {
        assert_eq!((&told.body[store]["kind"], &told.body[store]["ok"]), (&json!(kind), &json!(true)));
    }
    assert_eq!((&told.body["today"]["ingested"], &told.body["today"]["failed"]), (&json!(1), &json!(0)));
    assert_eq!(ann.get("/svc/cache/statistics/").await.status, 403);

    let metrics = app.admin.get("/metrics/").await.body.as_str().unwrap().to_owned();
    for line in [
        "tributary_cache_licensed 1",
        "tributary_cache_signals{state=\"indexed\"} 1",
        "tributary_cache_grants{} 1",
        "tributary_cache_store_up{store=\"vectors\"} 1",
        "tributary_cache_store_up{store=\"storage\"} 1",
        "tributary_cache_searches_total 0",
        "tributary_cache_ingests_total{outcome=\"in\"} 1",
        "tributary_cache_ingests_total{outcome=\"failed\"} 0",
        "tributary_cache_probes_total{verdict=\"gone\"} 0",
    ] {
        assert!(metrics.lines().any(|one| one == line), "{line} is not in {metrics}");
    }
    assert!(!metrics.to_lowercase().contains("canary"));
    app.stop().await;
}
