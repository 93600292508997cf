//! The life cycle of the semantic cache for each deployment: one process, a cluster with pgvector and an S3 server, and
//! Qdrant (a strict fake).

use crate::app_harness::{AppHarness, Client, eventually, items, licensed, long_text};
use corpus::maintenance::Repair;
use domain::corpus::{QdrantMode, StorageBackend, VectorBackend};
use domain::secret::Secret;
use domain::settings::Settings;
use fakes::qdrant;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use testkit::postgres::TestDatabase;
use testkit::source::{Behavior, Source};
use tributary::corpus::provider as corpus_provider;

const CHECK: &str = "/svc/cache/check_liveness/";
/// How many cluster tests this process has started; each has its own bucket.
static CLUSTER_RUNS: AtomicUsize = AtomicUsize::new(0);

/// One version of a page.
fn page(topic: &str, version: &str) -> Behavior {
    let text = format!(
        "<html><title>{topic}</title><body><main><h1>{topic}</h1><p>{}</p></main></body></html>",
        long_text(topic)
    );
    let headers = vec![
        ("content-type".to_owned(), "text/html".to_owned()),
        ("etag".to_owned(), format!("\"{version}\"")),
    ];
    Behavior::Status { code: 200, headers, body: text.into() }
}

/// A source with three documents, one of them about a heron.
async fn library() -> Source {
    let source = Source::start().await;
    let topics = ["the grey heron", "the water mill", "the stone bridge"];
    let mut found = items("river", topics.len());
    for (number, topic) in topics.iter().enumerate() {
        let path = format!("/page/{number}");
        found["items"][number] = json!({"title": topic, "body": "A snippet.", "url": source.url_at(&path)});
        source.reply_at(&path, page(topic, "1"));
    }
    source.reply(Behavior::Json(found));
    source
}

