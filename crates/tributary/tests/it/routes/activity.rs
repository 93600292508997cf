//! `/svc/activity/`: the last days, the last hour, and a person's own days.

use crate::app_harness::{AppHarness, items};
use crate::rag_fixture::RagFixture;
use domain::settings::Settings;
use serde_json::{Value, json};
use testkit::source::{Behavior, Source};

#[tokio::test(flavor = "multi_thread")]
async fn days_providers_and_searches_without_results() {
    let app = AppHarness::start().await;
    let (rivers, broken) = (Source::start().await, Source::start().await);
    rivers.reply(Behavior::Json(items("river", 3)));
    broken.reply(Behavior::status(500));
    let id = app.provider("Rivers", &rivers).await;
    app.provider("Broken", &broken).await;
    let ann = app.user("ann", &[]).await;
    ann.search(&json!({"query_string": "river"})).await;
    rivers.reply(Behavior::Json(json!({"total": 0, "items": []})));
    ann.search(&json!({"query_string": "unheard-of"})).await;

    let told = app.admin.get("/svc/activity/").await.body;
    assert_eq!((&told["totals"]["searches"], &told["totals"]["providers_active"]), (&json!(2), &json!(2)));
    assert_eq!(
        (&told["totals"]["results"], &told["totals"]["version"]),
        (&json!(3), &json!(domain::VERSION))
    );
    let days = told["days"].as_array().unwrap();
    assert_eq!(days.len(), 30);
    let searches: u64 = days.iter().map(|day| day["searches"].as_u64().unwrap()).sum();
    let futile: u64 = days.iter().map(|day| day["futile"].as_u64().unwrap()).sum();
    assert_eq!((searches, futile, &days[0]["p95"]), (2, 1, &Value::Null));
    let provider = told["providers"].as_array().unwrap().iter().find(|one| one["provider_id"] == id).unwrap();
    assert_eq!(
        (&provider["name"], &provider["asked"], &provider["ok"]),
        (&json!("Rivers"), &json!(2), &json!(2))
    );
    assert_eq!(provider["retrieved"], 3);
    let broken = told["providers"].as_array().unwrap().iter().find(|one| one["name"] == "Broken").unwrap();
    assert_eq!((&broken["ok"], &broken["failed"]), (&json!(0), &json!(2)), "{broken}");
    assert_eq!((&told["futile"], &told["shows_queries"]), (&json!([]), &json!(false)));
    assert!(!told.to_string().contains("unheard-of"), "what people search for is their own");

    let own = ann.get("/svc/activity/mine/").await.body["days"].clone();
    let counts: Vec<u64> =
        own.as_array().unwrap().iter().map(|day| day["searches"].as_u64().unwrap()).collect();
    assert_eq!((counts.len(), counts.iter().sum::<u64>()), (14, 2));
    let others = app.admin.get("/svc/activity/mine/").await.body["days"].clone();
    assert!(others.as_array().unwrap().iter().all(|day| day["searches"] == 0), "only one's own");
    for (days, status) in [("1", 200), ("90", 200), ("0", 400), ("91", 400), ("x", 400)] {
        assert_eq!(app.admin.get(&format!("/svc/activity/?days={days}")).await.status, status, "{days}");
    }
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_without_results_are_listed_anonymously_if_configured() {
    let app = AppHarness::with(|settings| Settings { activity_shows_queries: true, ..settings }).await;
    let source = Source::start().await;
    source.reply(Behavior::Json(json!({"total": 0, "items": []})));
    app.provider("Rivers", &source).await;
    let (ann, bob) = (app.user("ann", &[]).await, app.user("bob", &[]).await);
    for client in [&ann, &bob] {
        client.search(&json!({"query_string": "unheard-of"})).await;
    }
    let told = app.admin.get("/svc/activity/").await.body;
    assert_eq!(told["shows_queries"], true);
    let rows = told["futile"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["query"], &rows[0]["searches"]), (1, &json!("unheard-of"), &json!(2)));
    let fields: Vec<&String> = rows[0].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["query", "searches", "day"], "no name, and no time that leads to one");
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_hour() {
    let app = AppHarness::start().await;
    let (rivers, tired) = (Source::start().await, Source::start().await);
    rivers.reply(Behavior::Json(items("river", 3)));
    tired.reply(Behavior::status(429));
    app.provider("Rivers", &rivers).await;
    let tired = app.provider("Tired", &tired).await;
    let quiet = app.admin.get("/svc/activity/now/").await.body;
    assert_eq!(
        (&quiet["searches_today"], &quiet["p95"], &quiet["full_share"]),
        (&json!(0), &Value::Null, &Value::Null)
    );
    app.admin.search(&json!({"query_string": "river"})).await;
    let now = app.admin.get("/svc/activity/now/").await.body;
    assert_eq!((&now["searches_today"], &now["full_share"]), (&json!(1), &json!(0.0)));
    assert!(now["p95"].as_f64().unwrap() > 0.0);
    assert_eq!(
        (&now["resting"][0]["provider_id"], &now["resting"][0]["name"]),
        (&json!(tired), &json!("Tired"))
    );
    let minutes = now["minutes"].as_array().unwrap();
    assert!(!minutes.is_empty() && minutes.len() <= 60);
    let sum = |field: &str| minutes.iter().map(|minute| minute[field].as_u64().unwrap()).sum::<u64>();
    assert_eq!((sum("searches"), sum("errors")), (1, 1));
    let provider = now["providers"].as_array().unwrap().iter().find(|one| one["name"] == "Rivers").unwrap();
    assert_eq!((&provider["ok"], &provider["failed"]), (&json!(1), &json!(0)));
    assert!(provider["p50"].as_f64().is_some() && provider["p95"].as_f64().is_some());
    let queue = now["queues"].as_array().unwrap().iter().find(|one| one["queue"] == "search").unwrap();
    assert_eq!((&queue["waiting"], &queue["workers"]), (&json!(0), &json!(1)));
    assert!(queue["capacity"].as_u64().unwrap() > 0);
    app.stop().await;
}

