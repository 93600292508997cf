//! The ways into the semantic cache, end to end: an ingest request, a summary that reads pages, and the best results of
//! a search. Each test then reads the document from the cache.

use crate::app_harness::{AppHarness, Client, licensed};
use crate::rag_fixture::RagFixture;
use domain::ports::SignalStore;
use domain::settings::Settings;
use fakes::models::ModelServer;
use fakes::models::openai::OpenAi;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::source::{Behavior, Source};

/// How long documents may take to be ingested.
const PATIENCE: Duration = Duration::from_secs(20);
const RESULTS: usize = 6;

/// A source whose results are snippets of its pages.
async fn source() -> Source {
    let source = Source::start().await;
    let item = |number: usize| {
        json!({
            "title": format!("River mill {number}"),
            "body": format!("A snippet about river mill {number}."),
            "url": source.url_at(&format!("/page/{number}")),
        })
    };
    let items: Vec<Value> = (0..RESULTS).map(item).collect();
    source.reply(Behavior::Json(json!({"total": RESULTS, "items": items})));
    for number in 0..RESULTS {
        let line = format!(
            "<p>River mill {number} has ground corn since the year 18{number}0 and stands by the water.</p>"
        );
        let page =
            format!("<html><body><main><h1>River mill {number}</h1>{}</main></body></html>", line.repeat(8));
        source.reply_at(&format!("/page/{number}"), Behavior::text("text/html", page));
    }
    source
}

/// A service with a model for summaries.
async fn app_with_model(change: impl FnOnce(Settings) -> Settings) -> (AppHarness, ModelServer) {
    let app =
        AppHarness::with(|settings| change(Settings { rag_score_inclusion_threshold: 0.05, ..settings }))
            .await;
    let model = ModelServer::start(OpenAi).await;
    RagFixture::ai_provider(&app, "Company model", &model, json!({})).await;
    (app, model)
}

fn pages_asked(source: &Source) -> usize {
    source.requests().iter().filter(|request| request.path.starts_with("/page/")).count()
}

/// Waits until this person has so many documents with a body, and returns them.
async fn documents(client: &Client, count: usize) -> Vec<Value> {
    let started = Instant::now();
    loop {
        let answer = client.get("/svc/cache/?page=1&items=100&state=indexed").await;
        assert_eq!(answer.status, 200, "{answer:?}");
        let rows = answer.body["results"].as_array().unwrap().clone();
        if rows.len() >= count || started.elapsed() > PATIENCE {
            assert_eq!(rows.len(), count, "{rows:?}");
            return rows;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_is_ingested_on_request() {
    let app = AppHarness::with(licensed).await;
    let source = source().await;
    app.provider("Mills", &source).await;
    let ann = app.user("ann", &[]).await;
    let found = ann.get("/svc/search/?qs=river+mill&tags=MATTER:dam").await;
    let (search, result) = (&found.body["info"]["search"]["id"], &found.body["results"][0]);
    let payload = json!({"search_id": search, "swirl_id": result["swirl_id"], "wait": true});
    let kept = ann.post("/svc/ingest/", &payload).await;
    assert_eq!(kept.status, 200, "{kept:?}");
    assert_eq!((&kept.body["upgraded"], &kept.body["state"]), (&json!(true), &json!("indexed")));
    let document = documents(&ann, 1).await.remove(0);
    assert_eq!((&document["origin"], &document["liveness"]), (&json!("ingest"), &json!("alive")));
    assert_eq!(pages_asked(&source), 1);
    let again = ann.post("/svc/ingest/", &payload).await;
    assert_eq!((again.status.as_u16(), &again.body["job_id"]), (200, &json!(null)));
    assert_eq!(pages_asked(&source), 1);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_an_answer_are_kept_and_read_from_the_cache_the_next_time() {
    let (app, _model) = app_with_model(licensed).await;
    let source = source().await;
    let pages = json!({"page_fetch_config_json": {"cache": "true"}});
    app.provider_with("Mills", &source, pages).await;
    let ann = app.user("ann", &[]).await;
    let first = ann.get("/svc/search/?qs=river+mill&rag=true").await;
    assert_eq!(first.body["ai_summary"].as_array().map(Vec::len), Some(1), "{:?}", first.body["info"]);
    let read = pages_asked(&source);
    assert!(read > 0, "the answer reads pages");
    let kept = documents(&ann, read).await;
    assert!(kept.iter().all(|document| document["origin"] == "rag"), "{kept:?}");
    // Everybody may use this source, and therefore its cached documents.
    let bob = app.user("bob", &[]).await;
    let second = bob.get("/svc/search/?qs=river+mill&rag=true").await;
    assert_eq!(second.body["ai_summary"].as_array().map(Vec::len), Some(1));
    assert_eq!(pages_asked(&source), read, "nothing was fetched again");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_best_results_are_fetched_when_that_is_set() {
    let app = AppHarness::with(|settings| Settings {
        eager_federated_promote_enabled: true,
        eager_federated_promote_max: 2,
        ..licensed(settings)
    })
    .await;
    let source = source().await;
    app.provider_with("Mills", &source, json!({"page_fetch_config_json": {"cache": "true"}})).await;
    let ann = app.user("ann", &[]).await;
    let found = ann.get("/svc/search/?qs=river+mill&result_mixer=RelevancyMixer").await;
    let best: Vec<String> =
        (0..2).map(|place| found.body["results"][place]["url"].as_str().unwrap().to_owned()).collect();
    let kept = documents(&ann, 2).await;
    assert!(kept.iter().all(|document| document["origin"] == "eager"));
    let mut urls: Vec<&str> = kept.iter().map(|document| document["url"].as_str().unwrap()).collect();
    urls.sort_unstable();
    let mut expected: Vec<&str> = best.iter().map(String::as_str).collect();
    expected.sort_unstable();
    assert_eq!((urls, pages_asked(&source)), (expected, 2));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_license_pages_come_live_and_nothing_is_kept() {
    let eager = |settings| Settings { eager_federated_promote_enabled: true, ..settings };
    let (app, _model) = app_with_model(eager).await;
    let source = source().await;
    app.provider_with("Mills", &source, json!({"page_fetch_config_json": {"cache": "true"}})).await;
    let asked = |answer: &Value| assert_eq!(answer["ai_summary"].as_array().map(Vec::len), Some(1));
    asked(&app.admin.get("/svc/search/?qs=river+mill&rag=true").await.body);
    let once = pages_asked(&source);
    asked(&app.admin.get("/svc/search/?qs=river+mill&rag=true").await.body);
    assert_eq!(pages_asked(&source), 2 * once);
    let refused = app.admin.post("/svc/ingest/", &json!({"url": source.url_at("/page/1")})).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (402, "cache_unlicensed"));
    let counts = app.service.app().store.corpus_counts().await.unwrap();
    assert_eq!((counts.grants, counts.chunks), (0, 0));
    app.stop().await;
}