/// The results that this person gets from the cache.
async fn cached(client: &Client, cache: i64, words: &str) -> Vec<Value> {
    let answer = client.get(&format!("/svc/search/?qs={words}&providers={cache}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let status = &answer.body["info"]["Files - Tributary Cache"]["status"];
    assert!(status == "ok" || status == "no_results", "{:?}", answer.body["info"]);
    answer.body["results"].as_array().unwrap().clone()
}

async fn assert_agreement(app: &AppHarness, documents: u64) {
    let report = app.service.app().corpus.reconcile(Repair::Nothing).await.unwrap();
    assert!(report.is_whole(), "{report:?}");
    assert_eq!((report.documents, report.with_body), (documents, documents), "{report:?}");
    assert_eq!(report.vectors, Some(report.pieces), "{report:?}");
}

/// The collection of a new installation has sparse vectors from the start, and an upgrade changes nothing.
async fn upgrade(app: &AppHarness, person: &Client, cache: i64) {
    assert!(!cached(person, cache, "grey+heron").await.is_empty());
    let upgraded = app.service.app().corpus.upgrade_to_hybrid(&|_, _| {}).await.unwrap();
    assert_eq!((upgraded.was_hybrid, upgraded.documents), (true, 3), "{upgraded:?}");
    assert_agreement(app, 3).await;
}

async fn run_lifecycle(change: impl FnOnce(Settings) -> Settings) {
    let app = AppHarness::with(|settings| change(licensed(settings))).await;
    let is_hybrid = app.service.app().settings.corpus_hybrid;
    assert!(corpus_provider::ensure(app.service.app()).await.unwrap());
    let providers = app.admin.get("/svc/searchproviders/").await;
    let cache = providers.body[0]["id"].as_i64().unwrap();
    let source = library().await;
    let library = app.provider("Library", &source).await;
    let (ann, ben) = (app.user("ann", &[]).await, app.user("ben", &[]).await);

    // Ann searches and ingests the three documents.
    let found = ann.get(&format!("/svc/search/?qs=river&providers={library}")).await;
    let search = &found.body["info"]["search"]["id"];
    let mut ids = Vec::new();
    for result in found.body["results"].as_array().unwrap() {
        let payload = json!({"search_id": search, "swirl_id": result["swirl_id"], "wait": true});
        let kept = ann.post("/svc/ingest/", &payload).await;
        assert_eq!((kept.status.as_u16(), &kept.body["state"]), (200, &json!("indexed")), "{kept:?}");
        ids.push((result["title"].as_str().unwrap().to_owned(), kept.body["signal_id"].clone()));
    }
    let heron = ids.iter().find(|(title, _)| title.contains("heron")).unwrap().1.clone();
    assert_agreement(&app, 3).await;

    if is_hybrid {
        upgrade(&app, &ann, cache).await;
    }

    // The search finds the full text and not the snippet, and names its origin. Everybody may use this source.
    for person in [&ann, &ben] {
        let hits = cached(person, cache, "grey+heron").await;
        let first = &hits[0];
        assert_eq!(first["cache"]["signal_id"], heron, "{hits:?}");
        assert_eq!(
            (&first["cache"]["badge"], &first["cache"]["liveness"]),
            (&json!("Cached"), &json!("alive"))
        );
        assert!(first["body"].as_str().unwrap().contains("Sentence"), "{first}");
    }
    assert!(cached(&ann, cache, "quarterly+tax+return").await.is_empty(), "nothing fits");

    // The document changes at the source: a liveness check notices it and the cached copy is updated.
    source.reply_at("/page/0", page("the white stork", "2"));
    let checked = ann.post(CHECK, &json!({"signal_id": heron})).await;
    assert_eq!(checked.body["verdict"], "alive", "{checked:?}");
    eventually("the copy follows the source", async || {
        let hits = cached(&ann, cache, "white+stork").await;
        hits.first().is_some_and(|hit| hit["cache"]["signal_id"] == heron)
    })
    .await;
    assert_agreement(&app, 3).await;

    // Gone at the source: reported, and never deleted.
    source.reply_at("/page/0", Behavior::status(410));
    let checked = ann.post(CHECK, &json!({"signal_id": heron})).await;
    assert_eq!((&checked.body["verdict"], &checked.body["http_status"]), (&json!("gone"), &json!(410)));
    assert_eq!(cached(&ann, cache, "white+stork").await[0]["cache"]["liveness"], "gone");

    // Removed from the cache: nothing of it remains.
    let removed = app.admin.post("/svc/cache/unindex/", &json!({"signal_id": heron})).await;
    assert_eq!((removed.status.as_u16(), &removed.body["removed"]), (200, &json!(true)), "{removed:?}");
    assert!(cached(&ann, cache, "white+stork").await.iter().all(|hit| hit["cache"]["signal_id"] != heron));
    assert_agreement(&app, 2).await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_one_process() {
    run_lifecycle(|settings| settings).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn in_one_process_with_hybrid_search() {
    run_lifecycle(|settings| Settings { corpus_hybrid: true, ..settings }).await;
}

/// The settings of a cluster with its own database; skips the `suite` if its servers are not running.
pub async fn cluster_form(suite: &str) -> Option<(TestDatabase, impl FnOnce(Settings) -> Settings)> {
    let (server, s3) = (testkit::postgres::server_with_pgvector(suite)?, testkit::s3::server(suite)?);
    let database = TestDatabase::create(&server).await;
    let url = Secret::new(database.url.clone());
    let bucket = format!("story-{}-{}", std::process::id(), CLUSTER_RUNS.fetch_add(1, Ordering::Relaxed));
    let change = move |settings| Settings {
        corpus_hybrid: true,
        database_url: url,
        vector_backend: VectorBackend::PgVector,
        storage_backend: StorageBackend::S3,
        storage_endpoint: s3.url.clone(),
        storage_bucket: bucket,
        storage_access_key: Secret::new(s3.access_key.clone()),
        storage_secret_key: Secret::new(s3.secret_key.clone()),
        ..settings
    };
    Some((database, change))
}

#[tokio::test(flavor = "multi_thread")]
async fn in_a_cluster() {
    let Some((database, change)) = cluster_form("the semantic cache in a cluster").await else { return };
    run_lifecycle(change).await;
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_qdrant() {
    let server = qdrant::start_empty().await;
    run_lifecycle(|settings| Settings {
        qdrant_mode: QdrantMode::External,
        qdrant_url: server.listener.url.clone(),
        qdrant_api_key: Secret::new(qdrant::KEY),
        corpus_hybrid: true,
        ..settings
    })
    .await;
}