/// Names and error codes of the sources that need attention, by name.
async fn failing(app: &AppHarness) -> Vec<(String, String)> {
    let now = app.admin.get("/svc/activity/now/").await.body;
    let text = |row: &Value, field: &str| row[field].as_str().unwrap().to_owned();
    let rows = now["failing"].as_array().unwrap().iter();
    let mut pairs: Vec<_> = rows.map(|row| (text(row, "name"), text(row, "code"))).collect();
    pairs.sort();
    pairs
}

#[tokio::test(flavor = "multi_thread")]
async fn sources_that_need_attention_are_named() {
    let app = AppHarness::start().await;
    let [rivers, denied, broken] = [Source::start().await, Source::start().await, Source::start().await];
    rivers.reply(Behavior::Json(items("river", 3)));
    denied.reply(Behavior::status(401));
    broken.reply(Behavior::status(500));
    app.provider("Rivers", &rivers).await;
    let denied = app.provider("Denied", &denied).await;
    let broken = app.provider("Broken", &broken).await;
    assert!(failing(&app).await.is_empty());
    app.admin.search(&json!({"query_string": "river"})).await;
    let pair = |name: &str, code: &str| (name.to_owned(), code.to_owned());
    assert_eq!(failing(&app).await, [pair("Denied", "denied")], "a key does not repair itself");
    for query in ["stream", "brook"] {
        app.admin.search(&json!({"query_string": query})).await;
    }
    let both = failing(&app).await;
    assert_eq!((both.len(), &both[0].0, &both[1].0), (2, &"Broken".to_owned(), &"Denied".to_owned()));
    let now = app.admin.get("/svc/activity/now/").await.body;
    assert_eq!((&now["sources"], &now["failing"][1]["failures"]), (&json!(3), &json!(3)));
    assert_ne!(now["failing"][0]["since"], now["failing"][0]["last"], "{now}");
    let states = app.admin.get("/svc/searchproviders/states/").await.body;
    assert_eq!((&states[0]["failing"], &states[1]["failing"]["code"]), (&Value::Null, &json!("denied")));

    let edit = json!({"description": "with a new key"});
    assert_eq!(app.admin.patch(&format!("/svc/searchproviders/{denied}/"), &edit).await.status, 200);
    assert_eq!(failing(&app).await, both[..1], "an edit may have repaired it");
    assert_eq!(app.admin.delete(&format!("/svc/searchproviders/{broken}/state/")).await.status, 204);
    assert!(failing(&app).await.is_empty());
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_is_rated_and_the_rating_is_reported() {
    let it = RagFixture::start().await;
    let id = it.search().await;
    let path = format!("/svc/rag-search/{id}/rating/");
    let rating = json!({"rating": -1, "reasons": ["incomplete"], "comment": "Where is the mill?"});
    let early = it.app.admin.post(&path, &rating).await;
    assert_eq!((early.status.as_u16(), early.code()), (422, "impossible"));
    assert_eq!(it.rag_search(&json!({"search_id": id})).await.status, 200);
    for wrong in [
        json!({"rating": 0}),
        json!({"rating": 2}),
        json!({"rating": 1, "comment": "x".repeat(5000)}),
        json!({}),
    ] {
        assert_eq!(it.app.admin.post(&path, &wrong).await.status, 400, "{wrong}");
    }
    assert_eq!(it.app.admin.post(&path, &json!({"rating": 1})).await.status, 200);
    let rated = it.app.admin.post(&path, &rating).await;
    assert_eq!(
        (rated.status.as_u16(), &rated.body),
        (200, &rating),
        "the second takes the place of the first"
    );
    let otto = it.app.user("otto", &[]).await;
    assert_eq!(otto.post(&path, &rating).await.status, 404);
    let told = it.app.admin.get("/svc/activity/").await.body["ratings"].clone();
    assert_eq!(told.as_array().unwrap().len(), 1);
    assert_eq!((&told[0]["kind"], &told[0]["rating"]), (&json!("summary"), &json!(-1)));
    assert_eq!(told[0]["reasons"], json!(["incomplete"]));
    assert_eq!(
        (told[0].get("query"), told[0].get("user")),
        (None, None),
        "neither the question nor the person"
    );
    assert!(!told[0]["model"].as_str().unwrap().is_empty());
    it.app.stop().await;
}
